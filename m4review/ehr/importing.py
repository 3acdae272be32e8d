"""Importing a source database: every table checked, given our types and row order, and stored as zstd Parquet.

A Parquet file that already has exactly the layout's columns and types, and whose row groups do not overlap in the
order column, is taken as it is: a hard link where the filesystem allows it (no second copy, and the source may be
deleted), else a symbolic link. Everything else is rewritten in order. An import that was interrupted keeps its finished
tables in a hidden folder and goes on from there when the same source is imported again under the same name.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import duckdb

from m4review.ehr.checksums import published_checksums, require_published_content
from m4review.ehr.dataset import Dataset, Origin, TableFile, digest_of
from m4review.ehr.engine import engine, identifier, quoted, write_parquet
from m4review.ehr.layout import Layout, load_layout
from m4review.ehr.progress import Listener, Progress, silent
from m4review.ehr.requirements import require_sufficient
from m4review.ehr.sourcedatabase import find_source_tables
from m4review.ehr.sourcefile import SourceFile, damaged, find_source_files, reading_query
from m4review.ehr.staging import DONE_SUFFIX, finish, require_unique_key, staging_folder, stored_table
from m4review.errors import DatasetError
from m4review.textfile import write_text


def import_dataset(
    data_home: Path,
    name: str,
    *,
    layout: str,
    source: Path,
    progress: Listener = silent,
    threads: int | None = None,
    memory: int | None = None,
) -> Dataset:
    """Make the dataset ``name`` from a folder or DuckDB database in the given layout.

    The bytes that ``progress`` counts are those of the source files; within one they follow DuckDB's own estimate.
    Where the folder has PhysioNet's list of checksums, the files that it names are compared with it first.

    Raises:
        DatasetError: the name is taken; the folder has another layout; a table, column or type that a concept or
            reference needs is missing or wrong (file, column, expected type and who needs it are named); a damaged
            file, or one whose published checksum is another; a repeated id; the disk full.
    """
    database = load_layout(layout)
    source = source.expanduser().resolve()
    with (
        staging_folder(data_home, name, "an import", resumable=True) as staging,
        engine(staging, threads=threads, memory=memory) as connection,
    ):
        find = find_source_tables if source.is_file() else find_source_files
        files = find(connection, database, source)
        require_sufficient(connection, database, source, files)
        published = _checked(source, files, progress)
        sizes = _sizes(files)
        tables = []
        for done, file in enumerate(files):

            def tell(share: float, done: int = done, file: SourceFile = file) -> None:
                read = sum(sizes[:done]) + int(share * sizes[done])
                progress(Progress("import", str(file.table.relation), done, len(files), read, sum(sizes)))

            tell(0.0)
            stored = _store(connection, database, file, staging, tell)
            tables.append(
                stored.model_copy(update={"published": None if published is None else file.path in published})
            )
        progress(Progress("import", "", len(files), len(files), sum(sizes), sum(sizes)))
        formats = sorted({file.format for file in files})
        origin = Origin(kind="import", format=" and ".join(formats), version=published_version(source))
        return finish(data_home, name, staging, layout, origin, tuple(tables))


def published_version(source: Path) -> str | None:
    """``3.1`` or ``demo 2.2``, as the names of the source folder and of the ones above it say.

    PhysioNet's own tree has ``mimiciv/3.1``, its archives unpack to ``mimic-iv-3.1``.
    """
    for name, above in pairwise((*reversed(source.parts), "")):
        found = re.search(r"(?:^|-)(\d+\.\d+(?:\.\d+)?)$", name)
        published = f"{above} {name}".lower()
        if found and re.search(r"mimic|eicu", published):
            return ("demo " if "demo" in published else "") + found.group(1)
    return None


def _checked(source: Path, files: tuple[SourceFile, ...], progress: Listener) -> frozenset[Path] | None:
    """The files that agree with the source folder's list of checksums; ``None`` where there is no list."""
    published = published_checksums(source)
    if not published:
        return None
    listed = [file.path for file in files if file.path in published]
    sizes = [path.stat().st_size for path in listed]
    for done, path in enumerate(listed):
        progress(Progress("checksums", path.name, done, len(listed), sum(sizes[:done]), sum(sizes)))
        require_published_content(path, published[path])
    progress(Progress("checksums", "", len(listed), len(listed), sum(sizes), sum(sizes)))
    return frozenset(listed)


def _sizes(files: tuple[SourceFile, ...]) -> list[int]:
    """Bytes of each file; a database's are shared out evenly, because it does not tell how large its tables are."""
    shared = Counter(file.path for file in files)
    return [file.path.stat().st_size // shared[file.path] for file in files]


def _store(
    connection: duckdb.DuckDBPyConnection,
    layout: Layout,
    file: SourceFile,
    staging: Path,
    watch: Callable[[float], None],
) -> TableFile:
    path = staging / file.table.schema_name / f"{file.table.name}.parquet"
    mark = path.with_name(file.table.name + DONE_SUFFIX)
    status = file.path.stat()
    fingerprint = digest_of([layout.name, str(file.path), file.relation, str(status.st_size), str(status.st_mtime_ns)])
    finished = _finished(mark, path, fingerprint)
    if finished is not None:
        return finished
    columns = {name: kind for name, kind in file.table.columns.items() if name in file.columns}
    if file.has_our_types and _is_ordered(connection, file):
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
