"""The decisions of a verdict, one line per scope, with what each means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.text import Text

from m4review.reviews import DECISIONS, Decision
from m4review.reviews.eventparts import SEVERITIES, Answer, Finding
from m4review.workspace import Scope

LETTERS: dict[str, Decision] = {"a": "approve", "n": "approve-with-notes", "c": "changes", "x": "abstain"}
SAYS: dict[Decision, str] = {
    "approve": "I agree with it as it stands",
    "approve-with-notes": "I agree; my notes are not conditions",
    "changes": "it must change before I agree",
    "abstain": "I give no opinion",
}
COVERS: dict[Scope, str] = {
    "definition": "clinical definition, scoring, literature",
    "schema": "tables, item ids, windows, cohort",
    "output": "columns, units, missing data, ties",
}
HINT = "a approve · n approve with notes · c changes · x abstain"
NAME_WIDTH = 11


def ballot_line(scope: Scope, decision: Decision | None, given: Decision | None = None) -> Text:
    """One scope with its decision in words; while undecided what was given before on the same text, or what the scope
    covers."""
    text = Text().append(f"{scope:<{NAME_WIDTH}}", "bold")
    if decision is None and given is not None:
        return text.append(f"[ ] you gave: {given.replace('-', ' ')} · deciding anew replaces it")
    if decision is None:
        return text.append(f"[ ] not decided · {COVERS[scope]}")
    return text.append(f"[{letter_of(decision)}] {decision.replace('-', ' ')}: {SAYS[decision]}")


def checklist_line(answers: Mapping[str, Answer], total: int) -> Text:
    """How many questions of the checklist are answered, and how many with no."""
    text = Text().append(f"{'checklist':<{NAME_WIDTH}}", "bold")
    if not total:
        return text.append("there is none (reviews/checklists)", "dim")
    refused = sum(answer == "no" for answer in answers.values())
    said = f"{len(answers)} of {total} answered" + (f", {refused} with no" if refused else "")
    return text.append(f"{said} · Enter answers; none is required")


def findings_line(findings: Sequence[Finding]) -> Text:
    """The findings written so far, counted by severity."""
    text = Text().append(f"{'findings':<{NAME_WIDTH}}", "bold")
    counted = Counter(finding.severity for finding in findings)
    said = ", ".join(f"{counted[severity]} {severity}" for severity in SEVERITIES if counted[severity])
    return text.append(f"{said or 'none written'} · mark a passage, F4 writes one")


def no_decision(row: str | None) -> str:
    """Why a decision cannot be taken on a row that is no scope; ``None`` where there are no rows yet."""
    if row is None:
        return "Still reading the packet."
    return f"The line stands on {row}, which takes no decision; the arrow up leads to the scopes."


def letter_of(decision: Decision) -> str:
    """The key that chooses a decision."""
    return next(letter for letter, chosen in LETTERS.items() if chosen == decision)


def following(decision: Decision | None) -> Decision:
    """The decision after this one, around the end: what Enter or a click chooses."""
    return DECISIONS[0] if decision is None else DECISIONS[(DECISIONS.index(decision) + 1) % len(DECISIONS)]


def next_row(scopes: Sequence[Scope], decisions: Mapping[Scope, Decision], position: int) -> int:
    """The row of the next scope without a decision after ``position``, around the end; the row below all when none."""
    order = [*range(position + 1, len(scopes)), *range(position + 1)]
    return next((place for place in order if scopes[place] not in decisions), len(scopes))


def undecided(scopes: Sequence[Scope], decisions: Mapping[Scope, Decision]) -> list[Scope]:
    """The scopes that still need a decision."""
    return [scope for scope in scopes if scope not in decisions]
