"""A screen may be left at any moment, also while it is being built."""

from __future__ import annotations

from collections.abc import Sequence

from textual.css.query import NoMatches
from textual.events import Event
from textual.message_pump import MessagePump


class Leavable(MessagePump):
    """What every screen and dialog is: an event that reaches one that was left finds less than all of its parts.

    A key that follows the one that opens a screen may close it again before its parts stand. What is missing from a
    screen that is shown is a fault of the program all the same.
    """

    async def on_event(self, event: Event) -> None:
        try:
            await super().on_event(event)
        except NoMatches:
            if self.was_left:
                return
            raise

    @property
    def was_left(self) -> bool:
        """Whether the screen was closed, or the workbench with it."""
        shown: Sequence[object] = self.app.screen_stack
        return not self.app.is_running or self not in shown
