"""What changed between two texts, line by line with marked words: ``[-old-]`` and ``{+new+}``, colour repeating it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from rich.text import Text

from m4review.history import Comparison, Line, compare, visible_spans

LineKind = Literal["changed", "added", "removed"]

SIGNS = {"equal": " ", "removed": "-", "added": "+", "changed": "~"}
LINE_STYLES = {"equal": "", "removed": "red", "added": "green", "changed": ""}
SPAN_MARKS = {"equal": ("", "", ""), "removed": ("[-", "-]", "red"), "added": ("{+", "+}", "green bold")}
EVERYTHING = 1_000_000


@dataclass(frozen=True, slots=True)
class Difference:
    """A comparison ready to be shown: ``lines`` one per text line, ``changes`` the positions where a change starts."""

    lines: tuple[Text, ...]
    changes: tuple[int, ...]
    summary: str
    new_lines: tuple[int | None, ...] = ()
    """For each of ``lines`` the line (from 1) of the newer text that it shows."""

    def below(self, heading: Text) -> Difference:
        """The same below a line that says what it is."""
        moved = tuple(change + 1 for change in self.changes)
        return Difference((heading, *self.lines), moved, self.summary, (None, *self.new_lines))

    @property
    def text(self) -> Text:
        """Everything in one piece, for a dialog."""
        return Text("\n").join([Text(self.summary, "italic"), *self.lines])


Drawn = Callable[[Line], list[Text]]
"""Makes the rows of one line of a comparison."""


def show_difference(old: str, new: str, *, context: int = 3) -> Difference:
    """Compare two texts and lay them out; ``context`` is how many unchanged lines stay around each change."""
    return lay_out(compare(old, new), context=context)


def lay_out(comparison: Comparison, *, context: int = 3, drawn: Drawn | None = None) -> Difference:
    """The layout of a comparison; ``drawn`` makes the rows of a line where they are not one below the other."""
    lines = [Text(f"  # {note}", "italic") for note in comparison.notes]
    rows: list[int | None] = [None] * len(lines)
    changes: list[int] = []
    for position, hunk in enumerate(comparison.hunks(context)):
        if position or hunk.new_start > 1:
            lines.append(Text(f"  ⋯ line {hunk.new_start}", "dim"))
            rows.append(None)
        previous_kind = "equal"
        for line in hunk.lines:
            if line.kind != "equal" and previous_kind == "equal":
                changes.append(len(lines))
            shown = drawn(line) if drawn else [_line(line)]
            lines += shown
            rows += [line.new] * len(shown)
            previous_kind = line.kind
    return Difference(tuple(lines), tuple(changes), summary_of(comparison), tuple(rows))


def summary_of(comparison: Comparison) -> str:
    """How many lines are changed, added and removed."""
    if comparison.is_equal:
        return "No difference."
    counts = comparison.counts()
    kinds: tuple[LineKind, ...] = ("changed", "added", "removed")
    parts = [f"{counts[kind]} {kind}" for kind in kinds if counts[kind]]
    return "Lines: " + (", ".join(parts) or "none changed")


def heading_of(shown: Difference, *, in_columns: bool, width: int) -> str:
    """What differs, how it is laid out and how words are marked, in ``width`` cells: the last in short, or left out,
    where there is no room."""
    count = len(shown.changes)
    places = f" in {count} place{'s' * (count != 1)}" if count else ""
    heading = f"{shown.summary}{places} · {'two columns' if in_columns else 'one column'} (F4)"
    legends = (" · words: [-only before-] {+only after+}", " · [-before-] {+after+}", "")
    return next(heading + legend for legend in legends if not legend or len(heading + legend) <= width)


def _line(line: Line) -> Text:
    number = line.new if line.new is not None else line.old
    text = Text().append(f"{number:>4} {SIGNS[line.kind]} ", "dim" if line.kind == "equal" else "bold")
    if line.kind == "changed":
        for span in visible_spans(line):
            before, after, style = SPAN_MARKS[span.kind]
            text.append(f"{before}{span.text}{after}", style)
        return text
    return text.append(visible_spans(line)[0].text, LINE_STYLES[line.kind])
