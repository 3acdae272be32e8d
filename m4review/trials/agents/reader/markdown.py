"""A Markdown file as sections that hold paragraphs, list items and pipe tables, each with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Passage:
    """One paragraph or list item, as its source text on one line. A code block is kept to be listed, not to be read."""

    text: str
    place: Place
    code: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One table row; ``cells`` has as many entries as the header."""

    cells: tuple[str, ...]
    place: Place

    @property
    def text(self) -> str:
        """The row as it is shown in a trace."""
        return " | ".join(self.cells)


@dataclass(frozen=True, slots=True)
class Table:
    """A pipe table."""

    header: tuple[str, ...]
    rows: tuple[Row, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it, up to the next heading of any level. ``titles`` are the headings above it
    and its own; the text before the first heading has none."""

    titles: tuple[str, ...]
    place: Place
    passages: tuple[Passage, ...]
    tables: tuple[Table, ...]

    def prose(self) -> Iterator[Passage]:
        """The paragraphs and list items, without code blocks."""
        return (passage for passage in self.passages if not passage.code)


@dataclass(frozen=True, slots=True)
class Page:
    """A whole file."""

    file: str
    sections: tuple[Section, ...]

    def passages(self) -> Iterator[Passage]:
        """All paragraphs and list items in order."""
        for section in self.sections:
            yield from section.prose()

    def tables(self) -> Iterator[Table]:
        """All tables in order."""
        for section in self.sections:
            yield from section.tables


def parse_page(text: str, file: str) -> Page:
    """Parse CommonMark with pipe tables. A front matter block is skipped, and so are comments."""
    tokens = MarkdownIt("commonmark").enable("table").parse(_without_front_matter(text))
    sections: list[Section] = []
    titles: list[tuple[int, str]] = []
    place = Place(file, 1)
    passages: list[Passage] = []
    tables: list[Table] = []

    def close() -> None:
        if titles or passages or tables:
            sections.append(Section(tuple(title for _, title in titles), place, tuple(passages), tuple(tables)))
        passages.clear()
        tables.clear()

    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.type == "heading_open":
            close()
            level = int(token.tag[1])
            while titles and titles[-1][0] >= level:
                titles.pop()
            titles.append((level, tokens[index + 1].content.strip()))
            place = _place(token, file)
            index += 2
        elif token.type == "table_open":
            end = next(later for later in range(index, len(tokens)) if tokens[later].type == "table_close")
            tables.append(_table(tokens[index:end], file))
            index = end
        elif token.type == "inline":
            content = _one_line(token.content)
            if content:
                passages.append(Passage(content, _place(token, file)))
        elif token.type in {"fence", "code_block"}:
            passages.append(Passage(_one_line(token.content), _place(token, file), code=True))
        index += 1
    close()
    return Page(file, tuple(sections))


def _without_front_matter(text: str) -> str:
    """The text with the lines of the front matter emptied, so that line numbers stay."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\x00", " ")
    lines = text.split("\n")
    if lines[0].rstrip() == "---":
        for index, line in enumerate(lines[1:], start=1):
            if line.rstrip() == "---":
                return "\n".join([""] * (index + 1) + lines[index + 1 :])
    return text


def _table(tokens: list[Token], file: str) -> Table:
    header: tuple[str, ...] = ()
    rows: list[Row] = []
    cells: list[str] = []
    place = _place(tokens[0], file)
    row_place = place
    in_head = False
    for token in tokens:
        if token.type in {"thead_open", "thead_close"}:
            in_head = token.type == "thead_open"
        elif token.type == "tr_open":
            cells = []
            row_place = _place(token, file)
        elif token.type == "inline":
            cells.append(_one_line(token.content))
        elif token.type == "tr_close":
            if in_head:
                header = tuple(cells)
            else:
                rows.append(Row(tuple(cells), row_place))
    return Table(header, tuple(rows), place)


def _place(token: Token, file: str) -> Place:
    return Place(file, (token.map[0] if token.map else 0) + 1)


def _one_line(text: str) -> str:
    """One line with single blanks; what stands between backticks keeps its own."""
    parts = re.split(r"(`[^`]*`)", re.sub(r"<!--.*?-->", " ", text, flags=re.DOTALL))
    return "".join(
        re.sub(r"[\r\n]", " ", part) if part[:1] == "`" else re.sub(r"\s+", " ", part) for part in parts
    ).strip()
