"""Coverage: which levels of the scored columns a dataset's expected outputs reach, and which never."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from decimal import Decimal
from importlib.resources import files

import duckdb
from pydantic import BaseModel, ConfigDict

from m4review.ehr.building import reference_path, require_layout
from m4review.ehr.dataset import Dataset
from m4review.ehr.engine import engine, identifier, quoted
from m4review.tasks import Task

MAX_LEVELS = 40
"""A column with more distinct values is told by its range."""


class LevelCount(BaseModel):
    """One value of a column and how many rows have it. ``value`` is ``None`` for missing cells."""

    model_config = ConfigDict(frozen=True)

    value: str | None
    rows: int


class ColumnCoverage(BaseModel):
    """What one scored column of an expected output holds. ``levels`` is empty for a column told by its range."""

    model_config = ConfigDict(frozen=True)

    reference: str
    column: str
    rows: int
    missing: int
    distinct: int
    levels: tuple[LevelCount, ...]
    never: tuple[str, ...]
    """Levels that the column can take and no row has."""


def coverage(dataset: Dataset, tasks: Iterable[Task]) -> tuple[ColumnCoverage, ...]:
    """The scored columns of every built reference of the tasks, each reference once.

    Only counts leave this function for a synthetic dataset; for an imported one the values of columns without known
    levels are left out too, because a rare value can point to a patient.

    Raises:
        DatasetError: a task of another layout, or a reference that is not built or out of date.
    """
    known = known_levels(dataset.layout_name)
    by_reference: dict[str, Task] = {}
    for task in tasks:
        require_layout(dataset, task)
        by_reference.setdefault(task.reference, task)
    with engine(dataset.path) as connection:
        return tuple(
            _column(connection, dataset, task, column, known.get(reference, {}).get(column))
            for reference, task in by_reference.items()
            for column in task.output.scored_columns
        )


def known_levels(layout_name: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """Every level that a column can take, as text, by reference and column."""
    file = files("m4review.ehr") / "levels" / f"{layout_name.replace('-', '_')}.toml"
    if not file.is_file():
        return {}
    listed = tomllib.loads(file.read_text(encoding="utf-8"))
    return {
        reference: {column: tuple(str(level) for level in levels) for column, levels in columns.items()}
        for reference, columns in listed.items()
    }


def _column(
    connection: duckdb.DuckDBPyConnection, dataset: Dataset, task: Task, column: str, known: tuple[str, ...] | None
) -> ColumnCoverage:
    source, name = f"read_parquet({quoted(reference_path(dataset, task))})", identifier(column)
    counted = connection.execute(f"SELECT {name}, count(*) FROM {source} GROUP BY ALL ORDER BY ALL").fetchall()
    missing = sum(rows for value, rows in counted if value is None)
    texts = {None if value is None else _level_text(value): rows for value, rows in counted}
    shown = len(counted) <= MAX_LEVELS and (dataset.synthetic or known is not None)
    return ColumnCoverage(
        reference=task.reference,
        column=column,
        rows=sum(rows for _, rows in counted),
        missing=missing,
        distinct=len(counted) - (missing > 0),
        levels=tuple(LevelCount(value=value, rows=rows) for value, rows in texts.items()) if shown else (),
        never=tuple(level for level in known or () if level not in texts),
    )


def _level_text(value: object) -> str:
    """Whole numbers of any type alike: the levels are listed as 15, a total of decimals may hold 15.000."""
    return str(int(value)) if isinstance(value, float | Decimal) and value == value // 1 else str(value)
