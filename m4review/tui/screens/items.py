"""Item ids by their words: what the datasets here record, how often, and which one goes into the text."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option
from textual.worker import WorkType

from m4review.errors import M4ReviewError
from m4review.tui.render.items import entries, tally
from m4review.tui.screens.dialogs import DIALOG_CSS
from m4review.tui.screens.leaving import Leavable
from m4review.tui.session.itemsearch import ItemSearch

if TYPE_CHECKING:
    from m4review.ehr.itemlookup import Item, ItemAnswer

PAUSE = 0.2
"""Seconds without a keystroke before the words are looked up."""


@dataclass(frozen=True, slots=True)
class ChosenItem:
    """The item to put in, and whether as a row of the table under the cursor."""

    item: Item
    as_row: bool


class ItemLookup(ModalScreen[ChosenItem | None], Leavable[ChosenItem | None]):
    """Looks up what is typed; Enter answers the item, F2 the item as a row, Esc nothing."""

    DEFAULT_CSS = (
        DIALOG_CSS.format(name="ItemLookup", width=120, body="1", low="1")
        + """
    ItemLookup Input { width: 100%; background: $boost; }
    ItemLookup OptionList { height: auto; max-height: 55vh; min-height: 1; }
    ItemLookup #answer, ItemLookup #head { width: 100%; min-width: 10; }
    ItemLookup #head { color: $text-muted; text-wrap: nowrap; }
    """
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back"),
        Binding("f2", "choose(True)", "As a table row", priority=True),
        Binding("down", "move(1)", "Down", show=False),
        Binding("up", "move(-1)", "Up", show=False),
    ]

    def __init__(self, search: ItemSearch, words: str, in_table: bool) -> None:
        super().__init__()
        self._search = search
        self._words = words
        self._in_table = in_table
        self._items: tuple[Item, ...] = ()
        self._pause: Timer | None = None

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("Look up an item", classes="title", markup=False)
            yield Input(self._words, placeholder="words of its label, such as heart rate", id="words")
            yield Static(id="head", markup=False)
            yield OptionList(id="items", markup=False)
            yield Static(id="answer", markup=False)
            row = " · F2 puts in a row of the table" if self._in_table else ""
            yield Static(f"Enter puts the id in{row} · arrows choose · Esc goes back", classes="keys", markup=False)

    def on_mount(self) -> None:
        self.query_one("#items").can_focus = False
        self.query_one("#words").focus()
        self._say("Type two letters or more.")
        if self._words.strip():
            self._look_up()

    def on_input_changed(self) -> None:
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(PAUSE, self._look_up)

    def on_input_submitted(self) -> None:
        self.action_choose()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(ChosenItem(self._items[event.option_index], as_row=False))

    def action_choose(self, as_row: bool = False) -> None:
        """Answer the item under the highlight."""
        position = self.query_one("#items", OptionList).highlighted
        if position is None:
            return
        if as_row and not self._in_table:
            self._say("The cursor is in no table; Enter puts the id where it stands.")
            return
        self.dismiss(ChosenItem(self._items[position], as_row=as_row))

    def action_move(self, by: int) -> None:
        """Put the highlight on the item after (1) or before (-1)."""
        items = self.query_one("#items", OptionList)
        if by > 0:
            items.action_cursor_down()
        else:
            items.action_cursor_up()

    def action_leave(self) -> None:
        self.dismiss(None)

    def _look_up(self) -> None:
        words = self.query_one("#words", Input).value
        look: WorkType[None] = partial(self._find, words)
        self.run_worker(look, exclusive=True, group="items")

    async def _find(self, words: str) -> None:
        """Show what fits, then how often each occurs; a newer search replaces this one."""
        if len("".join(words.split())) < 2:
            self._show([])
            self._say("Type two letters or more.")
            return
        try:
            answers = await asyncio.to_thread(self._search.find, words)
            self._show(answers)
            self._say(f"{tally(answers)}; counting …" if self._items else tally(answers))
            if any(item.occurrences is None for item in self._items):
                answers = await asyncio.to_thread(self._search.count, answers)
                self._show(answers)
            self._say(tally(answers))
        except M4ReviewError as error:
            self._show([])
            self._say(f"{error.what}. {error.fix or error.expected or ''}")

    def _show(self, answers: Sequence[ItemAnswer]) -> None:
        self._items = tuple(item for answer in answers for item in answer.items)
        listed = self.query_one("#items", OptionList)
        chosen = listed.highlighted
        shown = entries(self._items, with_dataset=len(answers) > 1)
        self.query_one("#head", Static).update(shown.head)
        listed.clear_options()
        listed.add_options([Option(line) for line in shown.lines])
        if self._items:
            listed.highlighted = min(chosen or 0, len(self._items) - 1)

    def _say(self, words: str) -> None:
        self.query_one("#answer", Static).update(words)
