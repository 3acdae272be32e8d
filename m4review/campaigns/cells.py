"""The cells of one row of a run file, each read as what its column must hold, or refused with its line."""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Mapping
from pathlib import Path

from m4review.errors import M4ReviewError

NO_VALUE = frozenset({"", "null", "none", "nan", "na", "n/a"})
FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
WRONG_RATES = "match_rates is not a dictionary of column and rate"


class RunFileError(M4ReviewError):
    """A file of runs that cannot be understood."""


class Cells:
    """One row. Every method raises :class:`RunFileError` for a cell that is not what it says."""

    def __init__(self, row: Mapping[str, str | None], path: Path, line: int) -> None:
        self._row, self._path, self._line = row, path, line
        if None in row:
            raise self.error("there are more cells than columns", expected="as many cells as the header has names")

    def error(self, what: str, expected: str | None = None) -> RunFileError:
        """The error of this row."""
        return RunFileError(what, where=self._path, line=self._line, expected=expected)

    def text(self, name: str) -> str:
        """The cell without blanks around it; empty where the column is absent."""
        return (self._row.get(name) or "").strip()

    def number(self, name: str) -> float | None:
        """A finite number, or ``None`` for nothing."""
        value = self.text(name)
        if value.lower() in NO_VALUE:
            return None
        try:
            result = float(value)
        except ValueError:
            raise self.error(f"{name} is not a number", expected="a number, or nothing") from None
        if not math.isfinite(result):
            raise self.error(f"{name} is not finite", expected="a number, or nothing")
        return result

    def amount(self, name: str) -> float | None:
        """A number that is not negative."""
        value = self.number(name)
        if value is not None and value < 0:
            raise self.error(f"{name} is negative", expected="0 or more, or nothing")
        return value

    def share(self, name: str) -> float | None:
        """A number in [0, 1]."""
        value = self.number(name)
        if value is not None and not 0 <= value <= 1:
            raise self.error(f"{name} is not between 0 and 1", expected="a share from 0 to 1, or nothing")
        return value

    def whole(self, name: str) -> int | None:
        """A whole number."""
        value = self.number(name)
        if value is None:
            return None
        if value != int(value):
            raise self.error(f"{name} is not a whole number")
        return int(value)

    def count(self, name: str) -> int | None:
        """A whole number that is not negative."""
        value = self.whole(name)
        if value is not None and value < 0:
            raise self.error(f"{name} is negative", expected="0 or more, or nothing")
        return value

    def flag(self, name: str) -> bool | None:
        """True or false."""
        value = self.text(name).lower()
        if value in NO_VALUE:
            return None
        if value not in FLAGS:
            raise self.error(f"{name} is neither true nor false", expected="True, False, or nothing")
        return FLAGS[value]

    def rates(self, name: str) -> dict[str, float]:
        """Rates by column: a dictionary as Python or JSON writes it; empty for nothing."""
        cell = self.text(name)
        if cell.lower() in NO_VALUE:
            return {}
        value = self._dictionary(cell)
        rates = {}
        for column, rate in value.items():
            if not isinstance(column, str) or isinstance(rate, bool) or not isinstance(rate, int | float):
                raise self.error(WRONG_RATES)
            if not 0 <= rate <= 1:
                raise self.error(f"the rate of {column} is not between 0 and 1")
            rates[column] = float(rate)
        return rates

    def _dictionary(self, cell: str) -> dict[object, object]:
        """JSON first, which is many times faster to read; plain names need nothing but other quotation marks."""
        try:
            value = json.loads(cell if '"' in cell or "\\" in cell else cell.replace("'", '"'))
        except (ValueError, RecursionError):
            try:
                value = ast.literal_eval(cell)
            except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
                raise self.error(WRONG_RATES) from None
        if not isinstance(value, dict):
            raise self.error(WRONG_RATES)
        return value
