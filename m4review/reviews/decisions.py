"""What verdicts in force amount to: per human the most cautious word, per scope enough distinct approvals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from m4review.reviews.consensus import consensus_on
from m4review.reviews.eventparts import APPROVING, Decision
from m4review.reviews.findings import has_own_blocker
from m4review.reviews.kinds import Carry, Override, Verdict
from m4review.reviews.people import humans
from m4review.reviews.standing import JudgedVerdict, Judgement, base_pair, humans_in_force
from m4review.reviews.subjects import Pair, pair_of
from m4review.workspace import Policy, Roster, Scope

Decisions = Mapping[str, Mapping[Scope, Decision]]
"""Human → their decision per scope."""

CAUTION: Mapping[Decision, int] = {"approve": 0, "approve-with-notes": 1, "abstain": 2, "changes": 3}
"""Of several verdicts that one human gave at once, the most cautious decision per scope holds."""


def combined(verdicts: Sequence[Verdict], policy: Policy) -> dict[Scope, Decision]:
    """One human's decision per scope of the policy: the most cautious of their verdicts in force."""
    found: dict[Scope, Decision] = {}
    for scope in policy.scopes:
        given = [verdict.decisions[scope] for verdict in verdicts if scope in verdict.decisions]
        if given:
            found[scope] = max(given, key=CAUTION.__getitem__)
    return found


def given_decisions(pair: Pair, judgement: Judgement, policy: Policy, roster: Roster) -> Decisions:
    """What each human said on ``pair`` and, where it differs from an approved base only editorially or in one scope,
    what holds over from there. A consensus is not yet applied."""
    return _given(pair, judgement, policy, roster, frozenset())


def settled_decisions(pair: Pair, judgement: Judgement, policy: Policy, roster: Roster) -> Decisions:
    """The same, with what participants of a consensus that holds agreed on in place of what each first said."""
    return _settled(pair, judgement, policy, roster, frozenset())


def is_approved_by(decisions: Decisions, policy: Policy, required: int | None = None) -> bool:
    """Whether every scope has enough approvals by distinct humans and nobody asks for changes."""
    if any("changes" in by_scope.values() for by_scope in decisions.values()):
        return False
    return all(
        sum(by_scope.get(scope) in APPROVING for by_scope in decisions.values()) >= (required or policy.required)
        for scope in policy.scopes
    )


def disputed_scopes(decisions: Decisions) -> tuple[Scope, ...]:
    """Scopes that one reviewer approves and another wants changed."""
    scopes = {scope: None for by_scope in decisions.values() for scope in by_scope}
    return tuple(
        scope
        for scope in scopes
        if {"changes", "approve"}
        <= {
            "approve" if by_scope[scope] in APPROVING else by_scope[scope]
            for by_scope in decisions.values()
            if scope in by_scope
        }
    )


def is_approved_pair(pair: Pair, verdicts: Sequence[JudgedVerdict], policy: Policy, roster: Roster) -> bool:
    """Whether the verdicts in force on ``pair``, current or past, approve it by themselves."""
    found = humans_in_force(verdicts, pair, roster)
    return is_approved_by({human: combined(given, policy) for human, given in found.items()}, policy)


def is_approved(pair: Pair, judgement: Judgement, policy: Policy, roster: Roster) -> bool:
    """Whether ``pair`` is, or was, approved: by agreement, by consensus, or held over from an approved base."""
    return _is_approved(pair, judgement, policy, roster, frozenset())


def needed(pair: Pair, judgement: Judgement, policy: Policy) -> int:
    """How many distinct reviewers ``pair`` needs: the policy's number, or one where that was set aside for it."""
    return 1 if any("reviewers" in event.rules for event in overrides(pair, judgement, policy)) else policy.required


def overrides(pair: Pair, judgement: Judgement, policy: Policy) -> Iterator[Override]:
    """The overrides in force on ``pair``."""
    for event in judgement.events:
        if (
            isinstance(event, Override)
            and event.actor in policy.may_override
            and judgement.effects.holds(event)
            and pair_of(event.content, event.tasks.values()) == pair
        ):
            yield event


def bases(pair: Pair, judgement: Judgement, policy: Policy) -> dict[Pair, tuple[Scope, ...]]:
    """Earlier pair → the scopes whose decisions hold over to ``pair``, as its events say and the texts confirm."""
    found: dict[Pair, tuple[Scope, ...]] = {}
    for event in judgement.events:
        if isinstance(event, Carry) and not judgement.carries[event.id]:
            base = base_pair(event)
            if base is not None and pair_of(event.content, event.tasks.values()) == pair:
                found[base] = policy.scopes
    for verdict in judgement.in_force(pair):
        base = base_pair(verdict)
        change = None if base is None else judgement.change_of(base, pair)
        if base is not None and base not in found and change is not None and change.kind == "scoped":
            found[base] = tuple(scope for scope in policy.scopes if scope not in change.scopes)
    return found


def relied_verdicts(
    pair: Pair, judgement: Judgement, policy: Policy, roster: Roster
) -> tuple[tuple[Verdict, tuple[Scope, ...]], ...]:
    """The verdicts that the approval of ``pair`` rests on, each with the scopes for which it does: those on the pair
    itself, and on every approved base those whose decisions hold over."""
    found: list[tuple[Verdict, tuple[Scope, ...]]] = []
    waiting: list[tuple[Pair, tuple[Scope, ...]]] = [(pair, policy.scopes)]
    seen: set[Pair] = set()
    while waiting:
        here, scopes = waiting.pop(0)
        if here in seen:
            continue
        seen.add(here)
        for verdict in judgement.in_force(here):
            judged = tuple(scope for scope in scopes if scope in verdict.decisions)
            if judged:
                found.append((verdict, judged))
        waiting += [
            (base, tuple(scope for scope in held if scope in scopes))
            for base, held in bases(here, judgement, policy).items()
            if is_approved(base, judgement, policy, roster)
        ]
    return tuple(found)


def unfounded(pair: Pair, judgement: Judgement, policy: Policy, roster: Roster) -> frozenset[str]:
    """Contents that events of ``pair`` build on although they were never approved, so that nothing holds over."""
    found = (base for base in bases(pair, judgement, policy) if not is_approved(base, judgement, policy, roster))
    return frozenset(content for content, _ in found)


def _given(pair: Pair, judgement: Judgement, policy: Policy, roster: Roster, seen: frozenset[Pair]) -> Decisions:
    found = {
        human: combined(given, policy) for human, given in humans_in_force(judgement.verdicts, pair, roster).items()
    }
    for base, scopes in bases(pair, judgement, policy).items():
        if base == pair or base in seen or not _is_approved(base, judgement, policy, roster, seen | {pair}):
            continue
        for human, by_scope in _settled(base, judgement, policy, roster, seen | {pair}).items():
            mine = found.setdefault(human, {})
            for scope in scopes:
                if scope in by_scope:
                    mine.setdefault(scope, by_scope[scope])
    return found


def _settled(pair: Pair, judgement: Judgement, policy: Policy, roster: Roster, seen: frozenset[Pair]) -> Decisions:
    found = {human: dict(by_scope) for human, by_scope in _given(pair, judgement, policy, roster, seen).items()}
    consensus = consensus_on(pair, judgement, policy, roster)
    if consensus is not None and consensus.holds:
        same = humans(roster)
        for actor in consensus.confirmed:
            found[same[actor]] = dict(consensus.statement.decisions)
    return found


def _is_approved(pair: Pair, judgement: Judgement, policy: Policy, roster: Roster, seen: frozenset[Pair]) -> bool:
    decisions = _settled(pair, judgement, policy, roster, seen)
    return is_approved_by(decisions, policy, needed(pair, judgement, policy)) and not has_own_blocker(
        pair, judgement, policy, roster
    )
