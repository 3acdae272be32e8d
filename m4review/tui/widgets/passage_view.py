"""A recorded text to read, in which a passage can be marked."""

from __future__ import annotations

from rich.text import Text

from m4review.tui.render.markdown_lines import STYLES, line_kinds
from m4review.tui.session.passages import Passage, passage_between
from m4review.tui.widgets.text_box import TextBox


class PassageView(TextBox):
    """Shows a text as it is recorded. Shift and arrows, or the mouse, mark a passage; nothing can be typed."""

    DEFAULT_CSS = """
    PassageView { border: none; padding: 0; min-width: 20; min-height: 3; height: 1fr; }
    PassageView:focus { border: none; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__("", read_only=True, soft_wrap=True, show_line_numbers=True, tab_behavior="focus", id=id)
        self._kinds = line_kinds([])

    def show_text(self, text: str) -> None:
        """Show another text from its beginning."""
        self._kinds = line_kinds(text.split("\n"))
        self.load_text(text)

    def go_to(self, line: int) -> None:
        """Put the cursor on a 1-based line, in view."""
        self.move_cursor((max(line, 1) - 1, 0), center=True)

    @property
    def passage(self) -> Passage:
        """What is marked; the cursor's line where nothing is.

        Raises:
            LedgerError: it is longer than a finding can quote.
        """
        return passage_between(self.text, self.selection.start, self.selection.end)

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        if line_index < len(self._kinds) and (style := STYLES[self._kinds[line_index]]):
            line.stylize(style)
        return line
