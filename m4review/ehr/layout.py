"""Layouts: which tables a source database has, their columns and types. The definitions are data (``layouts/``)."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict, Field

from m4review.errors import DatasetError


class Relation(BaseModel):
    """A table, view or concept by its qualified name."""

    model_config = ConfigDict(frozen=True)

    schema_name: str
    name: str

    def __str__(self) -> str:
        return f"{self.schema_name}.{self.name}"


class SourceTable(BaseModel):
    """One table as published: ``folder`` on disk, ``schema_name`` in the database, DuckDB column types."""

    model_config = ConfigDict(frozen=True)

    folder: str
    schema_name: str
    name: str
    columns: dict[str, str]
    file: str = ""
    """The published file name without suffix, where it is not the table's name in other capitals or none."""
    order: tuple[str, ...]
    """Columns by which our Parquet rows are ordered, so that a filter on one stay or patient skips row groups."""
    key: tuple[str, ...] = ()
    """Columns that must be unique, where the rest of the layout relies on it."""

    @property
    def relation(self) -> Relation:
        return Relation(schema_name=self.schema_name, name=self.name)

    @property
    def source_path(self) -> str:
        """``hosp/admissions``: the place below a source folder, without suffix."""
        return f"{self.folder}/{self.file_name}" if self.folder else self.file_name

    @property
    def file_name(self) -> str:
        """``admissions``, ``nurseCharting``: the published file's name without suffix."""
        return self.file or self.name


def _resource_name(layout: str) -> str:
    return layout.replace("-", "_")


class Layout(BaseModel):
    """One database layout."""

    model_config = ConfigDict(frozen=True)

    name: str
    null_strings: tuple[str, ...]
    """Texts of a CSV cell that mean missing. The text ``None`` is a value."""
    derived_schema: str
    tables: tuple[SourceTable, ...] = Field(min_length=1)

    @property
    def resources(self) -> str:
        """Folder name of the layout's SQL files."""
        return _resource_name(self.name)

    @property
    def source_schemas(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(table.schema_name for table in self.tables))

    def table(self, relation: Relation) -> SourceTable | None:
        """The source table of that qualified name, if the layout has it."""
        return next((table for table in self.tables if table.relation == relation), None)


def layout_names() -> tuple[str, ...]:
    """The layouts this version can hold, sorted."""
    folder = files("m4review.ehr") / "layouts"
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")))


@cache
def load_layout(name: str) -> Layout:
    """The layout of that name.

    Raises:
        DatasetError: this version does not have it.
    """
    if name not in layout_names():
        raise DatasetError(
            f"no layout {name!r}",
            expected="one of " + ", ".join(layout_names()),
        )
    raw = tomllib.loads((files("m4review.ehr") / "layouts" / f"{name}.toml").read_text(encoding="utf-8"))
    folders: dict[str, str] = raw.pop("folders")
    tables = tuple(
        SourceTable(folder=folder, schema_name=folders[folder], name=table, **definition)
        for folder, definitions in raw.pop("tables").items()
        for table, definition in definitions.items()
    )
    return Layout(tables=tables, **raw)
