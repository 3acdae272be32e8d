"""What changed between two texts: lines, and inside changed lines the words.

Prose is compared word by word; blanks belong to the words around them, so that re-joining all spans of a side gives
exactly its line. Lines are paired in the order in which they stand; a pair without a word in common is shown as
removed and added.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

LineKind = Literal["equal", "removed", "added", "changed"]
SpanKind = Literal["equal", "removed", "added"]

WORDS = re.compile(r"\s+|\w+(?:[.,'’]\w+)*|[^\w\s]")
"""A token: a run of blanks, a word or number (``0.5``, ``patient's``), or one other character (``≥``, ``|``)."""

LIKENESS = 0.35
"""Two lines that share less of their words than this are not one changed line but two lines."""

LONG = 2000
"""From this many lines (or words of one line) on, what is very frequent no longer starts a match: never minutes."""

MAX_PAIRED = 400
"""Longer replaced blocks are paired line by line in order instead of by likeness, which costs a square."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one changed line: on both sides, on the old side only, or on the new side only."""

    kind: SpanKind
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the comparison. ``old`` and ``new`` are 1-based line numbers, ``None`` on the side that lacks it."""

    kind: LineKind
    old: int | None
    new: int | None
    spans: tuple[Span, ...]

    @property
    def old_text(self) -> str:
        """The line before, without line end; empty for an added line."""
        return "".join(span.text for span in self.spans if span.kind != "added")

    @property
    def new_text(self) -> str:
        """The line after, without line end; empty for a removed line."""
        return "".join(span.text for span in self.spans if span.kind != "removed")


@dataclass(frozen=True, slots=True)
class Hunk:
    """Changed lines with the equal lines around them. Starts are 1-based; counts are lines of each side."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Every line of both texts, in reading order."""

    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    """Differences that no line shows: line ends, a byte order mark, a missing final newline."""

    @property
    def is_equal(self) -> bool:
        """Whether the texts are the same, line ends included."""
        return not self.notes and all(line.kind == "equal" for line in self.lines)

    @property
    def changes(self) -> tuple[int, ...]:
        """Positions in :attr:`lines` at which a run of changes starts, for *next change*."""
        return tuple(
            position
            for position, line in enumerate(self.lines)
            if line.kind != "equal" and (position == 0 or self.lines[position - 1].kind == "equal")
        )

    def counts(self) -> dict[LineKind, int]:
        """How many lines are of each kind."""
        result: dict[LineKind, int] = {"equal": 0, "removed": 0, "added": 0, "changed": 0}
        for line in self.lines:
            result[line.kind] += 1
        return result

    def hunks(self, context: int = 3) -> tuple[Hunk, ...]:
        """The changes with up to ``context`` equal lines before and after, joined where they touch."""
        ranges: list[tuple[int, int]] = []
        for position, line in enumerate(self.lines):
            if line.kind == "equal":
                continue
            start, end = max(0, position - context), min(len(self.lines), position + context + 1)
            if ranges and start <= ranges[-1][1]:
                ranges[-1] = (ranges[-1][0], end)
            else:
                ranges.append((start, end))
        return tuple(self._hunk(start, end) for start, end in ranges)

    def _hunk(self, start: int, end: int) -> Hunk:
        lines = self.lines[start:end]
        before = self.lines[:start]
        old_before = sum(line.old is not None for line in before)
        new_before = sum(line.new is not None for line in before)
        old_count = sum(line.old is not None for line in lines)
        new_count = sum(line.new is not None for line in lines)
        return Hunk(old_before + bool(old_count), old_count, new_before + bool(new_count), new_count, lines)


def compare(a: str, b: str) -> Comparison:
    """Compare the old text ``a`` with the new text ``b``."""
    old, new = _lines(a), _lines(b)
    lines: list[Line] = []
    for kind, i1, i2, j1, j2 in _opcodes(old, new):
        if kind == "equal":
            lines.extend(
                Line("equal", i1 + step + 1, j1 + step + 1, (Span("equal", old[i1 + step]),)) for step in range(i2 - i1)
            )
        else:
            lines.extend(_replaced(old, new, range(i1, i2), range(j1, j2)))
    notes = _notes(a, b)
    if a != b and not notes and all(line.kind == "equal" for line in lines):
        notes = ("line ends changed on some lines",)
    return Comparison(tuple(lines), notes)


def word_spans(old: str, new: str) -> tuple[Span, ...]:
    """The spans of one changed line, old before new where words were replaced."""
    before, after = WORDS.findall(old), WORDS.findall(new)
    spans: list[Span] = []
    for kind, i1, i2, j1, j2 in _opcodes(before, after):
        if kind == "equal":
            spans.append(Span("equal", "".join(before[i1:i2])))
            continue
        if i2 > i1:
            spans.append(Span("removed", "".join(before[i1:i2])))
        if j2 > j1:
            spans.append(Span("added", "".join(after[j1:j2])))
    return _joined(spans)


def _opcodes(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, int, int, int, int]]:
    """Edit steps from ``old`` to ``new`` as of :mod:`difflib`; what both begin and end with is matched first."""
    shorter = min(len(old), len(new))
    start = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    end = next((i for i in range(shorter - start) if old[-1 - i] != new[-1 - i]), shorter - start)
    if start:
        yield "equal", 0, start, 0, start
    before, after = old[start : len(old) - end], new[start : len(new) - end]
    matcher = SequenceMatcher(None, before, after, autojunk=max(len(before), len(after)) > LONG)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        yield kind, i1 + start, i2 + start, j1 + start, j2 + start
    if end:
        yield "equal", len(old) - end, len(old), len(new) - end, len(new)


def _joined(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Close single blanks between two changes, so that *at least two* → *more than three* is one change."""
    result: list[Span] = []
    position = 0
    while position < len(spans):
        run: list[Span] = []
        while position < len(spans):
            span = spans[position]
            inside = bool(run) and span.text.isspace() and position + 1 < len(spans)
            if span.kind == "equal" and not inside:
                break
            run.append(span)
            position += 1
        removed = "".join(span.text for span in run if span.kind != "added")
        added = "".join(span.text for span in run if span.kind != "removed")
        if removed:
            result.append(Span("removed", removed))
        if added:
            result.append(Span("added", added))
        if position < len(spans):
            result.append(spans[position])
            position += 1
    return tuple(result)


def _replaced(old: Sequence[str], new: Sequence[str], before: range, after: range) -> list[Line]:
    """A block that changed: like lines paired, the rest removed or added, old before new."""
    lines: list[Line] = []
    i, j = before.start, after.start
    for old_line, new_line in (*_pairs(old, new, before, after), (before.stop, after.stop)):
        lines.extend(Line("removed", index + 1, None, (Span("removed", old[index]),)) for index in range(i, old_line))
        lines.extend(Line("added", None, index + 1, (Span("added", new[index]),)) for index in range(j, new_line))
        if old_line < before.stop and new_line < after.stop:
            spans = word_spans(old[old_line], new[new_line])
            lines.append(Line("changed", old_line + 1, new_line + 1, spans))
        i, j = old_line + 1, new_line + 1
    return lines


def _pairs(old: Sequence[str], new: Sequence[str], before: range, after: range) -> list[tuple[int, int]]:
    """Old and new lines that are the same line changed: the ascending pairing with the highest total likeness."""
    if not before or not after:
        return []
    if len(before) * len(after) > MAX_PAIRED:
        pairs = zip(before, after, strict=False)
        return [(i, j) for i, j in pairs if _likeness(_words(old[i]), _words(new[j])) >= LIKENESS]
    left = [_words(old[i]) for i in before]
    right = [_words(new[j]) for j in after]
    best = [[0.0] * (len(right) + 1) for _ in range(len(left) + 1)]
    alike = [[_likeness(a, b) for b in right] for a in left]
    for i in range(len(left) - 1, -1, -1):
        for j in range(len(right) - 1, -1, -1):
            joined = alike[i][j] + best[i + 1][j + 1] if alike[i][j] >= LIKENESS else 0.0
            best[i][j] = max(joined, best[i + 1][j], best[i][j + 1])
    pairs_found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if alike[i][j] >= LIKENESS and best[i][j] == alike[i][j] + best[i + 1][j + 1]:
            pairs_found.append((before[i], after[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs_found


def _words(line: str) -> dict[str, int]:
    counted: dict[str, int] = {}
    for token in WORDS.findall(line):
        if not token.isspace():
            counted[token] = counted.get(token, 0) + 1
    return counted


def _likeness(a: dict[str, int], b: dict[str, int]) -> float:
    """Share of words in common, 0 to 1 (Sørensen–Dice on multisets)."""
    total = sum(a.values()) + sum(b.values())
    if total == 0:
        return 1.0
    return 2 * sum(min(count, b.get(word, 0)) for word, count in a.items()) / total


def _lines(text: str) -> list[str]:
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = plain.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _notes(a: str, b: str) -> tuple[str, ...]:
    if a == b:
        return ()
    notes = []
    if a.startswith("\ufeff") != b.startswith("\ufeff"):
        notes.append("byte order mark " + ("added" if b.startswith("\ufeff") else "removed"))
    before, after = _newlines(a), _newlines(b)
    if before != after and "none" not in {before, after}:
        notes.append(f"line ends changed from {before} to {after}")
    if a and b and a.endswith(("\n", "\r")) != b.endswith(("\n", "\r")):
        notes.append("final newline " + ("added" if b.endswith(("\n", "\r")) else "removed"))
    return tuple(notes)


def _newlines(text: str) -> str:
    windows = text.count("\r\n")
    kinds = [name for name, count in (("CRLF", windows), ("LF", text.count("\n") - windows)) if count]
    if text.count("\r") > windows:
        kinds.append("CR")
    return " and ".join(kinds) or "none"
