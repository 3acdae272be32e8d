"""Compare: any two versions of a skill, or a version and the text as it is now."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from m4review.errors import M4ReviewError
from m4review.tui.actions import bindings_of
from m4review.tui.render.difference import Difference, show_difference
from m4review.tui.screens.base import ActionScreen
from m4review.tui.screens.dialogs import Choice, Question
from m4review.tui.session.sides import Side, load_sides
from m4review.tui.widgets.action_bar import ActionBar
from m4review.tui.widgets.difference_view import DifferenceView

KEYS = "0123456789abcdefghijklmoqrstuvwxyz"


class CompareScreen(ActionScreen):
    """Shows what changed from an older to a newer side; starts with the last version against the text on disk."""

    room = "compare"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("compare")
    DEFAULT_CSS = """
    CompareScreen .side { height: auto; max-height: 2; padding: 0 1; }
    CompareScreen #summary { height: 1; padding: 0 1; background: $panel; }
    """

    def __init__(self, skill: str) -> None:
        super().__init__()
        self.skill = skill
        self._sides: list[Side] = []
        self._older = 0
        self._newer = 0
        self._shown: Difference | None = None

    def compose(self) -> ComposeResult:
        yield Static(f"Compare · {self.skill}", classes="headline", markup=False)
        yield Static(id="older", classes="side", markup=False)
        yield Static(id="newer", classes="side", markup=False)
        yield Static("Reading the versions …", id="summary", markup=False)
        yield DifferenceView()
        yield ActionBar()

    def on_mount(self) -> None:
        self.query_one(DifferenceView).focus()
        self.start(self._load, "load")

    def why_not(self, action: str) -> str | None:
        if action in {"older", "newer"} and len(self._sides) < 2:
            return "There is only one text to compare; record a version first."
        if action in {"next_change", "previous_change"} and not (self._shown and self._shown.changes):
            return "These two sides do not differ."
        return None

    def do_next_change(self) -> None:
        view = self.query_one(DifferenceView)
        view.to_change(0 if view.change is None else view.change + 1)

    def do_previous_change(self) -> None:
        view = self.query_one(DifferenceView)
        view.to_change((view.change or 0) - 1)

    async def do_older(self) -> None:
        self._older = await self._choose("Compare from which text?", self._older)
        await self._show()

    async def do_newer(self) -> None:
        self._newer = await self._choose("Compare to which text?", self._newer)
        await self._show()

    def do_back(self) -> None:
        self.dismiss()

    async def _load(self) -> None:
        viewer = self.bench.reviewer.id if self.bench.reviewer else None
        try:
            self._sides = await self.in_thread(load_sides, self.bench.workspace, self.skill, viewer)
        except M4ReviewError as error:
            self.query_one("#summary", Static).update(f"Nothing can be compared: {error.what}")
            raise
        self._older, self._newer = self._first_pair()
        await self._show()

    def _first_pair(self) -> tuple[int, int]:
        """The last version against the text on disk when they differ, else the last two versions."""
        if len(self._sides) == 1:
            return 0, 0
        if self._sides[0].number is not None or self._sides[0].text != self._sides[1].text:
            return 1, 0
        return min(2, len(self._sides) - 1), 1 if len(self._sides) > 2 else 0

    async def _choose(self, title: str, current: int) -> int:
        choices = [
            Choice(str(index), KEYS[index] if index < len(KEYS) else " ", f"{side.name} · {side.said}")
            for index, side in enumerate(self._sides)
        ]
        answer = await self.app.push_screen_wait(Question(title, choices))
        return current if answer is None else int(answer)

    async def _show(self) -> None:
        older, newer = self._sides[self._older], self._sides[self._newer]
        self._shown = await self.in_thread(show_difference, older.text, newer.text)
        self.query_one("#older", Static).update(f"- {older.name} · {older.said}")
        self.query_one("#newer", Static).update(f"+ {newer.name} · {newer.said}")
        count = len(self._shown.changes)
        places = f" in {count} place{'s' * (count != 1)}" if count else ""
        self.query_one("#summary", Static).update(
            f"{self._shown.summary}{places} · words: [-only before-] {{+only after+}}"
        )
        self.query_one(DifferenceView).show_difference(self._shown)
        self.refresh_bar()
