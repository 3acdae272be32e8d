"""The find box under the editor: it keeps the focus while the matches are gone through."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static
from textual.widgets.text_area import Selection

from m4review.tui.session.search import Match, matches, position_after
from m4review.tui.widgets.skill_editor import SkillEditor


class FindBar(Horizontal):
    """Finds words in one editor. A match is selected only while the box is open, so that no key can replace it."""

    DEFAULT_CSS = """
    FindBar { height: 1; display: none; background: $boost; }
    FindBar.-open { display: block; }
    FindBar Static { width: auto; max-width: 50%; padding: 0 1; }
    FindBar Input { width: 1fr; min-width: 8; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", show=False),
        Binding("down", "go", "Next", show=False),
        Binding("up,shift+enter", "go(True)", "Previous", show=False),
    ]

    def __init__(self, editor: SkillEditor) -> None:
        super().__init__(id="find")
        self._editor = editor
        self._shown: Match | None = None

    def compose(self) -> ComposeResult:
        yield Static("Find", markup=False)
        yield Input(placeholder="words", id="find-words")
        yield Static("", id="find-count", markup=False)

    @property
    def is_open(self) -> bool:
        """Whether the box is shown."""
        return self.has_class("-open")

    def open(self) -> None:
        """Show the box with the words of the last time, or go to the next match when it is open."""
        if self.is_open:
            self.action_go()
            return
        self.add_class("-open")
        self._say("Enter next · ↑ previous · Esc closes")
        box = self.query_one(Input)
        box.focus()
        box.action_select_all()

    def action_go(self, backwards: bool = False) -> None:
        """Show the next match, or the previous one."""
        words = self.query_one(Input).value
        found = matches(self._editor.text, words)
        start, end = sorted((self._editor.selection.start, self._editor.selection.end))
        self._let_go()
        if not found:
            self._say(f"“{words}” is not in the text" if words else "type what to find")
            return
        position = position_after(found, (start, end), backwards=backwards)
        self._shown = found[position]
        self._editor.selection = Selection(*self._shown)
        self._editor.scroll_cursor_visible(center=True)
        self._say(f"{position + 1} of {len(found)}")

    def action_close(self) -> None:
        """Hide the box; the cursor stays at the match and nothing is selected."""
        self._let_go()
        self.remove_class("-open")
        self._editor.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_go()

    def on_descendant_blur(self) -> None:
        """Whoever goes elsewhere has done with finding; a terminal that only lost its window has not."""
        if self.is_open and self.app.app_focus:
            self._let_go()
            self.remove_class("-open")

    def _let_go(self) -> None:
        """Turn the selected match into a cursor before it."""
        if self._shown is not None and self._editor.selection == Selection(*self._shown):
            self._editor.selection = Selection.cursor(self._shown[0])
        self._shown = None

    def _say(self, words: str) -> None:
        self.query_one("#find-count", Static).update(words)
