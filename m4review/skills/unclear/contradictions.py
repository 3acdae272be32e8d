"""Tables, or two rows of one, that say different things of the same matter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from m4review.skills.document import Table, TableRow
from m4review.skills.unclear.place import UnclearPlace, code_name, column, plain

ID = "contradiction"
DECIDE = "Decide for one of them and delete the other."
NUMBERED = re.compile(r"\b[25]\d{4,5}\b")
CONDITION = r"^(?:conditions?|situation|applies when|when)$"
POINTS = r"^(?:points|value|total|status|stage|score)$"
ONCE = re.compile(r"^(?:input|derived measure|episodes|diagnosis|column|part of the order)$")
"""First columns that name each thing once."""
OF_A_MEASURE = {"unit": r"^units?$", "valid range": r"range", "conversion": r"^conver"}


def contradictions(tables: Sequence[Table]) -> Iterator[UnclearPlace]:
    """Measures, rules, inputs and other named things that are stated twice, differently."""
    told = [*_measures(tables), *_rules(tables), *_named_once(tables)]
    lines = {place.line for place in told}
    yield from told
    yield from (place for place in _shared_columns(tables) if place.line not in lines)


def _measures(tables: Sequence[Table]) -> Iterator[UnclearPlace]:
    """One item of one measure with two units, ranges or conversions."""
    seen: dict[tuple[str, str, str], tuple[str, int]] = {}
    for table in tables:
        measure, items = column(table, r"^measure$"), column(table, r"\bitem")
        if measure is None or items is None:
            continue
        for row in table.rows:
            for item in _items(row.cells[items]):
                for what, title in OF_A_MEASURE.items():
                    place = column(table, title)
                    if place is None:
                        continue
                    key, value = (plain(row.cells[measure]), item, what), plain(row.cells[place])
                    first, line = seen.setdefault(key, (value, row.line))
                    if first != value:
                        text = f"the {what} of {row.cells[measure]} (item {item}) differs from line {line}"
                        yield UnclearPlace(ID, row.line, text, DECIDE)


def _items(cell: str) -> list[str]:
    return NUMBERED.findall(cell) or [plain(part) for part in cell.split(";")]


def _rules(tables: Sequence[Table]) -> Iterator[UnclearPlace]:
    """One condition of one component with two results."""
    seen: dict[tuple[str, str], tuple[str, int]] = {}
    for table in tables:
        result = column(table, POINTS)
        if result is None:
            continue
        named = column(table, r"^(?:component|column)$")
        conditions = column(table, CONDITION)
        subject = ""
        if conditions is None:
            if len(table.header) != 2 or result != 1 or named == 0:
                continue
            conditions, subject = 0, plain(table.header[0])
        for row in table.rows:
            component = _component(table, row, named)
            key, value = (component, f"{subject} {plain(row.cells[conditions])}"), plain(row.cells[result])
            first, line = seen.setdefault(key, (value, row.line))
            if first != value:
                what = f"{component}: " if component else ""
                text = f"{what}{row.cells[conditions]!r} gives {row.cells[result]!r}, but another result in line {line}"
                yield UnclearPlace(ID, row.line, text, DECIDE)


def _component(table: Table, row: TableRow, named: int | None) -> str:
    if named is not None:
        return plain(row.cells[named])
    title = table.section[-1] if table.section else ""
    return code_name(title) or plain(title)


def _named_once(tables: Sequence[Table]) -> Iterator[UnclearPlace]:
    """A thing that a table defines twice, in that table or in another of the same form."""
    seen: dict[tuple[tuple[str, ...], str], TableRow] = {}
    for table in tables:
        if ONCE.search(plain(table.header[0])) is None or column(table, rf"{CONDITION}|^order$") is not None:
            continue
        for row in table.rows:
            key = (tuple(plain(name) for name in table.header), plain(row.cells[0]))
            first = seen.setdefault(key, row)
            if [plain(cell) for cell in first.cells] != [plain(cell) for cell in row.cells]:
                text = f"{row.cells[0]} is stated differently in line {first.line}"
                yield UnclearPlace(ID, row.line, text, DECIDE)


def _shared_columns(tables: Sequence[Table]) -> Iterator[UnclearPlace]:
    """Two tables that describe the same things and disagree in a column that both have."""
    stated: dict[tuple[str, str, str], dict[str, int]] = {}
    for table in tables:
        what, header = _describes(table), [plain(name) for name in table.header]
        if not what:
            continue
        here: list[tuple[tuple[str, str, str], str, int]] = []
        for row in table.rows:
            for title, cell in zip(header[1:], row.cells[1:], strict=True):
                if not cell.strip() or re.search(r"item|code|table|column", title):
                    continue
                key, value = (what, plain(row.cells[0]), title), plain(cell)
                values = stated.get(key, {})
                if values and value not in values:
                    text = f"{title} of {row.cells[0]} is {cell!r}, but not in line {min(values.values())}"
                    yield UnclearPlace(ID, row.line, text, DECIDE)
                here.append((key, value, row.line))
        for key, value, line in here:
            stated.setdefault(key, {}).setdefault(value, line)


def _describes(table: Table) -> str:
    """What the rows are, by the first header; nothing where a row is a condition or a step."""
    title = plain(table.header[0])
    is_measured = title == "measure" and column(table, r"\bitem") is not None
    is_rule = re.search(CONDITION, title) is not None or title in {"order", "component", ""} or "\\" in title
    return "" if is_rule or is_measured else title
