"""Measures as SQL: one row per link to the stay and charting time or sample, from the source tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .catalog import Catalog, Relation, literal, quoted
from .conversions import VALUE, Conversion
from .rendering import condition_sql, rounded_sql, value_sql
from .sources import Charted, Measure, SourceTable, short_name
from .specification import Specification
from .terms import Around, Condition, Holding, Previous, SameAs, Since
from .together import EACH, Together
from .wording import Unreadable, plain

EPOCH = "TIMESTAMP '2000-01-01 00:00:00'"
"""Stands for minute 0 where a database counts minutes instead of telling the time."""

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
    present = "" if keep_empty else " AND amount IS NOT NULL"
    bundle = together.column if together else ""
    if together is None or together.summary == EACH:
        if has_end:
            present = ""  # an entry without a value still starts and ends
        sql = f"SELECT * EXCLUDE (stored) FROM (\n{rows}\n) WHERE link IS NOT NULL{present}"
        return MeasureQuery(sql, link, ids, bundle, has_end, timed)
    amount = rounded_sql(AGGREGATES[together.summary].format("amount", "moment"), together.digits)
    if together.range_after:
        limits = {row.limits for row, *_ in found}
        if len(limits) > 1 or None in limits:
            raise Unreadable("a range that is tested on the summary must be the same in all rows of the measure")
        amount = f"CASE WHEN {_limits_sql(limits.pop(), amount)} THEN {amount} END"
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
    return MeasureQuery(sql, link, ids, bundle, has_end, timed)


def entries(measure: Measure, catalog: Catalog, specification: Specification) -> tuple[Relation, str]:
    """The table of a measure and the condition, as SQL, on its rows that are entries of it.

    Raises:
        Unreadable: the measure is kept in several ways, or a column is not there.
    """
    if len(measure.rows) != 1:
        raise Unreadable(f"the entries of {measure.name!r} are kept in several ways")
    row = measure.rows[0]
    source = specification.definitions.source.tables.get(short_name(row.table))
    if source is None:
        raise Unreadable(f"the source map does not say how {row.table!r} is read")
    relation = catalog.find(source.table if "." in source.table else row.table)
    filters = _filters(row, source, relation, RowScope(relation, "1", catalog, specification))
    return relation, " AND ".join(filters) or "TRUE"


def _filters(row: Charted, source: SourceTable, relation: Relation, scope: RowScope) -> list[str]:
    filters = [_items_sql(row, source, relation)] if row.items or row.texts else []
    if row.where is not None:
        filters.append(condition_sql(row.where, scope))
    return filters


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
    amount = _amount(row, source, relation)
    scope = RowScope(relation, amount, catalog, specification)
    keep_empty = specification.keeps_empty or (together is not None and together.keeps_empty)
    filters = _filters(row, source, relation, scope)
    if row.limits is not None and not (together and together.range_after):
        test = _limits_sql(row.limits, amount)
        filters.append(f"({test} OR {amount} IS NULL)" if keep_empty else test)
    bundle = quoted(relation.column(together.column)) if together and together.column else moment
    stored = quoted(relation.column(together.latest)) if together and together.latest else "NULL"
    carried = "".join(f", {quoted(relation.column(name))} AS id_{name}" for name in ids)
    if has_end:
        carried += f", {moment_sql(relation, source, source.end)} AS finish"
    where = f"\nWHERE {' AND '.join(filters)}" if filters else ""
    return (
        f"SELECT {quoted(link)} AS link, {moment} AS moment, {bundle} AS bundle,"
        f" {_converted(row.conversion, amount, scope)} AS amount, {stored} AS stored{carried}"
        f"\nFROM {relation.sql}{where}"
    )


def moment_sql(relation: Relation, source: SourceTable, column: str) -> str:
    """A time column as a point in time; minutes from an event count from a fixed one.

    Raises:
        Unreadable: the column does not hold what the text says.
    """
    if not column:
        return "CAST(NULL AS TIMESTAMP)"
    moment = relation.column(column)
    if source.anchor:
        if not relation.is_number(moment):
            raise Unreadable(f"{relation.shown}.{moment} does not hold minutes")
        return f"({EPOCH} + to_minutes(CAST({quoted(moment)} AS BIGINT)))"
    if not relation.is_time(moment):
        raise Unreadable(f"{relation.shown}.{moment} does not hold points in time")
    return f"CAST({quoted(moment)} AS TIMESTAMP)"


def _amount(row: Charted, source: SourceTable, relation: Relation) -> str:
    name, kind = (row.value_column, row.kind or VALUE) if row.value_column else (source.value, row.kind or source.kind)
    if not name:
        return "1"
    value = relation.column(name)
    if kind == "text":
        if row.limits is not None or row.conversion is not None:
            raise Unreadable("a text has neither a valid range nor a conversion")
        return f"CAST({quoted(value)} AS VARCHAR)"
    if kind == "number":
        return f"TRY_CAST(trim(CAST({quoted(value)} AS VARCHAR)) AS DOUBLE)"
    if not relation.is_number(value):
        raise Unreadable(f"{relation.shown}.{value} does not hold numbers")
    return f"CAST({quoted(value)} AS DOUBLE)"


def _items_sql(row: Charted, source: SourceTable, relation: Relation) -> str:
    columns = [relation.column(name) for name in source.items] or [relation.column("")]
    if row.items:
        if not relation.is_number(columns[0]):
            raise Unreadable(f"{relation.shown}.{columns[0]} does not hold item numbers")
        return f"{quoted(columns[0])} IN ({', '.join(str(item) for item in row.items)})"
    tests = []
    for texts in row.texts:
        if len(texts) != len(columns):
            raise Unreadable(f"the item {' / '.join(texts)!r} does not have one text per column of the item")
        tests.append(
            " AND ".join(f"{quoted(name)} = {literal(text)}" for name, text in zip(columns, texts, strict=True))
        )
    return "(" + " OR ".join(f"({test})" for test in tests) + ")"


def _limits_sql(limits: Condition | None, amount: str) -> str:
    return "TRUE" if limits is None else condition_sql(limits, RowScope(None, amount, None, None))


def _converted(conversion: Conversion | None, amount: str, scope: RowScope) -> str:
    if conversion is None:
        return amount
    result = value_sql(conversion.formula, scope)
    if conversion.when is not None:
        result = f"CASE WHEN {condition_sql(conversion.when, scope)} THEN {result} ELSE {amount} END"
    return rounded_sql(result, conversion.digits)


@dataclass(frozen=True, slots=True)
class RowScope:
    """One row of a source table: its columns, and the charted value."""

    relation: Relation | None
    amount: str
    catalog: Catalog | None
    specification: Specification | None

    def name(self, name: str) -> str:
        if name == VALUE:
            return self.amount
        remainders = self.specification.definitions.source.remainders if self.specification else {}
        part = remainders.get(name)
        if part is None:
            raise Unreadable(f"{name!r} is not a column of the row")
        column, start = f"CAST({self.field('', part.column)} AS VARCHAR)", literal(part.start)
        return f"CASE WHEN starts_with({column}, {start}) THEN substr({column}, length({start}) + 1) END"

    def field(self, table: str, column: str) -> str:
        if self.relation is None:
            raise Unreadable(f"{column!r} is not a column here")
        return quoted(self.relation.column(column))

    def has_field(self, column: str) -> bool:
        return self.relation is not None and self.relation.has(column)

    def previous(self, term: Previous) -> str:
        raise Unreadable("the charting before cannot be seen from one row of a source table")

    def around(self, term: Around) -> str:
        raise Unreadable("a time around the value cannot be seen from one row of a source table")

    def holding(self, term: Holding) -> str:
        raise Unreadable("a value in force is written in a table of derived measures")

    def since(self, term: Since) -> str:
        raise Unreadable("the charting before is written in a table of derived measures")

    def same_as(self, condition: SameAs) -> str:
        if self.catalog is None or self.specification is None:
            raise Unreadable("the entries of a measure cannot be seen from a single value")
        measure = self.specification.definitions.source.measures.get(plain(condition.name))
        if measure is None:
            raise Unreadable(f"the source map has no executable measure {condition.name!r}")
        relation, where = entries(measure, self.catalog, self.specification)
        own = ", ".join(self.field("", column) for column in condition.columns)
        others = ", ".join(quoted(relation.column(column)) for column in condition.columns)
        return f"(({own}) IN (SELECT ({others}) FROM {relation.sql} WHERE {where}))"

    def words(self, name: str) -> tuple[str, ...]:
        return listed(name, self.specification.lists if self.specification else {})


def listed(name: str, lists: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The texts of a named list.

    Raises:
        Unreadable: no list of that name.
    """
    if name not in lists:
        raise Unreadable(f"no list of texts is named {name!r}")
    return lists[name]
