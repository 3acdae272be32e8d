"""A tick or a push, one cell high: Enter, Space or a click turns it, and its mark says which way it stands."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget


class Tick(Widget, can_focus=True):
    """``[x] Case``, ``[ ] Case``; with ``is_act`` it does something instead of standing one way: ``‹Replace all›``."""

    DEFAULT_CSS = """
    Tick { width: auto; height: 1; padding: 0 1; }
    Tick:focus { text-style: bold reverse; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "turn", "Turn", show=False)]

    class Changed(Message):
        """It was turned or pushed."""

        def __init__(self, tick: Tick) -> None:
            super().__init__()
            self.tick = tick

    def __init__(self, label: str, *, is_act: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._label = label
        self._is_act = is_act
        self.on = False

    def action_turn(self) -> None:
        """Turn it the other way, or push it."""
        self.on = not self.on and not self._is_act
        self.refresh()
        self.post_message(self.Changed(self))

    def on_click(self) -> None:
        self.action_turn()

    def render(self) -> Text:
        return Text(f"‹{self._label}›" if self._is_act else f"[{'x' if self.on else ' '}] {self._label}")
