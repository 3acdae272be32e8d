"""Go to a place of a screen: a letter stands on each, and the letter or a click goes there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Click, Key, Resize
from textual.geometry import Region, Size
from textual.screen import ModalScreen
from textual.widgets import Static

from m4review.tui.screens.leaving import Leavable

LETTER_WIDTH = 3
"""Cells of a letter with a blank on each side."""


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere to go on a screen: its name in the user's words, the cells it has, and how one gets there.

    An empty region is out of sight; the place is listed without a letter on it.
    """

    name: str
    region: Region
    go: Callable[[], object]


class Jump(ModalScreen[Place | None], Leavable[Place | None]):
    """Answers the place whose letter was pressed; Esc answers ``None``, and so does a window that changes its size."""

    DEFAULT_CSS = """
    Jump { layers: letters list; }
    Jump .letter { layer: letters; position: absolute; width: 3; height: 1; text-style: bold reverse; }
    Jump #places { layer: list; dock: bottom; height: auto; max-height: 50%; padding: 0 1; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [("escape,ctrl+n", "stay", "Stay here")]

    def __init__(self, places: Sequence[Place], size: Size) -> None:
        super().__init__()
        self._places = dict(zip(ascii_lowercase, places, strict=False))
        self._for_size = size

    def compose(self) -> ComposeResult:
        for letter, place in self._places.items():
            if place.region:
                mark = Static(f" {letter} ", classes="letter", id=f"letter-{letter}", markup=False)
                mark.styles.offset = self._spot(place.region)
                yield mark
        yield Static(self._listed(), id="places", markup=False)

    def on_key(self, event: Key) -> None:
        place = self._places.get(event.character or "")
        if place is not None:
            event.stop()
            self.dismiss(place)

    def on_click(self, event: Click) -> None:
        letter = (event.widget.id or "") if event.widget is not None else ""
        self.dismiss(self._places.get(letter.removeprefix("letter-")))

    def on_resize(self, event: Resize) -> None:
        if event.size != self._for_size and self.is_current:
            self.dismiss(None)  # the letters would stand beside what they name

    def action_stay(self) -> None:
        self.dismiss(None)

    def _spot(self, region: Region) -> tuple[int, int]:
        """Where a letter stands: at the place's beginning, but never beyond the edge."""
        return max(0, min(region.x, self._for_size.width - LETTER_WIDTH)), region.y

    def _listed(self) -> Text:
        line = Text("Go to ")
        for letter, place in self._places.items():
            line.append(f" {letter}\N{NO-BREAK SPACE}", "bold reverse").append(f"{place.name}  ")
        return line.append("Esc stays here")
