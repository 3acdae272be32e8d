"""Copied text also reaches other programs, and whoever copies sees that it happened.

A terminal is asked to take a copied text (OSC 52), which some refuse without a word; the clipboard of the desktop takes
it besides, where there is one.
"""

from __future__ import annotations

import threading
from typing import TypeVar

from textual.app import App
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, TextArea

T = TypeVar("T")

HOW_TO_MARK = "Nothing is marked. Shift and the arrows mark in a text, the mouse anywhere; then Ctrl+C copies."


class CopyingApp(App[None]):
    """An app whose copied texts reach the terminal and the desktop, and which says so without showing them."""

    class Copied(Message):
        """A text was copied. ``by_desktop``: the desktop's clipboard has it as well."""

        def __init__(self, characters: int, by_desktop: bool) -> None:
            super().__init__()
            self.characters = characters
            self.by_desktop = by_desktop

    def copy_to_clipboard(self, text: str) -> None:
        super().copy_to_clipboard(text)
        # A thread that the end of the program does not wait for: the desktop's program may never answer.
        threading.Thread(target=self._hand_over, args=(text,), daemon=True).start()

    def _hand_over(self, text: str) -> None:
        self.post_message(self.Copied(len(text), hand_to_desktop(text)))

    def on_copying_app_copied(self, message: Copied) -> None:
        self.notify(copied_words(message.characters, message.by_desktop), markup=False)


class CopyingScreen(Screen[T]):
    """A screen whose marked passage is copied by key and by name; where nothing is marked, it says how one marks."""

    def action_copy_text(self) -> None:
        """Copy what is marked, in the field that has the focus or with the mouse on the screen."""
        field = self.focused
        marked = field.selected_text if isinstance(field, TextArea | Input) else ""
        marked = marked or self.get_selected_text() or ""
        if marked:
            self.app.copy_to_clipboard(marked)
        else:
            self.notify(HOW_TO_MARK, markup=False)


def hand_to_desktop(text: str) -> bool:
    """Put a text on the clipboard of the desktop; whether there is one that took it."""
    import pyperclip

    try:
        pyperclip.copy(text)
    except pyperclip.PyperclipException:
        return False
    return True


def copied_words(characters: int, by_desktop: bool) -> str:
    """What is said after copying: how much, and who can have it.

    >>> copied_words(1, by_desktop=True)
    'Copied: 1 character.'
    """
    amount = f"Copied: {characters} character{'' if characters == 1 else 's'}."
    return (
        amount
        if by_desktop
        else f"{amount} Ctrl+V puts it in here; other programs have it if this terminal hands it on."
    )
