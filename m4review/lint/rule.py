"""A rule: what it is called, why it exists, how to comply, and the examples that are its tests."""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import NamedTuple

from m4review.lint.finding import Severity


class Example(NamedTuple):
    """One file for a rule to accept or refuse. ``text`` is the body of a SKILL.md unless ``path`` says otherwise."""

    text: str | bytes
    path: str = "SKILL.md"
    """Relative to the skill folder."""
    mode: str = "100644"
    front: str | None = None
    """Front matter instead of the usual one, without its fences."""


class Rule(NamedTuple):
    """One rule. ``why`` and ``fix`` are in a clinician's words; the examples are run as tests."""

    id: str
    family: str
    severity: Severity
    why: str
    fix: str
    refused: tuple[Example, ...]
    accepted: tuple[Example, ...]


class Hit(NamedTuple):
    """What a check found: a rule and a span of the raw text, as offsets. ``message`` says what stands there."""

    rule: str
    start: int
    end: int
    message: str
    severity: Severity | None = None
    """Another severity than the rule's usual one, where the context softens it."""


def texts(*snippets: str) -> tuple[Example, ...]:
    """Examples that are SKILL.md bodies."""
    return tuple(Example(snippet) for snippet in snippets)


def words(text: str) -> tuple[str, ...]:
    """The words of a list written as running text."""
    return tuple(text.split())


class Claimed:
    """Spans that were reported already, none touching another."""

    def __init__(self) -> None:
        self._spans: list[tuple[int, int]] = []

    def take(self, start: int, end: int) -> bool:
        """Claim ``[start, end)``; false when a part of it was claimed before."""
        place = bisect_left(self._spans, (start, end))
        if place and self._spans[place - 1][1] > start:
            return False
        if place < len(self._spans) and self._spans[place][0] < end:
            return False
        insort(self._spans, (start, end))
        return True
