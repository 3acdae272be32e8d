"""Task databases: what a task may see, as a tiny DuckDB file of views over read-only Parquet.

Nothing is copied: DuckDB checks only the text of a view made ``WITH (DEFER_BINDING)`` and opens no data for it, so the
time and size do not depend on the dataset. The files are pinned by hard links beside the database, so that a dataset
rebuilt meanwhile does not change what a run reads. A view names its file where the reader of the database finds it: in
the sandbox under ``/data/tables``, where exactly the files of ``mounts`` are mounted; without a sandbox among the
links. What a task may not see is neither a view nor a mount nor a link.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import duckdb
from pydantic import BaseModel, ConfigDict

from m4review.ehr.building import derivation_digests, is_current_concept, require_layout
from m4review.ehr.dataset import Dataset, digest_of
from m4review.ehr.derivations import load_derivations
from m4review.ehr.engine import engine, identifier, parquet_digest, pin, quoted, storage_error
from m4review.ehr.layout import Relation
from m4review.ehr.schemas.rewriting import DICTIONARY_FILE, ChangedSchema
from m4review.errors import DatasetError
from m4review.tasks import Task

DATABASE_FILE = "task.duckdb"
SANDBOX_TABLES = PurePosixPath("/data/tables")
SANDBOX_DICTIONARY = PurePosixPath("/data") / DICTIONARY_FILE
LOCAL_TABLES = "tables"


class Mount(BaseModel):
    """One host file and the place where the sandbox shows it, read-only."""

    model_config = ConfigDict(frozen=True)

    source: Path
    target: str


class TaskDatabase(BaseModel):
    """A task database. ``mounts`` is empty for one that is opened without a sandbox."""

    model_config = ConfigDict(frozen=True)

    path: Path
    mounts: tuple[Mount, ...]
    relations: tuple[str, ...]
    """Qualified names of what the task sees, sorted."""
    digest: str
    """SHA-256 (hex) over the visible relations and the content of each: source tables, queries, engine version."""


@dataclass(frozen=True, slots=True)
class _Visible:
    relation: Relation
    file: Path
    digest: str


def build_task_database(
    dataset: Dataset, task: Task, into: Path, *, sandboxed: bool = True, schema: ChangedSchema | None = None
) -> TaskDatabase:
    """Make ``into/task.duckdb`` for the task; with ``sandboxed=False`` one that opens on this host as it is.

    With ``schema`` it shows the tables of that changed schema instead of the native ones, without those that hold
    anything of what the task may not see; their dictionary is mounted beside the database.

    Raises:
        DatasetError: the task is of another layout; a concept it may see is not built or out of date; the disk full.
    """
    require_layout(dataset, task)
    visible = _visible(dataset, task)
    if schema is not None:
        visible = _changed(dataset, task, visible, schema)
    links = into / LOCAL_TABLES
    root = SANDBOX_TABLES if sandboxed else PurePosixPath(links.resolve().as_posix())
    places = {entry.relation: root / _file_of(entry.relation) for entry in visible}
    path = into / DATABASE_FILE
    try:
        into.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(links, ignore_errors=True)
        for entry in visible:
            pin(entry.file, links / _file_of(entry.relation))
        if schema is None:
            _require_current(dataset, task, visible, links)
        else:
            _require_rewritten(dataset, schema, visible, links)
        _write_views(path, places)
        if schema is not None:
            pin(schema.dictionary, into / DICTIONARY_FILE)
    except (duckdb.IOException, OSError) as error:
        path.unlink(missing_ok=True)
        raise storage_error(error, path) from None
    except DatasetError:
        shutil.rmtree(links, ignore_errors=True)
        raise
    mounts = [
        Mount(source=(links / _file_of(relation)).resolve(), target=str(place)) for relation, place in places.items()
    ]
    if schema is not None:
        mounts.append(Mount(source=(into / DICTIONARY_FILE).resolve(), target=str(SANDBOX_DICTIONARY)))
    return TaskDatabase(
        path=path,
        mounts=tuple(mounts) if sandboxed else (),
        relations=tuple(str(entry.relation) for entry in visible),
        digest=digest_of(f"{entry.relation} {entry.digest}" for entry in visible),
    )


def _file_of(relation: Relation) -> Path:
    return Path(relation.schema_name) / f"{relation.name}.parquet"


def _visible(dataset: Dataset, task: Task) -> tuple[_Visible, ...]:
    dataset.require_tables_unchanged()
    entries = [_Visible(table.relation, dataset.table_path(table), table.sha256) for table in dataset.tables]
    if task.mode == "standard":
        digests, schema = derivation_digests(dataset), dataset.layout.derived_schema
        for name in load_derivations(dataset.layout_name).concepts:
            relation = Relation(schema_name=schema, name=name)
            entries.append(_Visible(relation, dataset.concept_path(name), digests["concept", name]))
    removed = {name.lower() for name in task.removed}
    kept = [entry for entry in entries if str(entry.relation).lower() not in removed]
    return tuple(sorted(kept, key=lambda entry: str(entry.relation)))


def _changed(
    dataset: Dataset, task: Task, visible: tuple[_Visible, ...], schema: ChangedSchema
) -> tuple[_Visible, ...]:
    """The rewritten tables that are made of nothing but what the task may see."""
    seen = {entry.relation for entry in visible}
    absent = sorted(seen - schema.plan.places.keys(), key=str)
    if absent:
        raise _not_built(dataset, task, absent[0].name)
    return tuple(
        _Visible(table.relation, schema.file(table.relation), schema.digests[table.relation])
        for table in sorted(schema.plan.tables, key=lambda table: str(table.relation))
        if seen.issuperset(table.made_from)
    )


def _require_current(dataset: Dataset, task: Task, visible: tuple[_Visible, ...], links: Path) -> None:
    """Look at the pinned files, not at the dataset's: a build may be replacing those right now."""
    concepts = [entry for entry in visible if entry.relation.schema_name == dataset.layout.derived_schema]
    with engine(dataset.path, threads=1) as connection:
        for entry in concepts:
            link, name = links / _file_of(entry.relation), entry.relation.name
            if not is_current_concept(connection, dataset, name, link, entry.digest):
                raise _not_built(dataset, task, name)


def _require_rewritten(dataset: Dataset, schema: ChangedSchema, visible: tuple[_Visible, ...], links: Path) -> None:
    """As ``_require_current``, for the files of a changed schema."""
    with engine(dataset.path, threads=1) as connection:
        for entry in visible:
            if parquet_digest(connection, links / _file_of(entry.relation)) != entry.digest:
                raise DatasetError(
                    f"the {schema.plan.name} schema changed while the task database was made",
                    where=dataset.name,
                    fix="wait until 'm4review data schema' has ended, and try again",
                )


def _not_built(dataset: Dataset, task: Task, concept: str) -> DatasetError:
    return DatasetError(
        f"the concept {concept}, which {task.name} may see, is not built or out of date",
        where=dataset.name,
        fix=f"m4review data build --dataset {dataset.name} --task {task.name}",
    )


def _write_views(path: Path, places: dict[Relation, PurePosixPath]) -> None:
    path.unlink(missing_ok=True)
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        connection.execute(f"ATTACH {quoted(path)} AS task (BLOCK_SIZE 16384)")
        connection.execute("BEGIN")
        for schema in sorted({relation.schema_name for relation in places}):
            connection.execute(f"CREATE SCHEMA task.{identifier(schema)}")
        for relation, place in places.items():
            name = f"task.{identifier(relation.schema_name)}.{identifier(relation.name)}"
            source = f"read_parquet({quoted(place)})"
            connection.execute(f"CREATE VIEW {name} WITH (DEFER_BINDING) AS SELECT * FROM {source}")
        connection.execute("COMMIT")
        connection.execute("DETACH task")
    path.chmod(0o644)
