"""A window too small to show anything usable says so, and shows everything again when it is enlarged."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Resize
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.widgets import Static

from m4review.tui.screens.leaving import Leavable

if TYPE_CHECKING:
    from m4review.tui.app import WorkbenchApp

LEAST = Size(40, 10)
"""Columns and rows from which every screen can be worked with."""


def is_too_small(size: Size) -> bool:
    """Whether nothing can be worked with in a window of that size."""
    return size.width < LEAST.width or size.height < LEAST.height


class TooSmall(ModalScreen[None], Leavable[None]):
    """Covers everything while the window is too small; keys typed blindly change nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [("ctrl+q", "leave", "Quit")]
    DEFAULT_CSS = """
    TooSmall { align: center middle; background: $background; }
    TooSmall Static { width: 100%; min-width: 5; height: auto; text-align: center; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._is_gone = False

    def compose(self) -> ComposeResult:
        yield Static(id="too-small", markup=False)

    def on_mount(self) -> None:
        self._say()

    def on_resize(self, _event: Resize) -> None:
        self._say()

    def on_screen_resume(self) -> None:
        self._say()

    def action_leave(self) -> None:
        """Quit, which asks about unsaved text as always."""
        cast("WorkbenchApp", self.app).leave()

    def _end(self) -> None:
        self.dismiss()

    def _say(self) -> None:
        size = self.app.size
        if not is_too_small(size):
            if self.app.screen is self and not self._is_gone:
                self._is_gone = True
                self.call_later(self._end)
            return
        self.query_one(Static).update(
            f"This window is too small: {size.width}×{size.height}.\n"
            f"Enlarge it to {LEAST.width}×{LEAST.height}, better 80×24. Nothing is lost."
        )
