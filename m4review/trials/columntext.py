"""The text in a file of columns, on standard output: names, metadata and every distinct text value.

``python -m m4review.trials.columntext FORM FILE`` is a process of its own, started by
:mod:`m4review.trials.unpacking`, because the file comes from an agent. It can reach no other file and no network, and
uses little memory. Numbers and times are not printed: nothing the audit looks for can be written in them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import duckdb

from m4review.ehr.engine import identifier, quoted

BATCH = 10_000
MEMORY = "512MB"
TEXTUAL = ("VARCHAR", "BLOB", "JSON", "STRUCT", "MAP", "ENUM", "UNION", "[]")
"""Parts of the names of types that can hold text."""


def print_text(form: str, path: Path, stream: IO[bytes]) -> None:
    """Write the text of the file to ``stream``, a value per line.

    Raises:
        duckdb.Error: the file is not of that form.
    """
    with duckdb.connect(":memory:", config={"threads": 1, "memory_limit": MEMORY}) as connection:
        if form == "duckdb":
            connection.execute(f"ATTACH {quoted(path)} AS found (READ_ONLY)")
        connection.execute(f"SET allowed_paths = [{quoted(path)}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        for value in _values(connection, form, path):
            stream.write(value if isinstance(value, bytes) else str(value).encode("utf-8", "replace"))
            stream.write(b"\n")


def _values(connection: duckdb.DuckDBPyConnection, form: str, path: Path) -> Iterator[object]:
    if form == "zstd":
        # One column that no sign can end: a packed text of any kind, line by line.
        layout = "header = false, delim = '\\x01', quote = '', escape = '', auto_detect = false, ignore_errors = true"
        lines = f"read_csv({quoted(path)}, columns = {{'line': 'VARCHAR'}}, compression = 'zstd', {layout})"
        yield from _rows(connection, f"SELECT line FROM {lines}")
    elif form == "parquet":
        yield from _rows(connection, f"SELECT key, value FROM parquet_kv_metadata({quoted(path)})")
        yield from _table(connection, f"read_parquet({quoted(path)})")
    else:
        listed = "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'found'"
        for schema, table in connection.execute(listed).fetchall():
            yield f"{schema}.{table}"
            yield from _table(connection, f"found.{identifier(str(schema))}.{identifier(str(table))}")
        yield from _rows(connection, "SELECT sql FROM duckdb_views() WHERE database_name = 'found' AND NOT internal")


def _table(connection: duckdb.DuckDBPyConnection, source: str) -> Iterator[object]:
    for name, kind, *_ in connection.execute(f"DESCRIBE FROM {source}").fetchall():
        yield name
        if any(part in str(kind).upper() for part in TEXTUAL):
            yield from _rows(connection, f"SELECT DISTINCT {identifier(str(name))} FROM {source}")


def _rows(connection: duckdb.DuckDBPyConnection, query: str) -> Iterator[object]:
    cursor = connection.execute(query)
    while rows := cursor.fetchmany(BATCH):
        yield from (value for row in rows for value in row if value is not None)


if __name__ == "__main__":
    print_text(sys.argv[1], Path(sys.argv[2]), sys.stdout.buffer)
