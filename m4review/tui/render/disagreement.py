"""Two verdicts side by side, and what is to be settled between them."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from m4review.reviews import Decision
from m4review.reviews.findings import JudgedFinding
from m4review.reviews.meaning import listed
from m4review.tui.render.ballot import HINT, NAME_WIDTH, SAYS, letter_of
from m4review.tui.render.states import DEMONSTRATION, consensus_text
from m4review.tui.session.disagreement import Disagreement
from m4review.workspace import Scope


def heading(between: Disagreement, *, is_demonstration: bool) -> str:
    """Which skill is settled and who looks at it; and whether nothing of it counts."""
    where = f"{DEMONSTRATION} · Consensus" if is_demonstration else "Consensus"
    return f"{where} · {between.skill} · {between.viewer}"


def question_of(between: Disagreement, *, shows_statement: bool) -> str:
    """What is asked now: to settle, to confirm the consensus that lies there, to wait, or what comes after it."""
    consensus = between.consensus
    if shows_statement and consensus is not None:
        if between.waits_for_viewer:
            return (
                f"{consensus.statement.actor} put this forward. F3 confirms it; F5 puts another one forward. "
                "Tab goes to the line for what you still hold against it."
            )
        if consensus.missing:
            return f"You have confirmed it; it waits for {listed(consensus.missing)}."
        agreed = "It is settled: everybody confirmed it."
        if "changes" in consensus.statement.decisions.values():
            agreed += " Somebody now makes the change in the editor; whoever does will not judge the new text."
        return agreed
    if not between.disputed and not between.findings:
        return "The reviewers said the same, and no finding is open."
    return f"Settle what is open: {HINT}. What both said alike is filled in."


def side_by_side(between: Disagreement) -> RenderableType:
    """One column per reviewer: their decisions, differing ones marked with ≠, their findings and notes."""
    table = Table(expand=True, show_edge=False, pad_edge=False, box=None, padding=(0, 2, 0, 0))
    for verdict in between.verdicts:
        table.add_column(f"{verdict.actor} · {verdict.at[:10]}", ratio=1, overflow="fold")
    cells = []
    for verdict in between.verdicts:
        text = Text()
        for scope in between.scopes:
            differs = scope in between.disputed
            decision = verdict.decisions.get(scope)
            said = "nothing" if decision is None else decision.replace("-", " ")
            text.append(f"{'≠' if differs else '='} {scope}: {said}\n", "bold" if differs else "")
        for finding in verdict.findings:
            text.append(f"{finding.severity} on {finding.scope}: {finding.text}\n")
        text.append(f"“{verdict.notes.strip()}”" if verdict.notes.strip() else "", "italic")
        cells.append(text)
    table.add_row(*cells)
    if between.consensus is None:
        return table
    return Group(table, Text("\nThe consensus\n", "bold").append_text(consensus_text(between.consensus)))


def scope_row(between: Disagreement, scope: Scope, chosen: Decision | None) -> Text:
    """One scope: agreed on and filled in, or the decision that is proposed for it."""
    text = Text().append(f"{scope:<{NAME_WIDTH}}", "bold")
    if scope not in between.disputed:
        said = ", ".join(f"{actor} {decision.replace('-', ' ')}" for actor, decision in between.said(scope).items())
        return text.append(f"agreed: {said}", "dim")
    if chosen is None:
        return text.append("[ ] to be settled: a, n, c or x")
    return text.append(f"[{letter_of(chosen)}] {chosen.replace('-', ' ')}: {_we(SAYS[chosen])}")


def finding_row(found: JudgedFinding, settled: Mapping[str, str]) -> Text:
    """One open finding: how it is settled, or that it stays open."""
    finding = found.finding
    text = Text().append(f"{finding.severity} of {found.verdict.actor}: ", "bold").append(finding.text)
    how = settled.get(found.ref)
    return text.append(f"\n    settled: {how}" if how else "\n    stays open · F4 says how it is settled", "italic")


def _we(words: str) -> str:
    """What one reviewer says, said by several."""
    return words.replace("I agree", "we agree").replace("I give", "we give").replace("my notes", "our notes")
