"""The Markdown of a skill as it will be read: the whole of a short text, of a long one the section of the cursor."""

from __future__ import annotations

import io
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.segment import SegmentLines
from rich.text import Text

from m4review.tui.render.cards import preview
from m4review.tui.session.outline import section_at, sections_of

MOST_LINES = 120
"""Lines of a text that is shown whole."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What is shown, and the lines of the text (from 1) that it shows."""

    shown: RenderableType
    first: int
    last: int


def preview_at(text: str, line: int) -> Preview:
    """The text as laid out, or the section that holds the 1-based line."""
    lines = text.split("\n")
    if len(lines) <= MOST_LINES:
        return Preview(preview(text), 1, len(lines))
    section = section_at(text, line)
    if section is None:
        first = next((one.line for one in sections_of(text)), len(lines) + 1)
        return Preview(preview("\n".join(lines[: first - 1])), 1, first - 1)
    where = Text(f"line {section.line} · {' › '.join(section.path)}\n", "italic")
    body = preview("\n".join(lines[section.line - 1 : section.end_line]))
    return Preview(Group(where, body), section.line, section.end_line)


def laid_out(shown: RenderableType, width: int) -> SegmentLines:
    """``shown`` drawn ready for that many cells, so that putting it on the screen takes no time."""
    console = Console(width=max(width, 10), file=io.StringIO(), force_terminal=True, color_system="truecolor")
    return SegmentLines(console.render_lines(shown, pad=False), new_lines=True)
