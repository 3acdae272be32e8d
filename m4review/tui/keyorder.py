"""Keys take effect in the order in which they were pressed, however fast they come.

In Textual 8.2.8 a text field writes a letter as soon as it meets it, while every other key travels up to the app before
it does anything, so that letters overtake arrows and Delete where keys wait in a row (Textual's issue 6605). Here
whatever follows such a key waits until it was handled. ``App.on_event`` is where keys come in.
"""

from __future__ import annotations

import asyncio
from collections import deque

from textual.events import Event, Key, Paste
from textual.widgets import Input, TextArea

from m4review.tui.crash import CrashSafeApp

QUIET_TURNS = 8
"""Turns of the event loop without a waiting message after which a key is taken for handled."""
PATIENCE_SECONDS = 1.0
"""After this a key is taken for handled in any case: something on the screen may never rest."""


class OrderedKeysApp(CrashSafeApp):
    """An app that gives out a key when the one before it has taken effect."""

    def __init__(self) -> None:
        super().__init__()
        self._held: deque[Key | Paste] = deque()
        self._handling: asyncio.Task[None] | None = None
        self._was_written = False
        """Whether letters were given out since the last rest: they may not have been written yet."""

    @property
    def is_handling_keys(self) -> bool:
        """Whether a key that was pressed has not taken effect yet."""
        return self._handling is not None

    async def on_event(self, event: Event) -> None:
        if not isinstance(event, Key | Paste) or event.is_forwarded:
            await super().on_event(event)
        elif self._handling is None and self._writes(event):
            await self._give_out(event)
        else:
            self._held.append(event)
            if self._handling is None:
                self._handling = asyncio.create_task(self._give_out_held(), name="keys in their order")
                self._handling.add_done_callback(self._all_given_out)

    async def _give_out(self, event: Key | Paste) -> bool:
        """Give out a key; whether a text field writes it."""
        writes = self._writes(event)
        self._was_written = writes
        await super().on_event(event)
        return writes

    def _writes(self, event: Key | Paste) -> bool:
        """Whether a text field takes it at once: those keep their own order."""
        place = self.focused
        takes = isinstance(place, Input) or (isinstance(place, TextArea) and not place.read_only)
        return takes and (isinstance(event, Paste) or (event.is_printable and not self._is_an_act(event)))

    def _is_an_act(self, key: Key) -> bool:
        """Whether a sign does something even where text is typed; no letter does."""
        if key.character is None or key.character.isalnum():
            return False
        bound = self.active_bindings.get(key.key)
        return bound is not None and bound.binding.priority

    async def _give_out_held(self) -> None:
        """Wait for each key to take effect before one that is no letter is given out, and after it."""
        while self._held and self.is_running:
            event = self._held.popleft()
            if self._was_written and not self._writes(event):
                await self._rest()
            if not await self._give_out(event):
                await self._rest()
        self._handling = None

    def _all_given_out(self, handling: asyncio.Task[None]) -> None:
        error = None if handling.cancelled() else handling.exception()
        if isinstance(error, Exception):
            self.end_for_error(error)

    async def _rest(self) -> None:
        """Until nothing that was sent to the app or to what is on the screen waits to be handled."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + PATIENCE_SECONDS
        quiet = 0
        while quiet < QUIET_TURNS and self.is_running and loop.time() < deadline:
            await asyncio.sleep(0)
            screens = self.screen_stack[-1:]
            pumps = (self, *(pump for screen in screens for pump in screen.walk_children(with_self=True)))
            quiet = 0 if any(pump.message_queue_size for pump in pumps) else quiet + 1
