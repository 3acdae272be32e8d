"""The source map: which table holds what, and how each measure is charted, filtered and converted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .conditions import AllOf, AnyOf, Comparison, Condition, comparisons_in, parse_condition
from .formulas import VALUE, Conversion, parse_conversion, split_rounding
from .markdown import Place, Row, Table
from .trace import Trace
from .wording import SUMMARIES, Unreadable, code_spans, column_roles, plain, says_nothing


@dataclass(frozen=True, slots=True)
class SourceTable:
    """Names as the text writes them: the table, and its columns for item, value, time and the link to the stay."""

    table: str
    item: str
    value: str
    time: str
    match: str
    place: Place


@dataclass(frozen=True, slots=True)
class Charted:
    """One row of the source map: the items that hold a measure in one unit."""

    table: str
    items: tuple[int, ...]
    value_column: str
    """Where the row names its own value column; else empty."""
    is_text: bool
    unit: str
    limits: Condition | None
    conversion: Conversion | None
    place: Place
    text: str


EACH = "each"
"""The summary that keeps every value."""


@dataclass(frozen=True, slots=True)
class Together:
    """How several values at one time become one: ``summary`` per ``column`` (empty: per charting time)."""

    summary: str
    column: str
    digits: int | None


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure with all its rows. ``unit`` is the unit after conversion, empty where the text leaves it open."""

    name: str
    rows: tuple[Charted, ...]
    together: Together | None
    unit: str
    place: Place


@dataclass
class SourceMap:
    """What the source map section says."""

    tables: dict[str, SourceTable] = field(default_factory=dict)
    measures: dict[str, Measure] = field(default_factory=dict)


def short_name(table: str) -> str:
    """The last part of a qualified name, lower case."""
    return plain(table).rsplit(".", 1)[-1]


def read_source_map(tables: Sequence[Table], trace: Trace) -> SourceMap:
    """Read the tables of the source map; what cannot be read is listed as a gap and left out."""
    found = SourceMap()
    rows: dict[str, list[tuple[str, Charted, Together | None]]] = {}
    broken: set[str] = set()
    for table in tables:
        roles = column_roles(table.header)
        if {"measure", "table", "items"} <= roles.keys():
            for row in table.rows:
                name = plain(row.cells[roles["measure"]])
                try:
                    if not name:
                        raise Unreadable("the row names no measure")
                    charted, together = _charted(row, roles)
                    if "range" not in roles or not row.cells[roles["range"]]:
                        trace.gap(
                            str(row.place), row.text, "no valid range is stated ('any' says so); every value is taken"
                        )
                    rows.setdefault(name, []).append((row.cells[roles["measure"]], charted, together))
                except Unreadable as problem:
                    broken.add(name)
                    trace.gap(str(row.place), row.text, str(problem))
        elif "table" in roles and roles.keys() & {"item", "value", "time", "match"}:
            for row in table.rows:
                _source_table(row, roles, found, trace)
        else:
            trace.gap(
                str(table.place),
                " | ".join(table.header),
                "a table of the source map needs the headers 'Measure', 'Table' and 'Item id', or 'Table' and "
                "'Item in', 'Value in', 'Time in', 'Matched to the stay by'",
            )
    for name, entries in rows.items():
        if name in broken:
            trace.gap(str(entries[0][1].place), entries[0][0], "another row of this measure is unclear", "not executed")
            continue
        try:
            found.measures[name] = _measure(entries)
        except Unreadable as problem:
            trace.gap(str(entries[-1][1].place), entries[-1][1].text, str(problem))
    return found


def _source_table(row: Row, roles: dict[str, int], found: SourceMap, trace: Trace) -> None:
    def cell(role: str) -> str:
        return _identifier(row.cells[roles[role]]) if role in roles else ""

    name = short_name(row.cells[roles["table"]])
    if not name:
        trace.gap(str(row.place), row.text, "the row names no table")
        return
    table = SourceTable(
        _identifier(row.cells[roles["table"]]), cell("item"), cell("value"), cell("time"), cell("match"), row.place
    )
    earlier = found.tables.get(name)
    if earlier is not None:
        trace.gap(str(row.place), row.text, f"line {earlier.place.line} describes the same table; that line is used")
        return
    found.tables[name] = table


def _charted(row: Row, roles: dict[str, int]) -> tuple[Charted, Together | None]:
    def cell(role: str) -> str:
        return row.cells[roles[role]] if role in roles else ""

    items, value_column, is_text = _items(cell("items"))
    table = _identifier(cell("table"))
    if not table:
        raise Unreadable("the row names no table")
    unit = plain(cell("unit"))
    charted = Charted(
        table=table,
        items=items,
        value_column=value_column or _identifier(cell("value")),
        is_text=is_text,
        unit="" if says_nothing(unit) else unit,
        limits=read_limits(cell("range"), unit),
        conversion=parse_conversion(cell("conversion"), unit),
        place=row.place,
        text=row.text,
    )
    return charted, _together(cell("together"))


def _items(text: str) -> tuple[tuple[int, ...], str, bool]:
    """``11 (label); 12 (label), text in `value``` -> ids, value column, whether it is text."""
    bare = _without_brackets(text)
    column, is_text = "", False
    match = re.search(r"[,;]?\s*(text|number|result)?\s*(?:in|from) `([^`]+)`", bare)
    if match:
        column, is_text = match.group(2).strip(), match.group(1) == "text"
        bare = bare[: match.start()] + bare[match.end() :]
    items: list[int] = []
    for part in re.split(r"[;,]|\band\b", plain(bare)):
        head = re.match(r"\s*(\d{1,12})(?![\w.])", part)
        if head:
            items.append(int(head.group(1)))
        elif re.search(r"\d", part):
            raise Unreadable(f"cannot read the item {part.strip()!r}")
    if not items:
        raise Unreadable("the row names no item id")
    return tuple(dict.fromkeys(items)), column, is_text


def _without_brackets(text: str) -> str:
    kept, depth = [], 0
    for character in text:
        if character == "(":
            depth += 1
        elif character == ")":
            depth = max(0, depth - 1)
        elif depth == 0:
            kept.append(character)
    return "".join(kept)


def read_limits(text: str, unit: str) -> Condition | None:
    """Read a valid range: ``> 0 and < 300``, ``0–300 (exclusive)``, ``70 to 120 °F``; ``None`` where all is valid.

    Raises:
        Unreadable: a form that is not understood, or a unit that is not the unit of the row.
    """
    if says_nothing(text) or plain(text) in {"all", "any value", "all values"}:
        return None
    bare = re.sub(r"[,(]?\s*\b(?:both |limits |ends )*(?:exclusive|excluded|inclusive|included)\b\s*\)?", "", text)
    condition = parse_condition(re.sub(r"(?<![\w])(?:v|x)(?![\w])", VALUE, plain(bare)), (VALUE,), VALUE)
    if re.search(r"\bexclu", text):
        condition = _exclusive(condition)
    for stated in (comparison.unit for comparison in comparisons_in(condition)):
        if stated and stated != plain(unit):
            raise Unreadable(f"the range is in {stated!r}, the row in {plain(unit) or 'no unit'!r}")
    return condition


def _exclusive(condition: Condition) -> Condition:
    if isinstance(condition, Comparison):
        return replace(condition, operator=condition.operator[0])
    if isinstance(condition, AllOf | AnyOf):
        return replace(condition, parts=tuple(_exclusive(part) for part in condition.parts))
    return condition


def _together(text: str) -> Together | None:
    if says_nothing(text):
        return None
    if plain(text) in {"each counts", "each stands alone", "each by itself"}:
        return Together(EACH, "", None)
    bare, digits = split_rounding(text)
    match = re.fullmatch(
        r"(?:the )?([a-z]+)(?: (?:per|of one|of the same|by|within one) `([^`]+)`)?(?: value)?",
        bare.strip().rstrip(".,"),
    )
    if match is None or match.group(1) not in SUMMARIES:
        raise Unreadable(f"cannot read {text!r}; write 'mean', 'highest per `column`' and the like")
    return Together(SUMMARIES[match.group(1)], match.group(2) or "", digits)


def _measure(entries: list[tuple[str, Charted, Together | None]]) -> Measure:
    name = entries[0][0]
    rows = tuple(row for _, row, _ in entries)
    together = {entry[2] for entry in entries}
    if len(together) > 1:
        raise Unreadable("the rows of this measure differ in how several values at one time are treated")
    items = [(short_name(row.table), item) for row in rows for item in row.items]
    repeated = {item for (_, item), times in Counter(items).items() if times > 1}
    if repeated:
        raise Unreadable(f"item {min(repeated)} appears in two rows of this measure")
    units = {row.unit for row in rows if row.conversion is None or row.conversion.formula == VALUE}
    if len(units) > 1:
        raise Unreadable(f"values in different units ({', '.join(sorted(units))}) without a conversion")
    if len({row.is_text for row in rows}) > 1:
        raise Unreadable("some rows of this measure hold text, others numbers")
    always = [row for row in rows if row.conversion is None or row.conversion.limits or row.conversion.columns]
    unit = units.pop() if units else (always[0].unit if always else "")
    return Measure(name, rows, next(iter(together)), unit, rows[0].place)


def _identifier(text: str) -> str:
    """The name a cell gives: its first code span, else its whole text when that is one word."""
    spans = code_spans(text)
    if spans:
        return spans[0]
    bare = text.strip()
    return bare if re.fullmatch(r"[\w.]+", bare) else ""
