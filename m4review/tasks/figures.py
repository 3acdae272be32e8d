"""Fingerprints of a reference's figures: how a count, mean or share is written down so that it can be recognised only.

The EHR room makes them from the built references of a dataset, the lint looks for them in texts. The file holds
keyed hashes and nothing else, lies with the dataset outside git, and names neither column nor value.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

FIGURES_FILE = "fingerprints.json"
SCHEMA = "m4review.fingerprints.v1"
LEAST_COUNT = 20
"""Smaller counts look like points or hours and are not kept."""
SIGNIFICANT = 3
"""Means with fewer digits look like limits and are not kept."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one dataset. ``levels`` maps the hash of a level with its count (or share) to the numbers of
    the columns that have it; ``means`` are hashes of a column's name with its mean, median or deviation."""

    salt: str
    levels: Mapping[str, tuple[int, ...]]
    means: frozenset[str]

    def columns_of(self, level: str, count: str) -> tuple[int, ...]:
        """The numbers of the columns in which ``level`` occurs ``count`` times."""
        return self.levels.get(hashed(self.salt, "level", level, count), ())

    def is_mean(self, column: str, value: str) -> bool:
        """Whether ``value`` is a mean, median or deviation of the column of that name."""
        return hashed(self.salt, "mean", column, value) in self.means


def hashed(salt: str, *parts: str) -> str:
    """Twelve hexadecimal digits for some texts."""
    return blake2b("\0".join(parts).encode(), digest_size=6, key=salt.encode()[:64]).hexdigest()


def as_number(value: float) -> str:
    """A number as texts are compared: ``36`` for 36.0, else the shortest form."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def rounded(value: float) -> Iterable[str]:
    """The ways in which a text may give a mean: with two, three or four decimals, if that is telling enough."""
    for decimals in (2, 3, 4):
        shown = f"{value:.{decimals}f}"
        if len(shown.lstrip("-0.").replace(".", "")) >= SIGNIFICANT and not shown.endswith("0" * decimals):
            yield shown.rstrip("0")


def to_json(salt: str, columns: Iterable[Iterable[str]], means: Iterable[str]) -> str:
    """The content of the file: hashes by column, and the hashes of means."""
    answer = {"schema": SCHEMA, "salt": salt, "columns": [sorted(set(column)) for column in columns]}
    return json.dumps({**answer, "means": sorted(set(means))}) + "\n"


def from_json(text: str) -> Figures:
    """The figures of a file's content.

    Raises:
        ValueError: not such a file.
    """
    values = json.loads(text)
    if not isinstance(values, dict) or values.get("schema") != SCHEMA:
        raise ValueError(f"not a {SCHEMA} file")
    try:
        levels: dict[str, tuple[int, ...]] = {}
        for index, column in enumerate(values["columns"]):
            for entry in map(str, column):
                levels[entry] = (*levels.get(entry, ()), index)
        return Figures(str(values["salt"]), levels, frozenset(map(str, values["means"])))
    except (KeyError, TypeError) as error:
        raise ValueError(f"incomplete: {error}") from None


def figures_file(dataset: Path) -> Path:
    """Where the figures of the dataset in this folder lie."""
    return dataset / FIGURES_FILE
