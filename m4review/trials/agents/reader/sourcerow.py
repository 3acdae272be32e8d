"""One row of a source table as SQL: its time, its value, its items, and the tests on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .catalog import Catalog, Relation, literal, quoted
from .conversions import VALUE
from .rendering import condition_sql
from .sources import Charted, Measure, SourceTable, short_name
from .specification import Specification
from .terms import Around, Condition, Holding, Previous, SameAs, Since
from .wording import Unreadable, plain

EPOCH = "TIMESTAMP '2000-01-01 00:00:00'"
"""Stands for minute 0 where a database counts minutes instead of telling the time."""


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
    filters = filters_sql(row, source, relation, RowScope(relation, "1", catalog, specification))
    return relation, " AND ".join(filters) or "TRUE"


def filters_sql(row: Charted, source: SourceTable, relation: Relation, scope: RowScope) -> list[str]:
    """The tests of items and of columns that a row of the table must pass."""
    filters = [items_sql(row.items, row.texts, source, relation)] if row.items or row.texts else []
    if row.where is not None:
        filters.append(condition_sql(row.where, scope))
    return filters


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


def amount_sql(row: Charted, source: SourceTable, relation: Relation) -> str:
    """The charted value of a row; 1 where the text names no column of values."""
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


def items_sql(items: Sequence[int], named: Sequence[Sequence[str]], source: SourceTable, relation: Relation) -> str:
    """The test of a row for items, given as numbers or as texts."""
    columns = [relation.column(name) for name in source.items] or [relation.column("")]
    if items:
        if not relation.is_number(columns[0]):
            raise Unreadable(f"{relation.shown}.{columns[0]} does not hold item numbers")
        return f"{quoted(columns[0])} IN ({', '.join(str(item) for item in items)})"
    tests = []
    for texts in named:
        if len(texts) != len(columns):
            raise Unreadable(f"the item {' / '.join(texts)!r} does not have one text per column of the item")
        tests.append(
            " AND ".join(f"{quoted(name)} = {literal(text)}" for name, text in zip(columns, texts, strict=True))
        )
    return "(" + " OR ".join(f"({test})" for test in tests) + ")"


def limits_sql(limits: Condition | None, amount: str) -> str:
    """Whether a value lies in its valid range."""
    return "TRUE" if limits is None else condition_sql(limits, RowScope(None, amount, None, None))


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
