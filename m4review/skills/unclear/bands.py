"""Lists of bands with a value that lies in none, or in two with different results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from m4review.skills.document import Table
from m4review.skills.phrases import PRECEDENCE
from m4review.skills.skill import Skill
from m4review.skills.statements import statements
from m4review.skills.unclear.contradictions import CONDITION, POINTS
from m4review.skills.unclear.intervals import Band, parse_band
from m4review.skills.unclear.place import UnclearPlace, column, plain

GAP, OVERLAP = "band-gap", "band-overlap"
LONGEST = 100
"""Bands before it that a band is compared with; no list of a clinician is longer."""
OTHERWISE = re.compile(
    r"^(?:otherwise|else|any ?(?:thing)? ?(?:other|else)|all other|other(?: values?)?$|remaining|normal)\b"
)
MISSING = re.compile(r"\bmissing\b|^no\b|\bnot (?:measured|available|charted)\b|\bunknown\b|^neither\b|^none$")
SUMMARY = re.compile(r"^(?:the )?(?:lowest|highest|minimum|maximum|worst|first|last|mean|average)\s+")


@dataclass(frozen=True, slots=True)
class _Line:
    band: Band
    result: str
    line: int
    cell: str


@dataclass(frozen=True, slots=True)
class _List:
    """The bands of one quantity in the order of the text."""

    lines: tuple[_Line, ...]
    has_rest: bool
    """Whether a line says what every other value gives."""
    is_complete: bool
    """Whether nothing else decides the result, so that a value in no band has none."""


def unclear_bands(skill: Skill, tables: Sequence[Table]) -> Iterator[UnclearPlace]:
    """Gaps and overlaps in the scoring tables, and in the headers and first columns of two-way tables."""
    ordered = _is_ordered(skill)
    for table in tables:
        for bands in _lists(table):
            yield from _overlaps(bands, ordered or column(table, "^order$") is not None)
            yield from _gaps(bands)


def _is_ordered(skill: Skill) -> bool:
    """Whether the text says that the first line that applies decides."""
    said = statements(skill.body, skill.document, first_line=skill.body_line)
    return any(PRECEDENCE.search(item.text) for item in said)


def _lists(table: Table) -> Iterator[_List]:
    if "\\" in table.header[0]:
        yield from _two_way(table)
        return
    yield from _by_points(table)
    result = column(table, POINTS)
    if result is None:
        return
    conditions, named = column(table, CONDITION), column(table, r"^(?:component|column)$")
    if conditions is None:
        if len(table.header) != 2 or result != 1 or named == 0:
            return
        conditions = 0
    groups: dict[str, list[tuple[str, str, int]]] = {}
    for row in table.rows:
        group = plain(row.cells[named]) if named is not None else ""
        groups.setdefault(group, []).append((row.cells[conditions], plain(row.cells[result]), row.line))
    for rows in groups.values():
        yield from _of_component(rows)


def _of_component(rows: Sequence[tuple[str, str, int]]) -> Iterator[_List]:
    lines: dict[str, list[_Line]] = {}
    has_rest, others = False, ""
    for cell, result, line in rows:
        band = parse_band(cell)
        if OTHERWISE.search(plain(cell)):
            has_rest = True
        elif band is not None:
            lines.setdefault(band.name, []).append(_Line(band, result, line, cell))
        elif not MISSING.search(plain(cell)):
            others += plain(cell) + "\n"
    for name, found in lines.items():
        quantity = SUMMARY.sub("", name)
        is_alone = not others and len(lines) == 1
        shared = bool(quantity) and (
            quantity in others or sum(SUMMARY.sub("", other) == quantity for other in lines) > 1
        )
        if len(found) > 1:
            yield _List(tuple(found), has_rest=has_rest and not shared, is_complete=is_alone and not has_rest)


def _two_way(table: Table) -> Iterator[_List]:
    across = [
        _Line(band, str(index), table.line, cell)
        for index, cell in enumerate(table.header[1:])
        if (band := parse_band(cell))
    ]
    down = [
        _Line(band, str(row.line), row.line, row.cells[0]) for row in table.rows if (band := parse_band(row.cells[0]))
    ]
    for lines, cells in ((across, len(table.header) - 1), (down, len(table.rows))):
        if len(lines) > 1:
            yield _List(tuple(lines), has_rest=False, is_complete=len(lines) == cells)


def _by_points(table: Table) -> Iterator[_List]:
    """Rows of a wide table: the headers are points, the cells are bands."""
    points = {
        index: name for index, name in enumerate(table.header) if re.fullmatch(r"[+−-]?\d+(?: points?)?", plain(name))
    }
    if len(points) < 2:
        return
    for row in table.rows:
        lines = [
            _Line(band, plain(name), row.line, row.cells[index])
            for index, name in points.items()
            if (band := parse_band(row.cells[index]))
        ]
        filled = sum(1 for index in points if row.cells[index].strip(" –-"))
        if len(lines) > 1:
            ordered = sorted(lines, key=lambda entry: (entry.band.low is not None, entry.band.low or Decimal(0)))
            yield _List(tuple(ordered), has_rest=False, is_complete=len(lines) == filled)


def _overlaps(bands: _List, ordered: bool) -> Iterator[UnclearPlace]:
    for position, later in enumerate(bands.lines):
        for earlier in bands.lines[max(0, position - LONGEST) : position]:
            if later.result == earlier.result or not later.band.meets(earlier.band) or later.cell == earlier.cell:
                continue
            if earlier.band.holds(later.band):
                text = f"{later.cell!r} is never reached: {earlier.cell!r} in line {earlier.line} comes first"
            elif ordered and (later.band.holds(earlier.band) or _touch(later.band, earlier.band)):
                continue
            else:
                text = f"{later.cell!r} overlaps {earlier.cell!r} in line {earlier.line}"
            yield UnclearPlace(
                OVERLAP, later.line, text,
                "Let each value lie in one band only, or say that the first line that applies decides.",
            )  # fmt: skip
            break


def _touch(band: Band, other: Band) -> bool:
    """Whether two bands share nothing but one end."""
    return (band.low is not None and band.low == other.high) or (band.high is not None and band.high == other.low)


def _gaps(bands: _List) -> Iterator[UnclearPlace]:
    """A line for all other values stands for one stretch; without one, nothing may be left over."""
    if not (bands.has_rest or bands.is_complete):
        return
    ordered = sorted(bands.lines, key=lambda entry: (entry.band.low is not None, entry.band.low or Decimal(0)))
    inner: list[tuple[_Line, _Line]] = []
    reach, step = ordered[0], _step(ordered)
    for entry in ordered[1:]:
        if _leaves_gap(reach.band, entry.band, step):
            inner.append((reach, entry))
        if not reach.band.holds(entry.band) and _ends_later(entry.band, reach.band):
            reach = entry
    open_ends = (ordered[0].band.low is not None) + (reach.band.high is not None)
    if bands.has_rest and len(inner) + (1 if open_ends else 0) <= 1:
        return
    for before, after in inner:
        text = f"values between {before.cell!r} (line {before.line}) and {after.cell!r} are in no band"
        if bands.has_rest:
            text += " and fall to the line for all others, as values elsewhere do"
        yield UnclearPlace(GAP, max(before.line, after.line), text, "Let each band begin where the one before it ends.")
    if not bands.has_rest and open_ends == 1:
        low, high = ordered[0], reach
        if low.band.low is not None and low.band.low > 0:
            yield _open(low, "below")
        elif high.band.high is not None:
            yield _open(high, "above")


def _open(entry: _Line, side: str) -> UnclearPlace:
    text = f"nothing is said of values {side} {entry.cell!r}"
    return UnclearPlace(GAP, entry.line, text, "Add the band, or a line 'otherwise'.")


def _step(lines: Sequence[_Line]) -> Decimal:
    """One in the last place to which the limits of the list are written: bands may step by it."""
    limits = [limit for entry in lines for limit in (entry.band.low, entry.band.high) if limit is not None]
    return Decimal(1).scaleb(min(int(limit.as_tuple().exponent) for limit in limits))


def _leaves_gap(before: Band, after: Band, step: Decimal) -> bool:
    if before.high is None or after.low is None or before.high > after.low:
        return False
    if before.high == after.low:
        return not (before.high_counts or after.low_counts)
    return not (before.high_counts and after.low_counts and after.low - before.high <= step)


def _ends_later(band: Band, other: Band) -> bool:
    if other.high is None:
        return False
    return band.high is None or band.high > other.high or (band.high == other.high and band.high_counts)
