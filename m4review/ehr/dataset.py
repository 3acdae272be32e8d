"""Datasets: a source database kept as Parquet, one folder each under the data home.

``<data home>/<name>/`` holds ``manifest.json``, the source tables as ``<schema>/<table>.parquet``, and what was built
from them as ``concepts/<concept>.parquet`` and ``references/<reference>.parquet``. Derived tables that were taken from
the source lie under the derived schema's name. The manifest is written last and the folder renamed into place, so a
folder with that name is a whole dataset.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from m4review.ehr.layout import Layout, Relation, load_layout
from m4review.ehr.lock import LOCK_FILE, writing_lock
from m4review.errors import DatasetError, TextFileError, one_of
from m4review.textfile import read_text, write_text

MANIFEST_FILE = "manifest.json"
MANIFEST_SCHEMA = "m4review.dataset.v1"
CONCEPTS, REFERENCES = "concepts", "references"
STAGING_PREFIX = ".staging-"
STAY_TABLES = frozenset({"icustays", "patient"})
"""The table with one row per ICU stay, in whichever layout."""
LINEAGE = "mimic-code-concepts"
"""The public concept definitions that our queries follow; a second accepted reference will carry another name."""
REUSED_MARK = "+reused:"
"""Stands in the lineage of a dataset whose concepts are not all ours."""
NAME_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class TableFile(BaseModel):
    """One source table as stored. ``columns`` maps names to DuckDB types, in file order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_name: str
    name: str
    rows: int
    size: int
    """Bytes on disk."""
    modified_ns: int
    sha256: str
    columns: dict[str, str]
    published: bool | None = None
    """Whether the source file agreed with a published checksum: ``False`` where the list does not name the file,
    ``None`` where there was no list."""

    @property
    def relation(self) -> Relation:
        return Relation(schema_name=self.schema_name, name=self.name)


class ReusedConcept(TableFile):
    """A derived table of the source that stands in the place of our concept of that name."""

    source: str
    """``mimiciv_derived.gcs in mimic.duckdb``, ``mimiciv_derived/gcs.parquet``."""


class Origin(BaseModel):
    """Where the rows come from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["synthetic", "import"]
    stays: int | None = None
    seed: int | None = None
    format: str | None = None
    version: str | None = None
    """The published version, where the source folder's name says it: ``3.1``, ``demo 2.2``."""


class Dataset(BaseModel):
    """One dataset on disk."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_id: Literal["m4review.dataset.v1"] = Field(default="m4review.dataset.v1", alias="schema")
    name: str
    layout_name: str
    origin: Origin
    tables: tuple[TableFile, ...]
    reused: tuple[ReusedConcept, ...] = ()
    """Concepts that are not ours: taken from the source, because the import was told to."""
    not_reused: dict[str, str] = {}
    """Concept → why the source's derived table of that name was not taken."""
    path: Path = Field(exclude=True)

    @property
    def layout(self) -> Layout:
        return load_layout(self.layout_name)

    @property
    def synthetic(self) -> bool:
        """Whether no row comes from a patient."""
        return self.origin.kind == "synthetic"

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the content of what was imported; what a run record names."""
        taken = (*self.tables, *self.reused)
        return digest_of([self.layout_name, *sorted(f"{table.relation} {table.sha256}" for table in taken)])

    @property
    def lineage(self) -> str:
        """Whose definitions the references follow: ``LINEAGE``, and never that alone where a concept is reused.

        ``mimic-code-concepts+reused:`` is followed by the beginning of a SHA-256 over the reused tables' names and
        content.
        """
        if not self.reused:
            return LINEAGE
        content = digest_of(sorted(f"{table.name} {table.sha256}" for table in self.reused))
        return f"{LINEAGE}{REUSED_MARK}{content[:12]}"

    @property
    def size(self) -> int:
        """Bytes of the source tables."""
        return sum(table.size for table in self.tables)

    def built_size(self) -> int:
        """Bytes of the concepts, reused ones too, and references on disk."""
        folders = (self.path / CONCEPTS, self.path / self.layout.derived_schema, self.path / REFERENCES)
        return sum(path.stat().st_size for folder in folders for path in folder.glob("*.parquet"))

    def stays(self) -> int:
        """Number of ICU stays."""
        return next((table.rows for table in self.tables if table.name in STAY_TABLES), 0)

    def table(self, relation: Relation) -> TableFile | None:
        """The source table of that qualified name, if the dataset has it."""
        return next((table for table in self.tables if table.relation == relation), None)

    def table_path(self, table: TableFile) -> Path:
        return self.path / table.schema_name / f"{table.name}.parquet"

    def reused_concept(self, name: str) -> ReusedConcept | None:
        """The table of the source that stands for the concept, if it is not ours."""
        return next((table for table in self.reused if table.name == name), None)

    def concept_path(self, name: str) -> Path:
        reused = self.reused_concept(name)
        if reused is not None:
            return self.table_path(reused)
        return self.path / CONCEPTS / f"{name}.parquet"

    def reference_file(self, name: str) -> Path:
        return self.path / REFERENCES / f"{name}.parquet"

    def built_concepts(self) -> list[str]:
        """Names of our own concepts on disk, sorted, up to date or not."""
        return sorted(path.stem for path in (self.path / CONCEPTS).glob("*.parquet"))

    def built_references(self) -> list[str]:
        """Names of the references on disk, sorted, up to date or not."""
        return sorted(path.stem for path in (self.path / REFERENCES).glob("*.parquet"))

    def require_tables_unchanged(self) -> None:
        """Check that the stored tables are the ones of the manifest.

        Raises:
            DatasetError: a table is gone or was changed behind our back.
        """
        for table in (*self.tables, *self.reused):
            path = self.table_path(table)
            try:
                unchanged = is_unchanged(table, path)
            except OSError:
                raise DatasetError("the table is gone", where=path, fix=_again(self.name)) from None
            if not unchanged:
                raise DatasetError("the table changed since it was stored", where=path, fix=_again(self.name))


def is_unchanged(table: TableFile, path: Path) -> bool:
    """Whether the file at ``path``, which is there, is the stored one by its size and time."""
    status = path.stat()
    return (status.st_size, status.st_mtime_ns) == (table.size, table.modified_ns)


def digest_of(parts: Iterable[str]) -> str:
    """SHA-256 (hex) of a list of texts, unambiguous about where each ends."""
    return hashlib.sha256(json.dumps(list(parts)).encode()).hexdigest()


def file_sha256(path: Path) -> str:
    """SHA-256 (hex) of a file of any size."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def open_dataset(data_home: Path, name: str) -> Dataset:
    """The dataset of that name.

    Raises:
        DatasetError: there is none, or its manifest cannot be understood.
    """
    folder = data_home / require_name(name)
    if not (folder / MANIFEST_FILE).is_file():
        there = [dataset.name for dataset in list_datasets(data_home)]
        raise DatasetError(
            f"no dataset {name!r}",
            where=data_home,
            expected=one_of(name, there) if there else "there are none yet",
            fix=f"make one: m4review data synth --layout mimic-iv --stays 300 --seed 1 --name {name}",
        )
    return _read(folder)


def list_datasets(data_home: Path) -> tuple[Dataset, ...]:
    """Every whole dataset, sorted by name. Unreadable ones raise, because nobody should overlook them."""
    if not data_home.is_dir():
        return ()
    folders = sorted(path for path in data_home.iterdir() if not path.name.startswith("."))
    return tuple(_read(folder) for folder in folders if (folder / MANIFEST_FILE).is_file())


def list_unfinished(data_home: Path) -> dict[str, int]:
    """Name → bytes on disk of what imports that did not end left behind, sorted by name.

    Linked tables of the source count with their size; an import that is at work is among them.
    """
    folders = sorted(folder for folder in data_home.glob(f"{STAGING_PREFIX}*") if folder.is_dir())
    files = {folder: [path for path in folder.rglob("*") if path.is_file()] for folder in folders}
    return {
        folder.name.removeprefix(STAGING_PREFIX): sum(path.stat().st_size for path in stored)
        for folder, stored in files.items()
        if any(path.name != LOCK_FILE for path in stored)
    }


def remove_dataset(data_home: Path, name: str) -> None:
    """Delete the dataset with all that was built from it, or what an interrupted import of that name left.

    Raises:
        DatasetError: there is none, or something is at work in it.
    """
    whole, unfinished = data_home / require_name(name), data_home / f"{STAGING_PREFIX}{name}"
    folders = [folder for folder in (whole, unfinished) if folder.is_dir()]
    if not folders:
        there = [*(dataset.name for dataset in list_datasets(data_home)), *list_unfinished(data_home)]
        raise DatasetError(
            f"no dataset {name!r}",
            where=data_home,
            expected=one_of(name, there) if there else "there are none, so there is nothing to remove",
        )
    for folder in folders:
        with writing_lock(folder, "a removal"):
            (folder / MANIFEST_FILE).unlink(missing_ok=True)
        shutil.rmtree(folder)


def require_name(name: str) -> str:
    """The name, if it may name a folder.

    Raises:
        DatasetError: it may not.
    """
    if not NAME_PATTERN.fullmatch(name):
        raise DatasetError(
            f"{name!r} is not a dataset name",
            expected="letters, digits, '.', '_' and '-', starting with a letter or digit, at most 64 characters",
        )
    return name


def write_manifest(dataset: Dataset) -> None:
    """Store the manifest in the dataset's folder."""
    write_text(dataset.path / MANIFEST_FILE, dataset.model_dump_json(by_alias=True, indent=1) + "\n")


def _read(folder: Path) -> Dataset:
    path = folder / MANIFEST_FILE
    try:
        values = json.loads(read_text(path, max_bytes=10_000_000).text)
        return Dataset.model_validate({**values, "path": folder})
    except (TextFileError, ValueError, TypeError, ValidationError) as error:
        reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise DatasetError(
            f"the manifest cannot be understood: {reason}",
            where=path,
            expected=MANIFEST_SCHEMA,
            fix=_again(folder.name),
        ) from None


def _again(name: str) -> str:
    return f"remove the dataset ('m4review data rm {name}') and make it again"
