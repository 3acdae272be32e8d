"""What events do to each other: taken back, revoked, set aside, recused. A function of the set of events."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from m4review.reviews.kinds import Assignment, Event, Recusal, Revocation, Verdict, Withdrawal
from m4review.reviews.people import human_addresses, humans
from m4review.reviews.subjects import Origin, Pair, pair_of
from m4review.workspace import Policy, Roster

OriginOf = Callable[[Pair], Origin | None]
"""Who had a hand in a pair; ``None`` where that cannot be told."""
UNSIGNED = 0
"""Assurance level of an event without a signature."""


@dataclass(frozen=True)
class Effects:
    """Event id → why it has no effect any more."""

    withdrawn: Mapping[str, Withdrawal]
    revoked: Mapping[str, Revocation]
    set_aside: Mapping[str, Assignment]
    recused: Mapping[str, Recusal]
    """Human → the recusal in force."""
    powerless: Mapping[str, str]
    """Events of somebody who may not give them: not on the roster, not on that day, signed too weakly."""

    def holds(self, event: Event) -> bool:
        """Whether nothing took the effect of ``event`` away."""
        return not (
            event.id in self.withdrawn
            or event.id in self.revoked
            or event.id in self.set_aside
            or event.id in self.powerless
        )

    def why_not(self, event: Event) -> str:
        """Why ``event`` does not hold, in a clause; empty when it does."""
        if event.id in self.powerless:
            return self.powerless[event.id]
        if event.id in self.revoked:
            by = self.revoked[event.id]
            return f"revoked by {by.actor} on {by.at[:10]} ({by.path}): {by.reason}"
        if event.id in self.withdrawn:
            taken = self.withdrawn[event.id]
            return f"withdrawn by {event.actor} on {taken.at[:10]} ({taken.path})"
        if event.id in self.set_aside:
            by_whom = self.set_aside[event.id]
            who = ", ".join(by_whom.reviewers)
            said = f"{by_whom.actor} asked {who} instead, because {by_whom.reason}"
            return f"set aside on {by_whom.at[:10]} ({by_whom.path}): {said}"
        return ""


def effects_of(
    events: Sequence[Event], policy: Policy, roster: Roster, origin_of: OriginOf, levels: Mapping[str, int]
) -> Effects:
    """The effects among ``events`` (in logical order, each once).

    ``levels`` gives the assurance level of each event id that has a valid signature; all others are unsigned.
    """
    by_id = {event.id: event for event in events}
    powerless = {event.id: why for event in events if (why := _powerless(event, policy, roster, levels))}
    able = [event for event in events if event.id not in powerless]
    withdrawn = {
        event.target: event for event in reversed(able) if isinstance(event, Withdrawal) and _is_own(event, by_id)
    }
    revoked = {
        target: event
        for event in reversed(able)
        if isinstance(event, Revocation) and event.id not in withdrawn
        for target in event.targets
        if target in by_id and may_revoke(event.actor, by_id[target], policy)
    }
    standing = [event for event in able if event.id not in withdrawn and event.id not in revoked]
    same = humans(roster)
    set_aside = {
        target: event
        for event in reversed(standing)
        if isinstance(event, Assignment)
        for target in event.targets
        if isinstance(by_id.get(target), Verdict)
        and same.get(by_id[target].actor) != same[event.actor]
        and not _is_author(event, policy, roster, origin_of)
    }
    recused = {same[event.actor]: event for event in reversed(standing) if isinstance(event, Recusal)}
    return Effects(withdrawn, revoked, set_aside, recused, powerless)


def may_revoke(actor: str, target: Event, policy: Policy) -> bool:
    """Whether ``actor`` may declare an event void: their own, or any where the policy trusts them with it."""
    if isinstance(target, Withdrawal | Revocation):
        return False
    return target.actor == actor or actor in policy.may_override


def roster_reason(event: Event, roster: Roster) -> str | None:
    """Why the actor could not give an event on its day, or ``None``."""
    reviewer = next((entry for entry in roster.reviewers if entry.id == event.actor), None)
    day = event.time.date()
    if reviewer is None:
        return f"{event.actor} is not on the roster"
    if not reviewer.active_on(day):
        after = reviewer.until is not None and day > reviewer.until
        limit = f"until {reviewer.until}" if after else f"from {reviewer.since}"
        return f"given on {day}; {event.actor} is on the roster {limit}"
    return None


def _powerless(event: Event, policy: Policy, roster: Roster, levels: Mapping[str, int]) -> str | None:
    why = roster_reason(event, roster)
    if why is None and levels.get(event.id, UNSIGNED) < policy.minimum_assurance:
        return f"not signed; the policy asks for assurance level {policy.minimum_assurance}"
    return why


def _is_own(event: Withdrawal, by_id: Mapping[str, Event]) -> bool:
    target = by_id.get(event.target)
    return target is not None and not isinstance(target, Withdrawal) and target.actor == event.actor


def _is_author(event: Event, policy: Policy, roster: Roster, origin_of: OriginOf) -> bool:
    if not policy.exclude_authors:
        return False
    origin = origin_of(pair_of(event.content, event.tasks.values()))
    return origin is None or origin.includes(human_addresses(roster, event.actor), event.time)
