"""Storing one table of a source: as it is where it fits, else rewritten with our types and row order.

A finished table carries a mark beside it that says what it was made from, so that the same import need not make it
again.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import duckdb

from m4review.ehr.dataset import TableFile, digest_of
from m4review.ehr.engine import identifier, quoted, write_parquet
from m4review.ehr.layout import Layout
from m4review.ehr.sourcefile import SourceFile, damaged, reading_query
from m4review.ehr.staging import DONE_SUFFIX, require_unique_key, stored_table
from m4review.errors import DatasetError
from m4review.textfile import write_text


def store_table(
    connection: duckdb.DuckDBPyConnection,
    layout: Layout,
    file: SourceFile,
    staging: Path,
    watch: Callable[[float], None],
    *,
    in_any_order: bool = False,
) -> TableFile:
    """Store the file's rows under its schema and name; a Parquet file that fits is linked, never copied.

    ``in_any_order`` also links one whose row groups overlap.

    Raises:
        DatasetError: a row that does not fit, a repeated key or a damaged file (``where`` is the file then); the disk
            full (``where`` is in ``staging``).
    """
    path = staging / file.table.schema_name / f"{file.table.name}.parquet"
    mark = path.with_name(file.table.name + DONE_SUFFIX)
    status = file.path.stat()
    made_from = (layout.name, file.path, file.relation, status.st_size, status.st_mtime_ns, file.table.columns)
    fingerprint = digest_of(map(str, made_from))
    finished = _finished(mark, path, fingerprint)
    if finished is not None:
        return finished
    columns = {name: kind for name, kind in file.table.columns.items() if name in file.columns}
    if file.has_our_types and (in_any_order or _is_ordered(connection, file)):
        path.parent.mkdir(parents=True, exist_ok=True)
        _link(file.path, path)
        row = connection.execute(f"SELECT count(*) FROM read_parquet({quoted(path)})").fetchone()
        rows = int(row[0]) if row else 0
    else:
        order = ", ".join(identifier(column) for column in file.table.order if column in columns)
        query = reading_query(layout, file) + (f"\nORDER BY {order}" if order else "")
        rows = _convert(connection, file, query, path, watch)
    require_unique_key(connection, file.table, path, file.path)
    stored = stored_table(path, file.table, rows, columns)
    write_text(mark, json.dumps({"fingerprint": fingerprint, "table": stored.model_dump()}) + "\n")
    return stored


def _finished(mark: Path, path: Path, fingerprint: str) -> TableFile | None:
    if not (mark.is_file() and path.is_file()):
        return None
    values = json.loads(mark.read_text(encoding="utf-8"))
    table = TableFile.model_validate(values["table"])
    unchanged = values["fingerprint"] == fingerprint and path.stat().st_mtime_ns == table.modified_ns
    return table if unchanged else None


def _link(source: Path, path: Path) -> None:
    path.unlink(missing_ok=True)
    try:
        os.link(source, path)
    except OSError:
        path.symlink_to(source)


def _is_ordered(connection: duckdb.DuckDBPyConnection, file: SourceFile) -> bool:
    """Whether no two row groups overlap in the first order column, so that a filter on it skips row groups."""
    groups = connection.execute(
        "SELECT TRY_CAST(stats_min_value AS DOUBLE), TRY_CAST(stats_max_value AS DOUBLE) "
        "FROM parquet_metadata(?) WHERE path_in_schema = ? ORDER BY row_group_id",
        [str(file.path), file.table.order[0]],
    ).fetchall()
    if len(groups) <= 1:
        return True
    if any(low is None or high is None for low, high in groups):
        return False
    return all(before[1] <= after[0] for before, after in pairwise(groups))


def _convert(
    connection: duckdb.DuckDBPyConnection, file: SourceFile, query: str, path: Path, watch: Callable[[float], None]
) -> int:
    try:
        return write_parquet(connection, query, path, watch=watch)
    except DatasetError as error:
        if "GZIP" in error.what or "gzip" in error.what:
            raise damaged(file.path) from None
        raise
    except duckdb.Error as error:
        raise _conversion_error(file, str(error)) from None


def _conversion_error(file: SourceFile, text: str) -> DatasetError:
    """A cell that does not fit its column, told without the cell."""
    line = re.search(r"CSV Error on Line: (\d+)", text)
    number = int(line.group(1)) if line else None
    column = re.search(r'converting column "([^"]+)"', text) or re.search(r"column (\w+) holds", text)
    if column:
        name = column.group(1).lower()
        expected = file.table.columns.get(name, "text")
        return DatasetError(
            f"a value of column {name} does not fit its type",
            where=file.path,
            line=number,
            expected=f"{name} {expected}",
        )
    if "Expected Number of Columns" in text:
        return DatasetError(
            "a line has another number of columns than the header",
            where=file.path,
            line=number,
            expected=f"{len(file.header)} columns",
        )
    if "unicode" in text.lower() or "utf-8" in text.lower():
        return DatasetError("not UTF-8 text", where=file.path, line=number, expected="UTF-8")
    if "GZIP" in text or "gzip" in text:
        return damaged(file.path)
    return DatasetError("the rows cannot be read", where=file.path, line=number, expected="the published format")
