"""The editor: a text area with the lint's findings underlined and lettered, and unclear lines marked, in the gutter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.events import Key
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from m4review.tui.render.findings import UNCLEAR, UNCLEAR_STYLE, Mark, gutter_letter, marks_by_line
from m4review.tui.render.markdown_lines import STYLES, Kind, line_kinds
from m4review.tui.session.markdown_table import MarkdownTable, cell_place, next_cell, row_line, table_at
from m4review.tui.widgets.text_box import TextBox

if TYPE_CHECKING:
    from m4review.lint import Finding

Looks = tuple[int, int, tuple[int, ...], str, Kind | None, tuple[Mark, ...], bool, Size, int, int, bool, int]
"""What a row shows while neither cursor nor selection is on its line: the line, its part, where it is broken, its text,
kind and marks, whether it is unclear, and the room."""


class SkillEditor(TextBox):
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
        self._rows_here: list[tuple[int, int]] = []
        self._drawn: LRUCache[Looks, Strip] = LRUCache(1000)
        super().__init__(text, soft_wrap=True, show_line_numbers=True, tab_behavior="focus", id="editor")
        self.cursor_blink = False
        self._listens_since = 0.0
        self._marks: dict[int, list[Mark]] = {}
        self._unclear: frozenset[int] = frozenset()
        self._kinds: list[Kind] = line_kinds(text.split("\n"))

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """Draw these findings instead of the ones drawn so far."""
        marks = marks_by_line(findings)
        if marks != self._marks:
            self._marks = marks
            self._draw_changed()

    def show_unclear(self, lines: frozenset[int]) -> None:
        """Mark these 1-based lines instead of the ones marked so far; a finding of the lint goes before."""
        if lines != self._unclear:
            self._unclear = lines
            self._draw_changed()

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

    def get_cursor_line_end_location(self) -> tuple[int, int]:
        """The end of the row on the screen; from there the end of the line, where it is wrapped over several rows."""
        there = super().get_cursor_line_end_location()
        row, _ = self.cursor_location
        return (row, len(self.document.get_line(row))) if there == self.cursor_location else there

    def ignore_keys_until_now(self) -> None:
        """Drop keys that were pressed before this moment and still wait: they were meant for another screen."""
        self._listens_since = Message().time

    def on_key(self, event: Key) -> None:
        if event.time < self._listens_since:
            event.stop()
            event.prevent_default()

    def on_text_area_changed(self) -> None:
        kinds = line_kinds(self.document.lines)
        if kinds != self._kinds:
            self._kinds = kinds
            self._draw_changed()

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        if line_index < len(self._kinds) and (style := STYLES[self._kinds[line_index]]):
            line.stylize(style)
        for mark in self._marks.get(line_index + 1, ()):
            line.stylize(mark.style, mark.start, mark.end)
        return line

    def render_lines(self, crop: Region) -> list[Strip]:
        self._rows_here = self._rows()
        return super().render_lines(crop)

    def notify_style_update(self) -> None:
        self._drawn.clear()
        super().notify_style_update()

    def _draw_changed(self) -> None:
        """Draw again, and anew only what looks different."""
        super().notify_style_update()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        row = y + self.scroll_offset.y
        if row >= len(self._rows_here):
            return super().render_line(y)
        line, section = self._rows_here[row]
        if line in self._lines_in_motion():
            return self._lettered(super().render_line(y), line, section)
        looks = self._looks(line, section)
        drawn = self._drawn.get(looks)
        if drawn is None:
            drawn = self._drawn[looks] = self._lettered(super().render_line(y), line, section)
        return drawn

    def _looks(self, line: int, section: int) -> Looks:
        kind = self._kinds[line] if line < len(self._kinds) else None
        marks = tuple(self._marks.get(line + 1, ()))
        broken = tuple(self.wrapped_document.get_offsets(line))
        unclear = line + 1 in self._unclear
        room = (self.size, self.virtual_size.width, self.gutter_width, self.soft_wrap, self.scroll_offset.x)
        return (line, section, broken, self.document.get_line(line), kind, marks, unclear, *room)

    def _rows(self) -> list[tuple[int, int]]:
        """For each row of the wrapped text its line, and which part of the line it shows."""
        sections = map(self.wrapped_document.get_offsets, range(self.document.line_count))
        return [(line, section) for line, ends in enumerate(sections) for section in range(len(ends) + 1)]

    def _lines_in_motion(self) -> set[int]:
        """The lines whose looks depend on more than their text: those of the cursor, of a selection and of a bracket.

        TextArea draws every row anew whenever the cursor moves; the others are kept as they were drawn.
        """
        first, last = sorted((self.selection.start[0], self.selection.end[0]))
        bracket = self._matching_bracket_location
        return {*range(first, last + 1), *(() if bracket is None else (bracket[0],))}

    def _lettered(self, strip: Strip, line: int, section: int) -> Strip:
        """The row with the letter of its findings, or the sign of an unclear place, in the gutter."""
        marks = self._marks.get(line + 1, [])
        if section > 0 or self.gutter_width < 2 or not (marks or line + 1 in self._unclear):
            return strip
        letter, style = gutter_letter(marks) if marks else (UNCLEAR, UNCLEAR_STYLE)
        before = strip.crop(0, self.gutter_width - 2)
        after = strip.crop(self.gutter_width - 1, strip.cell_length)
        background = next((segment.style.background_style for segment in before if segment.style), Style())
        return Strip.join([before, Strip([Segment(letter, background + style)]), after])
