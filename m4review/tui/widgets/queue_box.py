"""What waits for whoever works here, above the shelf: one line each, the most pressing first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from m4review.tui.render.shelf import queue_label, queue_title

if TYPE_CHECKING:
    from m4review.reviews import QueueItem


class QueueBox(Vertical):
    """A line looks chosen only while the box has the focus: nobody shall take it for what Enter opens on the shelf."""

    DEFAULT_CSS = """
    QueueBox { height: auto; max-height: 6; }
    QueueBox .title { padding: 0 1; text-style: bold; }
    QueueBox #queue { height: auto; max-height: 4; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    class Chosen(Message):
        """A line was chosen with Enter or a click."""

        def __init__(self, item: QueueItem) -> None:
            super().__init__()
            self.item = item

    class Moved(Message):
        """The cursor went to another line, came into the box or left it."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._items: tuple[QueueItem, ...] = ()
        self._was_on = 0

    def compose(self) -> ComposeResult:
        yield Static(queue_title(0), classes="title", id="queue-title", markup=False)
        yield OptionList(id="queue", markup=False)

    @property
    def item_here(self) -> QueueItem | None:
        """What is under the cursor, while the box has the focus."""
        rows = self._rows
        if not rows.has_focus or rows.highlighted is None or rows.highlighted >= len(self._items):
            return None
        return self._items[rows.highlighted]

    def show_items(self, items: Sequence[QueueItem], *, knows_who: bool) -> None:
        """Show what waits; ``knows_who`` says whether somebody said who works here."""
        self._items = tuple(items)
        rows = self._rows
        rows.clear_options()
        if not knows_who:
            rows.add_option(Option("Say who you are (F12) to see what waits for you.", disabled=True))
        elif not items:
            rows.add_option(
                Option("Nothing waits for you. F3 reviews the skill under the cursor all the same.", disabled=True)
            )
        rows.add_options([Option(queue_label(item)) for item in items])
        self.query_one("#queue-title", Static).update(queue_title(len(items)))
        self._mark()

    def on_descendant_focus(self) -> None:
        self._mark()

    def on_descendant_blur(self) -> None:
        self._was_on = self._rows.highlighted or 0
        self._mark()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.post_message(self.Moved())

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_index < len(self._items):
            self.post_message(self.Chosen(self._items[event.option_index]))

    @property
    def _rows(self) -> OptionList:
        return self.query_one("#queue", OptionList)

    def _mark(self) -> None:
        rows = self._rows
        is_chosen = rows.has_focus and bool(self._items)
        rows.highlighted = min(self._was_on, len(self._items) - 1) if is_chosen else None
        self.post_message(self.Moved())
