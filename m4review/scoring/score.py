"""The result of scoring: reward, columns, keys and strict checks, ready for JSON."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

ColumnKind = Literal["number", "timestamp", "text"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ColumnScore(_Part):
    """One scored column. ``rate`` = matched ÷ denominator, rounded to 8 decimals."""

    name: str
    kind: ColumnKind
    """How the reference types it, which decides how cells are compared."""
    tolerance: float
    """Accepted difference, in the column's unit or in seconds; meaningless for text."""
    present: bool
    """Whether the output has the column; without it every cell is a mismatch."""
    matched: int
    denominator: int
    """Reference rows + extra output keys + duplicate output keys."""
    rate: float
    nmae: float | None
    """Mean absolute error over the rows whose key was given, divided by the reference's range, each at most 1."""


class KeyScore(_Part):
    """How the output's keys meet the reference's. ``output_rows`` = ``matched`` + ``extra`` + ``duplicate``."""

    reference_rows: int
    output_rows: int
    matched: int
    missing: int
    """Reference keys that the output lacks."""
    extra: int
    """Distinct output keys that the reference lacks; a malformed key is one each time."""
    duplicate: int
    """Output rows that repeat an earlier row's key."""
    malformed: int
    """Output rows with a key cell that is no value of the reference's type; part of ``extra``."""
    precision: float
    """matched ÷ distinct output keys; 0 without any."""
    recall: float
    """matched ÷ reference rows."""
    f1: float


class StrictCheck(_Part):
    """One pass/fail diagnostic, separate from the reward. ``detail`` gives the figures, never a cell's value."""

    name: str
    passed: bool
    detail: str
    value: float | None = None
    threshold: float | None = None


class Score(_Part):
    """What one output is worth against one reference."""

    reward: float
    """Mean of the scored columns' rates, 0 to 1."""
    columns: tuple[ColumnScore, ...]
    keys: KeyScore
    ordered_nmae: float | None
    """Mean of the numeric columns' ``nmae``; ``None`` without a numeric column or without a matched key."""
    checks: tuple[StrictCheck, ...]
    output_sha256: str
    reference_sha256: str

    @property
    def passed(self) -> bool:
        """Whether every strict check passed."""
        return all(check.passed for check in self.checks)

    def column(self, name: str) -> ColumnScore:
        """The scored column of that name (``KeyError`` when it is not scored)."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)
