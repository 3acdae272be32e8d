"""Markdown laid out for a terminal of any width, without losing a letter of it."""

from __future__ import annotations

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, TableElement
from rich.table import Table
from rich.text import Text

NARROWEST = 4
"""Columns of the terminal that a column of a table needs at least, its border included."""


class WholeTable(TableElement):
    """A table whose long words are folded inside their cells; as a list of cells where the columns do not fit."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for part in super().__rich_console__(console, options):
            if not isinstance(part, Table):
                yield part
            elif len(part.columns) * NARROWEST > options.max_width:
                yield _as_list(part)
            else:
                for column in part.columns:
                    column.overflow = "fold"
                yield part


class WholeMarkdown(Markdown):
    """Markdown that shows every word: tables are folded, links keep their address, and HTML stays as it was typed."""

    elements = Markdown.elements | {"table_open": WholeTable}

    def __init__(self, text: str) -> None:
        super().__init__(text, hyperlinks=False)
        parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
        self.parsed = parser.parse(text)


def _as_list(table: Table) -> Text:
    """Every cell on a line of its own behind the heading of its column, a blank line after each row."""
    heads = [_plain(column.header) for column in table.columns]
    cells = [[_plain(cell) for cell in column.cells] for column in table.columns]
    rows = [
        "\n".join(f"{head}: {cell}" for head, cell in zip(heads, row, strict=True)) for row in zip(*cells, strict=True)
    ]
    return Text("\n\n".join(rows or [", ".join(heads)]) + "\n", overflow="fold")


def _plain(cell: object) -> str:
    return cell.plain if isinstance(cell, Text) else str(cell)
