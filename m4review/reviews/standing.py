"""What each verdict is worth now: whether it counts, and if not, by which rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from m4review.reviews.changes import Change
from m4review.reviews.effects import UNSIGNED as UNSIGNED
from m4review.reviews.effects import Effects, OriginOf, effects_of
from m4review.reviews.eventparts import Base
from m4review.reviews.fixes import HoldsFix, without_history
from m4review.reviews.kinds import Carry, Event, Verdict
from m4review.reviews.people import human_addresses, humans
from m4review.reviews.rounds import Rounds
from m4review.reviews.subjects import Origin, Pair, pair_of
from m4review.workspace import Policy, Roster

Standing = Literal["counts", "stale", "superseded", "withdrawn", "void", "undecided"]
ChangeOf = Callable[[Pair, Pair], Change | None]
"""The class of the change from one pair to another; ``None`` where a text is in no recorded version."""


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


@dataclass(frozen=True)
class Judgement:
    """Every event of a skill with what it is worth, for the rules that follow from it."""

    events: tuple[Event, ...]
    """In logical order, each once."""
    verdicts: tuple[JudgedVerdict, ...]
    effects: Effects
    rounds: Rounds
    carries: Mapping[str, str]
    """Id of each carry → why it has no effect; empty for one that has."""
    change_of: ChangeOf
    origin_of: OriginOf
    holds_fix: HoldsFix

    def in_force(self, pair: Pair) -> tuple[Verdict, ...]:
        """The verdicts in force on ``pair``, current or past."""
        return tuple(
            judged.verdict for judged in self.verdicts if judged.standing in {"counts", "stale"} and judged.pair == pair
        )


def unknown_change(before: Pair, after: Pair) -> Change | None:
    """For callers without texts: nothing can be told but that the same is the same."""
    return Change("none", (), "the same bytes") if before == after else None


def judge(
    events: Sequence[Event],
    current: Pair | None,
    policy: Policy,
    roster: Roster,
    origin_of: OriginOf,
    change_of: ChangeOf = unknown_change,
    levels: Mapping[str, int] | None = None,
    holds_fix: HoldsFix = without_history,
) -> Judgement:
    """Every verdict with its standing, in logical order. A function of the set of events, not of their order.

    ``current`` is ``None`` for a text that cannot be digested, on which no verdict can have been given.
    ``levels`` gives the assurance level of signed events by id.
    """
    ordered = sorted(set_of(events), key=lambda event: (event.clock, event.id))
    effects = effects_of(ordered, policy, roster, origin_of, levels or {})
    rounds = Rounds(ordered, effects, policy, roster)
    verdicts = [event for event in ordered if isinstance(event, Verdict)]
    void = {
        verdict.id: why
        for verdict in verdicts
        if (why := void_reason(verdict, verdicts, effects, rounds, policy, roster, change_of))
    }
    replaced = {
        target: verdict for verdict in verdicts if verdict.id not in void for target in sorted(verdict.supersedes)
    }
    judged = tuple(
        _judge_one(verdict, void.get(verdict.id), effects, replaced, current, policy, roster, origin_of)
        for verdict in verdicts
    )
    carries = {
        event.id: _carry_reason(event, effects, policy, roster, origin_of, change_of)
        for event in ordered
        if isinstance(event, Carry)
    }
    return Judgement(tuple(ordered), judged, effects, rounds, carries, change_of, origin_of, holds_fix)


def set_of(events: Sequence[Event]) -> list[Event]:
    """The events without repetitions of the same bytes."""
    return list({event.id: event for event in events}.values())


def void_reason(
    verdict: Verdict,
    verdicts: Sequence[Verdict],
    effects: Effects,
    rounds: Rounds,
    policy: Policy,
    roster: Roster,
    change_of: ChangeOf,
) -> str | None:
    """Why a verdict has no effect whatever it is about; ``None`` when it has."""
    if verdict.id in effects.powerless or verdict.id in effects.revoked:
        return effects.why_not(verdict)
    recusal = effects.recused.get(humans(roster)[verdict.actor])
    if recusal is not None:
        return f"{recusal.actor} will not judge this skill ({recusal.path}): {recusal.reason}"
    owner = {other.id: other.actor for other in verdicts}
    foreign = [owner[target] for target in verdict.supersedes if owner.get(target, verdict.actor) != verdict.actor]
    if foreign:
        return f"claims to replace a verdict of {foreign[0]}; a reviewer replaces only their own"
    missing = [scope for scope in policy.scopes if scope not in verdict.decisions]
    if missing:
        change = _since_base(verdict, change_of)
        if verdict.base is not None and change is None:
            return f"says nothing about {', '.join(missing)}, and {_lost(verdict.base)}"
        if change is None or change.kind != "scoped" or set(missing) & set(change.scopes):
            return f"says nothing about {', '.join(missing)}; the policy asks for every scope"
    return rounds.refusal(verdict)


def author_reason(event: Verdict | Carry, roster: Roster, origin: Origin) -> str | None:
    """Why the author rule excludes a verdict or a carry, or ``None``."""
    if origin.includes(human_addresses(roster, event.actor), event.time):
        return f"{event.actor} had a hand in this text since it was last approved; an author does not review it"
    return None


def humans_in_force(verdicts: Sequence[JudgedVerdict], pair: Pair, roster: Roster) -> dict[str, list[Verdict]]:
    """Human → their verdicts in force on ``pair``, current or past. One human counts once, whatever ids they hold."""
    same = humans(roster)
    found: dict[str, list[Verdict]] = {}
    for judged in verdicts:
        if judged.standing in {"counts", "stale"} and judged.pair == pair:
            found.setdefault(same[judged.verdict.actor], []).append(judged.verdict)
    return found


def base_pair(event: Verdict | Carry) -> Pair | None:
    """The pair that a verdict on one scope, or a carry, builds on."""
    return None if event.base is None else pair_of(event.base.content, event.base.tasks.values())


def _since_base(event: Verdict | Carry, change_of: ChangeOf) -> Change | None:
    base = base_pair(event)
    return None if base is None else change_of(base, pair_of(event.content, event.tasks.values()))


def _lost(base: Base) -> str:
    """Why what changed since ``base`` cannot be told."""
    return (
        f"what changed since the approved text {short(base.content)} cannot be told: that text, or this one, is in no "
        "recorded version any more (history was rewritten)"
    )


def _carry_reason(
    carry: Carry, effects: Effects, policy: Policy, roster: Roster, origin_of: OriginOf, change_of: ChangeOf
) -> str:
    if not effects.holds(carry):
        return effects.why_not(carry)
    if humans(roster)[carry.actor] in effects.recused:
        return f"{carry.actor} will not judge this skill"
    if policy.editorial != "carry":
        return "the policy asks for a full review of editorial changes too"
    change = _since_base(carry, change_of)
    if change is None:
        return _lost(carry.base)
    if change.kind != "editorial":
        return f"the change is {change.kind}, not editorial: {change.why}"
    if policy.exclude_authors:
        origin = origin_of(pair_of(carry.content, carry.tasks.values()))
        if origin is None:
            return "who changed this text cannot be told from this history"
        return author_reason(carry, roster, origin) or ""
    return ""


def _judge_one(
    verdict: Verdict,
    void: str | None,
    effects: Effects,
    replaced: Mapping[str, Verdict],
    current: Pair | None,
    policy: Policy,
    roster: Roster,
    origin_of: OriginOf,
) -> JudgedVerdict:
    if void is not None:
        return JudgedVerdict(verdict, "void", void)
    if verdict.id in effects.withdrawn:
        return JudgedVerdict(verdict, "withdrawn", effects.why_not(verdict))
    if verdict.id in replaced:
        by = replaced[verdict.id]
        return JudgedVerdict(verdict, "superseded", f"replaced by {verdict.actor} on {by.at[:10]} ({by.path})")
    if verdict.id in effects.set_aside:
        return JudgedVerdict(verdict, "superseded", effects.why_not(verdict))
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
