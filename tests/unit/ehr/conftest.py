"""Fixtures of the EHR tests."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from ehr_bench import Bench, make_task
from eicu_bench import UnitBench

from m4review.ehr import Dataset, build, synthesise


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
