"""Making a changed schema: one Parquet file per table, once per dataset, only what is missing or out of date.

``<dataset>/schemas/<schema>[-<seed>]/`` holds the tables as ``<schema>/<table>.parquet``, the dictionary that
the agent is given, and for the host alone ``items.parquet`` with native and new item identifiers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

from m4review.ehr.building import derivation_digests, show_source_tables
from m4review.ehr.dataset import Dataset, digest_of, file_sha256
from m4review.ehr.engine import (
    DIGEST_KEY,
    engine,
    identifier,
    parquet_digest,
    quoted,
    remove_leftovers,
    write_parquet,
)
from m4review.ehr.layout import Relation
from m4review.ehr.lock import writing_lock
from m4review.ehr.progress import Listener, Progress, silent
from m4review.ehr.schemas.obfuscated import is_item_column
from m4review.ehr.schemas.plan import SchemaPlan, plan_schema
from m4review.ehr.schemas.table import CHANGED, ITEM_MAP, RewrittenTable, changed_name, sql_name
from m4review.errors import DatasetError
from m4review.textfile import write_text

FOLDER = "schemas"
DICTIONARY_FILE = "data_dictionary.json"
DICTIONARY_SCHEMA = "m4review.data-dictionary.v1"
ITEMS_FILE = "items.parquet"
FIRST_ITEM = 1_000_000
"""The lowest new item identifier: above every native one."""
MOST_ITEMS = 100_000
"""More than any dataset has."""


@dataclass(frozen=True, slots=True)
class RewriteReport:
    """What was made. ``made`` and ``kept`` count tables; ``size`` is in bytes."""

    dataset: str
    schema: str
    seed: int
    made: int
    kept: int
    rows: int
    size: int


@dataclass(frozen=True, slots=True)
class ChangedSchema:
    """A changed schema as it lies on disk. ``digests`` is per rewritten table, from its query and inputs."""

    plan: SchemaPlan
    folder: Path
    digests: Mapping[Relation, str]

    def file(self, relation: Relation) -> Path:
        """The Parquet file of a rewritten table."""
        return table_file(self.folder, relation)

    @property
    def dictionary(self) -> Path:
        """The file that says what each table and column holds."""
        return self.folder / DICTIONARY_FILE

    @property
    def digest(self) -> str:
        """SHA-256 (hex) over its name, seed, tables and dictionary."""
        tables = sorted(f"{relation} {digest}" for relation, digest in self.digests.items())
        return digest_of([self.plan.name, str(self.plan.seed), file_sha256(self.dictionary), *tables])


def rewrite_schema(
    dataset: Dataset,
    name: str,
    *,
    seed: int = 1,
    progress: Listener = silent,
    threads: int | None = None,
    memory: int | None = None,
) -> RewriteReport:
    """Make the schema, or what of it is missing or out of date. Concepts take part as far as they are built.

    Raises:
        DatasetError: as ``plan_schema``; a table changed; another command at work in the dataset; the disk full.
    """
    made = rows = 0
    with writing_lock(dataset.path, "a schema"), engine(dataset.path, threads=threads, memory=memory) as connection:
        dataset.require_tables_unchanged()
        remove_leftovers(dataset.path)
        plan = plan_schema(connection, dataset, name, seed)
        folder = dataset.path / FOLDER / plan.folder
        _show_natives(connection, dataset, plan)
        if plan.seed:
            _make_items(connection, plan, folder)
        digests = _digests(dataset, plan)
        for number, table in enumerate(plan.tables):
            progress(Progress(stage="schema", item=str(table.relation), done=number, total=len(plan.tables)))
            path = table_file(folder, table.relation)
            if parquet_digest(connection, path) != digests[table.relation]:
                rows += write_parquet(connection, table.query, path, metadata={DIGEST_KEY: digests[table.relation]})
                made += 1
        _remove_strangers(folder, plan)
        write_text(folder / DICTIONARY_FILE, _dictionary(connection, plan, folder))
        (folder / DICTIONARY_FILE).chmod(0o644)
    size = sum(table_file(folder, table.relation).stat().st_size for table in plan.tables)
    return RewriteReport(dataset.name, name, plan.seed, made, len(plan.tables) - made, rows, size)


def open_schema(dataset: Dataset, name: str, *, seed: int = 1) -> ChangedSchema:
    """The schema as it was made.

    Raises:
        DatasetError: it was not made, or is out of date.
    """
    with engine(dataset.path, threads=1) as connection:
        plan = plan_schema(connection, dataset, name, seed)
        folder = dataset.path / FOLDER / plan.folder
        digests = _digests(dataset, plan)
        for table in plan.tables:
            found = parquet_digest(connection, table_file(folder, table.relation))
            if found != digests[table.relation]:
                seeded = f" --seed {plan.seed}" if plan.seed else ""
                raise DatasetError(
                    f"the {name} schema is {'not made' if found is None else 'out of date'}",
                    where=dataset.name,
                    fix=f"m4review data schema {name} --dataset {dataset.name}{seeded}",
                )
    return ChangedSchema(plan, folder, digests)


def changed_items(dataset: Dataset, seed: int) -> frozenset[int]:
    """The item identifiers of an obfuscated schema; none when it was not made."""
    path = dataset.path / FOLDER / f"obfuscated-{seed}" / ITEMS_FILE
    if not path.is_file():
        return frozenset()
    with engine(dataset.path, threads=1) as connection:
        rows = connection.execute(f"SELECT other FROM read_parquet({quoted(path)})").fetchall()
    return frozenset(int(row[0]) for row in rows)


@contextmanager
def native_views(dataset: Dataset, schema: ChangedSchema) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection in which every native table of the plan is a view over the changed schema."""
    with engine(dataset.path) as connection:
        connection.execute(f"ATTACH ':memory:' AS {CHANGED}")
        for table in schema.plan.tables:
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {CHANGED}.{identifier(table.relation.schema_name)}")
            source = f"read_parquet({quoted(schema.file(table.relation))})"
            connection.execute(f"CREATE VIEW {changed_name(table.relation)} AS SELECT * FROM {source}")
        if schema.plan.seed:
            items = quoted(schema.folder / ITEMS_FILE)
            connection.execute(f"CREATE TABLE {ITEM_MAP} AS SELECT * FROM read_parquet({items})")
        for relation, query in schema.plan.inverse.items():
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {identifier(relation.schema_name)}")
            connection.execute(f"CREATE VIEW {sql_name(relation)} AS {query}")
        yield connection


def table_file(folder: Path, relation: Relation) -> Path:
    """Where a rewritten table lies below a schema's folder."""
    return folder / relation.schema_name / f"{relation.name}.parquet"


def _show_natives(connection: duckdb.DuckDBPyConnection, dataset: Dataset, plan: SchemaPlan) -> None:
    show_source_tables(connection, dataset)
    derived = dataset.layout.derived_schema
    connection.execute(f"CREATE SCHEMA {identifier(derived)}")
    for native in plan.natives:
        if native.relation.schema_name == derived:
            path = dataset.concept_path(native.relation.name)
            connection.execute(f"CREATE VIEW {native.sql} AS SELECT * FROM read_parquet({quoted(path)})")


def _make_items(connection: duckdb.DuckDBPyConnection, plan: SchemaPlan, folder: Path) -> None:
    """Every item identifier of the dataset with its stand-in, drawn from the seed."""
    columns = [(native, column) for native in plan.natives for column in native.columns if is_item_column(column)]
    found = "\nUNION ".join(f"SELECT {identifier(column)} AS native FROM {native.sql}" for native, column in columns)
    found = found or "SELECT NULL::INTEGER AS native"
    connection.execute(
        f"CREATE TABLE {ITEM_MAP} AS SELECT native::INTEGER AS native, "
        f"({FIRST_ITEM} + row_number() OVER (ORDER BY md5('{plan.seed}:' || native), native))::INTEGER AS other\n"
        f"FROM (SELECT DISTINCT native FROM ({found}) WHERE native IS NOT NULL)"
    )
    write_parquet(connection, f"SELECT * FROM {ITEM_MAP} ORDER BY native", folder / ITEMS_FILE)


def _digests(dataset: Dataset, plan: SchemaPlan) -> dict[Relation, str]:
    contents = {table.relation: table.sha256 for table in dataset.tables}
    derived = derivation_digests(dataset)

    def content(relation: Relation) -> str:
        return contents[relation] if relation in contents else derived["concept", relation.name]

    items = dataset.digest if plan.seed else ""
    return {
        table.relation: digest_of(
            [duckdb.__version__, table.query, items, *(content(read) for read in table.made_from)]
        )
        for table in plan.tables
    }


def _remove_strangers(folder: Path, plan: SchemaPlan) -> None:
    """Tables of an earlier plan; nothing of the plan in force is touched."""
    wanted = {table_file(folder, table.relation) for table in plan.tables} | {folder / ITEMS_FILE}
    for path in folder.rglob("*.parquet"):
        if path not in wanted:
            path.unlink()


def _dictionary(connection: duckdb.DuckDBPyConnection, plan: SchemaPlan, folder: Path) -> str:
    entries = [
        _entry(connection, table, folder) for table in sorted(plan.tables, key=lambda table: str(table.relation))
    ]
    return json.dumps({"schema": DICTIONARY_SCHEMA, "tables": entries}, indent=1) + "\n"


def _entry(connection: duckdb.DuckDBPyConnection, table: RewrittenTable, folder: Path) -> dict[str, object]:
    path = table_file(folder, table.relation)
    kinds = connection.execute(f"DESCRIBE SELECT * FROM read_parquet({quoted(path)})").fetchall()
    return {
        "table": str(table.relation),
        "a row is": table.about,
        "columns": {str(row[0]): {"type": str(row[1]), "holds": table.columns[str(row[0])]} for row in kinds},
    }
