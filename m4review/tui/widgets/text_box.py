"""A text area that the app lets go of when its screen is left.

Each text area of Textual 8.2.8 asks with ``watch`` to be told of a new theme, and the app keeps whoever asks, with its
text, its undo history and its drawn lines, until somebody changes the theme. Those of the workbench take their colours
from the style sheet whenever they are drawn, and need not be told.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.dom import DOMNode
from textual.widgets import TextArea


class TextBox(TextArea):
    """A text area to read or to write in; every text area of the workbench is one."""

    def watch(self, obj: DOMNode, attribute_name: str, callback: Callable[..., Any], init: bool = True) -> None:
        if obj is not self.app or attribute_name != "theme":
            super().watch(obj, attribute_name, callback, init)
