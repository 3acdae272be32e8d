"""Building: every concept and reference that the tasks need, each as one Parquet file.

A derived file carries the digest of its query, of the DuckDB version and of everything it was made from. A build makes
only what is missing or whose digest changed, so an interrupted build goes on where it stopped. A concept that the
import took from the source is never made; what is derived from it carries the digest of its content.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import duckdb
from pydantic import BaseModel, ConfigDict

from m4review.ehr.dataset import Dataset, digest_of, is_unchanged
from m4review.ehr.derivations import Derivation, Derivations, Kind, load_derivations
from m4review.ehr.engine import (
    DIGEST_KEY,
    engine,
    identifier,
    parquet_digest,
    pin,
    quoted,
    remove_leftovers,
    working_places,
    write_parquet,
)
from m4review.ehr.layout import Relation
from m4review.ehr.lock import writing_lock
from m4review.ehr.progress import Listener, SideBySide, Stage, silent
from m4review.ehr.scheduling import work_through
from m4review.errors import DatasetError
from m4review.tasks import Task

STAGES: Mapping[Kind, Stage] = {"concept": "concepts", "reference": "references"}


class BuiltTable(BaseModel):
    """One concept or reference after a build. ``rows`` is ``None`` for a table that was already there.

    ``reused`` says that it was not made now; ``source`` names the source's derived table where it never is.
    """

    model_config = ConfigDict(frozen=True)

    kind: Kind
    name: str
    digest: str
    reused: bool
    rows: int | None = None
    seconds: float = 0.0
    source: str | None = None


class BuildReport(BaseModel):
    """What a build did, in order."""

    model_config = ConfigDict(frozen=True)

    dataset: str
    tables: tuple[BuiltTable, ...]
    lineage: str
    """As ``Dataset.lineage``."""

    @property
    def made(self) -> tuple[BuiltTable, ...]:
        return tuple(table for table in self.tables if not table.reused)

    @property
    def foreign(self) -> tuple[BuiltTable, ...]:
        """The concepts that are the source's own, not ours."""
        return tuple(table for table in self.tables if table.source is not None)


def build(
    dataset: Dataset,
    tasks: Iterable[Task],
    *,
    progress: Listener = silent,
    threads: int | None = None,
    memory: int | None = None,
    at_once: int | None = None,
) -> BuildReport:
    """Make the references of the tasks, the concepts behind them, and for standard tasks every concept they may see.

    Queries of which none reads the other are at work at the same time: one per thread and per GiB of memory, at most
    ``at_once``. That changes nothing of what they make.

    Raises:
        DatasetError: a task of another layout or with an unknown reference; a table missing or changed; another build
            at work; the disk full. Finished tables stay, unfinished ones leave nothing.
    """
    derivations = _derivations(dataset)
    references, concepts = _wanted(dataset, derivations, tuple(tasks))
    digests = derivation_digests(dataset)
    with writing_lock(dataset.path, "a build"):
        dataset.require_tables_unchanged()
        remove_leftovers(dataset.path)
        with engine(dataset.path, threads=threads, memory=memory) as connection:
            show_source_tables(connection, dataset)
            connection.execute(f"CREATE SCHEMA {identifier(derivations.layout.derived_schema)}")
            tables = _make_all(connection, dataset, derivations, (*concepts, *references), digests, progress, at_once)
    return BuildReport(dataset=dataset.name, tables=tables, lineage=dataset.lineage)


def derivation_digests(dataset: Dataset) -> Mapping[tuple[Kind, str], str]:
    """The digest that each concept and reference has when made from this dataset now."""
    derivations = _derivations(dataset)
    contents = {table.relation: table.sha256 for table in dataset.tables}
    digests: dict[tuple[Kind, str], str] = {}
    for derivation in (*derivations.concepts.values(), *derivations.references.values()):
        reused = dataset.reused_concept(derivation.name) if derivation.kind == "concept" else None
        if reused is not None:
            digests["concept", reused.name] = digest_of(["reused", reused.sha256])
            continue
        inputs = [
            digests["concept", read.name]
            if read.schema_name == derivations.layout.derived_schema
            else contents.get(read, "absent")
            for read in derivation.reads
        ]
        digests[derivation.kind, derivation.name] = digest_of([duckdb.__version__, derivation.sql, *inputs])
    return digests


def is_current_concept(
    connection: duckdb.DuckDBPyConnection, dataset: Dataset, name: str, path: Path, digest: str
) -> bool:
    """Whether the file at ``path`` is the concept of that digest, or the reused table that the manifest names."""
    reused = dataset.reused_concept(name)
    if reused is not None:  # carries no digest of ours: what counts is that it is the file of the manifest
        return path.is_file() and is_unchanged(reused, path)
    return parquet_digest(connection, path) == digest


def reference_path(dataset: Dataset, task: Task) -> Path:
    """The typed Parquet file with the expected output of the task, rows sorted by its keys.

    Raises:
        DatasetError: the task is of another layout, or the reference is not built or out of date.
    """
    require_layout(dataset, task)
    load_derivations(dataset.layout_name).reference(task.reference)
    path = dataset.reference_file(task.reference)
    _require_current(dataset, task, path)
    return path


def pin_reference(dataset: Dataset, task: Task, place: Path) -> Path:
    """Make ``place`` the task's reference as it is now, whatever a build does to it later, and return ``place``.

    Raises:
        DatasetError: as ``reference_path``.
        OSError: the place cannot be written.
    """
    pin(reference_path(dataset, task), place)
    _require_current(dataset, task, place)
    return place


def _require_current(dataset: Dataset, task: Task, path: Path) -> None:
    expected = derivation_digests(dataset)["reference", task.reference]
    with engine(dataset.path, threads=1) as connection:
        found = parquet_digest(connection, path)
    if found != expected:
        raise DatasetError(
            f"the reference of {task.name} is {'not built' if found is None else 'out of date'}",
            where=dataset.name,
            fix=f"m4review data build --dataset {dataset.name} --task {task.name}",
        )


def require_layout(dataset: Dataset, task: Task) -> None:
    """Check that the task asks for this kind of database.

    Raises:
        DatasetError: it asks for another.
    """
    if task.database != dataset.layout_name:
        raise DatasetError(
            f"the task {task.name} needs a dataset in {task.database} layout",
            where=dataset.name,
            expected=f"--dataset with layout {task.database}; this one is {dataset.layout_name}",
        )


def show_source_tables(connection: duckdb.DuckDBPyConnection, dataset: Dataset) -> None:
    """Make every source table visible under its qualified name."""
    for schema in dataset.layout.source_schemas:
        connection.execute(f"CREATE SCHEMA {identifier(schema)}")
    for table in dataset.tables:
        _show(connection, table.relation, dataset.table_path(table))


def _derivations(dataset: Dataset) -> Derivations:
    """The layout's queries; those of reused concepts read nothing, because they do not run."""
    known = load_derivations(dataset.layout_name)
    concepts = {
        name: concept if dataset.reused_concept(name) is None else replace(concept, reads=())
        for name, concept in known.concepts.items()
    }
    return replace(known, concepts=concepts)


def _wanted(
    dataset: Dataset, derivations: Derivations, tasks: tuple[Task, ...]
) -> tuple[tuple[Derivation, ...], tuple[Derivation, ...]]:
    for task in tasks:
        require_layout(dataset, task)
    names = dict.fromkeys(task.reference for task in tasks)
    references = tuple(derivations.reference(name) for name in names)
    if any(task.mode == "standard" for task in tasks):
        return references, tuple(derivations.concepts.values())
    return references, derivations.concepts_behind(references)


def _make_all(
    connection: duckdb.DuckDBPyConnection,
    dataset: Dataset,
    derivations: Derivations,
    wanted: tuple[Derivation, ...],
    digests: Mapping[tuple[Kind, str], str],
    progress: Listener,
    at_once: int | None,
) -> tuple[BuiltTable, ...]:
    """Each derivation after the concepts it reads, and side by side those of which none reads the other."""
    keys = {(derivation.kind, derivation.name): derivation for derivation in wanted}
    needs = {
        key: [(concept.kind, concept.name) for concept in derivations.concepts_read(derivation)]
        for key, derivation in keys.items()
    }
    cursors = working_places(connection)[:at_once]
    counts = SideBySide(progress, Counter(STAGES[derivation.kind] for derivation in wanted))

    def finished(key: tuple[Kind, str], table: BuiltTable) -> None:
        if table.kind == "concept":
            _show_concept(connection, dataset, table.name)
        counts.finished(STAGES[table.kind])

    def interrupt() -> None:
        for cursor in cursors:
            cursor.interrupt()

    made = work_through(
        needs,
        lambda key, place: _make(cursors[place], dataset, keys[key], digests),
        places=len(cursors),
        began=lambda key: counts.began(STAGES[key[0]], key[1]),
        finished=finished,
        interrupt=interrupt,
    )
    return tuple(made.values())


def _make(
    connection: duckdb.DuckDBPyConnection,
    dataset: Dataset,
    derivation: Derivation,
    digests: Mapping[tuple[Kind, str], str],
) -> BuiltTable:
    digest = digests[derivation.kind, derivation.name]
    is_concept = derivation.kind == "concept"
    reused = dataset.reused_concept(derivation.name) if is_concept else None
    if reused is not None:
        return BuiltTable(kind="concept", name=reused.name, digest=digest, reused=True, source=reused.source)
    path = dataset.concept_path(derivation.name) if is_concept else dataset.reference_file(derivation.name)
    if parquet_digest(connection, path) == digest:
        return BuiltTable(kind=derivation.kind, name=derivation.name, digest=digest, reused=True)
    started = time.perf_counter()
    try:
        rows = write_parquet(connection, derivation.sql, path, metadata={DIGEST_KEY: digest})
    except duckdb.Error as error:
        # only errors about names are told in full: others may quote a patient's value
        named = isinstance(error, duckdb.BinderException | duckdb.CatalogException)
        reason = str(error).splitlines()[0] if named else type(error).__name__
        raise DatasetError(
            f"the {derivation.kind} {derivation.name} cannot be made: {reason}", where=dataset.path
        ) from None
    seconds = time.perf_counter() - started
    return BuiltTable(
        kind=derivation.kind, name=derivation.name, digest=digest, reused=False, rows=rows, seconds=round(seconds, 3)
    )


def _show_concept(connection: duckdb.DuckDBPyConnection, dataset: Dataset, name: str) -> None:
    relation = Relation(schema_name=dataset.layout.derived_schema, name=name)
    _show(connection, relation, dataset.concept_path(name))


def _show(connection: duckdb.DuckDBPyConnection, relation: Relation, path: Path) -> None:
    name = f"{identifier(relation.schema_name)}.{identifier(relation.name)}"
    connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet({quoted(path)})")
