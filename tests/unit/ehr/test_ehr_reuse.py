"""Derived tables of a source in the place of our concepts: only when asked for, as far as they fit, and labelled."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest
from ehr_bench import make_task

from m4review.ehr import (
    Dataset,
    build,
    build_task_database,
    derivation_digests,
    import_dataset,
    open_dataset,
    reference_path,
    synthesise,
    use_own_concepts,
)
from m4review.ehr.dataset import LINEAGE
from m4review.ehr.derivations import load_derivations
from m4review.ehr.engine import quoted
from m4review.ehr.reuse import columns_left_out, concept_tables
from m4review.errors import DatasetError
from m4review.tasks import Task, load_task

KNOWN = load_derivations("mimic-iv")
ALL = [make_task("standard"), *(make_task(reference=name) for name in KNOWN.references)]
DERIVED = "mimiciv_derived"
ROOT = Path(__file__).parents[3]
CARDS = [
    card
    for place in sorted(ROOT.glob("tasks/*/*/task.toml"))
    if (card := load_task(place.parent)).database == "mimic-iv"
]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """A dataset with every concept and reference made by us. Tests only read it."""
    dataset = synthesise(tmp_path_factory.mktemp("own"), "own", layout="mimic-iv", stays=8, seed=8)
    build(dataset, ALL)
    return dataset


@pytest.fixture(scope="module")
def exported(own: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as a DuckDB database with the source tables and a derived schema. Tests copy it."""
    path = tmp_path_factory.mktemp("exported") / "mimic.duckdb"
    with duckdb.connect(str(path)) as connection:
        for schema in (*own.layout.source_schemas, DERIVED):
            connection.execute(f"CREATE SCHEMA {schema}")
        for table in own.tables:
            connection.execute(f"CREATE TABLE {table.relation} AS FROM {quoted(own.table_path(table))}")
        for name in KNOWN.concepts:
            connection.execute(f"CREATE TABLE {DERIVED}.{name} AS FROM {quoted(own.concept_path(name))}")
    return path


@pytest.fixture
def folder(own: Dataset, tmp_path: Path) -> Path:
    """The same as a folder of Parquet files."""
    folder = tmp_path / "folder"
    for table in own.tables:
        place = folder / table.schema_name.removeprefix("mimiciv_") / f"{table.name}.parquet"
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(own.table_path(table), place)
    (folder / DERIVED).mkdir()
    for name in KNOWN.concepts:
        shutil.copy(own.concept_path(name), folder / DERIVED)
    return folder


Change = Callable[..., Path]


@pytest.fixture
def changed(exported: Path, tmp_path: Path) -> Change:
    """Gives a copy of the database on which some statements ran."""

    def change(*statements: str) -> Path:
        path = Path(shutil.copy(exported, tmp_path / "changed.duckdb"))
        with duckdb.connect(str(path)) as connection:
            for statement in statements:
                connection.execute(statement)
        return path

    return change


@pytest.fixture(scope="module")
def whole(exported: Path, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Everything reused, references built. Tests only read it."""
    dataset = take(exported, tmp_path_factory.mktemp("whole"))
    build(dataset, ALL)
    return dataset


def take(source: Path, home: Path, *, reuse: bool = True) -> Dataset:
    return import_dataset(home, "taken", layout="mimic-iv", source=source, reuse_derived=reuse)


def keep_only(*names: str) -> Iterator[str]:
    """Statements after which the derived schema holds only these tables."""
    return (f"DROP TABLE {DERIVED}.{name}" for name in KNOWN.concepts if name not in names)


def rows(path: Path) -> list[tuple[object, ...]]:
    with duckdb.connect() as connection:
        return connection.execute(f"FROM read_parquet({quoted(path)})").fetchall()


def reader_of(name: str) -> Task:
    """A raw task whose reference needs the concept, with as few others as possible."""
    needing = [query for query in KNOWN.references.values() if KNOWN.concepts[name] in KNOWN.concepts_behind([query])]
    return make_task(reference=min(needing, key=lambda query: len(KNOWN.concepts_behind([query]))).name)


def dependents(name: str) -> set[tuple[str, str]]:
    """What reads the concept, directly or not."""
    concept = KNOWN.concepts[name]
    everything = (*KNOWN.concepts.values(), *KNOWN.references.values())
    return {(query.kind, query.name) for query in everything if concept in KNOWN.concepts_behind([query])}


def test_with_every_concept_reused_the_references_are_the_same_rows_as_from_our_own(
    own: Dataset, whole: Dataset
) -> None:
    assert {concept.name for concept in whole.reused} == set(KNOWN.concepts)
    assert whole.not_reused == {}
    assert whole.built_concepts() == [], "no concept was made"
    for name in KNOWN.references:
        task = make_task(reference=name)
        assert rows(reference_path(whole, task)) == rows(reference_path(own, task)), name


def test_a_dataset_with_reused_concepts_never_has_the_plain_lineage(own: Dataset, whole: Dataset) -> None:
    assert own.lineage == LINEAGE
    assert whole.lineage.startswith(f"{LINEAGE}+reused:")
    assert whole.digest != own.digest
    report = build(whole, ALL)
    assert report.lineage == whole.lineage
    assert report.made == ()
    assert {table.name for table in report.foreign} == set(KNOWN.concepts)


def test_the_manifest_names_the_content_and_place_of_every_reused_table(whole: Dataset) -> None:
    manifest = json.loads((whole.path / "manifest.json").read_text(encoding="utf-8"))
    entry = next(entry for entry in manifest["reused"] if entry["name"] == "gcs")
    assert entry["source"] == "mimiciv_derived.gcs in mimic.duckdb"
    assert len(entry["sha256"]) == 64
    assert entry["rows"] == len(rows(whole.concept_path("gcs")))


def test_without_the_flag_the_derived_schema_is_ignored_and_the_result_is_our_own(
    own: Dataset, exported: Path, tmp_path: Path
) -> None:
    dataset = take(exported, tmp_path, reuse=False)
    assert dataset.reused == ()
    assert dataset.lineage == LINEAGE
    assert set(dataset.not_reused) == set(KNOWN.concepts)
    assert set(dataset.not_reused.values()) == {"left alone: it was not asked for"}
    assert not (dataset.path / DERIVED).exists()


def test_a_changed_value_changes_exactly_what_is_derived_from_it(
    whole: Dataset, changed: Change, tmp_path: Path
) -> None:
    reused = ("gcs", "age", "vitalsign")
    before = take(changed(*keep_only(*reused)), tmp_path / "before")
    after = take(
        changed(*keep_only(*reused), f"UPDATE {DERIVED}.gcs SET gcs = 3, gcs_motor = 1, gcs_unable = 0"),
        tmp_path / "after",
    )
    digests = derivation_digests(before), derivation_digests(after)
    different = {key for key in digests[0] if digests[0][key] != digests[1][key]}
    assert different == {("concept", "gcs"), *dependents("gcs")}
    assert before.lineage != after.lineage != LINEAGE
    gcs, sirs = make_task(reference="gcs-24h"), make_task(reference="sirs-24h")
    build(before, [gcs, sirs])
    build(after, [gcs, sirs])
    assert rows(reference_path(before, gcs)) == rows(reference_path(whole, gcs))
    assert rows(reference_path(before, gcs)) != rows(reference_path(after, gcs))
    assert reference_path(before, sirs).read_bytes() == reference_path(after, sirs).read_bytes()


def test_what_only_a_reused_concept_reads_is_not_made(changed: Change, tmp_path: Path) -> None:
    dataset = take(changed(*keep_only("sofa", "suspicion_of_infection")), tmp_path)
    report = build(dataset, [make_task("raw", reference="sepsis3")])
    assert {(table.kind, table.name) for table in report.made} == {("concept", "sepsis3"), ("reference", "sepsis3")}


def test_the_order_of_a_derived_table_changes_nothing_of_what_is_stored(
    whole: Dataset, changed: Change, tmp_path: Path
) -> None:
    name = "vitalsign"
    shuffle = f"CREATE OR REPLACE TABLE {DERIVED}.{name} AS FROM {DERIVED}.{name} ORDER BY hash(charttime)"
    stored = take(changed(*keep_only(name), shuffle), tmp_path).reused_concept(name)
    assert stored is not None
    assert stored.sha256 == next(table.sha256 for table in whole.reused if table.name == name)


@pytest.mark.parametrize(
    ("statement", "name", "reason"),
    [
        ("ALTER TABLE {}.gcs DROP gcs_motor", "gcs", "the column gcs_motor is missing; read by first_day_gcs"),
        ("ALTER TABLE {}.gcs ALTER charttime TYPE VARCHAR", "gcs", "the column charttime is VARCHAR, not TIMESTAMP"),
        ("INSERT INTO {0}.first_day_lab FROM {0}.first_day_lab LIMIT 1", "first_day_lab", "stay_id is not unique"),
        ("ALTER TABLE {}.chemistry DROP specimen_id", "chemistry", "the column specimen_id is missing; it names a row"),
        (
            "CREATE OR REPLACE TABLE {0}.age AS SELECT * REPLACE (age + 0.5 AS age) FROM {0}.age",
            "age",
            "a value of column age does not fit its type; expected age BIGINT",
        ),
        (
            "CREATE OR REPLACE TABLE {0}.weight_durations AS SELECT * REPLACE (weight::DOUBLE + 0.00012 AS weight) "
            "FROM {0}.weight_durations",
            "weight_durations",
            "a value of column weight does not fit its type",
        ),
        ("CREATE OR REPLACE VIEW {}.rrt AS FROM 'gone.parquet'", "rrt", None),
    ],
)
def test_a_table_that_does_not_fit_is_named_with_the_reason_and_made_by_us(
    own: Dataset, changed: Change, tmp_path: Path, statement: str, name: str, reason: str | None
) -> None:
    if reason is None:
        (tmp_path / "gone.parquet").write_bytes(own.concept_path(name).read_bytes())
        view = f"CREATE VIEW {DERIVED}.{name} AS FROM {quoted(tmp_path / 'gone.parquet')}"
        source = changed(*keep_only("enzyme"), view)
        (tmp_path / "gone.parquet").unlink()
        reason = f"the table {DERIVED}.{name} cannot be read"
    else:
        source = changed(*keep_only(name, "enzyme"), statement.format(DERIVED))
    dataset = take(source, tmp_path / "home")
    assert [concept.name for concept in dataset.reused] == ["enzyme"]
    assert list(dataset.not_reused) == [name]
    assert dataset.not_reused[name].startswith(reason)
    assert not dataset.concept_path(name).exists()
    assert ("concept", name) in {(table.kind, table.name) for table in build(dataset, [reader_of(name)]).made}
    assert rows(dataset.concept_path(name)) == rows(own.concept_path(name))


def test_a_column_that_nothing_reads_may_be_absent_and_a_further_one_is_kept_out(
    changed: Change, tmp_path: Path
) -> None:
    source = changed(
        *keep_only("vitalsign"),
        f"ALTER TABLE {DERIVED}.vitalsign DROP temperature_site",
        f"ALTER TABLE {DERIVED}.vitalsign ALTER sbp_ni TYPE VARCHAR",
        f"ALTER TABLE {DERIVED}.vitalsign ADD COLUMN of_another_lineage INTEGER DEFAULT 1",
    )
    dataset = take(source, tmp_path)
    stored = dataset.reused_concept("vitalsign")
    assert stored is not None
    assert "of_another_lineage" not in stored.columns
    assert columns_left_out(dataset, stored) == ["sbp_ni", "temperature_site"]
    with duckdb.connect() as connection:
        described = connection.execute(f"DESCRIBE FROM {quoted(dataset.concept_path('vitalsign'))}").fetchall()
    assert [row[0] for row in described] == list(stored.columns)
    build(dataset, [make_task("standard", reference="sirs-24h")])


def test_a_number_of_another_type_is_taken_where_no_value_is_lost(
    own: Dataset, changed: Change, tmp_path: Path
) -> None:
    source = changed(
        *keep_only("age", "weight_durations"),
        f"CREATE OR REPLACE TABLE {DERIVED}.age AS SELECT * REPLACE (age::DOUBLE AS age, hadm_id::BIGINT AS hadm_id) "
        f"FROM {DERIVED}.age",
        f"CREATE OR REPLACE TABLE {DERIVED}.weight_durations AS SELECT * REPLACE (weight::DOUBLE AS weight) "
        f"FROM {DERIVED}.weight_durations",
    )
    dataset = take(source, tmp_path / "home")
    assert dataset.not_reused == {}
    for name in ("age", "weight_durations"):
        assert sorted(rows(dataset.concept_path(name)), key=repr) == sorted(rows(own.concept_path(name)), key=repr)


def test_a_derived_parquet_file_is_linked_and_never_copied(own: Dataset, folder: Path, tmp_path: Path) -> None:
    dataset = take(folder, tmp_path / "home")
    assert {concept.name for concept in dataset.reused} == set(KNOWN.concepts)
    for concept in dataset.reused:
        assert dataset.concept_path(concept.name).samefile(folder / DERIVED / f"{concept.name}.parquet")
        assert concept.source == f"mimiciv_derived/{concept.name}.parquet"
    task = make_task(reference="sofa-24h")
    build(dataset, [task])
    for concept in dataset.reused:
        assert dataset.concept_path(concept.name).samefile(folder / DERIVED / f"{concept.name}.parquet")
    assert rows(reference_path(dataset, task)) == rows(reference_path(own, task))


def test_a_derived_parquet_file_is_linked_whatever_the_order_of_its_rows(
    own: Dataset, folder: Path, tmp_path: Path
) -> None:
    place = folder / DERIVED / "antibiotic.parquet"
    with duckdb.connect() as connection:
        many = f"SELECT a.* FROM {quoted(own.concept_path('antibiotic'))} a, range(5000) ORDER BY hash(range, stay_id)"
        connection.execute(f"COPY ({many}) TO {quoted(place)} (FORMAT parquet, ROW_GROUP_SIZE 2048)")
        groups = connection.execute(
            f"SELECT count(DISTINCT row_group_id) FROM parquet_metadata({quoted(place)})"
        ).fetchone()
    assert groups is not None
    assert groups[0] > 1
    assert take(folder, tmp_path / "home").concept_path("antibiotic").samefile(place)


def test_derived_tables_as_csv_gz_are_read_with_our_types(own: Dataset, folder: Path, tmp_path: Path) -> None:
    shutil.rmtree(folder / DERIVED)
    (folder / DERIVED).mkdir()
    names = ("age", "gcs", "sepsis3", "weight_durations", "ventilation")
    with duckdb.connect() as connection:
        for name in names:
            target = folder / DERIVED / f"{name}.csv.gz"
            connection.execute(
                f"COPY (FROM {quoted(own.concept_path(name))}) TO {quoted(target)} (FORMAT csv, COMPRESSION gzip)"
            )
    (folder / DERIVED / "rrt.csv.gz").write_bytes(gzip.compress(b"stay_id,charttime\n")[:-6])
    dataset = take(folder, tmp_path / "home")
    assert {concept.name for concept in dataset.reused} == set(names)
    assert list(dataset.not_reused) == ["rrt"]
    for name in names:
        assert sorted(rows(dataset.concept_path(name)), key=repr) == sorted(rows(own.concept_path(name)), key=repr)


def test_a_source_without_derived_tables_is_told_as_such(own: Dataset, source: Path, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no table of a concept in mimiciv_derived") as caught:
        take(source, tmp_path)
    assert "import without --reuse-derived" in str(caught.value)


def test_a_layout_without_concepts_has_nothing_to_reuse(tmp_path: Path) -> None:
    unit = synthesise(tmp_path, "unit", layout="eicu", stays=3, seed=1)
    flat = tmp_path / "flat"
    flat.mkdir()
    for table in unit.tables:
        shutil.copy(unit.table_path(table), flat)
    with pytest.raises(DatasetError, match="the layout eicu has no concepts"):
        import_dataset(tmp_path, "taken", layout="eicu", source=flat, reuse_derived=True)


def test_our_own_concepts_come_back_for_good(own: Dataset, changed: Change, tmp_path: Path) -> None:
    source = changed(*keep_only("gcs", "age"), f"UPDATE {DERIVED}.gcs SET gcs = 3")
    tasks = [make_task(reference=name) for name in ("gcs-24h", "charlson", "sirs-24h")]
    dataset = take(source, tmp_path)
    build(dataset, tasks)
    back = use_own_concepts(dataset)
    assert open_dataset(tmp_path, "taken") == back
    plain = take(source, tmp_path / "plain", reuse=False)
    assert (back.reused, back.lineage, back.digest) == ((), LINEAGE, plain.digest)
    assert derivation_digests(back) == derivation_digests(plain)
    assert back.not_reused == dict.fromkeys(("gcs", "age"), "given up for our own")
    assert not (back.path / DERIVED).exists()
    made = {(table.kind, table.name) for table in build(back, tasks).made}
    concepts = {("concept", name) for name in ("gcs", "age", "charlson")}
    assert made == concepts | {("reference", "gcs-24h"), ("reference", "charlson")}, "and not sirs-24h again"
    for task in tasks:
        assert rows(reference_path(back, task)) == rows(reference_path(own, task)), task.reference


def test_a_reused_table_that_was_changed_afterwards_is_refused(changed: Change, tmp_path: Path) -> None:
    dataset = take(changed(*keep_only("gcs")), tmp_path)
    dataset.concept_path("gcs").write_bytes(b"another")
    with pytest.raises(DatasetError, match="the table changed since it was stored"):
        build(dataset, [make_task("standard")])


def test_a_standard_task_sees_reused_concepts_under_their_usual_names_and_no_removed_one(
    whole: Dataset, tmp_path: Path
) -> None:
    removed = [f"{DERIVED}.{name}" for name in ("sofa", "first_day_sofa", "sepsis3")]
    task = make_task("standard", removed=removed)
    database = build_task_database(whole, task, tmp_path, sandboxed=False)
    derived = {name for name in database.relations if name.startswith(DERIVED)}
    assert derived == {f"{DERIVED}.{name}" for name in KNOWN.concepts} - set(removed)
    with duckdb.connect(str(database.path), read_only=True) as connection:
        assert connection.execute(f"FROM {DERIVED}.gcs").fetchall() == rows(whole.concept_path("gcs"))
        for relation in removed:
            with pytest.raises(duckdb.Error, match="does not exist"):
                connection.execute(f"FROM {relation}")
    linked = {path.stem for path in (tmp_path / "tables" / DERIVED).iterdir()}
    assert linked == {name.removeprefix(f"{DERIVED}.") for name in derived}
    raw = build_task_database(whole, make_task("raw"), tmp_path / "raw", sandboxed=False)
    assert not [name for name in raw.relations if name.startswith(DERIVED)]


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_what_a_task_card_hides_is_in_no_place_though_it_was_reused(whole: Dataset, tmp_path: Path, card: Task) -> None:
    schema = {f"{DERIVED}.{name}" for name in KNOWN.concepts}
    hidden = {name.lower() for name in card.removed} if card.mode == "standard" else schema
    database = build_task_database(whole, card, tmp_path)
    seen = {".".join(Path(mount.target).with_suffix("").parts[-2:]) for mount in database.mounts}
    linked = {f"{path.parent.name}.{path.stem}" for path in (tmp_path / "tables").rglob("*.parquet")}
    assert seen == linked == set(database.relations)
    assert {name for name in seen if name.startswith(DERIVED)} == schema - hidden
    stored = database.path.read_bytes().lower()
    for relation in hidden:
        assert f"{relation.replace('.', '/')}.parquet".encode() not in stored
    assert str(whole.path).lower().encode() not in stored


def test_the_grain_of_every_concept_that_has_one_is_unique_in_our_own(own: Dataset) -> None:
    tables = concept_tables("mimic-iv")
    assert {table.name for table in tables} == set(KNOWN.concepts)
    keyed = [table for table in tables if table.key]
    assert len(keyed) > 30
    with duckdb.connect() as connection:
        for table in keyed:
            path, key = quoted(own.concept_path(table.name)), ", ".join(table.key)
            assert set(table.key) <= set(table.columns)
            repeated = connection.execute(f"SELECT 1 FROM {path} GROUP BY {key} HAVING count(*) > 1").fetchall()
            assert repeated == [], table.name


def test_an_interrupted_import_that_goes_on_without_the_flag_reuses_nothing(changed: Change, tmp_path: Path) -> None:
    source = changed(*keep_only("gcs"))

    def stop(progress: object) -> None:
        if getattr(progress, "item", "") == f"{DERIVED}.gcs":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_dataset(tmp_path, "taken", layout="mimic-iv", source=source, reuse_derived=True, progress=stop)
    dataset = take(source, tmp_path, reuse=False)
    assert (dataset.reused, dataset.lineage) == ((), LINEAGE)
    assert not list(dataset.path.glob(f"{DERIVED}/*"))
