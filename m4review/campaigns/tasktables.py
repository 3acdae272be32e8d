"""Tables about the tasks: what they ask, who reviewed their skills, and where their references were audited."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from m4review.campaigns.document import Block, Points, Table
from m4review.campaigns.runs import Run
from m4review.reviews.provenance import Provenance, ValidityAudit
from m4review.tasks import Task

DIGITS = 12
"""Hexadecimal digits of a digest that a table shows."""


def inventory(cards: Sequence[Task], runs: Sequence[Run]) -> Table:
    """One line per task of the runs: family, mode, database, difficulty, size of the reference, runs."""
    rows = []
    for card in _of_runs(cards, runs):
        of_task = [run for run in runs if run.task == card.name]
        rows.append(
            (
                card.name,
                card.family,
                card.mode,
                f"{card.database} {card.database_version}",
                card.difficulty,
                _reference_rows(of_task),
                str(len(of_task)),
            )
        )
    return Table(("task", "family", "mode", "database", "difficulty", "reference rows", "runs"), tuple(rows), words=5)


def details(cards: Sequence[Task], runs: Sequence[Run]) -> Table:
    """One line per task: keys, value columns, thresholds, what its database does not show, its skills."""
    rows = [
        (
            card.name,
            ", ".join(card.output.key_columns),
            ", ".join(card.output.scored_columns),
            ", ".join(card.skills) or "none",
            str(len(card.removed)),
            f"{card.thresholds.accuracy:g}",
            f"{card.thresholds.row_coverage:g}",
        )
        for card in _of_runs(cards, runs)
    ]
    head = ("task", "keys", "value columns", "skills", "removed relations", "accuracy", "row coverage")
    return Table(head, tuple(rows), words=4)


def reviewers(entries: Sequence[Provenance] | None, why_not: str, runs: Sequence[Run]) -> tuple[Block, ...]:
    """Who judged the skills of the tasks, from the ledger; ``None`` entries say ``why_not``."""
    if entries is None:
        return (f"Not given: {why_not}.",)
    named = {run.task for run in runs}
    chosen = [entry for entry in entries if entry.task in named]
    if not chosen:
        return ("Not given: no task of these runs names a skill of this workspace.",)
    rows = [
        (
            entry.task,
            entry.skill,
            " + ".join(entry.reviewers) or f"{' + '.join(entry.assigned)} (asked)",
            ", ".join(entry.scopes) or "–",
            entry.source_basis or "–",
            entry.state,
            entry.content.removeprefix("sha256:")[:DIGITS] or "none",
            entry.last or "none",
        )
        for entry in chosen
    ]
    head = ("task", "skill", "reviewers", "scopes", "source basis", "state", "text", "last verdict")
    approved = sum(bool(entry.reviewers) for entry in chosen)
    said = (
        f"{approved} of {len(chosen)} pairs of task and skill rest on recorded verdicts. Computed from the ledger of "
        "this workspace as it is now; m4review provenance gives every statement."
    )
    return Table(head, tuple(rows), words=len(head)), said


def reference_audit(
    audits: Sequence[ValidityAudit], cards: Sequence[Task], runs: Sequence[Run], references: Iterable[tuple[str, ...]]
) -> tuple[Block, ...]:
    """What the references are, where runs say it, and where each family's reference departs from the definition."""
    found: list[Block] = []
    known = tuple(references)
    if known:
        found.append(Table(("task", "reference lineage", "reference", "dataset"), known, words=4))
    else:
        found.append("The run files do not say which reference the runs were scored against.")
    families = {card.family for card in _of_runs(cards, runs)}
    audited = [audit for audit in audits if audit.family in families]
    for audit in audited:
        found.append(f"Family {audit.family}:")
        found.append(Table(audit.header, audit.rows, words=len(audit.header)))
    without = sorted(families - {audit.family for audit in audited})
    if without:
        found.append(Points((f"No validity audit is written for: {', '.join(without)}.",)))
    return tuple(found)


def _of_runs(cards: Sequence[Task], runs: Sequence[Run]) -> list[Task]:
    named = {run.task for run in runs}
    return sorted((card for card in cards if card.name in named), key=lambda card: (card.family, card.name))


def _reference_rows(runs: Sequence[Run]) -> str:
    sizes = sorted({run.reference_rows for run in runs if run.reference_rows is not None})
    return " / ".join(f"{size:,}" for size in sizes) or "–"
