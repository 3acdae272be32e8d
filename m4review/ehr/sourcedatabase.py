"""A DuckDB database as the source of an import, with the schemas that its public loaders make.

It is attached read-only. A table is taken from the published schema (``mimiciv_icu``), else from one named like the
folder (``icu``), else from ``main``. Derived tables are not among them; ``reuse`` takes those that are asked for.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from m4review.ehr.engine import identifier, quoted
from m4review.ehr.layout import Layout, SourceTable, layout_names, load_layout
from m4review.ehr.sourcefile import SourceFile, matched_columns
from m4review.errors import DatasetError

ALIAS = "m4review_source"

Found = dict[tuple[str, str], tuple[str, str]]


def find_source_tables(connection: duckdb.DuckDBPyConnection, layout: Layout, source: Path) -> tuple[SourceFile, ...]:
    """The tables of the layout in the database file, which stays attached to the connection.

    Raises:
        DatasetError: not a DuckDB database, one that another program holds open, or nothing of this layout in it.
    """
    _attach(connection, source)
    there = attached_tables(connection)
    found = [(table, place) for table in layout.tables if (place := _place(there, table)) is not None]
    if not found:
        others = [name for name in layout_names() if any(_place(there, table) for table in load_layout(name).tables)]
        raise DatasetError(
            f"nothing of the layout {layout.name} in this database"
            + (f"; it looks like {others[0]}" if others else ""),
            where=source,
            expected=" and ".join(f"the schema {schema}" for schema in layout.source_schemas),
            fix=f"give the layout {others[0]}" if others else None,
        )
    return tuple(described(connection, table, place, source) for table, place in found)


def attached_tables(connection: duckdb.DuckDBPyConnection) -> Found:
    """Schema and name in small letters → as spelled, of every table and view in the attached database."""
    rows = connection.execute(
        "SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = ?", [ALIAS]
    ).fetchall()
    return {(schema.lower(), name.lower()): (schema, name) for schema, name in rows}


def _attach(connection: duckdb.DuckDBPyConnection, source: Path) -> None:
    try:
        connection.execute(f"ATTACH {quoted(source)} AS {ALIAS} (READ_ONLY)")
    except duckdb.Error as error:
        if "lock" in str(error).lower():
            raise DatasetError(
                "another program has the database open for writing",
                where=source,
                fix="close that program and import again",
            ) from None
        raise DatasetError(
            "a file, not a folder, and not a DuckDB database that this version can read",
            where=source,
            expected="a folder with the tables, or a DuckDB database file (.duckdb)",
            fix="unpack an archive first; export a database of a newer DuckDB as Parquet",
        ) from None


def _place(there: Found, table: SourceTable) -> tuple[str, str] | None:
    schemas = (table.schema_name, table.folder, "main")
    return next((there[schema, table.name] for schema in schemas if (schema, table.name) in there), None)


def described(
    connection: duckdb.DuckDBPyConnection, table: SourceTable, place: tuple[str, str], source: Path
) -> SourceFile:
    """The table at ``place`` of the attached database, with its columns read.

    Raises:
        DatasetError: it cannot be read, or a column is there twice.
    """
    relation = ".".join(identifier(part) for part in (ALIAS, *place))
    try:
        columns = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    except duckdb.Error:  # a view on files that are elsewhere
        raise DatasetError(f"the table {'.'.join(place)} cannot be read", where=source) from None
    types = {str(row[0]): str(row[1]) for row in columns}
    return SourceFile(
        table, source, "duckdb", tuple(types), matched_columns(table, types, source, typed=True), relation
    )
