"""What verdicts in force amount to: per human the most cautious word, per scope enough distinct approvals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from m4review.reviews.events import APPROVING, Decision, Verdict
from m4review.reviews.standing import JudgedVerdict, humans_in_force
from m4review.reviews.subjects import Pair
from m4review.workspace import Policy, Roster, Scope

CAUTION: Mapping[Decision, int] = {"approve": 0, "approve-with-notes": 1, "abstain": 2, "changes": 3}
"""Of several verdicts that one human gave at once, the most cautious decision per scope holds."""


def combined(verdicts: Sequence[Verdict], policy: Policy) -> dict[Scope, Decision]:
    """One human's decision per scope of the policy: the most cautious of their verdicts in force."""
    return {
        scope: max((verdict.decisions[scope] for verdict in verdicts), key=CAUTION.__getitem__)
        for scope in policy.scopes
    }


def is_approved_by(decisions: Mapping[str, Mapping[Scope, Decision]], policy: Policy) -> bool:
    """Whether every scope has enough approvals by distinct humans and nobody asks for changes."""
    if any("changes" in by_scope.values() for by_scope in decisions.values()):
        return False
    return all(
        sum(by_scope[scope] in APPROVING for by_scope in decisions.values()) >= policy.required
        for scope in policy.scopes
    )


def disputed_scopes(decisions: Mapping[str, Mapping[Scope, Decision]]) -> tuple[Scope, ...]:
    """Scopes that one reviewer approves and another wants changed."""
    scopes = {scope: None for by_scope in decisions.values() for scope in by_scope}
    return tuple(
        scope
        for scope in scopes
        if {"changes", "approve"}
        <= {"approve" if by_scope[scope] in APPROVING else by_scope[scope] for by_scope in decisions.values()}
    )


def is_approved_pair(pair: Pair, verdicts: Sequence[JudgedVerdict], policy: Policy, roster: Roster) -> bool:
    """Whether the verdicts in force on ``pair``, current or past, approve it."""
    found = humans_in_force(verdicts, pair, roster)
    return is_approved_by({human: combined(given, policy) for human, given in found.items()}, policy)
