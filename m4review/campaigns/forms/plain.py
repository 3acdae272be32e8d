"""A report as plain text for a terminal: aligned tables, pictures in characters, nothing by colour."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from m4review.campaigns.document import Block, Document, Figure, Points, Sketch, Table, one_line

WIDTH = 100
"""Characters of a line of text; tables take what they need."""
LONGEST_CELL = 60


def to_text(document: Document) -> str:
    """Plain text, ending in a newline."""
    parts = [_underlined(document.title, "="), _wrapped(document.opening)]
    for section in document.sections:
        parts.append(_underlined(section.title, "-"))
        parts += [_block(block) for block in section.blocks]
    return "\n\n".join(parts) + "\n"


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]], *, words: int = 1) -> list[str]:
    """The lines of a table whose first ``words`` columns are text and lie to the left."""
    cells = [[_cut(cell) for cell in line] for line in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for line in cells:
        padded = [
            cell.ljust(width) if place < words else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return [lines[0], "  ".join("-" * width for width in widths), *lines[1:]]


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return "\n".join(aligned(block.head, block.rows, words=block.words))
    if isinstance(block, Points):
        return "\n".join(
            textwrap.fill(one_line(said), WIDTH, initial_indent="- ", subsequent_indent="  ")
            for said in block.sentences
        )
    if isinstance(block, Sketch):
        return f"{block.text}\n\n{_wrapped(block.caption)}"
    if isinstance(block, Figure):
        return _wrapped(f"Figure {block.file}: {block.caption}")
    return _wrapped(block)


def _underlined(title: str, sign: str) -> str:
    return f"{title}\n{sign * len(title)}"


def _wrapped(text: str) -> str:
    return textwrap.fill(one_line(text), WIDTH)


def _cut(cell: str) -> str:
    flat = one_line(cell)
    return flat if len(flat) <= LONGEST_CELL else flat[: LONGEST_CELL - 1] + "…"
