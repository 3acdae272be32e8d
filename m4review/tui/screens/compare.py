"""Compare: any two versions of any skills, the text as it is now, and operational specs; word by word."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Click
from textual.widgets import Static

from m4review.errors import M4ReviewError
from m4review.history import Comparison, compare
from m4review.reviews.sides import Side, first_pair, load_sides, specification_side, specified_tasks
from m4review.tui.actions import bindings_of
from m4review.tui.render.columns import lay_out_columns
from m4review.tui.render.difference import Difference, heading_of, lay_out
from m4review.tui.screens.base import ActionScreen
from m4review.tui.screens.jumping import Place
from m4review.tui.screens.picking import Pick
from m4review.tui.widgets.action_bar import ActionBar
from m4review.tui.widgets.difference_view import DifferenceView

COLUMNS_FROM = 110
"""Cells of the screen from which two columns are shown at first."""

NOTHING_DIFFERS = Difference(
    (Text("These two texts are the same. F2 chooses another older side, F3 another newer one."),), (), ""
)


class CompareScreen(ActionScreen):
    """Shows what changed from an older to a newer side; starts with the last version against the text on disk."""

    room = "compare"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("compare")
    PLACES = (("DifferenceView", "what changed"),)
    DEFAULT_CSS = """
    CompareScreen .side { height: auto; max-height: 2; padding: 0 1; }
    CompareScreen #summary { height: 1; padding: 0 1; background: $panel; }
    CompareScreen.-low .side { max-height: 1; }
    """

    def __init__(self, skill: str) -> None:
        super().__init__()
        self.skill = skill
        self._sides: list[Side] = []
        self._older: Side | None = None
        self._newer: Side | None = None
        self._comparison: Comparison | None = None
        self._shown: Difference | None = None
        self._in_columns: bool | None = None

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
        if action in {"older", "newer", "swap", "columns"} and not self._sides:
            return "Nothing is read that could be compared."
        if action in {"next_change", "previous_change"} and not (self._shown and self._shown.changes):
            return "These two sides do not differ."
        return None

    def places(self) -> list[Place]:
        """Both sides, which can be chosen anew, and the difference."""
        sides = (("older", "another older side"), ("newer", "another newer side"))
        return [
            *super().places(),
            *(
                Place(name, self.query_one(f"#{side}").region, partial(self.action_perform, side))
                for side, name in sides
            ),
        ]

    def on_click(self, event: Click) -> None:
        """A click on one of the two sides chooses another, as its key does."""
        if event.widget is not None and event.widget.id in {"older", "newer"}:
            self.action_perform(event.widget.id)

    # -- actions --------------------------------------------------------------------------------------------------

    def do_next_change(self) -> None:
        view = self.query_one(DifferenceView)
        view.to_change(0 if view.change is None else view.change + 1)

    def do_previous_change(self) -> None:
        view = self.query_one(DifferenceView)
        view.to_change((view.change or 0) - 1)

    async def do_older(self) -> None:
        self._older = await self._pick("Compare from which text?") or self._older
        await self._compare()

    async def do_newer(self) -> None:
        self._newer = await self._pick("Compare to which text?") or self._newer
        await self._compare()

    async def do_swap(self) -> None:
        self._older, self._newer = self._newer, self._older
        await self._compare()

    def do_columns(self) -> None:
        self._in_columns = not self._is_in_columns
        self._lay_out()

    def do_back(self) -> None:
        self.dismiss()

    def on_resize(self) -> None:
        if self._is_in_columns or self._in_columns is None:
            self._lay_out()

    # -- steps ----------------------------------------------------------------------------------------------------

    @property
    def _is_in_columns(self) -> bool:
        return self.size.width >= COLUMNS_FROM if self._in_columns is None else self._in_columns

    async def _load(self) -> None:
        try:
            self._sides = await self._sides_of(self.skill)
        except M4ReviewError as error:
            self.query_one("#summary", Static).update(f"Nothing can be compared: {error.what}")
            raise
        self._older, self._newer = first_pair(self._sides)
        await self._compare()

    async def _sides_of(self, skill: str) -> list[Side]:
        viewer = self.bench.reviewer.id if self.bench.reviewer else None
        return await self.in_thread(load_sides, self.bench.workspace, skill, viewer)

    async def _pick(self, title: str) -> Side | None:
        """Ask for a side: what was judged last, a version of this skill or of another, or an operational spec."""
        workspace = self.bench.workspace
        others = [name for name in workspace.skill_names() if name != self.skill]
        tasks = await self.in_thread(specified_tasks, workspace, self.skill)
        mine = [side for side in self._sides if side.is_own_last]
        sides = [*mine, *self._sides]
        entries = [f"my last verdict was on {side.state} · {side.said}" for side in mine]
        entries += [f"{side.state} · {side.said}" for side in self._sides]
        entries += [f"operational spec of {task}" for task in tasks]
        entries += [f"another skill: {name} …" for name in others]
        picked = await self.app.push_screen_wait(Pick(title, entries))
        if picked is None:
            return None
        if picked < len(sides):
            return sides[picked]
        picked -= len(sides)
        if picked < len(tasks):
            return await self.in_thread(specification_side, workspace, tasks[picked])
        foreign = await self._sides_of(others[picked - len(tasks)])
        which = await self.app.push_screen_wait(Pick(title, [f"{side.name} · {side.said}" for side in foreign]))
        return None if which is None else foreign[which]

    async def _compare(self) -> None:
        older, newer = self._older, self._newer
        assert older is not None
        assert newer is not None
        self._comparison = await self.in_thread(compare, older.text, newer.text)
        for sign, name, side in (("-", "older", older), ("+", "newer", newer)):
            words = side.state if side.owner == self.skill and not side.is_specification else side.name
            self.query_one(f"#{name}", Static).update(f"{sign} {words} · {side.said}")
        self._lay_out()

    def _lay_out(self) -> None:
        if self._comparison is None:
            return
        in_columns = self._is_in_columns
        view = self.query_one(DifferenceView)
        width = max(self.size.width - 2, 20)
        self._shown = lay_out_columns(self._comparison, width) if in_columns else lay_out(self._comparison)
        self.query_one("#summary", Static).update(heading_of(self._shown, in_columns=in_columns, width=width))
        view.show_difference(self._shown if self._shown.lines else NOTHING_DIFFERS)
        self.refresh_bar()
