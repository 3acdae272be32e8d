"""A difference to read, scroll, select and copy."""

from __future__ import annotations

from rich.text import Text

from m4review.tui.render.difference import Difference
from m4review.tui.widgets.text_box import TextBox


class DifferenceView(TextBox):
    """Shows a laid-out difference; the cursor line is the place of *next* and *previous change*."""

    DEFAULT_CSS = """
    DifferenceView { border: none; padding: 0; min-width: 20; min-height: 3; height: 1fr; }
    DifferenceView:focus { border: none; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__("", read_only=True, soft_wrap=True, show_line_numbers=False, tab_behavior="focus", id=id)
        self._difference = Difference((), (), "")

    def show_difference(self, difference: Difference) -> None:
        """Show another difference from its first change on."""
        self._difference = difference
        self.load_text("\n".join(line.plain for line in difference.lines))
        self.to_change(0)

    @property
    def change(self) -> int | None:
        """The number (from 0) of the change at or above the cursor."""
        row = self.cursor_location[0]
        above = [number for number, line in enumerate(self._difference.changes) if line <= row]
        return above[-1] if above else None

    @property
    def new_line(self) -> int | None:
        """The line (from 1) of the newer text under the cursor; ``None`` where it holds none."""
        rows = self._difference.new_lines
        row = self.cursor_location[0]
        return rows[row] if row < len(rows) else None

    def to_change(self, number: int) -> None:
        """Put the cursor on a change, in view; numbers past the ends stay at the ends."""
        changes = self._difference.changes
        if changes:
            row = changes[max(0, min(number, len(changes) - 1))]
            self.move_cursor((row, 0), center=True)

    def get_line(self, line_index: int) -> Text:
        lines = self._difference.lines
        if line_index >= len(lines):
            return super().get_line(line_index)
        line = lines[line_index].copy()
        line.end, line.no_wrap = "", True
        return line
