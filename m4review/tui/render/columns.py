"""A comparison in two columns: the older text on the left, the newer on the right, changed words marked in both."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from m4review.history import Comparison, Line, Span, visible_spans
from m4review.tui.render.difference import SIGNS, SPAN_MARKS, Difference, lay_out

NUMBER_WIDTH = 5
SEPARATOR = " │ "
PLAIN = Console(width=200, no_color=True, force_terminal=False)
"""Measures and wraps; nothing is printed with it."""
LEAST_WIDTH = 8
"""Characters that a column holds at least, however narrow the screen is."""


def lay_out_columns(comparison: Comparison, width: int, *, context: int = 3) -> Difference:
    """The layout of a comparison in two columns that together take ``width`` cells; long lines are wrapped in them."""
    room = max((width - len(SEPARATOR)) // 2 - NUMBER_WIDTH - 2, LEAST_WIDTH)
    return lay_out(comparison, context=context, drawn=lambda line: _side_by_side(line, room))


def _side_by_side(line: Line, room: int) -> list[Text]:
    spans = visible_spans(line)
    left = _column(line.old, "-" if line.kind in {"removed", "changed"} else " ", _of(spans, "removed"), room)
    right = _column(line.new, "+" if line.kind in {"added", "changed"} else " ", _of(spans, "added"), room)
    height = max(len(left), len(right))
    blank = Text(" " * (room + NUMBER_WIDTH + 2))
    left += [blank] * (height - len(left))
    right += [Text()] * (height - len(right))
    return [Text.assemble(one, (SEPARATOR, "dim"), other) for one, other in zip(left, right, strict=True)]


def _of(spans: Sequence[Span], side: str) -> Text:
    """The words of one side; the changed ones carry their marks where the line also has unchanged ones."""
    mine = [span for span in spans if span.kind in {"equal", side}]
    is_mixed = any(span.kind == "equal" for span in spans)
    text = Text()
    for span in mine:
        before, after, style = SPAN_MARKS[span.kind]
        text.append(f"{before}{span.text}{after}" if is_mixed else span.text, style)
    return text


def _column(number: int | None, sign: str, text: Text, room: int) -> list[Text]:
    """One side of a line, wrapped; every piece padded to the same width."""
    if number is None:
        return []
    pieces = list(text.wrap(PLAIN, room)) or [Text()]
    column = []
    for position, piece in enumerate(pieces):
        piece.rstrip()
        piece.truncate(room, pad=True)
        head = f"{number:>{NUMBER_WIDTH - 1}} {sign} " if position == 0 else " " * (NUMBER_WIDTH + 2)
        column.append(Text.assemble((head, "dim" if sign == SIGNS["equal"] else "bold"), piece))
    return column
