"""Fixtures of the EHR tests."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from ehr_bench import Bench, make_task
from ehr_shell import Shell
from eicu_bench import UnitBench

from m4review.ehr import Dataset, build, synthesise

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def one_bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.connection.close()


@pytest.fixture
def bench(one_bench: Bench) -> Bench:
    one_bench.start_over()
    return one_bench


@pytest.fixture(scope="session")
def unbuilt(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Six synthetic stays, nothing built. Tests copy it, never change it."""
    return synthesise(tmp_path_factory.mktemp("unbuilt"), "fresh", layout="mimic-iv", stays=6, seed=2)


@pytest.fixture(scope="session")
def one_unit_bench() -> Iterator[UnitBench]:
    bench = UnitBench()
    yield bench
    bench.connection.close()


@pytest.fixture
def unit_bench(one_unit_bench: UnitBench) -> UnitBench:
    one_unit_bench.start_over()
    return one_unit_bench


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small source folder in MIMIC-IV layout: the tables of a synthetic dataset as Parquet in hosp/ and icu/."""
    home = tmp_path_factory.mktemp("source-home")
    dataset = synthesise(home, "small", layout="mimic-iv", stays=12, seed=5)
    folder = tmp_path_factory.mktemp("source")
    for table in dataset.tables:
        target = folder / {"mimiciv_hosp": "hosp", "mimiciv_icu": "icu"}[table.schema_name] / f"{table.name}.parquet"
        target.parent.mkdir(exist_ok=True)
        shutil.copy(dataset.table_path(table), target)
    return folder


@pytest.fixture
def own_source(source: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(source, tmp_path / "own-source"))


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """A synthetic dataset with everything built. Tests only read it."""
    dataset = synthesise(tmp_path_factory.mktemp("built-home"), "built", layout="mimic-iv", stays=25, seed=8)
    build(dataset, [make_task("standard"), make_task("raw", reference="sirs-24h")])
    return dataset


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A shell in a workspace with the project's own skills and task cards, outside git."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    for folder in ("skills", "tasks"):
        shutil.copytree(ROOT / folder, workspace / folder)
    monkeypatch.chdir(workspace)
    monkeypatch.delenv("M4REVIEW_DATA", raising=False)
    return Shell(capsys)


@pytest.fixture(scope="session")
def derived_source(built: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A DuckDB database with the source tables and, as a derived schema, the concepts of ``built``. Tests copy it."""
    path = tmp_path_factory.mktemp("derived-source") / "mimic.duckdb"
    with duckdb.connect(str(path)) as connection:
        for schema in (*built.layout.source_schemas, built.layout.derived_schema):
            connection.execute(f"CREATE SCHEMA {schema}")
        for table in built.tables:
            connection.execute(f"CREATE TABLE {table.relation} AS FROM '{built.table_path(table)}'")
        for name in built.built_concepts():
            relation = f"{built.layout.derived_schema}.{name}"
            connection.execute(f"CREATE TABLE {relation} AS FROM '{built.concept_path(name)}'")
    return path
