"""The statements of a Markdown text: its sentences outside of tables and code, each with its line and headings."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from m4review.skills.document import Document

COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
UNDERLINE = re.compile(r" {0,3}(?:=+|-+)\s*$")
ITEM = re.compile(r"^(?:\s*(?:[-*+]|\d{1,3}[.)])\s+|\s*(?:>\s?)+)")
LABEL = re.compile(r"(?:\*\*|__)(?P<label>[^*_\n]{2,40}?)[.:]?(?:\*\*|__)[.:]?\s*")
STOP = re.compile(r"(?<=[.!?;])[*_]*\s+(?=[A-Z`*\"'(\d])")
LONGEST = 2000
"""Characters of a sentence that are read; nobody declares anything in a longer one."""
OPEN = re.compile(
    r"\b(?:todo|tbd|tbc|fixme|xxx)\b|\?\?|\bto be (?:determined|decided|defined|added|completed|written)\b|"
    r"\bnot (?:yet )?(?:specified|defined|decided|stated|known yet)\b|\bunspecified\b|\bplaceholder\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence. ``headings`` are the titles above it, a bold label at the start of its paragraph last."""

    text: str
    line: int
    headings: tuple[str, ...]

    @property
    def is_open(self) -> bool:
        """Whether it only says that something is still to be said."""
        return OPEN.search(self.text) is not None


def statements(body: str, document: Document, *, first_line: int = 1) -> tuple[Statement, ...]:
    """Every sentence of ``body``, which begins at ``first_line`` of its file and was parsed into ``document``.

    Comments, tables and code blocks say nothing here.
    """
    visible = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), body)
    lines = visible.split("\n")
    skipped = _table_and_code_lines(document)
    section_lines = [section.line for section in document.sections]
    found: list[Statement] = []
    block: list[tuple[int, str]] = []

    def close() -> None:
        if block:
            above = bisect_right(section_lines, block[0][0])
            found.extend(_sentences(block, document.sections[above - 1].path if above else ()))
            block.clear()

    for number, line in enumerate(lines, start=first_line):
        if number in skipped or not line.strip() or HEADING.match(line) or UNDERLINE.match(line):
            close()
            continue
        if ITEM.match(line):
            close()
        block.append((number, ITEM.sub("", line, count=1).strip()))
    close()
    return tuple(found)


def _table_and_code_lines(document: Document) -> frozenset[int]:
    lines = {line for fence in document.fences for line in range(fence.line, fence.end_line + 1)}
    for table in document.tables:
        lines.update(range(table.line, max([table.line + 1, *(row.line for row in table.rows)]) + 1))
    lines.update(section.line for section in document.sections)
    return frozenset(lines)


def _sentences(block: list[tuple[int, str]], headings: tuple[str, ...]) -> Iterator[Statement]:
    text = " ".join(part for _, part in block)
    starts, position = [], 0
    for _, part in block:
        starts.append(position)
        position += len(part) + 1
    label = LABEL.match(text)
    begin = 0
    if label is not None and label.end() < len(text):
        headings = (*headings, label.group("label"))
        begin = label.end()
    for piece_start, piece in _pieces(text, begin):
        yield Statement(piece, block[bisect_right(starts, piece_start) - 1][0], headings)


def _pieces(text: str, begin: int) -> Iterator[tuple[int, str]]:
    for stop in STOP.finditer(text, begin):
        if text[begin : stop.start()].strip():
            yield begin, text[begin : stop.start()].strip()[:LONGEST]
        begin = stop.end()
    if text[begin:].strip():
        yield begin, text[begin:].strip()[:LONGEST]
