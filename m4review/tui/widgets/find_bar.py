"""The find box under the editor: it keeps the focus while the matches are gone through and replaced."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static
from textual.widgets.text_area import Selection
from textual.worker import WorkType

from m4review.errors import M4ReviewError
from m4review.tui.session.search import Match, Wanted, matches, position_after, replaced
from m4review.tui.widgets.skill_editor import SkillEditor
from m4review.tui.widgets.tick import Tick

Then = Callable[[list[Match]], None]
"""What is done with what was found."""


class FindBar(Vertical):
    """Finds and replaces in one editor. A match is selected only while the box is open, so that no key replaces it."""

    DEFAULT_CSS = """
    FindBar { height: auto; display: none; background: $boost; }
    FindBar.-open { display: block; }
    FindBar Horizontal { height: 1; }
    FindBar #replacing { display: none; }
    FindBar.-replacing #replacing { display: block; }
    FindBar Static { width: auto; padding: 0 1; }
    FindBar .name { width: 9; }
    FindBar #find-count { max-width: 45%; }
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
        with Horizontal():
            yield Static("Find", classes="name", markup=False)
            yield Input(placeholder="words", id="find-words")
            yield Tick("Case", id="find-case")
            yield Tick("Pattern", id="find-pattern")
            yield Static("", id="find-count", markup=False)
        with Horizontal(id="replacing"):
            yield Static("Replace", classes="name", markup=False)
            yield Input(placeholder="by what; Enter replaces this one", id="find-new")
            yield Tick("Replace all", is_act=True, id="find-all")

    @property
    def is_open(self) -> bool:
        """Whether the box is shown."""
        return self.has_class("-open")

    @property
    def wanted(self) -> Wanted:
        """What is looked for, and how."""
        words = self.query_one("#find-words", Input).value
        return Wanted(words, self.query_one("#find-case", Tick).on, self.query_one("#find-pattern", Tick).on)

    def open(self, replacing: bool = False) -> None:
        """Show the box with the marked words, else those of the last time; when it is open, go to the next match.

        ``replacing`` shows the line for the new words as well.
        """
        if self.is_open and self.has_class("-replacing") >= replacing:
            self.action_go()
            return
        box = self.query_one("#find-words", Input)
        if not self.is_open and (marked := self._editor.selected_text) and "\n" not in marked:
            box.value = marked
        self.add_class("-open")
        self.set_class(replacing or self.has_class("-replacing"), "-replacing")
        self._say("Enter next · ↑ previous · Esc closes")
        box.focus()
        box.action_select_all()

    def action_go(self, backwards: bool = False) -> None:
        """Show the next match, or the previous one."""
        self._find(partial(self._go, backwards=backwards))

    def action_close(self) -> None:
        """Hide the box; the cursor stays at the match and nothing is selected."""
        self._shut()
        self._editor.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.input.id == "find-new":
            self._find(self._replace_one)
        else:
            self.action_go()

    def on_tick_changed(self, event: Tick.Changed) -> None:
        event.stop()
        if event.tick.id == "find-all":
            self._find(self._replace_all)
        elif self.wanted.words:
            self._find(self._count)

    def on_descendant_blur(self) -> None:
        """Whoever goes elsewhere has done with finding; a terminal that only lost its window has not."""
        self.call_later(self._close_if_left)

    def _close_if_left(self) -> None:
        if self.is_open and self.app.app_focus and not self.has_focus_within and self.screen.is_current:
            self._shut()

    def _shut(self) -> None:
        self._let_go()
        self.remove_class("-open", "-replacing")

    def _find(self, then: Then) -> None:
        """Look for the words and do something with what is found; a pattern is looked for away from the screen."""
        if self.wanted.pattern:
            search: WorkType[None] = partial(self._find_pattern, then)
            self.run_worker(search, exclusive=True, group="find")
        else:
            then(matches(self._editor.text, self.wanted, self._new))

    async def _find_pattern(self, then: Then) -> None:
        text = self._editor.text
        try:
            found = await self.screen.in_thread(matches, text, self.wanted, self._new)  # type: ignore[attr-defined]
        except M4ReviewError as error:
            self._let_go()
            self._say("not found")
            self.notify(f"{error.what}. {error.fix}", title="Find", severity="warning", markup=False)
            return
        if self.is_open and self._editor.text == text:
            then(found)

    def _go(self, found: list[Match], *, backwards: bool = False) -> None:
        start, end = sorted((self._editor.selection.start, self._editor.selection.end))
        self._let_go()
        if not found:
            words = self.wanted.words
            self._say(f"“{words}” is not in the text" if words else "type what to find")
            return
        position = position_after(found, (start, end), backwards=backwards)
        self._shown = found[position]
        self._editor.selection = Selection(*self._shown.span)
        self._editor.scroll_cursor_visible(center=True)
        self._say(f"{position + 1} of {len(found)}")

    def _count(self, found: list[Match]) -> None:
        self._let_go()
        self._say(f"{len(found)} found" if found else f"“{self.wanted.words}” is not in the text")

    def _replace_one(self, found: list[Match]) -> None:
        """Replace the match that is shown and show the next one; where none is shown yet, show it."""
        selection = self._editor.selection
        here = next((match for match in found if Selection(*match.span) == selection), None)
        if here is None or self._shown is None:
            self._go(found)
            return
        self._editor.write(here.new)
        self._shown = None
        self.action_go()

    def _replace_all(self, found: list[Match]) -> None:
        self._let_go()
        changed = [match for match in found if self._text_of(match) != match.new]
        if not changed:
            self._say("nothing to replace")
            return
        self._editor.take_text(replaced(self._editor.text, changed))
        places = "1 place" if len(changed) == 1 else f"{len(changed)} places"
        self._say(f"{places} replaced")
        self.notify(f"Replaced in {places}; Ctrl+Z in the text takes all of it back.", markup=False)

    def _text_of(self, match: Match) -> str:
        return self._editor.get_text_range(*match.span)

    @property
    def _new(self) -> str:
        return self.query_one("#find-new", Input).value if self.has_class("-replacing") else ""

    def _let_go(self) -> None:
        """Turn the selected match into a cursor before it."""
        if self._shown is not None and self._editor.selection == Selection(*self._shown.span):
            self._editor.selection = Selection.cursor(self._shown.start)
        self._shown = None

    def _say(self, words: str) -> None:
        self.query_one("#find-count", Static).update(words)
