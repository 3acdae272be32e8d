"""What a build makes again and what it leaves: after an interruption, a changed query, another engine, a reader."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from ehr_bench import make_task

from m4review.ehr import (
    BuildReport,
    Dataset,
    Progress,
    build,
    build_task_database,
    derivation_digests,
    open_dataset,
)
from m4review.ehr.derivations import Derivations, load_derivations
from m4review.ehr.engine import LEAST_SHARE
from m4review.errors import DatasetError

KNOWN = load_derivations("mimic-iv")
ALL = [make_task("standard"), *(make_task(reference=name) for name in KNOWN.references)]
EVERYTHING = {("concept", name) for name in KNOWN.concepts} | {("reference", name) for name in KNOWN.references}


@pytest.fixture
def complete(built_whole: Path, tmp_path: Path) -> Dataset:
    """Everything built, in a copy of its own."""
    shutil.copytree(built_whole, tmp_path / "home" / "whole")
    return open_dataset(tmp_path / "home", "whole")


@pytest.fixture(scope="module")
def built_whole(unbuilt: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("whole")
    shutil.copytree(unbuilt.path, home / "whole")
    manifest = home / "whole" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"fresh"', '"whole"'))
    build(open_dataset(home, "whole"), ALL)
    return home / "whole"


def made(report: BuildReport) -> set[tuple[str, str]]:
    return {(table.kind, table.name) for table in report.made}


def standing(dataset: Dataset) -> set[tuple[str, str]]:
    concepts = {("concept", name) for name in dataset.built_concepts()}
    return concepts | {("reference", name) for name in dataset.built_references()}


def changed(name: str) -> Derivations:
    """The same queries, one of them with another text that means the same."""
    concepts = dict(KNOWN.concepts)
    concepts[name] = replace(concepts[name], sql=concepts[name].sql + "\n-- said in other words\n")
    return replace(KNOWN, concepts=concepts)


def readers_of(name: str) -> set[tuple[str, str]]:
    """The concept and all that reads it, directly or not, by following the texts forwards."""
    found = {("concept", name)}
    while True:
        names = {f"{KNOWN.layout.derived_schema}.{found_name}" for kind, found_name in found if kind == "concept"}
        more = {
            (query.kind, query.name)
            for query in (*KNOWN.concepts.values(), *KNOWN.references.values())
            if names & {str(read) for read in query.reads}
        }
        if more <= found:
            return found
        found |= more


@pytest.mark.parametrize("places", [1, 3])
@pytest.mark.parametrize("after", [1, 17, 44])
def test_after_an_interruption_only_what_is_missing_is_made(complete: Dataset, places: int, after: int) -> None:
    for folder in ("concepts", "references"):
        shutil.rmtree(complete.path / folder)
    room = {"threads": places, "memory": places * LEAST_SHARE}

    def stop(progress: Progress) -> None:
        if progress.stage == "concepts" and progress.done >= after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(complete, ALL, progress=stop, **room)
    before = standing(complete)
    assert after <= len(before) < len(EVERYTHING)
    assert list(complete.path.rglob("*.part")) == []
    kept = {path: path.stat().st_mtime_ns for path in complete.path.glob("concepts/*")}
    assert made(build(complete, ALL, **room)) == EVERYTHING - before
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert standing(complete) == EVERYTHING


@pytest.mark.parametrize("name", ["bg", "age", "weight_durations", "sofa"])
def test_a_changed_query_makes_exactly_what_reads_it_again(
    complete: Dataset, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("m4review.ehr.building.load_derivations", lambda layout: changed(name))
    assert made(build(complete, ALL)) == readers_of(name)
    assert build(complete, ALL).made == ()


def test_whatever_query_changes_the_digests_say_exactly_what_reads_it(
    complete: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = derivation_digests(complete)
    for name in KNOWN.concepts:
        monkeypatch.setattr("m4review.ehr.building.load_derivations", lambda layout, name=name: changed(name))
        after = derivation_digests(complete)
        assert {key for key in after if after[key] != before[key]} == readers_of(name), name


def test_another_version_of_the_engine_makes_everything_again(
    complete: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert build(complete, ALL).made == ()
    monkeypatch.setattr("m4review.ehr.building.duckdb.__version__", "99.0.0")
    assert made(build(complete, ALL)) == EVERYTHING
    assert build(complete, ALL).made == ()


def test_a_build_that_starts_during_another_is_refused_and_harms_nothing(complete: Dataset) -> None:
    shutil.rmtree(complete.path / "concepts")
    refusals: list[str] = []

    def try_another(progress: Progress) -> None:
        with pytest.raises(DatasetError, match=r"busy: a build \(process \d+\) is at work here") as caught:
            build(complete, ALL)
        refusals.append(str(caught.value))

    report = build(complete, ALL, progress=try_another)
    assert len(refusals) > len(KNOWN.concepts)
    assert made(report) == {key for key in EVERYTHING if key[0] == "concept"}
    assert standing(complete) == EVERYTHING


def test_what_a_trial_reads_stays_the_same_while_the_dataset_is_built_again(
    complete: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = make_task("standard")
    database = build_task_database(complete, card, tmp_path / "run", sandboxed=False)
    look = "SELECT count(*), sum(urineoutput) FROM mimiciv_derived.urine_output"
    with duckdb.connect(str(database.path), read_only=True) as trial:
        before = trial.execute(look).fetchall()
        urine = KNOWN.concepts["urine_output"]
        doubled = replace(urine, sql=f"SELECT * REPLACE (urineoutput * 2 AS urineoutput) FROM ({urine.sql}\n)")
        other = replace(KNOWN, concepts={**KNOWN.concepts, "urine_output": doubled})
        monkeypatch.setattr("m4review.ehr.building.load_derivations", lambda layout: other)

        def read_on(progress: Progress) -> None:
            assert trial.execute(look).fetchall() == before

        assert ("concept", "urine_output") in made(build(complete, ALL, progress=read_on))
        assert trial.execute(look).fetchall() == before
    again = build_task_database(complete, card, tmp_path / "next", sandboxed=False)
    assert again.digest != database.digest
    with duckdb.connect(str(again.path), read_only=True) as trial:
        assert trial.execute(look).fetchall() != before
