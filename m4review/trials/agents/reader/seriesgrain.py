"""Rows that are not the rows of a table: one per charting time of a measure, per episode, or per interval."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .catalog import Relation, quoted
from .chart import Chart
from .grain import Grain
from .sourcerow import entries
from .specification import OWN_ROWS, Specification
from .wording import Unreadable, plain, singular


def grain_series(grain: str, specification: Specification) -> str:
    """The series whose entries are the rows, as ``one row per …`` says it; empty where the rows are those of a table.

    Raises:
        Unreadable: the series is spoken of and not defined.
    """
    definitions = specification.definitions
    if not OWN_ROWS.search(grain):
        return ""
    match = re.match(r"charting time of (?:the )?(.+)", grain)
    if match:
        named = [name for name in definitions.series_names() if match.group(1).startswith(name)]
        if not named:
            raise Unreadable(f"the source map has no executable measure {match.group(1)!r}")
        return max(named, key=len)
    for word, defined in (("episode", definitions.episodes), ("interval", definitions.intervals)):
        if not re.search(rf"\b{word}\b", grain):
            continue
        exact = [name for name in defined if re.search(rf"\b{re.escape(singular(name))}\b", grain)]
        found = exact or list(defined)
        if len(found) != 1:
            raise Unreadable(f"the rows are the {word}s, and {'several' if found else 'no'} {word}s are defined")
        return found[0]
    return ""


def entry_grain(grain: str, chart: Chart, columns: Sequence[str]) -> Grain | None:
    """The entries of a measure as rows, where ``one row per …`` names one; their columns are those of its table.

    Raises:
        Unreadable: the measure is kept in several ways, or its table is not there.
    """
    measures = chart.specification.definitions.source.measures
    named = [name for name in measures if singular(name) == singular(grain)]
    if not named:
        return None
    relation, where = entries(measures[named[0]], chart.catalog, chart.specification)
    ordered = ", ".join(quoted(column) for column in relation.columns)
    sql = (
        f"SELECT *, row_number() OVER () AS {quoted('row bundle')} FROM (\n"
        f"SELECT * FROM {relation.sql} WHERE {where} ORDER BY {ordered}\n)"
    )
    table = chart.tables.keep(f"rows: {named[0]}", sql)
    own = Relation("temp", "main", table, chart.tables.types(table))
    stated = set(map(plain, columns)) & set(chart.specification.definitions.row_names())
    present = tuple(
        column
        for column in columns
        if own.has(column) and plain(column) not in stated and column.casefold().endswith("id")
    )
    return Grain(own, ("row bundle",), present)


def series_grain(name: str, chart: Chart, columns: Sequence[str]) -> Grain:
    """The entries of a series as rows; their key is the link and the charting time or sample.

    Raises:
        Unreadable: the series cannot be executed.
    """
    series = chart.find(name)
    types = chart.tables.types(series.table)
    renamed = {series.link: "link"} | {column: f"id_{column}" for column in series.ids}
    kept = [column for column in ("moment", "finish", "amount", "place") if column in types]
    parts = [f"{quoted(source)} AS {quoted(column)}" for column, source in renamed.items()]
    parts += [f"{column} AS {quoted('row ' + column)}" for column in (*kept, "bundle")]
    sql = f"SELECT {', '.join(parts)} FROM {quoted(series.table)} WHERE link IS NOT NULL"
    table = chart.tables.keep(f"rows: {name}", sql)
    relation = Relation("temp", "main", table, chart.tables.types(table))
    present = tuple(column for column in columns if plain(column) in map(plain, renamed))
    return Grain(relation, (series.link, "row bundle"), present, name)
