"""Picking one out of many: a list that words narrow down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from m4review.tui.screens.dialogs import DIALOG_CSS, Dialog

NOTHING_HOLDS_THEM = "Nothing holds these words. Backspace takes letters back."


class Pick(Dialog[int | None]):
    """Answers the position of the picked entry; Esc answers ``None``.

    Every typed word must occur in an entry; those that hold the words as they were typed come first. Until something
    is typed, the entry ``at`` is highlighted.
    """

    DEFAULT_CSS = (
        DIALOG_CSS.format(name="Pick", width=100, body="1", low="1")
        + """
    Pick Input { width: 100%; background: $boost; }
    Pick OptionList { height: auto; max-height: 60vh; }
    """
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back"),
        Binding("down", "move(1)", "Down", show=False),
        Binding("up", "move(-1)", "Up", show=False),
    ]

    def __init__(self, title: str, entries: Sequence[str], at: int = 0) -> None:
        super().__init__()
        self._at = at
        self._title = title
        self._entries = tuple(entries)
        self._shown = list(range(len(self._entries)))

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._title, classes="title", markup=False)
            yield Input(placeholder="words to look for", id="words")
            yield OptionList(id="entries", markup=False)
            yield Static("type to narrow · arrows and Enter pick · Esc goes back", classes="keys", markup=False)

    @property
    def explanation(self) -> Text:
        text = Text().append(f"{self._title}\n\n", "bold")
        return text.append(
            f"{len(self._entries)} to choose from. What you type narrows the list to those that hold every word; those "
            "that hold it as typed come first. The arrows go up and down, Enter picks. Esc goes back and picks nothing."
        )

    def on_mount(self) -> None:
        self.query_one("#entries").can_focus = False
        self.query_one("#words").focus()
        self._show("")
        if self._shown:
            self.query_one("#entries", OptionList).highlighted = self._at

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.value or len(self._shown) < len(self._entries):
            self._show(event.value)

    def on_input_submitted(self) -> None:
        position = self.query_one("#entries", OptionList).highlighted
        if position is not None:
            self.dismiss(self._shown[position])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._shown[event.option_index])

    def action_move(self, by: int) -> None:
        """Put the highlight on the entry after (1) or before (-1)."""
        entries = self.query_one("#entries", OptionList)
        if by > 0:
            entries.action_cursor_down()
        else:
            entries.action_cursor_up()

    def action_leave(self) -> None:
        self.dismiss(None)

    def _show(self, words: str) -> None:
        wanted = words.casefold().split()
        folded = [entry.casefold() for entry in self._entries]
        fit = [number for number, entry in enumerate(folded) if all(word in entry for word in wanted)]
        self._shown = sorted(fit, key=lambda number: words.casefold() not in folded[number])
        entries = self.query_one("#entries", OptionList)
        entries.clear_options()
        entries.add_options([Option(self._entries[number]) for number in self._shown])
        if not self._shown:
            entries.add_option(Option(NOTHING_HOLDS_THEM, disabled=True))
        entries.highlighted = 0 if self._shown else None
