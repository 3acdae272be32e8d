"""Our references and concepts give on the oracle's source tables what the public reference queries give."""

from __future__ import annotations

import csv
import gzip
import math
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from m4review.ehr import Dataset, build, import_dataset, write_reference_csv
from m4review.ehr.dataset import TableFile
from m4review.ehr.derivations import load_derivations
from m4review.tasks import Task

DATA = Path(__file__).parent / "data"
TASKS = sorted(path.name.removesuffix(".csv.gz") for path in (DATA / "expected").iterdir())
CONCEPTS = tuple(load_derivations("mimic-iv").concepts)

RELATIVE_TOLERANCE = 1e-12
"""Only for what adds many values up: the public query does not fix the order of the summation."""

SUMMED_CELLS = {"mimic-urine-output-rate": 11, "mimic-urine-output-rate-raw": 11}
"""Cells of an expected output that may differ in the last digit: volume sums of one stay with fractions of mL."""

SUMMED_COLUMNS = {
    "first_day_urine_output": {"urineoutput"},
    "oasis": {"urineoutput"},
    "kdigo_uo": {"urineoutput_24hr"},
    "first_day_vitalsign": {"heart_rate_mean", "mbp_mean"},
}


def columns(connection: duckdb.DuckDBPyConnection, path: Path) -> list[tuple[str, str]]:
    return [(row[0], row[1]) for row in connection.execute(f"DESCRIBE FROM read_parquet('{path}')").fetchall()]


def line(name: str, rows: int, width: int, off: int, last_digit: int) -> str:
    return f"{name:<42} {rows:>6} {width:>8} {off:>10} {last_digit:>11}"


@pytest.mark.parametrize("name", TASKS)
def test_the_expected_output_is_met_in_every_byte(
    name: str,
    oracle_datasets: dict[str, Dataset],
    oracle_tasks: tuple[Task, ...],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    task = next(task for task in oracle_tasks if task.name == name)
    rows = write_reference_csv(oracle_datasets[task.database], task, tmp_path / "reference.csv")
    ours = (tmp_path / "reference.csv").read_bytes()
    theirs = gzip.decompress((DATA / "expected" / f"{name}.csv.gz").read_bytes())
    off, last_digit = (0, 0) if ours == theirs else cells_off(ours.decode(), theirs.decode())
    record_property("oracle", line(name, rows, len(task.output.required_columns), off, last_digit))
    assert off == 0
    assert last_digit == SUMMED_CELLS.get(name, 0)


def cells_off(ours: str, theirs: str) -> tuple[int, int]:
    """How many cells differ, and how many only in the last digit of a sum."""
    off = last_digit = 0
    for our_row, their_row in zip(csv.reader(ours.splitlines()), csv.reader(theirs.splitlines()), strict=True):
        for our_cell, their_cell in zip(our_row, their_row, strict=True):
            if our_cell != their_cell:
                near = math.isclose(float(our_cell), float(their_cell), rel_tol=RELATIVE_TOLERANCE)
                off, last_digit = off + (not near), last_digit + near
    return off, last_digit


@pytest.mark.parametrize("name", CONCEPTS)
def test_the_concept_agrees_in_every_row_column_and_type(
    name: str, oracle_datasets: dict[str, Dataset], record_property: Callable[[str, object], None]
) -> None:
    ours, theirs = oracle_datasets["mimic-iv"].concept_path(name), DATA / "derived" / f"{name}.parquet"
    with duckdb.connect() as connection:
        assert columns(connection, ours) == columns(connection, theirs)
        names = [column for column, _ in columns(connection, theirs)]
        exact = [column for column in names if column not in SUMMED_COLUMNS.get(name, ())]
        off = rows_that_differ(connection, ours, theirs, exact)
        last_digit = 0
        for column in sorted(SUMMED_COLUMNS.get(name, ())):
            off += sums_that_differ(connection, ours, theirs, exact, column, RELATIVE_TOLERANCE)
            last_digit += sums_that_differ(connection, ours, theirs, exact, column, 0)
        (rows,) = connection.execute(f"SELECT count(*) FROM read_parquet('{theirs}')").fetchone() or (0,)
    record_property("oracle", line(f"concept {name}", rows, len(names), off, last_digit))
    assert off == 0


def rows_that_differ(connection: duckdb.DuckDBPyConnection, ours: Path, theirs: Path, names: list[str]) -> int:
    selected = ", ".join(f'"{name}"' for name in names)
    one, other = (f"SELECT {selected} FROM read_parquet('{path}')" for path in (ours, theirs))
    row = connection.execute(
        f"SELECT count(*) FROM (({one} EXCEPT ALL {other}) UNION ALL ({other} EXCEPT ALL {one}))"
    ).fetchone()
    assert row is not None
    return int(row[0])


def sums_that_differ(
    connection: duckdb.DuckDBPyConnection, ours: Path, theirs: Path, keys: list[str], column: str, tolerance: float
) -> int:
    order = ", ".join(f'"{name}"' for name in (*keys, column))
    one, other = (
        f"(SELECT \"{column}\" AS v, row_number() OVER (ORDER BY {order}) AS n FROM read_parquet('{path}'))"
        for path in (ours, theirs)
    )
    row = connection.execute(
        f"""SELECT count(*) FROM {one} AS a FULL JOIN {other} AS b USING (n)
        WHERE (a.v IS NULL) <> (b.v IS NULL) OR abs(a.v - b.v) > {tolerance} * abs(b.v)"""
    ).fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.parametrize("layout", ["mimic-iv", "eicu"])
@pytest.mark.parametrize("threads", [1, 4])
def test_neither_the_order_of_the_rows_nor_the_number_of_threads_matters(
    threads: int, layout: str, oracle_datasets: dict[str, Dataset], oracle_tasks: tuple[Task, ...], tmp_path: Path
) -> None:
    ordered, tasks = oracle_datasets[layout], [task for task in oracle_tasks if task.database == layout]
    dataset = import_dataset(
        tmp_path / "home", "shuffled", layout=layout, source=shuffled_source(layout, tmp_path, seed=threads)
    )
    for table in dataset.tables:  # what is stored must be in another order too, not only what was imported
        shuffle(dataset.table_path(table), dataset.table_path(table), seed=threads)
    restored = [stored_as_is(dataset, table) for table in dataset.tables]
    dataset = dataset.model_copy(update={"tables": tuple(restored)})
    build(dataset, tasks, threads=threads)
    derivations = load_derivations(layout)
    assert set(dataset.built_concepts()) == set(ordered.built_concepts()) == set(derivations.concepts)
    assert {task.reference for task in tasks} == set(derivations.references)
    pairs = [(dataset.concept_path(name), ordered.concept_path(name)) for name in ordered.built_concepts()]
    pairs += [(dataset.reference_file(t.reference), ordered.reference_file(t.reference)) for t in tasks]
    with duckdb.connect() as connection:
        for ours, theirs in pairs:
            names = [name for name, _ in columns(connection, theirs)]
            assert rows_that_differ(connection, ours, theirs, names) == 0, ours.name


def shuffled_source(layout: str, folder: Path, *, seed: int) -> Path:
    source = folder / "source"
    for path in (DATA / layout).rglob("*.parquet"):
        target = source / path.relative_to(DATA / layout)
        target.parent.mkdir(parents=True, exist_ok=True)
        shuffle(path, target, seed=seed)
    return source


def shuffle(path: Path, target: Path, *, seed: int) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS SELECT * FROM read_parquet('{path}')")
        connection.execute(f"COPY (SELECT * FROM t ORDER BY hash(rowid + {seed})) TO '{target}' (FORMAT parquet)")


def stored_as_is(dataset: Dataset, table: TableFile) -> TableFile:
    status = dataset.table_path(table).stat()
    return table.model_copy(update={"size": status.st_size, "modified_ns": status.st_mtime_ns})
