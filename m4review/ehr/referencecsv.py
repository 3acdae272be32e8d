"""Expected outputs as CSV, for scoring elsewhere: host side only, never under git."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import duckdb

from m4review.ehr.building import reference_path
from m4review.ehr.dataset import Dataset
from m4review.ehr.engine import PART_SUFFIX, engine, identifier, quoted, storage_error
from m4review.errors import DatasetError
from m4review.tasks import Task

SUFFIXES = (".csv", ".csv.gz")


def write_reference_csv(dataset: Dataset, task: Task, out: Path, *, force: bool = False) -> int:
    """Write the expected output of the task and return the number of rows.

    Comma-separated with a header, ``\\n`` line ends, rows sorted by the task's keys and then by the other columns,
    missing cells empty, times as ``YYYY-MM-DD HH:MM:SS``, numbers in full precision, whole-number columns without a
    decimal point even where cells are missing. A name ending in ``.csv.gz`` is compressed. Only the owner may read it;
    with ``force`` it replaces an existing file.

    Raises:
        DatasetError: the reference is not built or lacks a column of the task; the name has another ending; the file
            is there already; the folder is under git; the file cannot be written.
    """
    _require_free_name(out, force)
    _require_outside_git(out)
    source = f"read_parquet({quoted(reference_path(dataset, task))})"
    columns = task.output.required_columns
    compression = "gzip" if out.name.lower().endswith(".gz") else "none"
    part = out.with_name(out.name + PART_SUFFIX)
    try:
        scratch = tempfile.TemporaryDirectory(prefix=".m4review-", dir=out.parent)
    except OSError as error:
        raise storage_error(error, out) from None
    with scratch, engine(Path(scratch.name)) as connection:
        types = {str(row[0]): str(row[1]) for row in connection.execute(f"DESCRIBE FROM {source}").fetchall()}
        absent = [name for name in columns if name not in types]
        if absent:
            raise DatasetError(
                f"the reference {task.reference} has no column {', '.join(absent)}", where=task.path / "task.toml"
            )
        cells = ", ".join(f"{_as_text(name, types[name])} AS {identifier(name)}" for name in columns)
        order = ", ".join(identifier(name) for name in dict.fromkeys((*task.output.key_columns, *columns)))
        rows = f"SELECT {cells} FROM (SELECT * FROM {source} ORDER BY {order})"
        try:
            part.unlink(missing_ok=True)
            os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))  # private before the first row is in
            written = connection.execute(
                f"COPY ({rows}) TO {quoted(part)} (FORMAT csv, HEADER true, DELIMITER ',', COMPRESSION {compression}, "
                "USE_TMP_FILE false)"
            ).fetchone()
            part.replace(out)
        except (duckdb.IOException, OSError) as error:
            raise storage_error(error, out) from None
        finally:
            part.unlink(missing_ok=True)
    return int(written[0]) if written else 0


def _as_text(name: str, kind: str) -> str:
    column = identifier(name)
    if kind.startswith("DECIMAL"):
        return f"CAST({column} AS DOUBLE)"
    if kind == "TIMESTAMP":
        return f"strftime({column}, '%Y-%m-%d %H:%M:%S')"
    if kind == "BOOLEAN":
        return f"CAST({column} AS INTEGER)"
    return column


def _require_free_name(out: Path, force: bool) -> None:
    if not out.name.lower().endswith(SUFFIXES):
        raise DatasetError(
            "not a name for a reference", where=out, expected="a name that ends in " + " or ".join(SUFFIXES)
        )
    if not force and os.path.lexists(out):
        raise DatasetError(
            "the file is there already", where=out, fix="choose another name, or add --force to replace it"
        )


def _require_outside_git(out: Path) -> None:
    folder = out.expanduser().resolve().parent
    if not folder.is_dir():
        raise DatasetError("no such folder", where=folder)
    for ancestor in (folder, *folder.parents):
        if (ancestor / ".git").exists():
            raise DatasetError(
                "the folder is under git, and a reference must never enter git",
                where=out,
                fix=f"write it outside {ancestor}",
            )
