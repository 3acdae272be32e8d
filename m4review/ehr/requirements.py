"""What a source must have: the tables and columns that some concept or reference reads, as the SQL itself says."""

from __future__ import annotations

from pathlib import Path

import duckdb

from m4review.ehr.dataset import STAY_TABLES
from m4review.ehr.derivations import Derivation, Derivations, load_derivations
from m4review.ehr.engine import identifier
from m4review.ehr.layout import Layout, Relation, SourceTable
from m4review.ehr.sourcefile import SourceFile, column_problems, reading_query
from m4review.errors import DatasetError


def require_sufficient(
    connection: duckdb.DuckDBPyConnection, layout: Layout, source: Path, files: tuple[SourceFile, ...]
) -> None:
    """Check that every table and column that a query needs is there, with a type that fits.

    Tables and columns that no query reads may be absent; what is there must have the published type.

    Raises:
        DatasetError: something is missing or of the wrong type; the file, the column, the expected type and the
            queries that need it are named.
    """
    derivations = load_derivations(layout.name)
    there = {file.table.relation for file in files}
    for table in layout.tables:
        readers = derivations.readers(table.relation)
        if readers and table.relation not in there:
            raise DatasetError(
                f"the table {table.relation} is missing",
                where=source / f"{table.source_path}.csv.gz",
                expected=f"{table.file_name}.parquet, {table.file_name}.csv.gz or {table.file_name}.csv",
                fix=f"{_needed_by(derivations, readers)}; add the file and import again",
            )
    for file in files:
        if file.table.name in STAY_TABLES and _is_empty(connection, layout, file):
            raise DatasetError(
                f"the table {file.table.relation} has no rows, so there is no ICU stay",
                where=file.path,
                expected="one row per ICU stay",
                fix="take the published file with its rows and import again",
            )
        for column in file.missing:
            readers = column_readers(derivations, file.table, column)
            if readers or column in file.table.key:
                raise DatasetError(
                    f"the column {column} is missing",
                    where=file.path,
                    expected=f"{column} {file.table.columns[column]}",
                    fix=f"{_needed_by(derivations, readers)}; import the published file",
                )
        for column, found, expected in column_problems(connection, file):
            readers = column_readers(derivations, file.table, column)
            raise DatasetError(
                f"the column {column} is {found}",
                where=file.path,
                expected=f"{column} {expected}",
                fix=f"{_needed_by(derivations, readers)}; export the column as {expected} and import again",
            )


def _is_empty(connection: duckdb.DuckDBPyConnection, layout: Layout, file: SourceFile) -> bool:
    try:
        return connection.execute(f"SELECT 1 FROM ({reading_query(layout, file)}) LIMIT 1").fetchone() is None
    except duckdb.Error:  # there are rows, and the first of them is wrong: storing the table says how
        return False


def column_readers(derivations: Derivations, table: SourceTable, column: str) -> tuple[Derivation, ...]:
    """The queries that cannot be bound without the column: asked of DuckDB itself, on empty tables."""
    readers = derivations.readers(table.relation)
    if not readers:
        return ()
    with duckdb.connect(":memory:") as probe:
        make_empty(probe, derivations)
        probe.execute(f"ALTER TABLE {_name(table.relation)} DROP COLUMN {identifier(column)}")
        return tuple(derivation for derivation in readers if not _can_be_bound(probe, derivation))


def make_empty(probe: duckdb.DuckDBPyConnection, derivations: Derivations) -> None:
    """Make every source table and concept of the layout in an empty database, without rows."""
    layout = derivations.layout
    for schema in (*layout.source_schemas, layout.derived_schema):
        probe.execute(f"CREATE SCHEMA {identifier(schema)}")
    for table in layout.tables:
        columns = ", ".join(f"{identifier(name)} {kind}" for name, kind in table.columns.items())
        probe.execute(f"CREATE TABLE {_name(table.relation)} ({columns})")
    for concept in derivations.concepts.values():
        relation = Relation(schema_name=layout.derived_schema, name=concept.name)
        probe.execute(f"CREATE TABLE {_name(relation)} AS {concept.sql}")


def _can_be_bound(probe: duckdb.DuckDBPyConnection, derivation: Derivation) -> bool:
    try:
        probe.execute(f"EXPLAIN {derivation.sql}")
    except duckdb.BinderException:
        return False
    return True


def _name(relation: Relation) -> str:
    return f"{identifier(relation.schema_name)}.{identifier(relation.name)}"


def _needed_by(derivations: Derivations, readers: tuple[Derivation, ...]) -> str:
    if not readers:
        return "it is part of the published layout"
    references = sorted({name for reader in readers for name in derivations.references_behind(reader)})
    queries = ", ".join(reader.name for reader in readers)
    return f"needed by {queries} (for {', '.join(references) or 'standard tasks'})"
