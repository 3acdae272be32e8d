"""The plan of a changed schema: which tables it has, how each is made, and how the native ones come back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import duckdb

from m4review.ehr.building import derivation_digests, is_current_concept
from m4review.ehr.dataset import Dataset
from m4review.ehr.derivations import load_derivations
from m4review.ehr.engine import quoted
from m4review.ehr.layout import Relation
from m4review.ehr.schemas.obfuscated import obfuscated_tables
from m4review.ehr.schemas.restructured import restructured_tables
from m4review.ehr.schemas.table import NativeTable, NewPlace, RewrittenTable
from m4review.errors import DatasetError, one_of

SchemaName = Literal["obfuscated", "restructured"]
SCHEMA_NAMES: tuple[SchemaName, ...] = ("obfuscated", "restructured")
LAYOUT = "mimic-iv"


@dataclass(frozen=True, slots=True)
class SchemaPlan:
    """A changed schema of one dataset. ``seed`` is 0 where nothing is drawn."""

    name: SchemaName
    seed: int
    natives: tuple[NativeTable, ...]
    tables: tuple[RewrittenTable, ...]
    inverse: Mapping[Relation, str]
    """Native table → query over the rewritten ones that gives it back, row for row."""
    places: Mapping[Relation, NewPlace]
    """Native table → where its rows are found, and under which names."""

    @property
    def folder(self) -> str:
        """Name of its folder below the dataset's ``schemas``."""
        return f"{self.name}-{self.seed}" if self.seed else self.name


def plan_schema(connection: duckdb.DuckDBPyConnection, dataset: Dataset, name: str, seed: int) -> SchemaPlan:
    """Plan the schema of that name for the tables that the dataset has and the concepts that are built and up to date.

    Raises:
        DatasetError: no such schema, a dataset in another layout, or a seed that gives two names the same stand-in.
    """
    if name not in SCHEMA_NAMES:
        raise DatasetError(f"no schema {name!r}", expected=one_of(name, SCHEMA_NAMES))
    if dataset.layout_name != LAYOUT:
        raise DatasetError(
            f"only {LAYOUT} datasets have changed schemas",
            where=dataset.name,
            expected=f"a dataset in {LAYOUT} layout; this one is {dataset.layout_name}",
        )
    if name == "obfuscated" and seed < 1:
        raise DatasetError(
            "the obfuscated schema needs a seed above 0", where=dataset.name, expected="--seed 1 or more"
        )
    natives = _natives(connection, dataset)
    if name == "obfuscated":
        return SchemaPlan("obfuscated", seed, natives, *obfuscated_tables(natives, seed))
    return SchemaPlan("restructured", 0, natives, *restructured_tables(natives))


def _natives(connection: duckdb.DuckDBPyConnection, dataset: Dataset) -> tuple[NativeTable, ...]:
    natives = []
    for table in dataset.tables:
        known = dataset.layout.table(table.relation)
        order = tuple(column for column in (known.order if known else ()) if column in table.columns)
        natives.append(NativeTable(table.relation, table.columns, order))
    digests = derivation_digests(dataset)
    for concept in load_derivations(dataset.layout_name).concepts:
        path = dataset.concept_path(concept)
        if not is_current_concept(connection, dataset, concept, path, digests["concept", concept]):
            continue
        rows = connection.execute(f"DESCRIBE SELECT * FROM read_parquet({quoted(path)})").fetchall()
        relation = Relation(schema_name=dataset.layout.derived_schema, name=concept)
        natives.append(NativeTable(relation, {str(row[0]): str(row[1]) for row in rows}, ()))
    return tuple(natives)
