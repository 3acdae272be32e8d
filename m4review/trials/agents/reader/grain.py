"""The rows of the output: which table holds one row per key, and which columns identify it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from .catalog import Catalog, Relation, quoted
from .instruction import Instruction
from .specification import Specification
from .trace import Trace
from .wording import Unreadable


@dataclass(frozen=True, slots=True)
class Grain:
    """The table with one row per key, as the catalog spells its columns."""

    relation: Relation
    key: tuple[str, ...]
    identifiers: tuple[str, ...]
    """Output columns, the key among them, that are taken from the table as they are."""
    series: str = ""
    """The series whose entries are the rows, where they are not the rows of a table."""


def find_grain(
    instruction: Instruction,
    specification: Specification | None,
    catalog: Catalog,
    connection: duckdb.DuckDBPyConnection,
    trace: Trace,
) -> Grain | None:
    """The rows to write, from the text where it names the table, else from the catalog; ``None`` with a gap."""
    key = instruction.key or (specification.key if specification else ())
    if not key:
        trace.gap(str(instruction.place), "", "no text says which column is the key")
        return None
    # Identifiers carry no rule of their own; by convention of the field their names end in "id".
    wanted = [column for column in instruction.columns if column in key or column.casefold().endswith("id")]
    if specification is not None and specification.cohort is not None and specification.cohort.table:
        name, place = specification.cohort.table, specification.cohort.place
        try:
            relation = catalog.find(name)
            spelt = tuple(relation.column(column) for column in key)
            if not one_row_per(relation, spelt, connection, trace):
                raise Unreadable(f"{relation.shown} has several rows per {', '.join(key)}")
            present = [column for column in wanted if column.casefold() in map(str.casefold, relation.columns)]
            return Grain(relation, spelt, tuple(present))
        except Unreadable as problem:
            trace.gap(str(place), name, str(problem))
    return _from_catalog(instruction, key, wanted, catalog, connection, trace)


def _from_catalog(
    instruction: Instruction,
    key: tuple[str, ...],
    wanted: Sequence[str],
    catalog: Catalog,
    connection: duckdb.DuckDBPyConnection,
    trace: Trace,
) -> Grain | None:
    """Of the tables that have the key and all identifiers and one row per key: the largest, then the narrowest."""
    found: list[tuple[int, int, str, Relation]] = []
    for relation in catalog.with_columns([*key, *wanted]):
        spelt = tuple(relation.column(column) for column in key)
        if one_row_per(relation, spelt, connection, trace):
            rows = _count(f"SELECT count(*) FROM {relation.sql}", connection)
            found.append((-rows, len(relation.columns), relation.shown, relation))
    if not found:
        trace.gap(str(instruction.place), ", ".join(wanted), "no table has these columns and one row per key")
        return None
    relation = min(found, key=lambda entry: entry[:3])[3]
    trace.message(f"the rows come from {relation.shown}: it has one row per {', '.join(key)}")
    return Grain(relation, tuple(relation.column(column) for column in key), tuple(wanted))


def one_row_per(relation: Relation, key: tuple[str, ...], connection: duckdb.DuckDBPyConnection, trace: Trace) -> bool:
    """Whether a relation has one row per key, and none without one."""
    columns = ", ".join(quoted(column) for column in key)
    nowhere = " OR ".join(f"{quoted(column)} IS NULL" for column in key)
    # A sample first: an event table repeats its key at once, and need not be read whole to see it.
    for source in (f"(SELECT * FROM {relation.sql} LIMIT 4096)", relation.sql):
        sql = (
            f"SELECT count(*) FROM (SELECT {columns} FROM {source} GROUP BY {columns} HAVING count(*) > 1 OR {nowhere}"
            " LIMIT 1)"
        )
        title = f"is there one row per {', '.join(key)} in {relation.shown}"
        trace.query(title, sql)
        repeated = _count(sql, connection)
        trace.result(title, repeated)
        if repeated:
            return False
    return True


def _count(sql: str, connection: duckdb.DuckDBPyConnection) -> int:
    row = connection.execute(sql).fetchone()
    return int(row[0]) if row else 0
