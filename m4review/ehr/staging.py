"""A dataset in the making: a locked, hidden folder that gets its name only when everything is in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

import duckdb

from m4review.ehr.dataset import (
    MANIFEST_FILE,
    STAGING_PREFIX,
    Dataset,
    Origin,
    ReusedConcept,
    TableFile,
    file_sha256,
    open_dataset,
    require_name,
    write_manifest,
)
from m4review.ehr.engine import identifier, quoted, remove_leftovers
from m4review.ehr.layout import SourceTable
from m4review.ehr.lock import writing_lock
from m4review.errors import DatasetError, TextFileError

DONE_SUFFIX = ".done.json"
"""Beside a finished table of an import: what it was made from, so that the same import need not make it again."""


@contextmanager
def staging_folder(data_home: Path, name: str, what: str, *, resumable: bool) -> Iterator[Path]:
    """The folder in which the dataset ``name`` grows. After an error it stays if ``resumable`` and
    something in it is finished, else it is removed.

    Raises:
        DatasetError: the name is taken or impossible, another process is at work, or the folder cannot be made.
    """
    target, folder = data_home / require_name(name), data_home / f"{STAGING_PREFIX}{name}"
    if target.exists():
        raise DatasetError(
            f"there is already a dataset {name!r}",
            where=data_home,
            fix=f"choose another name, or remove it: m4review data rm {name}",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        fix = "free disk space and try again, or check the permissions of the folder above"
        raise DatasetError(f"cannot be made ({error.strerror})", where=folder, fix=fix) from None
    with writing_lock(folder, what):
        try:
            yield folder
        except BaseException:
            worth_keeping = resumable and any(folder.rglob(f"*{DONE_SUFFIX}"))
            if worth_keeping:
                remove_leftovers(folder)
            else:
                shutil.rmtree(folder, ignore_errors=True)
            raise


def finish(
    data_home: Path,
    name: str,
    staging: Path,
    layout: str,
    origin: Origin,
    tables: tuple[TableFile, ...],
    reused: tuple[ReusedConcept, ...] = (),
    not_reused: Mapping[str, str] = MappingProxyType({}),
) -> Dataset:
    """Write the manifest and move the grown folder to its name, in one step."""
    dataset = Dataset(
        name=name,
        layout_name=layout,
        origin=origin,
        tables=tables,
        reused=reused,
        not_reused=dict(not_reused),
        path=staging,
    )
    wanted = {dataset.table_path(table) for table in (*tables, *reused)}
    for leftover in [path for path in staging.rglob("*") if path.is_file() and path not in wanted]:
        leftover.unlink()
    remove_leftovers(staging)
    try:
        write_manifest(dataset)
        staging.rename(data_home / name)
    except (TextFileError, OSError) as error:
        (staging / MANIFEST_FILE).unlink(missing_ok=True)
        raise DatasetError(f"the dataset cannot be completed: {error}", where=data_home / name) from None
    return open_dataset(data_home, name)


def stored_table(path: Path, table: SourceTable, rows: int, columns: dict[str, str]) -> TableFile:
    """The manifest entry of a stored table."""
    status = path.stat()
    return TableFile(
        schema_name=table.schema_name,
        name=table.name,
        rows=rows,
        size=status.st_size,
        modified_ns=status.st_mtime_ns,
        sha256=file_sha256(path),
        columns=columns,
    )


def require_unique_key(connection: duckdb.DuckDBPyConnection, table: SourceTable, path: Path, where: Path) -> None:
    """Check the key of a stored table.

    Raises:
        DatasetError: a key value occurs in more than one row (how many is said, never which).
    """
    if not table.key:
        return
    key = ", ".join(identifier(column) for column in table.key)
    row = connection.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM read_parquet({quoted(path)}) GROUP BY {key} HAVING count(*) > 1)"
    ).fetchone()
    if row and row[0]:
        raise DatasetError(
            f"{', '.join(table.key)} is not unique; values that occur in more than one row: {row[0]}",
            where=where,
            expected="each only once",
            fix="the file was probably joined from two exports; import the original",
        )
