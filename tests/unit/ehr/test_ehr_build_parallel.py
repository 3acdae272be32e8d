"""Derivations side by side: the order of needs, the same bytes as one at a time, and an end at once when one fails."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from ehr_bench import make_task

from m4review.ehr import Dataset, Progress, build, open_dataset, synthesise
from m4review.ehr.derivations import Derivations, load_derivations
from m4review.ehr.engine import LEAST_SHARE, engine, working_places
from m4review.ehr.progress import SideBySide
from m4review.ehr.scheduling import work_through
from m4review.errors import DatasetError

ALL = [make_task("standard"), *(make_task(reference=name) for name in load_derivations("mimic-iv").references)]
ENDLESS = "SELECT sum(hash(a.range, b.range)) AS never FROM range(1000000) a, range(1000000) b"


@pytest.fixture
def dataset(unbuilt: Dataset, tmp_path: Path) -> Dataset:
    shutil.copytree(unbuilt.path, tmp_path / "home" / "fresh")
    return open_dataset(tmp_path / "home", "fresh")


@pytest.fixture
def with_queries(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, str]], Derivations]:
    """Replace the text of some concepts for the builds of this test."""

    def change(queries: dict[str, str]) -> Derivations:
        known = load_derivations("mimic-iv")
        concepts = {name: replace(c, sql=queries.get(name, c.sql)) for name, c in known.concepts.items()}
        changed = replace(known, concepts=concepts)
        monkeypatch.setattr("m4review.ehr.building.load_derivations", lambda name: changed)
        return changed

    return change


def built_bytes(dataset: Dataset) -> dict[str, str]:
    files = [*dataset.path.glob("concepts/*"), *dataset.path.glob("references/*")]
    return {f"{path.parent.name}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_side_by_side_and_one_at_a_time_make_the_same_bytes(tmp_path: Path) -> None:
    dataset = synthesise(tmp_path / "home", "one", layout="mimic-iv", stays=60, seed=4)
    shutil.copytree(dataset.path, tmp_path / "home" / "many")
    other = open_dataset(tmp_path / "home", "many")
    build(dataset, ALL, threads=1)
    build(other, ALL, threads=5, memory=5 * LEAST_SHARE)
    single = built_bytes(dataset)
    assert len(single) == len(load_derivations("mimic-iv").concepts) + len(load_derivations("mimic-iv").references)
    assert built_bytes(other) == single


def test_a_concept_is_begun_only_when_all_it_reads_stands(dataset: Dataset) -> None:
    derivations = load_derivations("mimic-iv")
    begun = 0

    def look(progress: Progress) -> None:
        nonlocal begun
        if progress.item:
            known = derivations.concepts if progress.stage == "concepts" else derivations.references
            for needed in derivations.concepts_read(known[progress.item]):
                assert dataset.concept_path(needed.name).is_file(), f"{progress.item} before {needed.name}"
            begun += 1

    build(dataset, ALL, threads=4, memory=4 * LEAST_SHARE, progress=look)
    assert begun == len(built_bytes(dataset))


def test_items_that_do_not_need_each_other_are_at_work_together() -> None:
    both = threading.Barrier(2, timeout=30)
    began: list[str] = []
    results = work_through(
        {"a": [], "b": [], "c": ["a", "b"]},
        lambda item, place: (both.wait() if item != "c" else 0, f"{item} done")[1],
        places=2,
        began=began.append,
        finished=lambda item, result: None,
        interrupt=both.abort,
    )
    assert sorted(began[:2]) == ["a", "b"], "a and b wait for each other, so they were at work together"
    assert results == {"a": "a done", "b": "b done", "c": "c done"}


def test_progress_tells_how_many_are_at_work_beside_each() -> None:
    seen: list[Progress] = []
    stages = SideBySide(seen.append, {"concepts": 2, "references": 1})
    stages.began("concepts", "a")
    stages.began("concepts", "b")
    stages.finished("concepts")
    stages.began("references", "r")
    stages.finished("concepts")
    stages.finished("references")
    assert seen == [
        Progress("concepts", "a", 0, 2),
        Progress("concepts", "b", 0, 2, beside=1),
        Progress("references", "r", 0, 1),
        Progress("concepts", "", 2, 2),
        Progress("references", "", 1, 1),
    ]


def test_what_most_others_wait_for_goes_first() -> None:
    began: list[str] = []
    needs = {"alone": [], "deep": [], "wide": ["deep"], "wider": ["deep"], "last": ["wide"]}
    work_through(
        needs,
        lambda item, place: None,
        places=1,
        began=began.append,
        finished=lambda item, result: None,
        interrupt=lambda: None,
    )
    assert began == ["deep", "wide", "alone", "wider", "last"]


def test_a_circle_is_named_instead_of_waited_for() -> None:
    with pytest.raises(ValueError, match="2 items need each other in a circle"):
        work_through(
            {"a": ["b"], "b": ["a"]},
            lambda item, place: None,
            places=2,
            began=lambda item: None,
            finished=lambda item, result: None,
            interrupt=lambda: None,
        )


def test_the_first_error_stops_what_runs_beside_it_and_leaves_nothing_half_written(
    dataset: Dataset, with_queries: Callable[[dict[str, str]], Derivations]
) -> None:
    with_queries({"vitalsign": ENDLESS, "age": "SELECT no_such_column FROM mimiciv_hosp.patients"})
    with pytest.raises(DatasetError, match="the concept age cannot be made"):
        build(dataset, ALL, threads=2, memory=2 * LEAST_SHARE)
    assert list(dataset.path.rglob("*.part")) == []
    assert list(dataset.path.glob(".spill-*")) == []
    assert not dataset.concept_path("vitalsign").exists()
    with duckdb.connect() as connection:
        for path in dataset.path.glob("concepts/*"):
            connection.execute(f"SELECT count(*) FROM read_parquet('{path}')")


def test_control_c_ends_every_query_of_a_build_at_once(dataset: Dataset) -> None:
    script = f"""
import os, signal, sys, threading
from dataclasses import replace
from pathlib import Path
from m4review.ehr import build, building, open_dataset
from m4review.ehr.derivations import load_derivations
from m4review.ehr.engine import LEAST_SHARE
from m4review.tasks import load_task
home, card = Path(sys.argv[1]), Path(sys.argv[2])
known = load_derivations("mimic-iv")
concepts = {{name: replace(c, sql={ENDLESS!r}) for name, c in known.concepts.items()}}
building.load_derivations = lambda name: replace(known, concepts=concepts)
at_work = []
def press(progress):
    at_work.append(progress.item)
    if len(at_work) == 2:
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    build(open_dataset(home, "fresh"), [load_task(card)], threads=2, memory=2 * LEAST_SHARE, progress=press)
except KeyboardInterrupt:
    sys.exit(130 if len(at_work) == 2 else 1)
"""
    card = next((Path(__file__).parents[3] / "tasks").glob("sofa/*raw*"))
    command = [sys.executable, "-c", script, str(dataset.path.parent), str(card)]
    stopped = subprocess.run(command, check=False, timeout=60)
    assert stopped.returncode == 130
    assert list(dataset.path.rglob("*.part")) == []
    assert list(dataset.path.glob("concepts/*")) == []
    assert list(dataset.path.glob(".spill-*")) == []


def test_each_query_beside_another_has_memory_for_itself(tmp_path: Path) -> None:
    for memory, threads, places in ((LEAST_SHARE // 2, 8, 1), (3 * LEAST_SHARE, 8, 3), (8 * LEAST_SHARE, 2, 2)):
        with engine(tmp_path, threads=threads, memory=memory) as connection:
            assert len(working_places(connection)) == places
