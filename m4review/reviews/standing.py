"""What each verdict is worth now: whether it counts, and if not, by which rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from m4review.reviews.events import Event, Verdict, Withdrawal
from m4review.reviews.people import human_addresses, humans
from m4review.reviews.subjects import Origin, Pair, pair_of
from m4review.workspace import Policy, Roster

Standing = Literal["counts", "stale", "superseded", "withdrawn", "void", "undecided"]

UNSIGNED = 0
"""Assurance level of an event without a signature."""


@dataclass(frozen=True, slots=True)
class JudgedVerdict:
    """A verdict with its standing. ``why`` is one sentence that names the rule."""

    verdict: Verdict
    standing: Standing
    why: str
    hidden: bool = False
    """Whether what it says is withheld from the viewer; see :mod:`m4review.reviews.visibility`."""

    @property
    def pair(self) -> Pair:
        """What the verdict binds."""
        return pair_of(self.verdict.content, self.verdict.tasks.values())


OriginOf = Callable[[Pair], Origin | None]
"""Who had a hand in a pair; ``None`` where that cannot be told."""


def judge(
    events: Sequence[Event], current: Pair | None, policy: Policy, roster: Roster, origin_of: OriginOf
) -> tuple[JudgedVerdict, ...]:
    """Every verdict with its standing, in logical order. A function of the set of events, not of their order.

    ``current`` is ``None`` for a text that cannot be digested, on which no verdict can have been given.
    """
    ordered = sorted(set_of(events), key=lambda event: (event.clock, event.id))
    verdicts = [event for event in ordered if isinstance(event, Verdict)]
    void = {verdict.id: why for verdict in verdicts if (why := void_reason(verdict, verdicts, policy, roster))}
    withdrawn = withdrawals(ordered)
    replaced = {
        target: verdict for verdict in verdicts if verdict.id not in void for target in sorted(verdict.supersedes)
    }
    return tuple(
        _judge_one(verdict, void.get(verdict.id), withdrawn, replaced, current, policy, roster, origin_of)
        for verdict in verdicts
    )


def set_of(events: Sequence[Event]) -> list[Event]:
    """The events without repetitions of the same bytes."""
    return list({event.id: event for event in events}.values())


def withdrawals(events: Sequence[Event]) -> dict[str, Withdrawal]:
    """Verdict id → the withdrawal of it by the same reviewer. Nobody can take back the verdict of another."""
    owner = {event.id: event.actor for event in events if isinstance(event, Verdict)}
    return {
        event.target: event
        for event in reversed(events)
        if isinstance(event, Withdrawal) and owner.get(event.target) == event.actor
    }


def void_reason(verdict: Verdict, verdicts: Sequence[Verdict], policy: Policy, roster: Roster) -> str | None:
    """Why a verdict has no effect whatever it is about; ``None`` when it has."""
    reviewer = next((entry for entry in roster.reviewers if entry.id == verdict.actor), None)
    day = verdict.time.date()
    if reviewer is None:
        return f"{verdict.actor} is not on the roster"
    if not reviewer.active_on(day):
        after = reviewer.until is not None and day > reviewer.until
        limit = f"until {reviewer.until}" if after else f"from {reviewer.since}"
        return f"given on {day}; {verdict.actor} is on the roster {limit}"
    owner = {other.id: other.actor for other in verdicts}
    foreign = [owner[target] for target in verdict.supersedes if owner.get(target, verdict.actor) != verdict.actor]
    if foreign:
        return f"claims to replace a verdict of {foreign[0]}; a reviewer replaces only their own"
    missing = [scope for scope in policy.scopes if scope not in verdict.decisions]
    if missing:
        return f"says nothing about {', '.join(missing)}; the policy asks for every scope"
    if policy.minimum_assurance > UNSIGNED:
        return f"not signed; the policy asks for assurance level {policy.minimum_assurance}"
    return None


def author_reason(verdict: Verdict, roster: Roster, origin: Origin) -> str | None:
    """Why the author rule excludes a verdict, or ``None``."""
    if origin.includes(human_addresses(roster, verdict.actor), verdict.time):
        return f"{verdict.actor} had a hand in this text since it was last approved; an author does not review it"
    return None


def humans_in_force(verdicts: Sequence[JudgedVerdict], pair: Pair, roster: Roster) -> dict[str, list[Verdict]]:
    """Human → their verdicts in force on ``pair``, current or past. One human counts once, whatever ids they hold."""
    same = humans(roster)
    found: dict[str, list[Verdict]] = {}
    for judged in verdicts:
        if judged.standing in {"counts", "stale"} and judged.pair == pair:
            found.setdefault(same[judged.verdict.actor], []).append(judged.verdict)
    return found


def _judge_one(
    verdict: Verdict,
    void: str | None,
    withdrawn: Mapping[str, Withdrawal],
    replaced: Mapping[str, Verdict],
    current: Pair | None,
    policy: Policy,
    roster: Roster,
    origin_of: OriginOf,
) -> JudgedVerdict:
    if void is not None:
        return JudgedVerdict(verdict, "void", void)
    if verdict.id in withdrawn:
        return JudgedVerdict(verdict, "withdrawn", f"withdrawn by {verdict.actor} on {withdrawn[verdict.id].at[:10]}")
    if verdict.id in replaced:
        return JudgedVerdict(verdict, "superseded", f"replaced by {verdict.actor} on {replaced[verdict.id].at[:10]}")
    pair = pair_of(verdict.content, verdict.tasks.values())
    if policy.exclude_authors:
        origin = origin_of(pair)
        if origin is None and pair == current:
            return JudgedVerdict(verdict, "undecided", "who changed this text cannot be told from this history")
        excluded = None if origin is None else author_reason(verdict, roster, origin)
        if excluded is not None:
            return JudgedVerdict(verdict, "void", excluded)
    if current is None:
        return JudgedVerdict(verdict, "stale", f"given on {short(pair[0])}; the text now cannot be reviewed")
    if pair[0] != current[0]:
        return JudgedVerdict(verdict, "stale", f"given on {short(pair[0])}; the text is now {short(current[0])}")
    if pair != current:
        return JudgedVerdict(verdict, "stale", "given on the same text beside other task cards")
    return JudgedVerdict(verdict, "counts", f"given on exactly this text, {short(pair[0])}, and its task cards")


def short(digest: str) -> str:
    """The first digits of a digest, for messages."""
    return digest[:19]
