"""DuckDB as this room uses it: connections, Parquet files written whole or not at all, errors in the user's words."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import duckdb

from m4review.errors import DatasetError

PART_SUFFIX = ".part"
"""A file that is still being written. Whoever holds the lock may delete it."""

SPILL_FOLDER = ".spill"
"""Where DuckDB puts what does not fit in memory, inside the folder that is worked on."""

DIGEST_KEY = "m4review.digest"
"""Parquet metadata key under which a derived table carries the digest of what it was made from."""


@contextmanager
def engine(scratch: Path, *, threads: int | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """An in-memory connection that spills to ``scratch``; with ``threads`` it uses that many.

    Raises:
        KeyboardInterrupt: the user pressed Ctrl-C while a query ran, which DuckDB reports as a plain RuntimeError.
    """
    try:
        yield from _connected(scratch, threads)
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from None
        raise


def _connected(scratch: Path, threads: int | None) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"SET temp_directory = {quoted(scratch / SPILL_FOLDER)}")
        connection.execute("SET enable_progress_bar = false")
        if threads is not None:
            connection.execute(f"SET threads = {int(threads)}")
        yield connection


def quoted(text: object) -> str:
    """A SQL string literal."""
    return "'" + str(text).replace("'", "''") + "'"


def identifier(name: str) -> str:
    """A SQL identifier, quoted."""
    return '"' + name.replace('"', '""') + '"'


def write_parquet(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    path: Path,
    *,
    metadata: Mapping[str, str] | None = None,
) -> int:
    """Write the rows of ``query`` to a zstd Parquet file in one step and return their number.

    Raises:
        DatasetError: the disk is full or not writable; nothing is left at ``path`` that was not there before.
        duckdb.Error: the query itself failed.
    """
    part = path.with_name(path.name + PART_SUFFIX)
    options = "FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880, USE_TMP_FILE false"
    if metadata:
        pairs = ", ".join(f"{quoted(key)}: {quoted(value)}" for key, value in metadata.items())
        options += f", KV_METADATA {{{pairs}}}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        row = connection.execute(f"COPY ({query}\n) TO {quoted(part)} ({options})").fetchone()
        with part.open("rb+") as stream:
            os.fsync(stream.fileno())
        part.chmod(0o644)  # the sandbox user reads it through a mount; the dataset folder itself stays private
        part.replace(path)
    except (duckdb.IOException, duckdb.OutOfMemoryException, OSError) as error:
        raise storage_error(error, path) from None
    finally:
        part.unlink(missing_ok=True)
    return int(row[0]) if row else 0


def storage_error(error: Exception, path: Path) -> DatasetError:
    """A full disk or refused write in the user's words."""
    text = str(error)
    full = (isinstance(error, OSError) and error.errno == errno.ENOSPC) or "No space left on device" in text
    if full:
        return DatasetError(
            "the disk is full; nothing half-written was kept",
            where=path,
            fix="free some space and run the same command again; finished tables are not made twice",
        )
    if isinstance(error, OSError):
        return DatasetError(f"cannot be written ({error.strerror})", where=path)
    return DatasetError(f"cannot be written: {text.splitlines()[0]}", where=path)


def parquet_digest(connection: duckdb.DuckDBPyConnection, path: Path) -> str | None:
    """The digest a derived table carries; ``None`` when the file is absent, broken or has none."""
    if not path.is_file():
        return None
    try:
        row = connection.execute(
            "SELECT decode(value) FROM parquet_kv_metadata(?) WHERE decode(key) = ?", [str(path), DIGEST_KEY]
        ).fetchone()
    except duckdb.Error:
        return None
    return str(row[0]) if row else None
