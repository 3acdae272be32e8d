"""Every task card of the project, attacked: what it hides and what is expected must not be reachable from its data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from m4review.ehr import Dataset, TaskDatabase, build_task_database, open_dataset, synthesise
from m4review.ehr.building import derivation_digests
from m4review.ehr.derivations import load_derivations
from m4review.ehr.engine import DIGEST_KEY, engine, write_parquet
from m4review.tasks import Task, load_task

ROOT = Path(__file__).parents[3]
CARDS = {folder.parent.name: load_task(folder.parent) for folder in sorted(ROOT.glob("tasks/*/*/task.toml"))}


@pytest.fixture(scope="module")
def datasets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Dataset]:
    """A dataset of each layout in which every concept and reference stands, each with one telling row."""
    home = tmp_path_factory.mktemp("attack")
    made = {}
    for layout in {card.database for card in CARDS.values()}:
        dataset = synthesise(home, layout, layout=layout, stays=2, seed=3)
        digests = derivation_digests(dataset)
        derivations = load_derivations(layout)
        with engine(home) as connection:
            for name in derivations.concepts:
                metadata = {DIGEST_KEY: digests["concept", name]}
                write_parquet(
                    connection, f"SELECT 'told by {name}' AS secret", dataset.concept_path(name), metadata=metadata
                )
            for name in derivations.references:
                write_parquet(connection, f"SELECT 'told by {name}' AS secret", dataset.reference_file(name))
        made[layout] = open_dataset(home, layout)
    return made


@dataclass(frozen=True)
class Room:
    """What the agent of one task has before it: the database, and the mounted files where they are mounted."""

    card: Task
    dataset: Dataset
    database: TaskDatabase
    tables: Path

    @property
    def hidden(self) -> set[str]:
        """The derived relations that the card does not allow, those it removes that we do not even make included."""
        schema = self.dataset.layout.derived_schema
        concepts = {f"{schema}.{name}" for name in load_derivations(self.card.database).concepts}
        removed = {name.lower() for name in self.card.removed}
        return removed | (concepts if self.card.mode == "raw" else set())


@pytest.fixture(scope="module", params=list(CARDS))
def room(
    request: pytest.FixtureRequest, datasets: dict[str, Dataset], tmp_path_factory: pytest.TempPathFactory
) -> Room:
    tmp_path = tmp_path_factory.mktemp("room")
    card = CARDS[request.param]
    dataset = datasets[card.database]
    database = build_task_database(dataset, card, tmp_path / "run")
    tables = tmp_path / "seen"
    for mount in database.mounts:
        place = tables / Path(mount.target).relative_to("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.hardlink_to(mount.source)
    return Room(card, dataset, database, tables)


def test_no_hidden_relation_answers_and_none_is_named_anywhere(room: Room) -> None:
    stored = room.database.path.read_bytes().lower()
    with duckdb.connect(str(room.database.path), read_only=True) as connection:
        catalog = str(
            connection.execute(
                """SELECT view_name, sql, comment, tags::VARCHAR FROM duckdb_views() WHERE NOT internal
                UNION ALL SELECT schema_name, sql, comment, tags::VARCHAR FROM duckdb_schemas() WHERE NOT internal
                UNION ALL SELECT table_name, sql, comment, tags::VARCHAR FROM duckdb_tables()
                UNION ALL SELECT function_name, macro_definition, NULL, NULL FROM duckdb_functions() WHERE NOT internal
                UNION ALL SELECT database_name, path, comment, tags::VARCHAR FROM duckdb_databases()
                WHERE database_name = 'elsewhere'"""
            ).fetchall()
        ).lower()
        for relation in room.hidden:
            schema, name = relation.split(".")
            assert f"{schema}/{name}.parquet" not in catalog
            assert f"'{name}'" not in catalog
            assert f"{schema}/{name}.parquet".encode() not in stored
            with pytest.raises(duckdb.Error, match=r"does not exist|not found"):
                connection.execute(f"FROM {relation}")
    assert b"references" not in stored
    assert str(room.dataset.path).lower().encode() not in stored


def test_a_raw_task_has_no_derived_schema(room: Room) -> None:
    schema = room.dataset.layout.derived_schema
    with duckdb.connect(str(room.database.path), read_only=True) as connection:
        schemas = {row[0] for row in connection.execute("SELECT schema_name FROM duckdb_schemas()").fetchall()}
    allowed = {relation.split(".")[0] for relation in room.database.relations}
    assert schemas - {"main", "information_schema", "pg_catalog"} == allowed
    if room.card.mode == "raw":
        assert schema not in schemas
        assert schema.encode() not in room.database.path.read_bytes()


def test_no_file_in_the_mounts_is_hidden_or_a_reference(room: Room) -> None:
    with duckdb.connect() as connection:
        files = [row[0] for row in connection.execute(f"SELECT file FROM glob('{room.tables}/**')").fetchall()]
        seen = {f"{Path(file).parent.name}.{Path(file).stem}" for file in files}
        assert seen == set(room.database.relations)
        assert not seen & room.hidden
        derived = [file for file in files if room.dataset.layout.derived_schema in file]
        if derived:
            told = {row[0] for row in connection.execute(f"SELECT secret FROM read_parquet({derived})").fetchall()}
            assert told == {f"told by {Path(file).stem}" for file in derived}
        for file in files:
            keys = connection.execute(f"SELECT decode(key) FROM parquet_kv_metadata('{file}')").fetchall()
            assert {row[0] for row in keys} <= {DIGEST_KEY}


def test_what_is_mounted_names_no_place_of_the_host(room: Room) -> None:
    for mount in room.database.mounts:
        assert mount.target.startswith("/data/tables/")
        assert ".." not in Path(mount.target).parts
        assert str(room.dataset.path).encode() not in mount.source.read_bytes()


def test_a_rebuild_during_a_run_changes_nothing_of_what_it_reads(datasets: dict[str, Dataset], tmp_path: Path) -> None:
    card = next(card for card in CARDS.values() if card.mode == "standard")
    dataset = datasets[card.database]
    database = build_task_database(dataset, card, tmp_path)
    pinned = [mount.source for mount in database.mounts if dataset.layout.derived_schema in mount.target]
    before = {path: path.read_bytes() for path in pinned}
    with engine(tmp_path) as connection:
        for path in pinned:
            concept = dataset.concept_path(path.stem)
            kept = concept.read_bytes()
            write_parquet(connection, "SELECT 'another content' AS secret", concept)
            assert path.read_bytes() == before[path] != concept.read_bytes()
            concept.write_bytes(kept)
