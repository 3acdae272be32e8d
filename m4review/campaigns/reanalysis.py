"""Re-analysis without a new run: the outputs that a campaign kept, scored by today's cards, beside the old figures.

Records are never written. A run whose output cannot be scored again keeps its old score on both sides and is named.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from m4review.campaigns.analysis import Analysis
from m4review.campaigns.comparisons import Row
from m4review.campaigns.document import Block, Document, Points, Section, Table
from m4review.campaigns.effecttables import bracketed, signed
from m4review.campaigns.folder import CampaignFolder
from m4review.campaigns.ownruns import runs_of
from m4review.campaigns.runs import Run
from m4review.errors import M4ReviewError
from m4review.trials.records import Outcome
from m4review.trials.rescoring import Rescored, rescore
from m4review.workspace import Workspace

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Reanalysis:
    """The runs of a campaign as they were scored and as they are now, in the same order."""

    old: tuple[Run, ...]
    new: tuple[Run, ...]
    scores: tuple[Rescored, ...]
    kept: tuple[str, ...]
    """Sentences about runs that keep their old score."""


def rescore_campaign(
    workspace: Workspace,
    folder: CampaignFolder,
    *,
    other_reference: bool = False,
    environment: Mapping[str, str] = os.environ,
    cancel: threading.Event | None = None,
    progress: Progress = lambda done, of: None,
) -> Reanalysis:
    """Score every output that the campaign kept once more.

    Raises:
        CampaignError, TrialError: the campaign's folder was changed.
        ScoringCancelledError: ``cancel`` was set.
    """
    records = folder.records()
    scores, kept, again = [], [], []
    for place, (block, arm, record) in enumerate(records, 1):
        now = record
        if record.outcome is Outcome.SCORED:
            try:
                scored = rescore(
                    workspace,
                    record,
                    folder=folder.run_folder(record.id),
                    other_reference=other_reference,
                    environment=environment,
                    cancel=cancel,
                )
            except M4ReviewError as error:
                kept.append(f"{record.id} ({block.label}, {arm.label}): {error.what}")
            else:
                scores.append(scored)
                ended = Outcome.SCORED if scored.new is not None else Outcome.INVALID_OUTPUT
                now = record.model_copy(update={"score": scored.new, "outcome": ended})
        again.append((block, arm, now))
        progress(place, len(records))
    return Reanalysis(tuple(runs_of(records)), tuple(runs_of(again)), tuple(scores), tuple(kept))


def reanalysis_document(made: Reanalysis, old: Analysis, new: Analysis, name: str) -> Document:
    """Old and new figures side by side, and every run whose score is another now."""
    return Document(
        f"Re-analysis of the campaign {name}",
        _opening(made),
        (
            Section("Effects", (_effects(old, new),)),
            Section("Runs that score differently", _changed_runs(made)),
            Section("Match rates that differ", _changed_columns(made)),
            Section("What the scores rest on", (Points(tuple(_grounds(made))),)),
        ),
    )


def _opening(made: Reanalysis) -> str:
    differ = sum(scored.differs for scored in made.scores)
    return (
        f"{len(made.scores)} of {len(made.old)} runs were scored again from the output they kept; {differ} score "
        f"differently. No record was changed."
    )


def _effects(old: Analysis, new: Analysis) -> Table:
    after = {row.name: row for row in _rows(new)}
    lines = []
    for row in _rows(old):
        now = after.pop(row.name, None)
        change = "–" if now is None else signed(now.effect.mean - row.effect.mean)
        lines.append((row.name, *_levels(row), *(("–",) * 3 if now is None else _levels(now)), change))
    lines += [(name, *("–",) * 3, *_levels(row), "–") for name, row in after.items()]
    head = (
        "comparison",
        "levels then",
        "difference then",
        "95 % then",
        "levels now",
        "difference now",
        "95 % now",
        "change",
    )
    return Table(head, tuple(lines))


def _rows(analysis: Analysis) -> list[Row]:
    controls = [row for rows in analysis.controls.values() for row in rows]
    probes = [row for probe in analysis.probes for row in (probe.without, probe.with_skill, probe.effect) if row]
    return [analysis.primary, *analysis.sensitivity, *controls, *probes]


def _levels(row: Row) -> tuple[str, str, str]:
    before, after = row.effect.levels
    return f"{before:.4f} → {after:.4f}", signed(row.effect.mean), bracketed(row.interval)


def _changed_runs(made: Reanalysis) -> tuple[Block, ...]:
    now = {run.id: run for run in made.new}
    rows = []
    for scored in made.scores:
        if not scored.differs:
            continue
        run = now[scored.run]
        old, new = (None if score is None else score.reward for score in (scored.old, scored.new))
        change = "–" if old is None or new is None else signed(new - old)
        rows.append(
            (run.id, run.task, run.condition, run.schema, run.model, str(run.repeat), _share(old), _share(new), change)
        )
    if not rows:
        return ("Every output scores exactly as before.",)
    head = ("run", "task", "condition", "schema", "model", "repeat", "reward then", "reward now", "change")
    return (Table(head, tuple(rows), words=6),)


def _changed_columns(made: Reanalysis) -> tuple[Block, ...]:
    found: dict[tuple[str, str], list[tuple[float | None, float | None]]] = {}
    for scored in made.scores:
        sides = [{} if score is None else {c.name: c.rate for c in score.columns} for score in (scored.old, scored.new)]
        for column in dict.fromkeys((*sides[0], *sides[1])):
            pair = (sides[0].get(column), sides[1].get(column))
            if pair[0] != pair[1]:
                found.setdefault((scored.task, column), []).append(pair)
    if not found:
        return ("Every column matches exactly as often as before.",)
    rows = tuple(
        (task, column, str(len(pairs)), _mean(pair[0] for pair in pairs), _mean(pair[1] for pair in pairs))
        for (task, column), pairs in sorted(found.items())
    )
    return (Table(("task", "column", "runs", "rate then", "rate now"), rows, words=2),)


def _grounds(made: Reanalysis) -> list[str]:
    cards = sorted({scored.task for scored in made.scores if scored.card_changed})
    references = sorted({scored.task for scored in made.scores if not scored.same_reference})
    tools = sorted({(scored.tool_then, scored.tool_now) for scored in made.scores})
    said = [f"scored by m4review {then} then, {now} now" for then, now in tools]
    said.append(f"task cards changed since: {', '.join(cards) or 'none'}")
    said.append(f"another reference now: {', '.join(references) or 'none'}")
    said += [
        f"not scored now, and counted as an invalid output: {one.run}: {one.problem}"
        for one in made.scores
        if one.problem
    ]
    return said + [f"keeps its old score: {one}" for one in made.kept]


def _share(value: float | None) -> str:
    return "none" if value is None else f"{value:.4f}"


def _mean(values: Iterable[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{sum(known) / len(known):.4f}" if known else "none"
