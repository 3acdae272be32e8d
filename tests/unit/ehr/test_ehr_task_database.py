"""Task databases: what they show, what they hide, and how little they cost. The tests try to get at hidden things."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import duckdb
import pytest
from ehr_bench import make_task

from m4review.ehr import Dataset, build, build_task_database, open_dataset, synthesise
from m4review.ehr.derivations import load_derivations
from m4review.errors import DatasetError

REMOVED = ("mimiciv_derived.first_day_gcs", "mimiciv_derived.VENTILATION", "mimiciv_derived.sofa")
RAW, STANDARD = make_task(), make_task("standard", removed=REMOVED)
CONCEPTS = set(load_derivations("mimic-iv").concepts)
KEPT = CONCEPTS - {"first_day_gcs", "ventilation", "sofa"}


def shown(database: Path) -> set[str]:
    with duckdb.connect(str(database), read_only=True) as connection:
        rows = connection.execute("SELECT schema_name || '.' || view_name FROM duckdb_views() WHERE NOT internal")
        return {row[0] for row in rows.fetchall()}


def test_raw_shows_the_source_tables_and_no_derived_schema(built: Dataset, tmp_path: Path) -> None:
    database = build_task_database(built, RAW, tmp_path)
    assert shown(database.path) == {str(table.relation) for table in built.tables} == set(database.relations)
    with duckdb.connect(str(database.path), read_only=True) as connection:
        schemas = {row[0] for row in connection.execute("SELECT schema_name FROM duckdb_schemas()").fetchall()}
    assert "mimiciv_derived" not in schemas


def test_standard_shows_every_concept_but_the_removed_ones(built: Dataset, tmp_path: Path) -> None:
    derived = {name for name in shown(build_task_database(built, STANDARD, tmp_path).path) if "derived" in name}
    assert derived == {f"mimiciv_derived.{name}" for name in KEPT}


@pytest.mark.parametrize("task", [RAW, STANDARD], ids=["raw", "standard"])
def test_nothing_removed_and_no_reference_can_be_reached(
    built: Dataset,
    tmp_path: Path,
    task,
    monkeypatch: pytest.MonkeyPatch,  # type: ignore[no-untyped-def]
) -> None:
    database = build_task_database(built, task, tmp_path / "run", sandboxed=False)
    here = str(tmp_path).lower()
    stored = database.path.read_bytes().decode("latin-1").lower().replace(here, "")
    monkeypatch.chdir(tmp_path / "run")
    with duckdb.connect(str(database.path), read_only=True) as connection:
        catalog = connection.execute(
            "SELECT t::VARCHAR FROM duckdb_views() AS t WHERE NOT internal UNION ALL "
            "SELECT t::VARCHAR FROM duckdb_tables() AS t UNION ALL "
            "SELECT t::VARCHAR FROM duckdb_schemas() AS t WHERE NOT internal UNION ALL "
            "SELECT t::VARCHAR FROM duckdb_dependencies() AS t"
        ).fetchall()
        files = connection.execute("SELECT file FROM glob('**')").fetchall()
        for text in (str(catalog).lower().replace(here, ""), stored, str(files).lower()):
            # whole names: first_day_sofa, which this card allows, is not sofa
            assert re.findall(r"\b(?:first_day_gcs|ventilation|sofa|references?)\b", text) == []
        for relation in ("mimiciv_derived.first_day_gcs", "mimiciv_derived.ventilation", "mimiciv_derived.sofa"):
            with pytest.raises(duckdb.Error):
                connection.execute(f"FROM {relation}")


def test_in_the_sandbox_the_views_name_the_mounts_and_nothing_of_the_host(built: Dataset, tmp_path: Path) -> None:
    database = build_task_database(built, STANDARD, tmp_path)
    data = database.path.read_bytes()
    for part in (str(built.path), str(tmp_path), str(Path.home()), built.name + "/"):
        assert part.encode() not in data
    targets = {mount.target for mount in database.mounts}
    with duckdb.connect(str(database.path), read_only=True) as connection:
        views = connection.execute("SELECT sql FROM duckdb_views() WHERE NOT internal").fetchall()
    assert {row[0].split("'")[1] for row in views} == targets
    assert all(target.startswith("/data/tables/mimiciv_") for target in targets)


def test_the_mounts_are_exactly_the_visible_files(built: Dataset, tmp_path: Path) -> None:
    mounts = build_task_database(built, STANDARD, tmp_path).mounts
    assert len(mounts) == len(built.tables) + len(KEPT)
    for mount in mounts:
        assert mount.source.is_file()
        assert not mount.source.is_symlink()
        assert "references" not in mount.source.parts
        assert mount.source.stem not in {"first_day_gcs", "ventilation", "sofa"}
        assert mount.source.stat().st_mode & 0o444 == 0o444, "the sandbox user must be able to read it"


def test_it_opens_without_a_sandbox_and_gives_the_rows(built: Dataset, tmp_path: Path) -> None:
    database = build_task_database(built, STANDARD, tmp_path, sandboxed=False)
    assert database.mounts == ()
    with duckdb.connect(str(database.path), read_only=True) as connection:
        for relation in database.relations:
            connection.execute(f"SELECT * FROM {relation} LIMIT 1").fetchall()
        assert connection.execute("SELECT count(*) FROM mimiciv_icu.icustays").fetchone() == (25,)
        label = connection.execute("SELECT label FROM mimiciv_icu.d_items WHERE itemid = 220045").fetchone()
        assert label == ("Heart Rate",)
        described = connection.execute(
            "SELECT data_type FROM information_schema.columns WHERE table_name = 'vitalsign' AND column_name = 'mbp'"
        ).fetchall()
        assert described == [("DOUBLE",)]


def test_a_rebuild_does_not_change_what_a_running_trial_reads(tmp_path: Path) -> None:
    dataset = synthesise(tmp_path / "home", "moving", layout="mimic-iv", stays=5, seed=1)
    build(dataset, [STANDARD])
    database = build_task_database(dataset, STANDARD, tmp_path / "run", sandboxed=False)
    with duckdb.connect(str(database.path), read_only=True) as connection:
        before = connection.execute("FROM mimiciv_derived.gcs").fetchall()
        shutil.rmtree(dataset.path / "concepts")
        assert connection.execute("FROM mimiciv_derived.gcs").fetchall() == before


def test_a_second_build_into_the_same_folder_leaves_no_link_of_the_first(built: Dataset, tmp_path: Path) -> None:
    build_task_database(built, make_task("standard"), tmp_path, sandboxed=False)
    build_task_database(built, RAW, tmp_path, sandboxed=False)
    assert not (tmp_path / "tables" / "mimiciv_derived").exists()


def test_concepts_that_are_not_built_are_asked_for(tmp_path: Path) -> None:
    dataset = synthesise(tmp_path / "home", "bare", layout="mimic-iv", stays=5, seed=1)
    assert build_task_database(dataset, RAW, tmp_path / "raw").path.is_file()
    with pytest.raises(DatasetError, match="m4review data build --dataset bare --task a-task"):
        build_task_database(dataset, STANDARD, tmp_path / "standard")


def test_its_size_does_not_depend_on_the_data(built: Dataset, tmp_path: Path) -> None:
    small = synthesise(tmp_path / "home", "small", layout="mimic-iv", stays=2, seed=1)
    sizes = {build_task_database(data, RAW, tmp_path / data.name).path.stat().st_size for data in (built, small)}
    assert len(sizes) == 1
    assert sizes.pop() < 100_000


def test_the_digest_follows_what_is_visible_and_its_content(built: Dataset, tmp_path: Path) -> None:
    one = build_task_database(built, STANDARD, tmp_path / "1").digest
    assert build_task_database(open_dataset(built.path.parent, "built"), STANDARD, tmp_path / "2").digest == one
    assert build_task_database(built, make_task("standard"), tmp_path / "3").digest != one
    assert build_task_database(built, RAW, tmp_path / "4").digest != one
