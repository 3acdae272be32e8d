"""Measures as SQL: one row per link to the stay and charting time or sample, from the source tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .catalog import Catalog, Relation, quoted
from .conversions import Conversion
from .panels import Panel
from .rendering import condition_sql, rounded_sql, value_sql
from .sourcerow import RowScope, amount_sql, filters_sql, items_sql, limits_sql, moment_sql
from .sources import Charted, Measure, SourceTable, short_name
from .specification import Specification
from .terms import Field, Text, walk
from .together import EACH, Together
from .wording import Unreadable, plain

AGGREGATES = {
    "min": "min({0})",
    "max": "max({0})",
    "sum": "sum({0})",
    "avg": "avg({0})",
    "count": "count({0})",
    "first": "first({0} ORDER BY {1}, {0})",
    "last": "last({0} ORDER BY {1}, {0})",
    "first time": "min({1})",
    "last time": "max({1})",
    "present": "max(CASE WHEN {0} IS NOT NULL THEN 1 END)",
}


@dataclass(frozen=True, slots=True)
class MeasureQuery:
    """SQL with the columns link, moment, bundle, amount, ``finish`` where entries have an end, and one ``id_COLUMN``
    per other identifier."""

    sql: str
    link: str
    ids: tuple[str, ...]
    bundle: str
    """The column whose values bundle what belongs together; empty for the charting time."""
    has_end: bool
    timed: bool
    """Whether the text says where the time of an entry is kept."""
    uncomputed: str = ""
    """SQL of the entries with a value whose conversion cannot be computed; empty where none can be."""


def measure_query(
    measure: Measure,
    sources: Mapping[str, SourceTable],
    catalog: Catalog,
    identifiers: Sequence[str],
    specification: Specification,
) -> MeasureQuery:
    """How the values of a measure are read; ``identifiers`` are the columns by which anything is matched.

    Raises:
        Unreadable: the text does not say a needed column, or the database does not have it.
    """
    found: list[tuple[Charted, SourceTable, Relation, str]] = []
    for row in measure.rows:
        source = sources.get(short_name(row.table))
        if source is None:
            raise Unreadable(f"the source map does not say how {row.table!r} is read")
        relation = catalog.find(source.table if "." in source.table else row.table)
        found.append((row, source, relation, relation.column(row.match or source.match)))
    links = {link.casefold() for *_, link in found}
    if len(links) > 1:
        raise Unreadable("the rows of this measure are matched to the stay in different ways")
    link = found[0][3]
    ids = tuple(
        name
        for name in identifiers
        if name.casefold() != link.casefold() and all(relation.has(name) for _, _, relation, _ in found)
    )
    together = measure.together
    keep_empty = specification.keeps_empty or (together is not None and together.keeps_empty)
    has_end = all(source.end for _, source, _, _ in found)
    timed = all(row.time or source.time for row, source, _, _ in found)
    parts = [
        _charted_sql(row, source, relation, catalog, together, ids, specification, has_end)
        for row, source, relation, _ in found
    ]
    rows = "\nUNION ALL\n".join(parts)
    panel = specification.definitions.source.panels.get(plain(measure.name))
    if panel is not None:
        if together is None or together.column != panel.per:
            raise Unreadable(f"the panel is taken per `{panel.per}`, the values of the measure are not")
        rows = _of_the_panel(rows, panel, sources, catalog, link, ids, has_end)
    present = "" if keep_empty else " AND amount IS NOT NULL"
    bundle = together.column if together else ""
    uncomputed = f"SELECT * FROM (\n{rows}\n) WHERE uncomputed" if any(map(_needs_columns, measure.rows)) else ""
    if together is None or together.summary == EACH:
        if has_end:
            present = ""  # an entry without a value still starts and ends
        sql = f"SELECT * EXCLUDE (stored, uncomputed) FROM (\n{rows}\n) WHERE link IS NOT NULL{present}"
        return MeasureQuery(sql, link, ids, bundle, has_end, timed, uncomputed)
    amount = rounded_sql(AGGREGATES[together.summary].format("amount", "moment"), together.digits)
    if together.range_after:
        limits = {row.limits for row, *_ in found}
        if len(limits) > 1 or None in limits:
            raise Unreadable("a range that is tested on the summary must be the same in all rows of the measure")
        amount = f"CASE WHEN {limits_sql(limits.pop(), amount)} THEN {amount} END"
    carried = "".join(f", max(id_{name}) AS id_{name}" for name in ids)
    if has_end:
        carried += ", max(finish) AS finish"
    latest = ""
    if together.latest:
        order = "PARTITION BY link, bundle ORDER BY stored DESC NULLS LAST"
        latest = f"\nQUALIFY rank() OVER ({order}) = 1"
        rows = f"SELECT * FROM (\n{rows}\n) WHERE TRUE{present}{latest}"
    sql = (
        f"SELECT link, max(moment) AS moment, bundle, {amount} AS amount{carried} FROM (\n{rows}\n)"
        f"\nWHERE link IS NOT NULL AND bundle IS NOT NULL{present}\nGROUP BY link, bundle"
    )
    return MeasureQuery(sql, link, ids, bundle, has_end, timed, uncomputed)


def _charted_sql(
    row: Charted,
    source: SourceTable,
    relation: Relation,
    catalog: Catalog,
    together: Together | None,
    ids: Sequence[str],
    specification: Specification,
    has_end: bool,
) -> str:
    link = relation.column(row.match or source.match)
    moment = moment_sql(relation, source, row.time or source.time)
    amount = amount_sql(row, source, relation)
    scope = RowScope(relation, amount, catalog, specification)
    keep_empty = specification.keeps_empty or (together is not None and together.keeps_empty)
    filters = filters_sql(row, source, relation, scope)
    if row.limits is not None and not (together and together.range_after):
        test = limits_sql(row.limits, amount)
        filters.append(f"({test} OR {amount} IS NULL)" if keep_empty else test)
    bundle = quoted(relation.column(together.column)) if together and together.column else moment
    stored = quoted(relation.column(together.latest)) if together and together.latest else "NULL"
    carried = "".join(f", {quoted(relation.column(name))} AS id_{name}" for name in ids)
    if has_end:
        carried += f", {moment_sql(relation, source, source.end)} AS finish"
    where = f"\nWHERE {' AND '.join(filters)}" if filters else ""
    converted = _converted(row.conversion, amount, scope)
    finite = f"coalesce(isfinite(CAST({converted} AS DOUBLE)), FALSE)"
    uncomputed = f"({amount} IS NOT NULL AND NOT {finite})" if _needs_columns(row) else "FALSE"
    return (
        f"SELECT {quoted(link)} AS link, {moment} AS moment, {bundle} AS bundle,"
        f" {converted} AS amount, {uncomputed} AS uncomputed, {stored} AS stored{carried}"
        f"\nFROM {relation.sql}{where}"
    )


def _of_the_panel(
    rows: str,
    panel: Panel,
    sources: Mapping[str, SourceTable],
    catalog: Catalog,
    link: str,
    ids: Sequence[str],
    has_end: bool,
) -> str:
    """The rows with what the whole panel says of their sample: its time, its admission."""
    parts = []
    taken: dict[str, str] = {}
    for row in panel.rows:
        source = sources.get(short_name(row.table))
        if source is None:
            raise Unreadable(f"the source map does not say how {row.table!r} is read")
        relation = catalog.find(source.table if "." in source.table else row.table)
        if not panel.per or not source.value or not source.time:
            raise Unreadable("a panel needs a table with a time and a value, and a column per which it is taken")
        homes = {link.casefold(): "link", relation.column(source.time).casefold(): "moment"}
        homes |= {name.casefold(): f"id_{name}" for name in ids}
        for column, summary in panel.taken:
            # An identifier by which nothing is matched is of no consequence.
            home = homes.get(relation.column(column).casefold())
            if home is not None:
                taken[home] = summary
        amount = quoted(relation.column(source.value))
        tests = [items_sql(row.items, row.texts, source, relation)]
        if not row.keeps_empty:
            tests.append(f"{amount} IS NOT NULL AND {limits_sql(row.limits, amount)}")
        columns = [f"{quoted(relation.column(panel.per))} AS sample", f"{quoted(link)} AS link"]
        columns.append(f"{moment_sql(relation, source, source.time)} AS moment")
        columns += [f"{quoted(relation.column(name))} AS id_{name}" for name in ids]
        parts.append(f"SELECT {', '.join(columns)} FROM {relation.sql} WHERE {' AND '.join(tests)}")
    if not taken:
        return rows
    if has_end:
        raise Unreadable("entries with a start and an end belong to no panel")
    summaries = ", ".join(f"{AGGREGATES[summary].format(home)} AS p_{home}" for home, summary in taken.items())
    instead = ", ".join(f"coalesce(p_{home}, {home}) AS {home}" for home in taken)
    union = "\nUNION ALL\n".join(parts)
    return (
        f"SELECT charted.* REPLACE ({instead}) FROM (\n{rows}\n) AS charted LEFT JOIN (\n"
        f"SELECT sample, {summaries} FROM (\n{union}\n) GROUP BY sample\n) AS panel ON panel.sample = charted.bundle"
    )


def _needs_columns(row: Charted) -> bool:
    """Whether the conversion rests on other columns of the row, which may be missing or 0."""
    return row.conversion is not None and any(isinstance(part, Field | Text) for part in walk(row.conversion.formula))


def _converted(conversion: Conversion | None, amount: str, scope: RowScope) -> str:
    if conversion is None:
        return amount
    result = value_sql(conversion.formula, scope)
    if conversion.when is not None:
        result = f"CASE WHEN {condition_sql(conversion.when, scope)} THEN {result} ELSE {amount} END"
    return rounded_sql(result, conversion.digits)
