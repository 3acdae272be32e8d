"""A report as sections of text, tables, lists and pictures, before it has any form."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """A table; the first ``words`` columns are text, the others are figures."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1


@dataclass(frozen=True, slots=True)
class Points:
    """A list of sentences."""

    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture as SVG text, with the sentence that says what it shows. ``file`` is its name beside the report."""

    file: str
    svg: str
    caption: str


@dataclass(frozen=True, slots=True)
class Sketch:
    """The same in characters, for a terminal. ``file`` is the name of the figure that it stands for."""

    file: str
    text: str
    caption: str


Picture = Figure | Sketch
Block = str | Table | Points | Picture
"""A text is one paragraph."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands below it."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A report."""

    title: str
    opening: str
    sections: tuple[Section, ...]


def one_line(text: str) -> str:
    """A text whose line breaks cannot break the table or list it stands in."""
    return " ".join(text.split())
