"""Changed schemas: the same values under other names or in other tables, and the way back to the native ones."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import duckdb
import pytest
from ehr_bench import make_task
from ehr_shell import Shell

from m4review.ehr import Dataset, build, build_task_database, open_dataset, reference_path, synthesise
from m4review.ehr.derivations import load_derivations
from m4review.ehr.schemas import (
    SCHEMA_NAMES,
    ChangedSchema,
    native_views,
    open_schema,
    query_on_schema,
    rewrite_schema,
)
from m4review.ehr.standalone import standalone_query
from m4review.errors import DatasetError
from m4review.tasks import Task, load_task

CARDS = [
    card
    for card in (load_task(path.parent) for path in sorted(Path(__file__).parents[3].glob("tasks/*/*/task.toml")))
    if card.database == "mimic-iv"
]


@pytest.fixture(scope="module")
def dataset(built: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    home = tmp_path_factory.mktemp("changed")
    shutil.copytree(built.path, home / built.name, copy_function=shutil.copy2)
    dataset = open_dataset(home, built.name)
    build(dataset, CARDS)
    return dataset


@pytest.fixture(scope="module", params=SCHEMA_NAMES)
def changed(request: pytest.FixtureRequest, dataset: Dataset) -> ChangedSchema:
    rewrite_schema(dataset, request.param, seed=7)
    return open_schema(dataset, request.param, seed=7)


def native_file(dataset: Dataset, schema: str, name: str) -> Path:
    if schema == dataset.layout.derived_schema:
        return dataset.concept_path(name)
    return dataset.path / schema / f"{name}.parquet"


def test_the_way_back_gives_every_native_table_row_for_row(dataset: Dataset, changed: ChangedSchema) -> None:
    compared = 0
    with native_views(dataset, changed) as connection:
        for native in changed.plan.natives:
            path = native_file(dataset, native.relation.schema_name, native.relation.name)
            ours, theirs = f"SELECT * FROM {native.sql}", f"SELECT * FROM read_parquet('{path}')"
            described = [
                [row[:2] for row in connection.execute(f"DESCRIBE {query}").fetchall()] for query in (ours, theirs)
            ]
            assert described[0] == described[1], native.relation
            for one, other in ((ours, theirs), (theirs, ours)):
                left = connection.execute(f"SELECT count(*) FROM (({one}) EXCEPT ALL ({other}))").fetchone()
                assert left == (0,), native.relation
            compared += 1
    assert compared == len(dataset.tables) + len(load_derivations(dataset.layout_name).concepts)


def test_every_reference_made_through_the_way_back_equals_the_native_one(
    dataset: Dataset, changed: ChangedSchema
) -> None:
    derivations = load_derivations(dataset.layout_name)
    derived = dataset.layout.derived_schema
    with native_views(dataset, changed) as connection:
        for concept in derivations.concepts.values():
            connection.execute(f"DROP VIEW {derived}.{concept.name}")
            connection.execute(f"CREATE TABLE {derived}.{concept.name} AS {concept.sql}")
        for reference in derivations.references.values():
            path = dataset.reference_file(reference.name)
            rows = connection.execute(reference.sql).fetchall()
            assert rows == connection.execute(f"SELECT * FROM read_parquet('{path}')").fetchall(), reference.name


@pytest.mark.parametrize("card", [pytest.param(card, id=card.name) for card in CARDS])
def test_a_reference_query_led_back_to_the_native_tables_gives_the_reference_on_what_the_task_may_see(
    dataset: Dataset, changed: ChangedSchema, card: Task, tmp_path: Path
) -> None:
    database = build_task_database(dataset, card, tmp_path, schema=changed, sandboxed=False)
    query = query_on_schema(standalone_query(card), changed)
    with duckdb.connect(str(database.path), read_only=True) as connection:
        rows = connection.execute(query).fetchall()
        expected = connection.execute(f"SELECT * FROM read_parquet('{reference_path(dataset, card)}')").fetchall()
    assert expected
    assert sorted(map(repr, rows)) == sorted(map(repr, expected))


def test_no_native_name_is_left_in_the_obfuscated_schema(dataset: Dataset) -> None:
    rewrite_schema(dataset, "obfuscated", seed=7)
    schema = open_schema(dataset, "obfuscated", seed=7)
    tables = {native.relation.name for native in schema.plan.natives}
    columns = {column for native in schema.plan.natives for column in native.columns}
    names = tables | {native.relation.schema_name for native in schema.plan.natives} | columns
    no_words = {name for name in names if "_" in name or name.endswith(("events", "stays", "admissions", "patients"))}
    task = make_task("standard")
    with duckdb.connect(":memory:") as connection:
        for table in schema.plan.tables:
            path = schema.file(table.relation)
            stored = {
                row[0] for row in connection.execute("SELECT name FROM parquet_schema(?)", [str(path)]).fetchall()
            }
            keys = connection.execute("SELECT decode(key) FROM parquet_kv_metadata(?)", [str(path)]).fetchall()
            assert not stored & names
            assert keys == [("m4review.digest",)]
            texts = [
                row[0]
                for row in connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
                if row[1] == "VARCHAR"
            ]
            for column in texts:
                values = connection.execute(f'SELECT DISTINCT lower("{column}") FROM read_parquet(?)', [str(path)])
                assert not {value for (value,) in values.fetchall()} & no_words, table.relation
            bounds = connection.execute(
                "SELECT stats_min, stats_max, stats_min_value, stats_max_value FROM parquet_metadata(?)", [str(path)]
            ).fetchall()
            assert not {str(bound).lower() for row in bounds for bound in row} & no_words, table.relation
    database = build_task_database(dataset, task, dataset.path / "seen", schema=schema)
    assert not {part for relation in database.relations for part in relation.split(".")} & names
    assert not {Path(mount.target).stem for mount in database.mounts} & names
    with duckdb.connect(str(database.path), read_only=True) as connection:
        told = connection.execute(
            "SELECT sql, comment, tags::VARCHAR FROM duckdb_views() WHERE NOT internal"
        ).fetchall()
    words = set(re.findall(r"\w+", repr(told))) | set(re.findall(r"\w+", schema.dictionary.read_text(encoding="utf-8")))
    assert len(told) == len(database.relations)
    assert words & no_words == {"subject_id", "hadm_id", "stay_id"}, "only the dictionary's, for the output's keys"
    assert {name for _, comment, _ in told for name in no_words if name in (comment or "")} == set()


def test_item_identifiers_are_others_and_agree_between_tables(dataset: Dataset) -> None:
    rewrite_schema(dataset, "obfuscated", seed=7)
    schema = open_schema(dataset, "obfuscated", seed=7)
    by_native = {table.made_from[0].name: table for table in schema.plan.tables}

    def items(name: str) -> set[int]:
        table = by_native[name]
        (column,) = [new for new, about in table.columns.items() if about == "identifier of the item"]
        with duckdb.connect(":memory:") as connection:
            rows = connection.execute(f"SELECT DISTINCT {column} FROM read_parquet('{schema.file(table.relation)}')")
            return {row[0] for row in rows.fetchall()}

    assert min(items("d_items") | items("d_labitems")) > 1_000_000
    assert items("chartevents") <= items("d_items")
    assert items("labevents") <= items("d_labitems")


def test_another_seed_gives_other_names_and_the_same_seed_the_same(dataset: Dataset) -> None:
    first = rewrite_schema(dataset, "obfuscated", seed=7)
    again = rewrite_schema(dataset, "obfuscated", seed=7)
    assert (again.made, again.kept) == (0, first.made + first.kept)
    rewrite_schema(dataset, "obfuscated", seed=8)
    names = [{table.relation for table in open_schema(dataset, "obfuscated", seed=seed).plan.tables} for seed in (7, 8)]
    assert not names[0] & names[1]


def test_a_task_sees_nothing_that_was_removed_from_it(dataset: Dataset, changed: ChangedSchema, tmp_path: Path) -> None:
    removed = f"{dataset.layout.derived_schema}.sirs"
    whole = build_task_database(dataset, make_task("standard"), tmp_path / "whole", schema=changed)
    less = build_task_database(dataset, make_task("standard", removed=(removed,)), tmp_path / "less", schema=changed)
    raw = build_task_database(dataset, make_task("raw"), tmp_path / "raw", schema=changed)
    assert len(whole.relations) - len(less.relations) == 1
    assert len(raw.relations) == len(whole.relations) - len(load_derivations(dataset.layout_name).concepts)
    assert [mount.target for mount in whole.mounts if mount.target.endswith(".json")] == ["/data/data_dictionary.json"]


def test_the_dictionary_tells_of_every_column_of_every_table(changed: ChangedSchema) -> None:
    told = json.loads(changed.dictionary.read_text(encoding="utf-8"))
    assert len(told["tables"]) == len(changed.plan.tables)
    for entry in told["tables"]:
        assert entry["a row is"]
        assert all(column["holds"] for column in entry["columns"].values())


def test_a_restructured_task_database_can_be_asked(dataset: Dataset, tmp_path: Path) -> None:
    rewrite_schema(dataset, "restructured")
    schema = open_schema(dataset, "restructured")
    into = tmp_path / "task"
    database = build_task_database(dataset, make_task("raw"), into, schema=schema, sandboxed=False)
    with duckdb.connect(str(database.path), read_only=True) as connection:
        row = connection.execute("SELECT count(*), count(admission_hadm_id) FROM ehr.icu_episodes").fetchone()
        assert row == (25, 25)
        assert connection.execute("SELECT count(*) FROM ehr.measurements WHERE item_label IS NULL").fetchone() == (0,)


def test_a_concept_that_is_not_built_is_asked_for_and_one_out_of_date_is_never_rewritten(tmp_path: Path) -> None:
    dataset = synthesise(tmp_path, "small", layout="mimic-iv", stays=3, seed=4)
    rewrite_schema(dataset, "restructured")
    bare = open_schema(dataset, "restructured")
    with pytest.raises(DatasetError, match=r"the concept \w+, which .* may see, is not built") as caught:
        build_task_database(dataset, make_task("standard"), tmp_path / "run", schema=bare)
    assert "m4review data build" in str(caught.value.fix)
    build(dataset, [make_task("standard")])
    with pytest.raises(DatasetError, match=r"is (not made|out of date)"):
        open_schema(dataset, "restructured")
    stale = dataset.concept_path("age")
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"COPY (SELECT 1 AS stay_id) TO '{stale}' (FORMAT parquet, KV_METADATA {{'x': 'y'}})")
    rewrite_schema(dataset, "restructured")
    names = {native.relation.name for native in open_schema(dataset, "restructured").plan.natives}
    assert "age" not in names
    assert "first_day_vitals" in names or len(names) > len(dataset.tables)


def test_a_changed_dataset_or_a_schema_never_made_is_refused(tmp_path: Path) -> None:
    dataset = synthesise(tmp_path, "small", layout="mimic-iv", stays=3, seed=4)
    with pytest.raises(DatasetError, match="the obfuscated schema is not made") as caught:
        open_schema(dataset, "obfuscated", seed=3)
    assert caught.value.fix == "m4review data schema obfuscated --dataset small --seed 3"
    with pytest.raises(DatasetError, match="no schema 'obfuscate'"):
        rewrite_schema(dataset, "obfuscate")
    eicu = synthesise(tmp_path, "units", layout="eicu", stays=3, seed=4)
    with pytest.raises(DatasetError, match="only mimic-iv datasets"):
        rewrite_schema(eicu, "restructured")


def test_the_command_says_what_it_made(shell: Shell) -> None:
    assert shell("data", "synth", "--layout", "mimic-iv", "--stays", "3", "--seed", "4", "--name", "small") == 0
    assert shell("data", "schema", "restructured", "--dataset", "small") == 0
    assert "restructured schema of small: 16 tables made, 0 kept as they were" in shell.out
    assert shell("data", "schema", "obfuscated", "--dataset", "small", "--seed", "5", "--json") == 0
    assert json.loads(shell.out)["seed"] == 5
