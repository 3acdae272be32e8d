"""The sealed first round: everybody commits before anybody shows.

A reviewer seals a verdict: only SHA-256(nonce ‖ 0x00 ‖ bytes of the verdict) enters git. Once enough reviewers have
sealed, each shows nonce and verdict. The reveal names the seals it saw in ``after``, directly or through other events,
so the order is proven by the events alone and not by the history of git.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from m4review.reviews.effects import Effects
from m4review.reviews.kinds import Event, Reveal, Seal, Verdict
from m4review.reviews.people import humans
from m4review.reviews.subjects import Pair, pair_of
from m4review.workspace import Policy, Roster


def commitment(nonce: str, verdict: bytes) -> str:
    """The commitment to a verdict file under a nonce of 64 hexadecimal digits."""
    return "sha256:" + hashlib.sha256(bytes.fromhex(nonce) + b"\0" + verdict).hexdigest()


class Rounds:
    """The seals and reveals of a skill, and which verdicts they cover."""

    def __init__(self, events: Sequence[Event], effects: Effects, policy: Policy, roster: Roster) -> None:
        self._by_id = {event.id: event for event in events}
        self._effects = effects
        self._policy = policy
        self._same = humans(roster)
        self._before: dict[str, frozenset[str]] = {}
        held = [event for event in events if effects.holds(event)]
        self._reveals: dict[str, list[Reveal]] = {}
        for event in held:
            if isinstance(event, Reveal):
                self._reveals.setdefault(event.verdict, []).append(event)
        self.seals: tuple[Seal, ...] = tuple(event for event in held if isinstance(event, Seal))

    def unopened(self, pair: Pair) -> tuple[Seal, ...]:
        """The seals on ``pair`` that no reveal has opened yet."""
        opened = {reveal.seal for reveals in self._reveals.values() for reveal in reveals}
        return tuple(seal for seal in self.seals if _pair(seal) == pair and seal.id not in opened)

    def sealed_by(self, pair: Pair) -> frozenset[str]:
        """The humans who sealed a verdict on ``pair``, opened or not."""
        return frozenset(self._same[seal.actor] for seal in self.seals if _pair(seal) == pair)

    def refusal(self, verdict: Verdict) -> str | None:
        """Why the sealed round does not cover a verdict, or ``None`` when it does or the policy asks for none."""
        if self._policy.independent != "sealed":
            return None
        reveals = self._reveals.get(verdict.id, [])
        if not reveals:
            seen = self._seen(verdict.id)
            shown = {
                self._same[event.actor]
                for event in self._verdicts_on(_pair(verdict))
                if self._is_opened(event) and any(reveal.id in seen for reveal in self._reveals[event.id])
            }
            if verdict.round == "after-discussion" and len(shown) >= self._policy.required:
                return None
            return "given without a seal; the policy asks for sealed first verdicts"
        reasons = [self._reveal_refusal(reveal, verdict) for reveal in reveals]
        return None if None in reasons else reasons[0]

    def _is_opened(self, verdict: Verdict) -> bool:
        return any(self._reveal_refusal(reveal, verdict) is None for reveal in self._reveals.get(verdict.id, []))

    def _verdicts_on(self, pair: Pair) -> Iterable[Verdict]:
        return (
            event
            for event in self._by_id.values()
            if isinstance(event, Verdict) and _pair(event) == pair and event.actor in self._same
        )

    def _reveal_refusal(self, reveal: Reveal, verdict: Verdict) -> str | None:
        seal = self._by_id.get(reveal.seal)
        if not isinstance(seal, Seal) or not self._effects.holds(seal):
            return f"its reveal ({reveal.path}) names no seal in force"
        pair = _pair(verdict)
        if not seal.actor == reveal.actor == verdict.actor or _pair(seal) != pair:
            return f"its reveal ({reveal.path}) names a seal of another reviewer or text"
        if seal.commitment != commitment(reveal.nonce, verdict.raw):
            return f"its reveal ({reveal.path}) does not open its seal: what is shown is not what was sealed"
        seen = self._seen(reveal.id)
        sealed = {self._same[other.actor] for other in self.seals if _pair(other) == pair and other.id in seen}
        if len(sealed) < self._policy.required:
            return f"shown ({reveal.path}) when {len(sealed)} of {self._policy.required} had sealed their verdicts"
        before = self._seen(seal.id)
        early = [
            event
            for event in self._by_id.values()
            if event.id in before and isinstance(event, Reveal | Verdict) and _pair(event) == pair
        ]
        if any(self._same.get(event.actor) != self._same[verdict.actor] for event in early):
            return f"sealed ({seal.path}) after another verdict of the round was shown"
        return None

    def _seen(self, identity: str) -> frozenset[str]:
        """Every event that the actor of one had seen, through ``after``. Loops cannot be made: ids are hashes."""
        if identity not in self._before:
            found: set[str] = set()
            waiting = list(self._by_id[identity].after)
            while waiting:
                other = waiting.pop()
                if other in found or other not in self._by_id:
                    continue
                found.add(other)
                waiting.extend(self._by_id[other].after)
            self._before[identity] = frozenset(found)
        return self._before[identity]


def _pair(event: Event) -> Pair:
    return pair_of(event.content, event.tasks.values())
