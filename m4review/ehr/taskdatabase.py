"""Task databases: what a task may see, as a tiny DuckDB file of views over read-only Parquet.

Nothing is copied: DuckDB checks only the text of a view made ``WITH (DEFER_BINDING)`` and opens no data for it, so the
time and size do not depend on the dataset. A view names its file where the reader of the database finds it: in the
sandbox under ``/data/tables``, where exactly the files of ``mounts`` are mounted; without a sandbox in a folder of
links beside the database. What a task may not see is neither a view nor a mount nor a link.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import duckdb
from pydantic import BaseModel, ConfigDict

from m4review.ehr.building import derivation_digests, require_layout
from m4review.ehr.dataset import Dataset, digest_of
from m4review.ehr.derivations import load_derivations
from m4review.ehr.engine import engine, identifier, parquet_digest, quoted, storage_error
from m4review.ehr.layout import Relation
from m4review.errors import DatasetError
from m4review.tasks import Task

DATABASE_FILE = "task.duckdb"
SANDBOX_TABLES = PurePosixPath("/data/tables")
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


def build_task_database(dataset: Dataset, task: Task, into: Path, *, sandboxed: bool = True) -> TaskDatabase:
    """Make ``into/task.duckdb`` for the task; with ``sandboxed=False`` one that opens on this host as it is.

    Raises:
        DatasetError: the task is of another layout; a concept it may see is not built or out of date; the disk full.
    """
    require_layout(dataset, task)
    visible = _visible(dataset, task)
    into.mkdir(parents=True, exist_ok=True)
    root = SANDBOX_TABLES if sandboxed else PurePosixPath((into / LOCAL_TABLES).resolve().as_posix())
    places = {entry.relation: root / entry.relation.schema_name / f"{entry.relation.name}.parquet" for entry in visible}
    path = into / DATABASE_FILE
    try:
        _write_views(path, places)
        shutil.rmtree(into / LOCAL_TABLES, ignore_errors=True)
        if not sandboxed:
            for entry in visible:
                _link(entry.file, Path(places[entry.relation]))
    except (duckdb.IOException, OSError) as error:
        path.unlink(missing_ok=True)
        raise storage_error(error, path) from None
    mounts = tuple(Mount(source=entry.file.resolve(), target=str(places[entry.relation])) for entry in visible)
    return TaskDatabase(
        path=path,
        mounts=mounts if sandboxed else (),
        relations=tuple(str(entry.relation) for entry in visible),
        digest=digest_of(f"{entry.relation} {entry.digest}" for entry in visible),
    )


def _visible(dataset: Dataset, task: Task) -> tuple[_Visible, ...]:
    dataset.require_tables_unchanged()
    entries = [_Visible(table.relation, dataset.table_path(table), table.sha256) for table in dataset.tables]
    if task.mode == "standard":
        entries += _concepts(dataset, task)
    removed = {name.lower() for name in task.removed}
    kept = [entry for entry in entries if str(entry.relation).lower() not in removed]
    return tuple(sorted(kept, key=lambda entry: str(entry.relation)))


def _concepts(dataset: Dataset, task: Task) -> list[_Visible]:
    digests = derivation_digests(dataset)
    removed = {name.lower() for name in task.removed}
    entries = []
    with engine(dataset.path, threads=1) as connection:
        for name in load_derivations(dataset.layout_name).concepts:
            relation = Relation(schema_name=dataset.layout.derived_schema, name=name)
            path, digest = dataset.concept_path(name), digests["concept", name]
            if str(relation) not in removed and parquet_digest(connection, path) != digest:
                raise DatasetError(
                    f"the concept {name}, which {task.name} may see, is not built or out of date",
                    where=dataset.name,
                    fix=f"m4review data build --dataset {dataset.name} --task {task.name}",
                )
            entries.append(_Visible(relation, path, digest))
    return entries


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


def _link(file: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    try:
        os.link(file.resolve(), place)  # a rebuild replaces the file; the link keeps the one the run started with
    except OSError:
        place.symlink_to(file.resolve())
