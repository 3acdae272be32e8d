"""Whichever source table is empty, everything is built all the same: what nothing was charted for is missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from eicu_bench import eicu_task

from m4review.ehr import Dataset, build, import_dataset, synthesise
from m4review.ehr.derivations import Derivations, load_derivations
from m4review.tasks import load_task

STAY_TABLES = {"mimic-iv": "mimiciv_icu.icustays", "eicu": "eicu_crd.patient"}
READ = [
    (name, str(table.relation))
    for name in STAY_TABLES
    for table in load_derivations(name).layout.tables
    if load_derivations(name).readers(table.relation)
]
WITHOUT_A_JOIN = ("sirs-24h", "sofa-24h", "gcs-24h", "apsiii-24h", "kdigo-48h", "meld-24h", "gcs", "oasis")
"""References with a row for every stay, whatever else is known of it."""
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, duckdb.DuckDBPyConnection]]:
    """Four synthetic stays of each layout in memory. Tests roll back what they change."""
    home, connections = tmp_path_factory.mktemp("few"), {}
    for name in STAY_TABLES:
        dataset = synthesise(home, name, layout=name, stays=4, seed=3)
        connections[name] = connection = duckdb.connect(config={"threads": 1})
        connection.execute("PRAGMA disable_optimizer")  # planning would take longer than the few rows
        for schema in (*dataset.layout.source_schemas, dataset.layout.derived_schema):
            connection.execute(f"CREATE SCHEMA {schema}")
        for table in dataset.tables:
            connection.execute(f"CREATE TABLE {table.relation} AS FROM '{dataset.table_path(table)}'")
    yield connections
    for connection in connections.values():
        connection.close()


def build_everything(connection: duckdb.DuckDBPyConnection, derivations: Derivations) -> dict[str, int]:
    """Rows of every reference."""
    for concept in derivations.concepts.values():
        connection.execute(f"CREATE TABLE {derivations.layout.derived_schema}.{concept.name} AS {concept.sql}")
    return {name: len(connection.execute(ref.sql).fetchall()) for name, ref in derivations.references.items()}


@pytest.mark.parametrize(("layout", "table"), READ)
def test_one_empty_table_stops_nothing(
    layout: str, table: str, databases: dict[str, duckdb.DuckDBPyConnection]
) -> None:
    connection = databases[layout]
    connection.execute("BEGIN")
    try:
        connection.execute(f"DELETE FROM {table}")
        rows = build_everything(connection, load_derivations(layout))
    finally:
        connection.execute("ROLLBACK")
    stays = 0 if table == STAY_TABLES[layout] else 4
    assert {rows[name] for name in WITHOUT_A_JOIN if name in rows} == {stays}


@pytest.mark.parametrize("layout", STAY_TABLES)
def test_a_source_with_nothing_but_stays_comes_in_and_is_built(layout: str, tmp_path: Path) -> None:
    made_up = synthesise(tmp_path / "home", "full", layout=layout, stays=3, seed=3)
    source = tmp_path / "source"
    folders = {table.relation: table.source_path for table in made_up.layout.tables}
    with duckdb.connect() as connection:
        for table in made_up.tables:
            target = source / f"{folders[table.relation]}.parquet"
            target.parent.mkdir(parents=True, exist_ok=True)
            limit = "" if str(table.relation) == STAY_TABLES[layout] else "LIMIT 0"
            connection.execute(f"COPY (FROM '{made_up.table_path(table)}' {limit}) TO '{target}' (FORMAT parquet)")
    taken = import_dataset(tmp_path / "home", "stays", layout=layout, source=source)
    if layout == "eicu":
        tasks = [eicu_task("gcs"), eicu_task("oasis")]
    else:
        tasks = [load_task(ROOT / "tasks/sofa/mimic-sofa-24h-raw"), load_task(ROOT / "tasks/kdigo/mimic-kdigo-48h-raw")]
    build(taken, tasks)
    assert [rows_of(taken, task.reference) for task in tasks] == [3, 3]


def rows_of(dataset: Dataset, reference: str) -> int:
    with duckdb.connect() as connection:
        row = connection.execute(f"SELECT count(*) FROM '{dataset.reference_file(reference)}'").fetchone()
    assert row is not None
    return int(row[0])
