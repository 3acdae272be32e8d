"""Synthetic datasets: made-up patients in the published table layout, so that everything runs on a fresh machine.

The generator is ``chance.sql`` and a row of SQL steps per layout (``<layout>/NN_name.sql``), read in order: people, how
sick they are, then what is charted of that. No row comes from a patient. Values on scoring cut-offs are more frequent
than in real data, and every component of the scores reaches all its levels; apart from that a day looks like a day in
intensive care. The same seed gives the same rows, whatever the number of threads.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import duckdb

from m4review.ehr.dataset import Dataset, Origin, TableFile
from m4review.ehr.engine import engine, identifier, run, write_parquet
from m4review.ehr.layout import Layout, SourceTable, load_layout
from m4review.ehr.progress import Listener, Progress, silent
from m4review.ehr.staging import finish, require_unique_key, staging_folder, stored_table
from m4review.errors import DatasetError


def synthesise(
    data_home: Path,
    name: str,
    *,
    layout: str,
    stays: int,
    seed: int,
    progress: Listener = silent,
    threads: int | None = None,
    memory: int | None = None,
) -> Dataset:
    """Make the synthetic dataset ``name`` with that many ICU stays.

    Raises:
        DatasetError: the name is taken, there is no such layout, no stays are asked for, or the disk is full.
    """
    database = load_layout(layout)
    if stays < 1:
        raise DatasetError(f"{stays} stays", expected="1 or more")
    with (
        staging_folder(data_home, name, "a synthesis", resumable=False) as staging,
        engine(staging, threads=threads, memory=memory) as connection,
    ):
        connection.execute(f"SET VARIABLE seed = {int(seed)}")
        connection.execute(f"SET VARIABLE stays = {int(stays)}")
        for step in generator_steps(database):
            run(connection, step)
        made = _tables_made(connection, database)
        tables = []
        for done, table in enumerate(made):
            progress(Progress("synthesise", str(table.relation), done, len(made)))
            tables.append(_store(connection, table, staging))
        progress(Progress("synthesise", "", len(made), len(made)))
        origin = Origin(kind="synthetic", stays=stays, seed=seed)
        return finish(data_home, name, staging, layout, origin, tuple(tables))


def generator_steps(layout: Layout) -> tuple[str, ...]:
    """The SQL texts of the layout's generator, in order."""
    room = files("m4review.ehr.synthetic")
    steps = [entry for entry in (room / layout.resources).iterdir() if entry.name.endswith(".sql")]
    steps.sort(key=lambda entry: entry.name)
    return tuple(entry.read_text(encoding="utf-8") for entry in (room / "chance.sql", *steps))


def _tables_made(connection: duckdb.DuckDBPyConnection, layout: Layout) -> tuple[SourceTable, ...]:
    rows = connection.execute("SELECT table_name FROM information_schema.tables").fetchall()
    names = {str(row[0]) for row in rows}
    return tuple(table for table in layout.tables if table.name in names)


def _store(connection: duckdb.DuckDBPyConnection, table: SourceTable, staging: Path) -> TableFile:
    path = staging / table.schema_name / f"{table.name}.parquet"
    columns = ", ".join(
        f"CAST({identifier(name)} AS {kind}) AS {identifier(name)}" for name, kind in table.columns.items()
    )
    order = ", ".join(identifier(name) for name in dict.fromkeys((*table.order, *table.columns)))
    rows = write_parquet(connection, f"SELECT {columns} FROM {identifier(table.name)} ORDER BY {order}", path)
    require_unique_key(connection, table, path, path)
    return stored_table(path, table, rows, dict(table.columns))
