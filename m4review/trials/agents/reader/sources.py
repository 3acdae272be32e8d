"""The source map: which table holds what, and how each measure is charted, filtered and converted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .conversions import VALUE, Conversion, parse_conversion
from .grammar import parse_condition
from .items import identifier, items_of
from .limits import read_limits
from .markdown import Passage, Place, Row, Table
from .panels import Panel, is_panel_table, read_panels
from .terms import Condition, Name
from .together import Together, read_together
from .trace import Trace
from .units import is_unit
from .wording import Unreadable, code_spans, column_roles, plain, says_nothing


@dataclass(frozen=True, slots=True)
class SourceTable:
    """Names as the text writes them: the table, and its columns for item, value, time and the link to the stay."""

    table: str
    items: tuple[str, ...]
    """Columns that hold the item: one of numbers or texts, or several of texts."""
    version: str
    """Column that holds the version of a code, or empty."""
    value: str
    kind: str
    """What the value column holds: ``value``, ``text``, or ``number`` for a number written as text."""
    time: str
    end: str
    """Column in which an entry ends, or empty."""
    anchor: str
    """For times in minutes: the event that is minute 0; else empty."""
    match: str
    place: Place


@dataclass(frozen=True, slots=True)
class Charted:
    """One row of the source map: the items that hold a measure in one unit. Without items every row counts."""

    table: str
    items: tuple[int, ...]
    texts: tuple[tuple[str, ...], ...]
    value_column: str
    """Where the row names its own value column; else empty."""
    kind: str
    """What that column holds, as in ``SourceTable``; empty where the row does not say it."""
    time: str
    """Where the row names its own time column; else empty."""
    match: str
    """Where the row names its own link to the stay; else empty."""
    where: Condition | None
    unit: str
    limits: Condition | None
    conversion: Conversion | None
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure with all its rows. ``unit`` is the unit after conversion, empty where the text leaves it open."""

    name: str
    rows: tuple[Charted, ...]
    together: Together | None
    unit: str
    place: Place


@dataclass(frozen=True, slots=True)
class Remainder:
    """What follows ``start`` in a text column; missing where the text begins otherwise."""

    start: str
    column: str


_REMAINDER = re.compile(r"\bThe \*\*([^*]+)\*\* is what follows `([^`]+)` in `([^`]+)`")


def read_remainders(passages: Iterable[Passage]) -> dict[str, Remainder]:
    """``The **label** is what follows `x|` in `path```, by name."""
    found = (_REMAINDER.search(passage.text) for passage in passages)
    return {plain(match.group(1)): Remainder(match.group(2), match.group(3)) for match in found if match}


@dataclass
class SourceMap:
    """What the source map section says."""

    tables: dict[str, SourceTable] = field(default_factory=dict)
    measures: dict[str, Measure] = field(default_factory=dict)
    remainders: dict[str, Remainder] = field(default_factory=dict)
    panels: dict[str, Panel] = field(default_factory=dict)
    """By plain name of each measure that belongs to one."""


def short_name(table: str) -> str:
    """The last part of a qualified name, lower case."""
    return plain(table).rsplit(".", 1)[-1]


def is_measure_table(table: Table) -> bool:
    """Whether a table lists measures with their items."""
    return {"measure", "table", "items"} <= column_roles(table.header).keys()


def is_source_table(table: Table) -> bool:
    """Whether a table lists source tables."""
    roles = column_roles(table.header)
    return (
        "table" in roles
        and "measure" not in roles
        and "panel" not in roles
        and bool(roles.keys() & {"item", "value", "time", "match"})
    )


def read_source_map(tables: Sequence[Table], passages: Iterable[Passage], trace: Trace) -> SourceMap:
    """Read the tables of the source map; what cannot be read is listed as a gap and left out."""
    panels, broken = read_panels([table for table in tables if is_panel_table(table)], trace)
    found = SourceMap(remainders=read_remainders(passages), panels=panels)
    measures = [table for table in tables if is_measure_table(table)]
    named = [row.cells[column_roles(table.header)["measure"]] for table in measures for row in table.rows]
    names = [*found.remainders, *(plain(name) for name in named if plain(name))]
    rows: dict[str, list[tuple[str, Charted, Together | None]]] = {}
    for table in tables:
        roles = column_roles(table.header)
        if is_source_table(table):
            for row in table.rows:
                _source_table(row, roles, found, trace)
            continue
        for row in table.rows if is_measure_table(table) else ():
            name = plain(row.cells[roles["measure"]])
            try:
                if not name:
                    raise Unreadable("the row names no measure")
                charted, together = _charted(row, roles, names)
                if "range" not in roles or not row.cells[roles["range"]]:
                    why = "no valid range is stated ('any' says so); every value is taken"
                    trace.gap(str(row.place), row.text, why)
                rows.setdefault(name, []).append((row.cells[roles["measure"]], charted, together))
            except Unreadable as problem:
                broken.add(name)
                trace.gap(str(row.place), row.text, str(problem))
    for name, entries in rows.items():
        if name in broken:
            trace.gap(
                str(entries[0][1].place),
                entries[0][0],
                "another row of this measure, or its panel, is unclear",
                "not executed",
            )
            continue
        try:
            found.measures[name] = _measure(entries)
        except Unreadable as problem:
            trace.gap(str(entries[-1][1].place), entries[-1][1].text, str(problem))
    return found


def _source_table(row: Row, roles: dict[str, int], found: SourceMap, trace: Trace) -> None:
    def cell(role: str) -> str:
        return row.cells[roles[role]] if role in roles else ""

    name = short_name(row.cells[roles["table"]])
    if not name:
        trace.gap(str(row.place), row.text, "the row names no table")
        return
    items = code_spans(cell("item")) or [identifier(cell("item"))]
    versioned = len(items) > 1 and "version" in plain(cell("item"))
    values = re.search(r"(text|number)? ?(?:in|from)? ?`([^`]+)`", cell("value"))
    times = code_spans(cell("time")) or [identifier(cell("time"))]
    anchor = re.search(r"minutes (?:from|after|since) (?:the )?([a-z][a-z -]*[a-z])", plain(cell("time")))
    table = SourceTable(
        table=identifier(row.cells[roles["table"]]),
        items=tuple(item for item in (items[:-1] if versioned else items) if item),
        version=items[-1] if versioned else "",
        value=values.group(2).strip() if values else identifier(cell("value")),
        kind=(values.group(1) if values else None) or VALUE,
        time=times[0],
        end=times[1] if len(times) > 1 else "",
        anchor=anchor.group(1) if anchor else "",
        match=identifier(cell("match")),
        place=row.place,
    )
    earlier = found.tables.get(name)
    if earlier is not None:
        trace.gap(str(row.place), row.text, f"line {earlier.place.line} describes the same table; that line is used")
        return
    found.tables[name] = table


def _charted(row: Row, roles: dict[str, int], names: Sequence[str]) -> tuple[Charted, Together | None]:
    def cell(role: str) -> str:
        return row.cells[roles[role]] if role in roles else ""

    items, texts, value_column, kind = items_of(cell("items"))
    table = identifier(cell("table"))
    if not table:
        raise Unreadable("the row names no table")
    unit = plain(cell("unit"))
    unit = "" if says_nothing(unit) else unit
    if not is_unit(unit):
        raise Unreadable(f"{unit!r} is no unit that is known")
    charted = Charted(
        table=table,
        items=items,
        texts=texts,
        value_column=value_column or identifier(cell("value")),
        kind=kind,
        time=identifier(cell("time")),
        match=identifier(cell("match")),
        where=None if says_nothing(cell("where")) else parse_condition(cell("where"), names),
        unit=unit,
        limits=read_limits(cell("range"), unit),
        conversion=parse_conversion(cell("conversion"), unit),
        place=row.place,
        text=row.text,
    )
    return charted, read_together(cell("together"))


def _measure(entries: list[tuple[str, Charted, Together | None]]) -> Measure:
    name = entries[0][0]
    rows = tuple(row for _, row, _ in entries)
    together = {entry[2] for entry in entries}
    if len(together) > 1:
        raise Unreadable("the rows of this measure differ in how several values at one time are treated")
    items = [(short_name(row.table), item) for row in rows for item in (row.items or row.texts)]
    repeated = {item for (_, item), times in Counter(items).items() if times > 1}
    if repeated and all(row.where is None for row in rows):
        raise Unreadable(f"item {min(map(str, repeated))} appears in two rows of this measure")
    units = {row.unit for row in rows if row.conversion is None or row.conversion.formula == Name(VALUE)}
    if len(units) > 1:
        raise Unreadable(f"values in different units ({', '.join(sorted(units))}) without a conversion")
    if len({row.kind == "text" for row in rows}) > 1:
        raise Unreadable("some rows of this measure hold text, others numbers")
    always = [row for row in rows if row.conversion is None or row.conversion.when is not None]
    unit = units.pop() if units else (always[0].unit if always else "")
    return Measure(name, rows, next(iter(together)), unit, rows[0].place)
