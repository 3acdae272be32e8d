"""A trial as plain text: figures per condition, differences, what was held or left out, and what it does not say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from m4review.trials.ablation import ablation_lines
from m4review.trials.agents.trace import Gap
from m4review.trials.conditions import Condition
from m4review.trials.improvement import improvements
from m4review.trials.recorded import WITHOUT_VERSIONS
from m4review.trials.records import SkillUsed
from m4review.trials.summary import ConditionResult, TrialSummary

LABEL_WIDTH = 18
MANY = 4
"""Skills up to which each is named with its version."""
BLOCK_WIDTH = 100
"""Columns after which the conditions of a table go on in a further block."""
GAP_WIDTH = 90
AUDIT_WORDS = {"clear": "clear", "held": "HELD", "blind": "no trace", "none": "–"}
OPENED_WORDS = {True: "yes", False: "no", None: "unknown"}


def trial_table(summary: TrialSummary, *, all_gaps: bool = False, earlier: Iterable[TrialSummary] = ()) -> str:
    """The whole result, with what the text changed against the one tried before, if that is among ``earlier`` trials.

    ``all_gaps`` also lists every line of free prose, which the agent never reads.
    """
    return "\n".join(_lines(summary, all_gaps, earlier))


def number(value: float | None) -> str:
    """A rate or reward, three decimals; a dash when there is none."""
    return "–" if value is None else f"{value:.3f}"


def signed(value: float | None) -> str:
    """A difference with its sign; a dash when there is none."""
    return "–" if value is None else f"{value:+.3f}"


def _lines(summary: TrialSummary, all_gaps: bool, earlier: Iterable[TrialSummary]) -> Iterator[str]:
    rows = "synthetic" if summary.synthetic else "imported"
    agent = f"{summary.agent} {summary.agent_version}" + (f" ({summary.model})" if summary.model else "")
    yield f"trial {summary.id}: {summary.task}"
    yield f"agent {agent} · dataset {summary.dataset} ({rows}) · {summary.sandbox} sandbox"
    if summary.changed_schema:
        yield f"CHANGED SCHEMA: {summary.changed_schema}"
    if summary.has_reused_concepts:
        yield f"REUSED CONCEPTS, not ours: the references' lineage is {summary.reference_lineage}."
    if not summary.isolated:
        yield "NOT ISOLATED: the agent ran as an ordinary process of this machine."
    if summary.cancelled:
        yield "CANCELLED: the figures are of the runs that had finished."
    yield from (one.sentence for one in improvements(summary, earlier))
    yield ""
    yield from _figures(summary)
    if summary.ablation:
        yield from ("", *ablation_lines(summary), "")
    yield from _skills(summary)
    yield from _unscored(summary)
    for result in summary.conditions:
        if result.left_out is None:
            yield from _gaps(summary, result.label, result.gaps, all_gaps)
    yield ""
    yield summary.agent_title
    yield f"Order of the runs shuffled with seed {summary.seed}; {summary.inference}."


def _figures(summary: TrialSummary) -> Iterator[str]:
    results = [result for result in summary.conditions if result.left_out is None]
    paired = bool(summary.pairs) and len(results) == 2
    blocks = _blocks(results)
    for index, block in enumerate(blocks):
        if index:
            yield ""
        yield from _block(summary, block, paired)
    if len(summary.pairs) > 1 and paired:
        counted = sum(1 for pair in summary.pairs if pair.delta is not None)
        yield f"Δ is the mean over {counted} of {len(summary.pairs)} pairs."


def _blocks(results: Sequence[ConditionResult]) -> list[list[ConditionResult]]:
    """The conditions in groups that fit side by side."""
    blocks: list[list[ConditionResult]] = [[]]
    used = 0
    for result in results:
        if blocks[-1] and used + _width(result) > BLOCK_WIDTH - LABEL_WIDTH:
            blocks.append([])
            used = 0
        blocks[-1].append(result)
        used += _width(result)
    return blocks


def _width(result: ConditionResult) -> int:
    return max(12, len(result.label) + 2)


def _block(summary: TrialSummary, results: Sequence[ConditionResult], paired: bool) -> Iterator[str]:
    cells_of = _Row([_width(result) for result in results], delta=paired)
    yield cells_of("", [result.label for result in results], "Δ")
    yield cells_of("reward", [number(result.reward) for result in results], signed(summary.delta))
    if not paired and any(result.delta is not None for result in summary.conditions):
        yield cells_of("Δ to no-skill", [signed(result.delta) for result in results])
    for name in dict.fromkeys(name for result in results for name in result.columns):
        rates = [number(result.columns.get(name, 0.0) if result.counted else None) for result in results]
        yield cells_of(f"  {name}", rates, signed(summary.column_deltas.get(name)))
    yield cells_of("key F1", [number(result.key_f1) for result in results])
    yield cells_of("strict checks", [f"{result.strict_passes} of {result.counted}" for result in results])
    if any(result.infra_errors for result in results):
        yield cells_of("infra errors", [str(result.infra_errors) for result in results])
    yield cells_of("audit", [AUDIT_WORDS[result.audit] for result in results])
    opened = [OPENED_WORDS[result.skill_opened] if result.given_as_skill else "–" for result in results]
    yield cells_of("skill opened", opened)


class _Row:
    """One line of the table: a label, a cell per condition, the difference where there is a pair."""

    def __init__(self, widths: Sequence[int], *, delta: bool) -> None:
        self._widths = widths
        self._delta = delta

    def __call__(self, label: str, cells: Sequence[str], delta: str = "") -> str:
        text = "".join(f"{cell:>{width}}" for cell, width in zip(cells, self._widths, strict=True))
        return f"{label:<{LABEL_WIDTH}}{text}{f'{delta:>10}' if self._delta else ''}".rstrip()


def _skills(summary: TrialSummary) -> Iterator[str]:
    for result in summary.conditions:
        if result.left_out is None and len(result.skills) <= MANY:
            yield from (f"{result.label}: {skill_line(skill, result.condition)}" for skill in result.skills)
        elif result.left_out is None:
            yield f"{result.label}: {len(result.skills)} skills, as each run's record lists them"


def skill_line(skill: SkillUsed, condition: Condition) -> str:
    """Which content of a skill, or of the control in its place, was given."""
    version = f"version {skill.version}" if skill.version else "content that is not recorded as a version"
    mapped = ["mapped to the schema"] if skill.mapped else []
    parts = [skill.name, *([] if condition in WITHOUT_VERSIONS else [version]), skill.digest[:19]]
    return ", ".join([*parts, *(["as text in the prompt"] if skill.place == "prompt" else []), *mapped])


def _unscored(summary: TrialSummary) -> Iterator[str]:
    for run in summary.unscored:
        effect = "counts as 0" if run.counts else "is left out of the figures"
        why = f": {run.reason}" if run.reason else ""
        yield f"run {run.run} ({run.label}) {effect}; {run.outcome.replace('_', ' ')}{why}"
        for finding in run.findings:
            place = finding.file if finding.line is None else f"{finding.file}:{finding.line}"
            yield f"  audit {finding.rule} at {place}: {finding.excerpt} ({finding.why})"
    for decision in summary.decisions:
        yield f"run {decision.run}: the audit's finding was {decision.decision} by {decision.by}: {decision.reason}"


def _gaps(summary: TrialSummary, label: str, gaps: Sequence[Gap], all_gaps: bool) -> Iterator[str]:
    prose, meant = split_gaps(gaps)
    if meant:
        yield ""
        yield f"What the {summary.agent} could not execute, {label}:"
    for gap in meant:
        text = gap.text if all_gaps or len(gap.text) <= GAP_WIDTH else gap.text[: GAP_WIDTH - 1] + "…"
        yield f"  {gap.where}: {text} ({gap.why})"
    if prose:
        where = "" if all_gaps else f"; 'm4review trial show {summary.id}' lists them"
        yield ""
        yield f"{label}: {unread_prose(len(prose))}{where}"
    if all_gaps:
        yield from (f"  {gap.where}: {gap.text}" for gap in prose)


def split_gaps(gaps: Sequence[Gap]) -> tuple[list[Gap], list[Gap]]:
    """Lines of free prose, which executing a text leaves out by nature, and what could not be executed."""
    return [gap for gap in gaps if gap.kind == "prose"], [gap for gap in gaps if gap.kind != "prose"]


def unread_prose(lines: int) -> str:
    """How much free prose there was, so that it does not read like a warning."""
    count = "1 line of running text was" if lines == 1 else f"{lines} lines of running text were"
    return f"{count} passed over (normal)"
