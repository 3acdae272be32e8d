"""DuckDB as this room uses it: connections, Parquet files written whole or not at all, errors in the user's words."""

from __future__ import annotations

import errno
import os
import re
import shutil
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from m4review.errors import DatasetError

PART_SUFFIX = ".part"
"""A file that is still being written. Whoever holds the lock may delete it."""

SPILL_PREFIX = ".spill-"
"""A folder where DuckDB puts what does not fit in memory, inside the folder that is worked on."""

DIGEST_KEY = "m4review.digest"
"""Parquet metadata key under which a derived table carries the digest of what it was made from."""


MOST_MEMORY = 3 * 2**30
"""Bytes that DuckDB may use unless told otherwise. The process as a whole takes up to a quarter more."""

LEAST_MEMORY = 256 * 2**20
"""Bytes below which DuckDB cannot be expected to finish, even with spilling."""

LEAST_SHARE = 2**30
"""Bytes that each of several queries at work at the same time should have for itself."""

WATCH_SECONDS = 0.2

SIZE_UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


@contextmanager
def engine(
    scratch: Path, *, threads: int | None = None, memory: int | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """An in-memory connection that spills to a folder of its own in ``scratch``, which is gone afterwards.

    It uses ``threads`` (default: every core) and ``memory`` bytes (default: half of the machine's, at most
    ``MOST_MEMORY``).

    Raises:
        KeyboardInterrupt: the user pressed Ctrl-C while a short query ran, which DuckDB reports as a RuntimeError.
        DatasetError: the memory or the disk is not enough.
    """
    spill = scratch / f"{SPILL_PREFIX}{uuid.uuid4().hex[:8]}"
    try:
        with duckdb.connect(":memory:") as connection:
            connection.execute(f"SET memory_limit = '{memory or default_memory(connection)}B'")
            connection.execute(f"SET temp_directory = {quoted(spill)}")
            connection.execute("SET preserve_insertion_order = false")
            connection.execute("SET enable_progress_bar_print = false")
            connection.execute("SET enable_progress_bar = true")  # counted for ``run``, never printed
            if threads is not None:
                connection.execute(f"SET threads = {int(threads)}")
            yield connection
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from None
        raise
    except duckdb.OutOfMemoryException as error:
        raise storage_error(error, scratch) from None
    finally:
        shutil.rmtree(spill, ignore_errors=True)


def run(
    connection: duckdb.DuckDBPyConnection, statements: str, watch: Callable[[float], None] | None = None
) -> list[tuple[Any, ...]]:
    """Run long work, stop it at once when the caller is interrupted, and return the rows of the last statement.

    DuckDB looks for a Ctrl-C only between its own steps, which may be minutes apart; so the work goes to a thread and
    the caller waits. ``watch`` is told a few times a second which share (0 to 1) DuckDB takes to be done. In a thread
    other than the main one, which no Ctrl-C reaches, work without ``watch`` needs no second thread.
    """
    if watch is None and threading.current_thread() is not threading.main_thread():
        return connection.execute(statements).fetchall()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="duckdb") as thread:
        work = thread.submit(lambda: connection.execute(statements).fetchall())
        try:
            while not wait([work], WATCH_SECONDS).done:
                if watch is not None:
                    watch(min(max(connection.query_progress() / 100, 0.0), 1.0))
        except BaseException:
            while not wait([work], WATCH_SECONDS).done:
                connection.interrupt()
            raise
        return work.result()


def working_places(connection: duckdb.DuckDBPyConnection) -> list[duckdb.DuckDBPyConnection]:
    """Cursors for queries that run side by side: one per thread of the engine, fewer where its memory is small.

    They share the engine's threads, memory and spill folder.
    """
    row = connection.execute("SELECT current_setting('threads')::BIGINT, current_setting('memory_limit')").fetchone()
    threads, memory = (int(row[0]), bytes_of(str(row[1]))) if row else (1, 0)
    cursors = [connection.cursor() for _ in range(max(1, min(threads, memory // LEAST_SHARE)))]
    for cursor in cursors:
        cursor.execute("SET enable_progress_bar = false")
    return cursors


def default_memory(connection: duckdb.DuckDBPyConnection) -> int:
    """Bytes that a new engine may use: half of what the machine or its container has, at most ``MOST_MEMORY``."""
    row = connection.execute("SELECT current_setting('memory_limit')").fetchone()
    eighty_percent = bytes_of(str(row[0])) if row else 0
    return min(MOST_MEMORY, eighty_percent * 5 // 8)


def bytes_of(text: str) -> int:
    """``2.5 GB`` or ``512MiB`` as a number of bytes.

    Raises:
        ValueError: not an amount of memory.
    """
    parts = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*", text)
    if parts is None or parts.group(2).upper() not in SIZE_UNITS:
        raise ValueError(f"{text!r} is not an amount like 2GB or 512MiB")
    return int(float(parts.group(1)) * SIZE_UNITS[parts.group(2).upper()])


def remove_leftovers(folder: Path) -> None:
    """Delete what a killed writer left: parts and spilled rows. Only for the holder of the folder's lock."""
    for part in folder.rglob(f"*{PART_SUFFIX}"):
        part.unlink(missing_ok=True)
    for spill in folder.glob(f"{SPILL_PREFIX}*"):
        shutil.rmtree(spill, ignore_errors=True)


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
    watch: Callable[[float], None] | None = None,
) -> int:
    """Write the rows of ``query`` to a zstd Parquet file in one step and return their number; ``watch`` as in ``run``.

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
        (row,) = run(connection, f"COPY ({query}\n) TO {quoted(part)} ({options})", watch)
        with part.open("rb+") as stream:
            os.fsync(stream.fileno())
        part.chmod(0o644)  # the sandbox user reads it through a mount; the dataset folder itself stays private
        part.replace(path)
    except (duckdb.IOException, duckdb.OutOfMemoryException, OSError) as error:
        raise storage_error(error, path) from None
    finally:
        part.unlink(missing_ok=True)
    return int(row[0])


def storage_error(error: Exception, path: Path) -> DatasetError:
    """A full disk, refused write or lack of memory in the user's words."""
    text = str(error)
    full = (isinstance(error, OSError) and error.errno == errno.ENOSPC) or "No space left on device" in text
    if full or "max_temp_directory_size" in text:
        return DatasetError(
            "the disk is full; nothing half-written was kept",
            where=path,
            fix="free some space and run the same command again; finished tables are not made twice",
        )
    if isinstance(error, duckdb.OutOfMemoryException):
        return DatasetError(
            "this needs more memory than it may use; nothing half-written was kept",
            where=path,
            fix="give it more (--memory 6GB), or close other programs, and run the same command again",
        )
    if isinstance(error, OSError):
        return DatasetError(f"cannot be written ({error.strerror})", where=path)
    return DatasetError(f"cannot be written: {text.splitlines()[0]}", where=path)


def pin(file: Path, place: Path) -> None:
    """Make ``place`` keep the file's present content: a hard link, which outlives a replacement of the file.

    Where the filesystem allows none it is a symbolic link, which shows a replacement. A file that is not there leaves
    a link to nothing.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    try:
        os.link(file.resolve(), place)
    except OSError:
        place.symlink_to(file.resolve())


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
