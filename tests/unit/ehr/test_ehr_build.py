"""Building: what is made, what is reused, and what happens when it is disturbed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from ehr_bench import make_task

from m4review.ehr import (
    Dataset,
    Progress,
    build,
    derivation_digests,
    import_dataset,
    open_dataset,
    pin_reference,
    reference_path,
    remove_dataset,
    synthesise,
)
from m4review.ehr.derivations import Derivations, load_derivations, relations_named
from m4review.ehr.engine import LEAST_SHARE, engine, write_parquet
from m4review.ehr.layout import Relation
from m4review.ehr.lock import writing_lock
from m4review.errors import DatasetError

SOFA_RAW, SOFA_STANDARD = make_task(), make_task("standard")
SIRS_RAW = make_task(reference="sirs-24h", name="sirs-task")


@pytest.fixture
def dataset(unbuilt: Dataset, tmp_path: Path) -> Dataset:
    """Source tables of its own for each test; nothing is built yet."""
    shutil.copytree(unbuilt.path, tmp_path / "home" / "fresh")
    return open_dataset(tmp_path / "home", "fresh")


def test_what_a_query_reads_is_taken_from_its_text() -> None:
    sql = "WITH icustays AS (SELECT * FROM mimiciv_icu.icustays) SELECT * FROM icustays JOIN mimiciv_derived.bg ON true"
    with duckdb.connect() as parser:
        names = [str(relation) for relation in relations_named(parser, sql)]
    assert names == ["mimiciv_derived.bg", "mimiciv_icu.icustays"]


def test_concepts_come_after_what_they_read() -> None:
    derivations = load_derivations("mimic-iv")
    seen: set[str] = set()
    for name, concept in derivations.concepts.items():
        assert {read.name for read in concept.reads if read.schema_name == "mimiciv_derived"} <= seen
        seen.add(name)


def test_every_query_has_a_header_that_says_grain_and_sources() -> None:
    derivations = load_derivations("mimic-iv")
    for query in (*derivations.concepts.values(), *derivations.references.values()):
        header = query.sql.split("\n\n")[0]
        assert header.startswith(f"-- {query.name}: ")
        for word in ("grain:", "sources:"):
            assert word in header, (query.name, word)


def test_a_raw_task_needs_only_what_its_reference_reads(dataset: Dataset) -> None:
    report = build(dataset, [SIRS_RAW])
    names = {table.name for table in report.tables}
    assert {"vitalsign", "bg", "first_day_lab", "sirs-24h"} <= names
    assert "ventilation" not in names


def test_a_standard_task_needs_every_concept_it_may_see(dataset: Dataset) -> None:
    names = {table.name for table in build(dataset, [SOFA_STANDARD]).tables}
    assert names == {*load_derivations("mimic-iv").concepts, "sofa-24h"}


def test_a_second_build_makes_nothing(dataset: Dataset) -> None:
    first = build(dataset, [SOFA_RAW, SIRS_RAW])
    assert len(first.made) == len(first.tables)
    assert build(dataset, [SOFA_RAW, SIRS_RAW]).made == ()


def test_a_lost_or_damaged_table_is_made_again_and_nothing_else(dataset: Dataset) -> None:
    build(dataset, [SIRS_RAW])
    dataset.concept_path("bg").write_bytes(b"half a file")
    dataset.reference_file("sirs-24h").unlink()
    assert [table.name for table in build(dataset, [SIRS_RAW]).made] == ["bg", "sirs-24h"]


def test_a_changed_query_makes_what_depends_on_it_out_of_date(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(dataset, [SOFA_RAW, SIRS_RAW])
    before = derivation_digests(dataset)
    changed = with_chest_tubes(load_derivations("mimic-iv"))
    monkeypatch.setattr("m4review.ehr.building.load_derivations", lambda name: changed)
    after = derivation_digests(dataset)
    different = {name for (kind, name), digest in after.items() if digest != before[kind, name]}
    assert different == {
        "urine_output", "urine_output_rate", "urine-output-rate", "first_day_urine_output", "apsiii", "apsiii-24h",
        "first_day_sofa", "sofa-24h", "sofa", "sepsis3", "kdigo_uo", "kdigo_stages", "kdigo-48h", "oasis", "oasis-24h",
        "sapsii", "sapsii-24h",
    }  # fmt: skip
    with pytest.raises(DatasetError, match="out of date"):
        reference_path(dataset, SOFA_RAW)
    assert reference_path(dataset, SIRS_RAW).is_file()
    made = {table.name for table in build(dataset, [SOFA_RAW, SIRS_RAW]).made}
    assert made == {"urine_output", "first_day_urine_output", "sofa-24h"}


def with_chest_tubes(derivations: Derivations) -> Derivations:
    """The same queries, but the urine query also counts chest tube output."""
    concepts = dict(derivations.concepts)
    urine = concepts["urine_output"]
    concepts["urine_output"] = replace(urine, sql=urine.sql.replace("226559, ", "226559, 226588, "))
    assert concepts["urine_output"].sql != urine.sql
    return replace(derivations, concepts=concepts)


def test_an_interrupted_build_leaves_no_part_and_goes_on(dataset: Dataset) -> None:
    def stop_at_bg(progress: Progress) -> None:
        if progress.item == "first_day_bg_art":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(dataset, [SIRS_RAW], progress=stop_at_bg)
    assert not dataset.reference_file("sirs-24h").exists()
    (dataset.path / "concepts" / "first_day_lab.parquet.part").write_bytes(b"left by a killed process")
    report = build(dataset, [SIRS_RAW])
    assert {"bg", "vitalsign"} & {table.name for table in report.made} == set()
    assert "sirs-24h" in {table.name for table in report.made}
    assert list(dataset.path.rglob("*.part")) == []


def test_control_c_in_the_middle_of_a_query_stops_it_as_a_user_expects(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys, threading\nfrom pathlib import Path\n"
        "from m4review.ehr.engine import engine, write_parquet\n"
        "threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n"
        "    with engine(Path(sys.argv[1])) as connection:\n"
        "        query = 'SELECT sum(hash(a.range, b.range)) FROM range(1000000) a, range(1000000) b'\n"
        "        write_parquet(connection, query, Path(sys.argv[1]) / 'endless.parquet')\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(130)\n"
    )
    stopped = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False, timeout=60)
    assert stopped.returncode == 130
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_progress_names_each_table_once(dataset: Dataset) -> None:
    seen: list[Progress] = []
    build(dataset, [SIRS_RAW], progress=seen.append)
    concepts = [progress for progress in seen if progress.stage == "concepts"]
    begun = [progress.done + progress.beside for progress in concepts[:-1]]
    assert begun == list(range(concepts[0].total))
    assert len({progress.item for progress in concepts[:-1]}) == concepts[0].total
    assert sorted(progress.done for progress in concepts) == [progress.done for progress in concepts]
    assert concepts[-1] == Progress("concepts", "", concepts[-1].total, concepts[-1].total)


def test_two_builds_at_once_are_refused_with_a_clear_word(dataset: Dataset) -> None:
    with writing_lock(dataset.path, "a build"):
        for attempt in (lambda: build(dataset, [SIRS_RAW]), lambda: remove_dataset(dataset.path.parent, "fresh")):
            with pytest.raises(DatasetError, match=r"busy: a build \(process \d+\) is at work here"):
                attempt()
    build(dataset, [SIRS_RAW])


def test_a_killed_holder_does_not_lock_forever(dataset: Dataset) -> None:
    script = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom m4review.ehr.lock import writing_lock\n"
        "with writing_lock(Path(sys.argv[1]), 'a build'):\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(dataset.path)], check=False)
    assert killed.returncode != 0
    build(dataset, [SIRS_RAW])


def test_a_table_that_is_gone_is_named(dataset: Dataset) -> None:
    path = dataset.path / "mimiciv_icu" / "chartevents.parquet"
    path.unlink()
    with pytest.raises(DatasetError, match="the table is gone") as caught:
        build(dataset, [SIRS_RAW])
    assert str(path) in str(caught.value)


def test_a_table_that_was_changed_behind_our_back_is_named(dataset: Dataset) -> None:
    path = dataset.path / "mimiciv_icu" / "chartevents.parquet"
    with duckdb.connect() as connection:
        connection.execute(
            f"CREATE TABLE it AS SELECT * REPLACE (valuenum::VARCHAR AS valuenum) FROM read_parquet('{path}')"
        )
        connection.execute(f"COPY it TO '{path}'")
    with pytest.raises(DatasetError, match="the table changed since it was stored") as caught:
        build(dataset, [SIRS_RAW])
    assert str(path) in str(caught.value)


def test_a_task_of_another_layout_or_reference_is_refused(dataset: Dataset) -> None:
    with pytest.raises(DatasetError, match="needs a dataset in eicu layout"):
        build(dataset, [SIRS_RAW.model_copy(update={"database": "eicu"})])
    with pytest.raises(DatasetError, match="no reference query 'oasis'"):
        build(dataset, [SIRS_RAW.model_copy(update={"reference": "oasis"})])


def test_a_reference_that_is_not_built_says_how_to_build_it(dataset: Dataset) -> None:
    with pytest.raises(DatasetError, match="m4review data build --dataset fresh --task sirs-task"):
        reference_path(dataset, SIRS_RAW)


def test_a_rebuild_does_not_change_the_reference_that_a_trial_began_with(dataset: Dataset, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="is not built"):
        pin_reference(dataset, SIRS_RAW, tmp_path / "early.parquet")
    build(dataset, [SIRS_RAW])
    pinned = pin_reference(dataset, SIRS_RAW, tmp_path / "run" / "reference.parquet")
    before = pinned.read_bytes()
    with engine(tmp_path) as connection:
        write_parquet(connection, "SELECT 1 AS stay_id", dataset.reference_file("sirs-24h"))
    assert pinned.read_bytes() == before
    with pytest.raises(DatasetError, match=r"out of date|not built"):
        pin_reference(dataset, SIRS_RAW, tmp_path / "late.parquet")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small-disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("mounting a small disk needs root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("places", [1, 4])
def test_a_full_disk_during_a_build_leaves_nothing_half_written(tmp_path: Path, small_disk: Path, places: int) -> None:
    made = synthesise(tmp_path / "home", "roomy", layout="mimic-iv", stays=40, seed=2)
    shutil.copytree(made.path, small_disk / "roomy", dirs_exist_ok=True, copy_function=shutil.copy2)
    dataset = open_dataset(small_disk, "roomy")
    filler = small_disk / "filler"
    free = shutil.disk_usage(small_disk).free
    filler.write_bytes(b"x" * (free - 60_000))
    with pytest.raises(DatasetError, match="the disk is full; nothing half-written was kept"):
        build(dataset, [SOFA_STANDARD], threads=places, memory=places * LEAST_SHARE)
    assert list(dataset.path.rglob("*.part")) == []
    with duckdb.connect() as connection:
        for path in (dataset.path / "concepts").glob("*.parquet"):
            connection.execute(f"SELECT count(*) FROM read_parquet('{path}')")
    filler.unlink()
    assert reference_path(dataset, SOFA_STANDARD) if build(dataset, [SOFA_STANDARD]) else False


def test_a_full_disk_during_a_synthesis_leaves_no_dataset(small_disk: Path) -> None:
    with pytest.raises(DatasetError, match="the disk is full"):
        synthesise(small_disk, "big", layout="mimic-iv", stays=400, seed=2)
    assert not (small_disk / "big").exists()


def test_a_relation_prints_as_its_qualified_name() -> None:
    assert str(Relation(schema_name="mimiciv_icu", name="icustays")) == "mimiciv_icu.icustays"


def test_a_value_that_cannot_be_derived_is_not_quoted(tmp_path: Path, unbuilt: Dataset) -> None:
    source = tmp_path / "source"
    for table in unbuilt.tables:
        target = source / {"mimiciv_hosp": "hosp", "mimiciv_icu": "icu"}[table.schema_name] / f"{table.name}.parquet"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(unbuilt.table_path(table), target)
    labs = source / "hosp" / "labevents.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE it AS FROM read_parquet('{labs}')")
        connection.execute("UPDATE it SET valuenum = 4.7e200 WHERE itemid = 50821")
        connection.execute(f"COPY it TO '{labs}'")
    dataset = import_dataset(tmp_path / "home", "odd", layout="mimic-iv", source=source)
    with pytest.raises(DatasetError, match="the concept bg cannot be made") as caught:
        build(dataset, [SIRS_RAW])
    assert "4.7" not in str(caught.value)
    assert not dataset.concept_path("bg").exists()
