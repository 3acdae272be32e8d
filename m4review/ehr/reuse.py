"""Derived tables of a source, taken in the place of our own concepts: only when asked for, and always labelled.

Such tables may follow another version of the public definitions. A table is taken under the name of our concept if it
has every column that one of our queries reads, with a type that fits, and one row per grain where the grain is known;
its further columns are kept out. Everything else is made by our own queries, the references always.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path

import duckdb

from m4review.ehr.dataset import Dataset, ReusedConcept, write_manifest
from m4review.ehr.derivations import load_derivations
from m4review.ehr.engine import identifier
from m4review.ehr.layout import Layout, SourceTable
from m4review.ehr.lock import writing_lock
from m4review.ehr.requirements import column_readers, make_empty
from m4review.ehr.sourcedatabase import attached_tables, described
from m4review.ehr.sourcefile import SourceFile, column_problems, open_file, place_of
from m4review.ehr.storing import store_table
from m4review.errors import DatasetError

NOT_ASKED = "left alone: it was not asked for"
GIVEN_UP = "given up for our own"
GRAIN_FILE = "grain.toml"
FIRST_IN_ORDER = ("stay_id", "hadm_id", "subject_id")
"""Columns that come first in the row order, so that a filter on one stay or patient skips row groups."""


def offered_concepts(connection: duckdb.DuckDBPyConnection, layout: Layout, source: Path) -> tuple[SourceTable, ...]:
    """Our concepts of which the source's derived schema has a table, whatever it holds.

    A database as ``source`` is attached already.
    """
    tables = concept_tables(layout.name)
    if source.is_file():
        there = attached_tables(connection)
        return tuple(table for table in tables if (table.schema_name.lower(), table.name) in there)
    return tuple(table for table in tables if place_of(source, table) is not None)


def require_offered(layout: Layout, source: Path, offered: tuple[SourceTable, ...]) -> None:
    """Check that there is something to reuse.

    Raises:
        DatasetError: the layout has no concepts, or the source no table of one.
    """
    if not load_derivations(layout.name).concepts:
        raise DatasetError(
            f"the layout {layout.name} has no concepts, so no derived table can be reused",
            where=source,
            fix="import without --reuse-derived",
        )
    if not offered:
        schema = layout.derived_schema
        raise DatasetError(
            f"there is no table of a concept in {schema} to reuse",
            where=source,
            expected=f"the schema {schema} in the database"
            if source.is_file()
            else f"files such as {schema}/{next(iter(load_derivations(layout.name).concepts))}.parquet or .csv.gz",
            fix="import without --reuse-derived: every concept is then made from the source tables",
        )


def usable_file(
    connection: duckdb.DuckDBPyConnection, layout: Layout, source: Path, table: SourceTable
) -> SourceFile | str:
    """The table's file, with only the columns that are taken; or why it cannot be the concept, in one line."""
    try:
        file = _open(connection, source, table)
        wrong = {column: f"{found}, not {expected}" for column, found, expected in column_problems(connection, file)}
    except DatasetError as error:
        return _reason(error)
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error:
        return "it cannot be read"
    problem = _unusable_column(layout, file, wrong)
    if problem is not None:
        return problem
    columns = {name: column for name, column in file.columns.items() if name not in wrong}
    kept = {name: kind for name, kind in table.columns.items() if name in columns}
    return replace(file, table=table.model_copy(update={"columns": kept}), columns=columns)


def take_concept(
    connection: duckdb.DuckDBPyConnection,
    layout: Layout,
    file: SourceFile,
    staging: Path,
    watch: Callable[[float], None],
) -> ReusedConcept | str:
    """Store the table as the concept of its name; or why its rows cannot be, in one line.

    Raises:
        DatasetError: the disk is full or not writable.
    """
    try:
        stored = store_table(connection, layout, file, staging, watch, in_any_order=True)
    except DatasetError as error:
        if error.where != str(file.path):
            raise
        return _reason(error)
    place = f"{file.table.relation} in {file.path.name}" if file.relation else f"{file.table.folder}/{file.path.name}"
    return ReusedConcept(**stored.model_dump(), source=place)


def columns_left_out(dataset: Dataset, reused: ReusedConcept) -> list[str]:
    """The columns of our concept that the table in its place lacks, in our order; no query reads them."""
    ours = next(table for table in concept_tables(dataset.layout_name) if table.name == reused.name)
    return [column for column in ours.columns if column not in reused.columns]


def use_own_concepts(dataset: Dataset) -> Dataset:
    """The dataset without its reused tables, which are removed from disk; a build makes our own in their place.

    Raises:
        DatasetError: something is at work in the dataset.
    """
    given_up = dict.fromkeys((concept.name for concept in dataset.reused), GIVEN_UP)
    own = dataset.model_copy(update={"reused": (), "not_reused": {**dataset.not_reused, **given_up}})
    with writing_lock(dataset.path, "a build"):
        write_manifest(own)
        shutil.rmtree(dataset.path / dataset.layout.derived_schema, ignore_errors=True)
    return own


@cache
def concept_tables(layout_name: str) -> tuple[SourceTable, ...]:
    """Each concept of the layout as a table with the columns, types and grain that our own query gives it."""
    derivations = load_derivations(layout_name)
    layout = derivations.layout
    grains = _grains(layout)
    tables = []
    with duckdb.connect(":memory:") as probe:
        make_empty(probe, derivations)
        for name in derivations.concepts:
            relation = f"{identifier(layout.derived_schema)}.{identifier(name)}"
            columns = {str(row[0]): str(row[1]) for row in probe.execute(f"DESCRIBE {relation}").fetchall()}
            tables.append(
                SourceTable(
                    folder=layout.derived_schema,
                    schema_name=layout.derived_schema,
                    name=name,
                    columns=columns,
                    order=tuple(sorted(grains.get(name, columns), key=_place_in_order)),  # one order, whatever it was
                    key=grains.get(name, ()),
                )
            )
    return tuple(tables)


def _reason(error: DatasetError) -> str:
    """The error without its place: the file is named beside it."""
    return f"{error.what}; expected {error.expected}" if error.expected else error.what


def _place_in_order(column: str) -> int:
    return FIRST_IN_ORDER.index(column) if column in FIRST_IN_ORDER else len(FIRST_IN_ORDER)


def _grains(layout: Layout) -> dict[str, tuple[str, ...]]:
    path = files("m4review.ehr") / "concepts" / layout.resources / GRAIN_FILE
    if not path.is_file():  # a layout without concepts
        return {}
    return {name: tuple(key) for name, key in tomllib.loads(path.read_text(encoding="utf-8")).items()}


def _open(connection: duckdb.DuckDBPyConnection, source: Path, table: SourceTable) -> SourceFile:
    if source.is_file():
        place = attached_tables(connection)[table.schema_name.lower(), table.name]
        return described(connection, table, place, source)
    found = place_of(source, table)
    if found is None:
        raise DatasetError("the file is gone", where=source / table.source_path)
    return open_file(connection, table, *found)


def _unusable_column(layout: Layout, file: SourceFile, wrong: dict[str, str]) -> str | None:
    derivations = load_derivations(layout.name)
    for column in file.table.columns:
        if column in file.columns and column not in wrong:
            continue
        readers = column_readers(derivations, file.table, column)
        if not readers and column not in file.table.key:
            continue
        what = f"the column {column} is {wrong.get(column, 'missing')}"
        return (
            f"{what}; read by {', '.join(reader.name for reader in readers)}" if readers else f"{what}; it names a row"
        )
    return None
