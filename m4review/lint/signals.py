"""Evidence and windows: many small signals, summed over a few neighbouring lines.

No grammar is needed to see that a few lines are a query or a program: what gives them away is the density of
constructs that prose does not have. A :class:`Signal` recognises one construct at one place and weighs it. A
:class:`Window` is a stretch of up to six lines (or thirty words of a text broken into many lines) whose weights add up
to at least the threshold. Plain words weigh nothing, so *select*, *from*, *where* and *join* stay English.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from m4review.lint.pattern import Pattern
from m4review.lint.views import View

REFUSED = 4.0
"""A window of this weight is code."""
NOTED = 2.75
"""A window of this weight is method notation: shown, not refused."""
WINDOW_LINES = 6
WINDOW_CHARACTERS = 420
"""About sixty words: prose lines can be long, and paragraphs apart do not add up."""
BROKEN_CHARACTERS = 160
"""A statement broken into one word per line is still within this reach."""

FENCED = 0.75
"""In a code block the same weight says a little more."""
FENCES = ("```", "~~~")
FENCE = Pattern(r"^[ \t>]*(?:```|~~~)[^\n]*\n.*?(?:^[ \t>]*(?:```|~~~)|\Z)", re.M | re.S)

Weigh = Callable[[str, str, int], "tuple[float, int] | None"]
"""(text as typed, text in lower case, offset of the trigger) -> weight and end, or ``None``."""


class Signal(NamedTuple):
    """One construct. ``words`` are the lower-case words at which it is tried."""

    name: str
    words: tuple[str, ...]
    weigh: Weigh
    repeat: float = 0.34
    """Share of the weight that a further occurrence in the same window counts."""


class Evidence(NamedTuple):
    """One signal seen at ``[start, end)`` of a view."""

    name: str
    weight: float
    start: int
    end: int
    repeat: float


class Window(NamedTuple):
    """The span of neighbouring evidence that is heavy enough."""

    start: int
    end: int


def at(pattern: str, weight: float, *, upper: float = 0.0) -> Weigh:
    """A weigher: ``pattern`` (on lower-case text) must match at the trigger. ``upper`` is added for capitals.

    The pattern may look behind.
    """
    compiled = Pattern(pattern)

    def weigh(text: str, lower: str, position: int) -> tuple[float, int] | None:
        match = compiled.match(lower, position)
        if match is None:
            return None
        return weight + (upper if text[position : position + 2].isupper() else 0.0), match.end()

    return weigh


def after(before: str, pattern: str, weight: float, reach: int = 40) -> Weigh:
    """As :func:`at`, and the text just before the trigger must end with ``before``."""
    ending = Pattern(before + r"\Z")
    compiled = Pattern(pattern)

    def weigh(text: str, lower: str, position: int) -> tuple[float, int] | None:
        match = compiled.match(lower, position)
        return None if match is None or not _ends(ending, lower, position, reach) else (weight, match.end())

    return weigh


def leading(pattern: str, weight: float, *, prefix: str = r"[ \t>`;|*.-]*") -> Weigh:
    """As :func:`at`, and only layout stands before the trigger on its line."""
    ending = Pattern(rf"\n{prefix}\Z")
    compiled = Pattern(pattern)

    def weigh(text: str, lower: str, position: int) -> tuple[float, int] | None:
        # The place first: tried at every word of a line, the pattern would read its rest again and again.
        if not _ends(ending, lower, position, reach=60):
            return None
        match = compiled.match(lower, position)
        return None if match is None else (weight, match.end())

    return weigh


def _ends(ending: Pattern, lower: str, position: int, reach: int) -> bool:
    """Whether what stands within ``reach`` before ``position`` ends so; the text begins like a line."""
    first = max(0, position - reach)
    return ending.search(lower[first:position] if first else "\n" + lower[:position]) is not None


def by_word(signals: Iterable[Signal]) -> dict[str, tuple[Signal, ...]]:
    """The signals to try at each word."""
    table: dict[str, tuple[Signal, ...]] = {}
    for signal in signals:
        for word in signal.words:
            table[word] = (*table.get(word, ()), signal)
    return table


def gather(
    view: View, table: dict[str, tuple[Signal, ...]], literals: Iterable[tuple[str, Signal]] = ()
) -> Iterator[Evidence]:
    """Every evidence of ``view``: at trigger words, and at each occurrence of a literal."""
    text, lower = view.text, view.lower
    for literal, signal in literals:
        for position in view.places((literal,)):
            found = signal.weigh(text, lower, position)
            if found is not None:
                yield Evidence(signal.name, found[0], position, found[1], signal.repeat)
    for word in table.keys() & view.words.keys():
        for position in view.words[word]:
            for signal in table[word]:
                found = signal.weigh(text, lower, position)
                if found is not None:
                    yield Evidence(signal.name, found[0], position, found[1], signal.repeat)


def windows(view: View, evidence: Iterable[Evidence], *, threshold: float) -> list[Window]:
    """The stretches whose evidence reaches ``threshold``; overlapping and touching ones are joined."""
    ordered = _without_overlaps(evidence)
    fences = [match.span() for match in FENCE.finditer(view.text)] if ordered else []
    opened = [start for start, _ in fences]
    found: list[Window] = []
    first = 0
    while first < len(ordered):
        before = bisect_left(opened, ordered[first].start) - 1
        fenced = before >= 0 and ordered[first].start < fences[before][1]
        last = _reaching(view, ordered, first, threshold - (FENCED if fenced else 0.0))
        if last is None:
            first += 1
            continue
        found.append(Window(ordered[first].start, max(item.end for item in ordered[first : last + 1])))
        first = max(last, first + 1)
    return _joined(view, found, ordered)


def _without_overlaps(evidence: Iterable[Evidence]) -> list[Evidence]:
    """Of evidence on the same characters only the heaviest counts."""
    ordered = sorted(evidence, key=lambda item: (item.start, -item.weight))
    kept: list[Evidence] = []
    markers: list[Evidence] = []
    for item in ordered:
        if item.start == item.end:
            markers.append(item)
        elif kept and item.start < kept[-1].end:
            if item.weight > kept[-1].weight and item.start == kept[-1].start:
                kept[-1] = item
            elif item.weight > kept[-1].weight:
                previous = kept[-1]
                kept[-1] = Evidence(previous.name, previous.weight, previous.start, item.start, previous.repeat)
                kept.append(item)
        else:
            kept.append(item)
    return sorted((*kept, *markers), key=lambda item: item.start) if markers else kept


def _reaching(view: View, ordered: list[Evidence], first: int, threshold: float) -> int | None:
    """The index at which the evidence from ``first`` on adds up to ``threshold`` within one window."""
    origin = ordered[first].start
    first_line = view.line_of(origin)
    seen: set[str] = set()
    weight = 0.0
    for index in range(first, len(ordered)):
        item = ordered[index]
        distance = item.start - origin
        if distance > WINDOW_CHARACTERS:
            return None
        if distance > BROKEN_CHARACTERS and view.line_of(item.start) - first_line >= WINDOW_LINES:
            return None
        weight += item.weight * (item.repeat if item.name in seen else 1.0)
        seen.add(item.name)
        if weight >= threshold:
            return index
    return None


def _joined(view: View, found: list[Window], ordered: list[Evidence]) -> list[Window]:
    """Windows at most three lines apart are one finding, and evidence right after its end belongs to it."""
    joined: list[Window] = []
    for window in found:
        if joined and view.line_of(window.start) - view.line_of(joined[-1].end) <= 3:
            joined[-1] = Window(joined[-1].start, max(joined[-1].end, window.end))
        else:
            joined.append(window)
    starts = [item.start for item in ordered]
    return [_extended(view, window, ordered, bisect_left(starts, window.end)) for window in joined]


def _extended(view: View, window: Window, ordered: list[Evidence], following: int) -> Window:
    end = window.end
    for item in ordered[following:]:
        if view.line_of(item.start) - view.line_of(end) > 1:
            break
        end = max(end, item.end)
    return Window(window.start, end)
