"""A pipe table in a text that is being edited: where it is, laid out evenly, with another row or column.

Places are rows and columns from 0, as the editor counts. A table is what Markdown takes for one: a header, a line of
dashes with as many cells, and the rows under it up to a line without a pipe; inside of a code block there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from m4review.tui.render.markdown_lines import line_kinds

Place = tuple[int, int]
DASHES = re.compile(r":?-+:?")
PIPE = re.compile(r"(?<!\\)(?:\\\\)*\|")
LEAST_WIDTH = 3
"""Cells of the narrowest column: the dashes of its rule."""


@dataclass(frozen=True, slots=True)
class MarkdownTable:
    """The rows ``top`` to ``bottom`` of a text, taken apart. ``rows`` are header first, without the line of dashes."""

    top: int
    bottom: int
    indent: str
    rows: tuple[tuple[str, ...], ...]
    sides: tuple[str, ...]
    """Per column ``left``, ``right``, ``center`` or, where the dashes do not say, nothing."""

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.sides)

    def lines(self) -> list[str]:
        """The table laid out evenly, the dashes second."""
        widths = [max(LEAST_WIDTH, *(cell_len(row[column]) for row in self.rows)) for column in range(self.width)]
        laid_out = [
            self._joined(_padded(cell, width, side) for cell, width, side in zip(row, widths, self.sides, strict=True))
            for row in self.rows
        ]
        dashes = self._joined(_dashes(width, side) for width, side in zip(widths, self.sides, strict=True))
        return [laid_out[0], dashes, *laid_out[1:]]

    def row_at(self, line: int) -> int:
        """The row of the table on a line of the text; the dashes belong to the header."""
        return max(line - self.top - 1, 0)

    def line_of(self, row: int) -> int:
        """The line of the text that holds a row of the table."""
        return self.top + (row and row + 1)

    def with_row(self, after: int, cells: Sequence[str] = ()) -> MarkdownTable:
        """The table with one more row behind the row ``after``."""
        row = tuple([*cells, *[""] * self.width][: self.width])
        rows = (*self.rows[: after + 1], row, *self.rows[after + 1 :])
        return MarkdownTable(self.top, self.bottom, self.indent, rows, self.sides)

    def without_row(self, row: int) -> MarkdownTable:
        """The table without a row that is not the header."""
        return MarkdownTable(self.top, self.bottom, self.indent, self.rows[:row] + self.rows[row + 1 :], self.sides)

    def with_column(self, after: int) -> MarkdownTable:
        """The table with one more column behind the column ``after``."""
        rows = tuple((*row[: after + 1], "", *row[after + 1 :]) for row in self.rows)
        sides = (*self.sides[: after + 1], "", *self.sides[after + 1 :])
        return MarkdownTable(self.top, self.bottom, self.indent, rows, sides)

    def without_column(self, column: int) -> MarkdownTable:
        """The table without one of its columns."""
        rows = tuple(row[:column] + row[column + 1 :] for row in self.rows)
        return MarkdownTable(self.top, self.bottom, self.indent, rows, self.sides[:column] + self.sides[column + 1 :])

    def _joined(self, cells: Iterable[str]) -> str:
        return f"{self.indent}| {' | '.join(cells)} |"


def table_at(lines: Sequence[str], line: int) -> MarkdownTable | None:
    """The table that holds a line of the text, ``None`` where there is none."""
    if not 0 <= line < len(lines) or not _may_be_row(lines[line]):
        return None
    top = bottom = line
    while top > 0 and _may_be_row(lines[top - 1]):
        top -= 1
    while bottom + 1 < len(lines) and _may_be_row(lines[bottom + 1]):
        bottom += 1
    for head in range(top, line + 1):
        if head + 1 <= bottom and (sides := _sides(lines[head + 1], len(cells_of(lines[head])))) is not None:
            break
    else:
        return None
    if not {"front", "fence"}.isdisjoint(line_kinds(lines[: line + 1])[-1:]):
        return None
    indent = lines[head][: len(lines[head]) - len(lines[head].lstrip())]
    found = [cells_of(lines[number]) for number in range(head, bottom + 1) if number != head + 1]
    width = max(map(len, found))
    rows = tuple(tuple([*row, *[""] * width][:width]) for row in found)
    return MarkdownTable(head, bottom, indent, rows, tuple([*sides, *[""] * width][:width]))


def cells_of(line: str) -> list[str]:
    """The cells of a row; an escaped pipe is no border."""
    text = line.strip()
    borders = [match.end() - 1 for match in PIPE.finditer(text)]
    if borders and borders[0] == 0:
        borders = borders[1:]
        text, borders = text[1:], [border - 1 for border in borders]
    if borders and borders[-1] == len(text) - 1:
        text = text[: borders.pop()]
    begins, ends = [0, *(border + 1 for border in borders)], [*borders, len(text)]
    return [text[begin:end].strip() for begin, end in zip(begins, ends, strict=True)]


def cell_index(line: str, column: int) -> int:
    """Which cell of a row a column of its line is in."""
    borders = [match.end() - 1 for match in PIPE.finditer(line)]
    before = sum(border < column for border in borders)
    opened = bool(borders) and not line[: borders[0]].strip()
    return min(max(before - opened, 0), max(len(cells_of(line)) - 1, 0))


def cell_place(line: str, cell: int) -> int:
    """The column behind the words of a cell of a row; in an empty one, behind one blank."""
    borders = [match.end() - 1 for match in PIPE.finditer(line)]
    opened = bool(borders) and not line[: borders[0]].strip()
    edges = borders if opened else [-1, *borders]
    begin = edges[min(cell, len(edges) - 1)] + 1
    end = edges[cell + 1] if cell + 1 < len(edges) else len(line)
    words = line[begin:end].rstrip()
    return begin + (len(words) if words.strip() else min(1, end - begin))


def next_cell(lines: Sequence[str], place: Place, *, backwards: bool = False) -> Place | None:
    """The cell after the one at ``place`` (before it, when ``backwards``), row by row and past the dashes.

    ``None`` where no table is, before its first cell and behind its last.
    """
    table = table_at(lines, place[0])
    if table is None:
        return None
    order = [(row, cell) for row in range(len(table.rows)) for cell in range(table.width)]
    here = (table.row_at(place[0]), cell_index(lines[place[0]], place[1]))
    if place[0] == table.top + 1 and not backwards:
        here = (0, table.width - 1)
    at = order.index(here) + (-1 if backwards else 1)
    if not 0 <= at < len(order):
        return None
    row, cell = order[at]
    line = table.line_of(row)
    return line, cell_place(lines[line], cell)


def row_line(lines: Sequence[str], table: MarkdownTable, cells: Sequence[str] = ()) -> str:
    """One more row as a line, as wide as the others where the table of ``lines`` is laid out evenly."""
    if table.lines() == list(lines[table.top : table.bottom + 1]):
        return table.with_row(len(table.rows) - 1, cells).lines()[-1]
    filled = [*cells, *[""] * table.width][: table.width]
    return table.indent + "|" + "|".join(f" {cell} " if cell else " " for cell in filled) + "|"


def _may_be_row(line: str) -> bool:
    return bool(line.strip()) and PIPE.search(line) is not None


def _sides(line: str, cells: int) -> list[str] | None:
    """What a line of dashes says of each column, ``None`` where it is no such line for that many cells."""
    marks = cells_of(line)
    if len(marks) != cells or not all(DASHES.fullmatch(mark) for mark in marks):
        return None
    names = {(True, True): "center", (True, False): "left", (False, True): "right", (False, False): ""}
    return [names[mark.startswith(":"), mark.endswith(":")] for mark in marks]


def _padded(cell: str, width: int, side: str) -> str:
    room = width - cell_len(cell)
    before = room if side == "right" else room // 2 if side == "center" else 0
    return f"{' ' * before}{cell}{' ' * (room - before)}"


def _dashes(width: int, side: str) -> str:
    left, right = (":" if side in {"left", "center"} else "-"), (":" if side in {"right", "center"} else "-")
    return f"{left}{'-' * (width - 2)}{right}"
