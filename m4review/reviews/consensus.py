"""A recorded agreement between reviewers who disagreed: what it settles, who confirmed it, whether it still holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from m4review.reviews.eventparts import APPROVING, Decision
from m4review.reviews.kinds import Consensus, Verdict
from m4review.reviews.people import humans
from m4review.reviews.standing import Judgement
from m4review.reviews.subjects import Pair, pair_of
from m4review.workspace import Policy, Roster, Scope


@dataclass(frozen=True, slots=True)
class JudgedConsensus:
    """The consensus that matters most on one text."""

    statement: Consensus
    """As first put forward."""
    confirmed: tuple[str, ...]
    """Who recorded it, sorted roster ids."""
    missing: tuple[str, ...]
    """Participants who have not confirmed it yet."""
    dissent: Mapping[str, str]
    """Participant → what they still hold against it."""
    invalid: str
    """Why it has no effect whoever confirms; empty when it can have one."""
    events: tuple[str, ...]
    """Ids of the events it is made of."""

    @property
    def holds(self) -> bool:
        """Whether it settles the text."""
        return not self.invalid and not self.missing


def consensus_on(pair: Pair, judgement: Judgement, policy: Policy, roster: Roster) -> JudgedConsensus | None:
    """The consensus on ``pair``: the newest that holds, else the newest that can, else the newest at all."""
    given = [
        event
        for event in judgement.events
        if isinstance(event, Consensus) and pair_of(event.content, event.tasks.values()) == pair
    ]
    judged = [_judge_one(event, given, pair, judgement, policy, roster) for event in given if event.confirms is None]
    return max(
        judged,
        key=lambda one: (one.holds, not one.invalid, one.statement.clock, one.statement.id),
        default=None,
    )


def disagreements(decisions: Mapping[str, Mapping[Scope, Decision]], scopes: Sequence[Scope]) -> tuple[Scope, ...]:
    """The scopes on which reviewers said different things; approving with notes is approving."""
    return tuple(
        scope
        for scope in scopes
        if len(
            {
                "approve" if by_scope[scope] in APPROVING else by_scope[scope]
                for by_scope in decisions.values()
                if scope in by_scope
            }
        )
        > 1
    )


def _judge_one(
    statement: Consensus,
    given: Sequence[Consensus],
    pair: Pair,
    judgement: Judgement,
    policy: Policy,
    roster: Roster,
) -> JudgedConsensus:
    same = humans(roster)
    inputs = {verdict.id: verdict for verdict in judgement.in_force(pair)}
    known = {judged.verdict.id: judged for judged in judgement.verdicts}
    settled = [known[identity].verdict for identity in statement.verdicts if identity in known]
    participants = {same[verdict.actor]: verdict.actor for verdict in settled if verdict.actor in same}
    held = [
        event
        for event in given
        if judgement.effects.holds(event)
        and same.get(event.actor) in participants
        and (event.id == statement.id or (event.confirms == statement.id and _says_the_same(event, statement)))
    ]
    confirmed = {same[event.actor] for event in held}
    return JudgedConsensus(
        statement=statement,
        confirmed=tuple(sorted(participants[human] for human in confirmed)),
        missing=tuple(sorted(actor for human, actor in participants.items() if human not in confirmed)),
        dissent={event.actor: event.dissent for event in held if event.dissent.strip()},
        invalid=_invalid(statement, inputs, participants, judgement, policy, roster),
        events=tuple(event.id for event in held),
    )


def _invalid(
    statement: Consensus,
    inputs: Mapping[str, Verdict],
    participants: Mapping[str, str],
    judgement: Judgement,
    policy: Policy,
    roster: Roster,
) -> str:
    if not judgement.effects.holds(statement):
        return f"the consensus of {statement.actor} ({statement.path}) does not hold: " + judgement.effects.why_not(
            statement
        )
    if humans(roster)[statement.actor] not in participants:
        return f"{statement.actor} put it forward without a verdict of their own among those it settles"
    for identity in statement.verdicts:
        if identity not in inputs:
            judged = next((one for one in judgement.verdicts if one.verdict.id == identity), None)
            if judged is None:
                return f"it settles a verdict that is not in the ledger ({identity[:19]})"
            return f"a verdict that it settles no longer stands: {judged.verdict.actor}'s, {judged.why}"
    left_out = [verdict for identity, verdict in inputs.items() if identity not in statement.verdicts]
    if left_out:
        return f"{left_out[0].actor} gave a verdict that it does not settle ({left_out[0].path})"
    missing = [scope for scope in policy.scopes if scope not in statement.decisions]
    if missing:
        return f"it says nothing about {', '.join(missing)}"
    if len(participants) < policy.required:
        return f"{len(participants)} took part, {policy.required} are needed"
    return ""


def _says_the_same(one: Consensus, other: Consensus) -> bool:
    return (
        set(one.verdicts) == set(other.verdicts)
        and one.decisions == other.decisions
        and one.resolutions == other.resolutions
        and one.rationale == other.rationale
    )
