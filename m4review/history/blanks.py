"""Blanks that a reader would not see, made visible: a change that nobody can see is not shown."""

from __future__ import annotations

from dataclasses import replace

from m4review.history.comparison import Line, Span

SIGNS = {" ": "·", "\t": "→"}
"""What stands for a space and for a tab; any other blank is named by its code point."""


def visible_spans(line: Line) -> tuple[Span, ...]:
    """The spans of a line as they are to be shown.

    In what was removed or added, blanks are marked where nothing follows them on their side of the line, and where they
    are the whole change. Unchanged stretches stay as they are.
    """
    last = {
        side: max((position for position, span in enumerate(line.spans) if span.kind in {side, "equal"}), default=-1)
        for side in ("removed", "added")
    }
    return tuple(
        replace(span, text=_marked(span.text, at_end=position == last[span.kind])) if span.kind != "equal" else span
        for position, span in enumerate(line.spans)
    )


def _marked(text: str, *, at_end: bool) -> str:
    words = text.rstrip() if at_end or text.isspace() else text
    return words + "".join(SIGNS.get(blank, f"⟨U+{ord(blank):04X}⟩") for blank in text[len(words) :])
