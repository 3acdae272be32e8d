"""Fingerprints of the built references' figures, by which the lint recognises a pasted result table.

Counts and shares per level, means, medians and standard deviations of every column of every built reference, each as
a keyed hash in ``<dataset>/fingerprints.json``. Row-level values are never written.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb

from m4review.ehr.dataset import Dataset
from m4review.ehr.engine import engine, identifier, quoted
from m4review.ehr.lock import writing_lock
from m4review.errors import DatasetError
from m4review.tasks.figures import LEAST_COUNT, as_number, figures_file, hashed, rounded, to_json
from m4review.textfile import write_text

MOST_LEVELS = 60
"""Columns with more different values have no distribution that a table would show."""
NUMERIC = ("INT", "BIGINT", "SMALLINT", "TINYINT", "HUGEINT", "UBIGINT", "UINT", "DOUBLE", "FLOAT", "DECIMAL")


def write_fingerprints(dataset: Dataset) -> Path:
    """Write the fingerprints of all built references of the dataset and return the file.

    Raises:
        DatasetError: no reference is built, or something is at work in the dataset.
    """
    references = dataset.built_references()
    if not references:
        raise DatasetError(
            "no reference is built, so there are no figures",
            where=dataset.name,
            fix=f"m4review data build --dataset {dataset.name}",
        )
    salt = dataset.digest[:32]
    columns: list[list[str]] = []
    means: list[str] = []
    with writing_lock(dataset.path, "fingerprints"), engine(dataset.path, threads=1) as connection:
        for name in references:
            source = f"read_parquet({quoted(dataset.reference_file(name))})"
            for column, kind in _columns(connection, source):
                hashes = [hashed(salt, "level", level, figure) for level, figure in _levels(connection, source, column)]
                if len(hashes) > 1:
                    columns.append(hashes)
                if kind.startswith(NUMERIC):
                    means += [
                        hashed(salt, "mean", column.lower(), shown) for shown in _means(connection, source, column)
                    ]
        path = figures_file(dataset.path)
        write_text(path, to_json(salt, columns, means))
    return path


def _columns(connection: duckdb.DuckDBPyConnection, source: str) -> Iterator[tuple[str, str]]:
    for name, kind, *_ in connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall():
        if not name.lower().endswith("id") and not kind.startswith(("TIMESTAMP", "DATE")):
            yield name, kind


def _levels(connection: duckdb.DuckDBPyConnection, source: str, column: str) -> Iterator[tuple[str, str]]:
    """Each level with its count and with its share in percent, as texts."""
    found = connection.execute(
        f"SELECT {identifier(column)} AS level, count(*) AS stays FROM {source} "
        f"GROUP BY level ORDER BY level LIMIT {MOST_LEVELS + 1}"
    ).fetchall()
    total = sum(count for _, count in found)
    if not 1 < len(found) <= MOST_LEVELS:
        return
    for level, count in found:
        if count < LEAST_COUNT:
            continue
        shown = _text(level)
        yield shown, str(count)
        for decimals in (1, 2):
            share = f"{100 * count / total:.{decimals}f}"
            if not share.endswith("0" * decimals):
                yield shown, share.rstrip("0")


def _text(level: object) -> str:
    if level is None:
        return "null"
    if isinstance(level, bool):
        return str(level).lower()
    try:
        return as_number(float(level))  # type: ignore[arg-type]
    except ValueError:
        return str(level).lower()


def _means(connection: duckdb.DuckDBPyConnection, source: str, column: str) -> Iterator[str]:
    name = f"{identifier(column)}::DOUBLE"
    row = connection.execute(f"SELECT avg({name}), median({name}), stddev_samp({name}) FROM {source}").fetchone()
    for value in row or ():
        if value is not None:
            yield from rounded(value)
