"""The structure of a Markdown text: sections, tables and fences, each with its lines.

Line numbers are 1-based and refer to the whole file, front matter included.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


@dataclass(frozen=True, slots=True)
class Section:
    """One heading and the text under it up to the next heading of any level."""

    level: int
    title: str
    path: tuple[str, ...]
    """Titles from the top heading down to this one."""
    line: int
    end_line: int
    """Last line of the text under this heading (before the next heading)."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row; ``cells`` has as many entries as the header."""

    cells: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Table:
    """A pipe table. Cells are the plain source text of the cell, trimmed."""

    header: tuple[str, ...]
    rows: tuple[TableRow, ...]
    line: int
    section: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced or indented code block."""

    info: str
    text: str
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Document:
    """What a reader, a completeness check and an outline need to know of a Markdown text."""

    sections: tuple[Section, ...]
    tables: tuple[Table, ...]
    fences: tuple[Fence, ...]
    line_count: int

    def section_at(self, line: int) -> Section | None:
        """The section that holds ``line``, or ``None`` before the first heading."""
        found = None
        for section in self.sections:
            if section.line > line:
                break
            found = section
        return found


def parse_document(text: str, *, first_line: int = 1) -> Document:
    """Parse Markdown (CommonMark with pipe tables); ``first_line`` is the file line of the first line of ``text``."""
    tokens = _reader().parse(text)
    line_count = text.count("\n") + 1
    sections = _sections(tokens, first_line, first_line + line_count - 1)
    tables: list[Table] = []
    fences: list[Fence] = []
    for index, token in enumerate(tokens):
        if token.type == "table_open":
            tables.append(_table(tokens, index, first_line, sections))
        elif token.type in {"fence", "code_block"} and token.map is not None:
            fences.append(
                Fence(token.info.strip(), token.content, token.map[0] + first_line, token.map[1] + first_line - 1)
            )
    return Document(tuple(sections), tuple(tables), tuple(fences), first_line + line_count - 1)


@cache
def _reader() -> MarkdownIt:
    """One reader for all texts: making one takes as long as reading a short text, and it keeps nothing between them."""
    from markdown_it import MarkdownIt  # what only names a section need not load it

    return MarkdownIt("commonmark").enable("table").disable("inline")  # nobody reads the marks inside a line


def _sections(tokens: list[Token], first_line: int, last_line: int) -> list[Section]:
    heads: list[tuple[int, str, int]] = []
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map is not None:
            heads.append((int(token.tag[1]), tokens[index + 1].content.strip(), token.map[0] + first_line))
    sections: list[Section] = []
    stack: list[tuple[int, str]] = []
    for position, (level, title, line) in enumerate(heads):
        while stack and stack[-1][0] >= level:
            stack.pop()
        stack.append((level, title))
        end = heads[position + 1][2] - 1 if position + 1 < len(heads) else last_line
        sections.append(Section(level, title, tuple(name for _, name in stack), line, end))
    return sections


def _table(tokens: list[Token], start: int, first_line: int, sections: list[Section]) -> Table:
    header: tuple[str, ...] = ()
    rows: list[TableRow] = []
    cells: list[str] = []
    line = first_line
    in_head = False
    opening = tokens[start]
    table_line = (opening.map[0] if opening.map else 0) + first_line
    for token in tokens[start + 1 :]:
        if token.type == "table_close":
            break
        if token.type == "thead_open":
            in_head = True
        elif token.type == "thead_close":
            in_head = False
        elif token.type == "tr_open":
            cells = []
            line = (token.map[0] if token.map else 0) + first_line
        elif token.type == "inline":
            cells.append(token.content.strip())
        elif token.type == "tr_close":
            if in_head:
                header = tuple(cells)
            else:
                rows.append(TableRow(tuple(cells), line))
    section: tuple[str, ...] = ()
    for candidate in sections:
        if candidate.line > table_line:
            break
        section = candidate.path
    return Table(header, tuple(rows), table_line, section)
