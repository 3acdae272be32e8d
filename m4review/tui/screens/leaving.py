"""A screen may be left at any moment: while it is being built, under another one, or twice at once."""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.css.query import NoMatches
from textual.events import Event
from textual.screen import Screen

T = TypeVar("T")


class Leavable(Screen[T]):
    """What every screen and dialog is.

    An event that reaches a screen that was left finds less than all of its parts: a key that follows the one that opens
    a screen may close it again before its parts stand. What is missing from a screen that is shown is a fault of the
    program all the same.
    """

    async def on_event(self, event: Event) -> None:
        try:
            await super().on_event(event)
        except NoMatches:
            if not self.was_left:
                raise

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Leave this screen, and what is over it, once.

        Textual takes the uppermost screen away, whichever it is: for the second of two keys that both answer a question
        that is the screen under the question.
        """
        if self.was_left:
            return AwaitComplete()
        while (uppermost := self.app.screen) is not self:
            uppermost.dismiss()
        return super().dismiss(result)

    @property
    def was_left(self) -> bool:
        """Whether the screen was closed, or the workbench with it."""
        return not self.app.is_running or self not in self.app.screen_stack
