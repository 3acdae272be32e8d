"""The editor: a text area with the lint's findings underlined and lettered, and unclear lines marked, in the gutter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.geometry import Offset
from textual.message import Message
from textual.strip import Strip
from textual.widgets import TextArea

from m4review.tui.render.findings import UNCLEAR, UNCLEAR_STYLE, Mark, gutter_letter, marks_by_line
from m4review.tui.render.markdown_lines import STYLES, Kind, line_kinds
from m4review.tui.session.markdown_table import MarkdownTable, cell_place, next_cell, row_line, table_at

if TYPE_CHECKING:
    from m4review.lint import Finding


class SkillEditor(TextArea):
    """Shows one Markdown text. Findings are drawn over it; they never change it."""

    DEFAULT_CSS = """
    SkillEditor { border: none; padding: 0; min-width: 20; min-height: 3; }
    SkillEditor:focus { border: none; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+home", "start_of_text", "Start of the text", show=False),
        Binding("ctrl+end", "end_of_text", "End of the text", show=False),
        Binding("tab", "next_cell", "Next cell or part of the screen", show=False),
        Binding("shift+tab", "next_cell(True)", "Previous cell or part of the screen", show=False),
    ]

    def __init__(self, text: str) -> None:
        super().__init__(text, soft_wrap=True, show_line_numbers=True, tab_behavior="focus", id="editor")
        self.cursor_blink = False
        self._listens_since = 0.0
        self._marks: dict[int, list[Mark]] = {}
        self._unclear: frozenset[int] = frozenset()
        self._kinds: list[Kind] = line_kinds(text.split("\n"))

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """Draw these findings instead of the ones drawn so far."""
        self._marks = marks_by_line(findings)
        self.notify_style_update()
        self.refresh()

    def show_unclear(self, lines: frozenset[int]) -> None:
        """Mark these 1-based lines instead of the ones marked so far; a finding of the lint goes before."""
        if lines != self._unclear:
            self._unclear = lines
            self.refresh()

    def take_text(self, text: str) -> None:
        """Replace the whole text as one edit that can be undone."""
        cursor = self.cursor_location
        self.replace(text, (0, 0), self.document.end)
        self.move_cursor(self.clamp_visitable(cursor))

    def put_lines(self, first: int, last: int, lines: Sequence[str]) -> None:
        """Put ``lines`` in the place of the lines ``first`` to ``last`` (from 1) as one edit that can be undone.

        ``last`` may be ``first - 1``, which puts them before ``first``. The cursor goes to the first of them.
        """
        count, text = self.document.line_count, "\n".join(lines)
        begin, stop = (first - 1, 0), (last, 0)
        if last >= count:
            stop = self.document.end
            if not lines and first > 1:
                begin = (first - 2, len(self.document.get_line(first - 2)))
        elif lines:
            text += "\n"
        if first > count:
            begin, text = self.document.end, f"\n{text}"
        self.history.checkpoint()
        self.replace(text, begin, stop)
        self.history.checkpoint()
        self.go_to(first)

    def write(self, words: str) -> None:
        """Put words where the cursor is, instead of what is selected, as one edit that can be undone."""
        self.history.checkpoint()
        self.replace(words, *sorted((self.selection.start, self.selection.end)), maintain_selection_offset=False)
        self.history.checkpoint()

    @property
    def may_be_table(self) -> bool:
        """Whether the cursor's line looks like the row of a table; quick to say while somebody types."""
        row = self.cursor_location[0]
        return "|" in self.document.get_line(row) and (row >= len(self._kinds) or self._kinds[row] in {"table", "text"})

    @property
    def table(self) -> MarkdownTable | None:
        """The table that the cursor is in."""
        return table_at(self.document.lines, self.cursor_location[0])

    def action_next_cell(self, backwards: bool = False) -> None:
        """In a table go to the next cell, behind the last one into a new row; elsewhere leave the text."""
        row, column = self.cursor_location
        lines = self.document.lines
        place = next_cell(lines, (row, column), backwards=backwards)
        if place is None and not backwards and (table := table_at(lines, row)) is not None:
            self.put_lines(table.bottom + 2, table.bottom + 1, [row_line(lines, table)])
            place = (table.bottom + 1, cell_place(self.document.get_line(table.bottom + 1), 0))
        if place is not None:
            self.move_cursor(place)
        elif backwards:
            self.screen.focus_previous()
        else:
            self.screen.focus_next()

    def go_to(self, line: int, column: int = 1) -> None:
        """Put the cursor on a 1-based line and column, in view."""
        self.move_cursor(self.clamp_visitable((max(line, 1) - 1, max(column, 1) - 1)), center=True)

    def action_start_of_text(self) -> None:
        """Put the cursor before the first character."""
        self.move_cursor((0, 0))

    def action_end_of_text(self) -> None:
        """Put the cursor behind the last character."""
        self.move_cursor(self.document.end)

    def ignore_keys_until_now(self) -> None:
        """Drop keys that were pressed before this moment and still wait: they were meant for another screen."""
        self._listens_since = Message().time

    def on_key(self, event: Key) -> None:
        if event.time < self._listens_since:
            event.stop()
            event.prevent_default()

    def on_text_area_changed(self) -> None:
        self._kinds = line_kinds(self.text.split("\n"))
        self.notify_style_update()

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        if line_index < len(self._kinds) and (style := STYLES[self._kinds[line_index]]):
            line.stylize(style)
        for mark in self._marks.get(line_index + 1, ()):
            line.stylize(mark.style, mark.start, mark.end)
        return line

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        row = y + self.scroll_offset.y
        if not (self._marks or self._unclear) or self.gutter_width < 2 or row >= self.wrapped_document.height:
            return strip
        line, column = self.wrapped_document.offset_to_location(Offset(0, row))
        marks = self._marks.get(line + 1, [])
        if column > 0 or not (marks or line + 1 in self._unclear):
            return strip
        letter, style = gutter_letter(marks) if marks else (UNCLEAR, UNCLEAR_STYLE)
        before = strip.crop(0, self.gutter_width - 2)
        after = strip.crop(self.gutter_width - 1, strip.cell_length)
        background = next((segment.style.background_style for segment in before if segment.style), Style())
        return Strip.join([before, Strip([Segment(letter, background + style)]), after])
