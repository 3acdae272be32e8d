"""Items that were looked up, one per line: id, label, unit, table, how often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.text import Text

if TYPE_CHECKING:
    from m4review.ehr.itemlookup import Item, ItemAnswer

TITLES = ("id", "label", "unit", "occurs", "table", "dataset")
WIDEST = 34
"""Cells of the longest label or name that is shown whole."""


@dataclass(frozen=True, slots=True)
class Entries:
    """The titles of the columns, and a line per item under them."""

    head: Text
    lines: tuple[Text, ...]


def entries(items: Sequence[Item], *, with_dataset: bool = False) -> Entries:
    """The items in even columns; the dataset is named where there are several."""
    if not items:
        return Entries(Text(), ())
    rows = [TITLES, *(_cells(item) for item in items)]
    rows = [row if with_dataset else row[:-1] for row in rows]
    widths = [min(max(cell_len(row[place]) for row in rows), WIDEST) for place in range(len(rows[0]))]
    lines = [
        Text("  ".join(map(set_cell_size, row, widths)).rstrip(), no_wrap=True, overflow="ellipsis") for row in rows
    ]
    return Entries(lines[0], tuple(lines[1:]))


def tally(answers: Sequence[ItemAnswer]) -> str:
    """How many items were found, and where."""
    found = sum(len(answer.items) for answer in answers)
    left = sum(answer.left_out for answer in answers)
    where = " and ".join(answer.dataset for answer in answers)
    if not found:
        return f"Nothing of that name in {where}; try fewer or other words."
    more = f", {left:,} more fit: add a word" if left else ""
    return f"{found} item{'s' * (found != 1)} in {where}{more}"


def _cells(item: Item) -> tuple[str, ...]:
    label = f"{item.label} ({item.abbreviation})" if item.abbreviation else item.label
    occurs = "…" if item.occurrences is None else f"{item.occurrences:,}"
    return item.id, label, item.unit or "–", occurs, item.table, item.dataset
