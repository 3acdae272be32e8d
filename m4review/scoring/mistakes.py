"""Counts of how a stage or score was mistaken, as they are kept and shown: in aggregate, small counts hidden."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

SMALLEST = 10
"""A count from 1 up to one less than this is hidden."""


class Confusion(BaseModel):
    """Counts of a column: ``counts[i][j]`` rows of ``reference[i]`` were given as ``given[j]``; ``None`` is hidden."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    column: str
    reference: tuple[str, ...]
    """Levels of the reference in their order; ``(no such row)`` stands for keys that the reference lacks."""
    given: tuple[str, ...]
    """The same levels, then what else an output may say: another value, none that can be read, no row at all."""
    counts: tuple[tuple[int | None, ...], ...]
    band: int | None
    """Width of the bands that a whole number was put into; ``None`` where every level stands alone."""
    smallest: int = SMALLEST
    """Counts from 1 up to one less than this are hidden."""
