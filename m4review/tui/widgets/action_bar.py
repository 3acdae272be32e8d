"""The bar at the foot of every screen."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.widget import Widget

from m4review.tui.actions import Action
from m4review.tui.render.bar import bar_line


class ActionBar(Widget):
    """Shows the actions of the screen; a click performs one, or says why it cannot be done."""

    DEFAULT_CSS = """
    ActionBar {
        dock: bottom; height: 1; width: 100%; background: $panel; color: $foreground;
        link-style: none; link-color: $foreground; link-style-hover: reverse;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._actions: Sequence[tuple[Action, bool]] = ()

    def show_actions(self, actions: Sequence[tuple[Action, bool]]) -> None:
        """Take over which actions there are and which are possible now."""
        if actions != self._actions:
            self._actions = actions
            self.refresh()

    def render(self) -> Text:
        return bar_line(self._actions, max(self.size.width, 1))
