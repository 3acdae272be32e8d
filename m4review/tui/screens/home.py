"""Home: my work first, then every family, skill and task with its computed state."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical, VerticalScroll
from textual.events import Key
from textual.widget import Widget
from textual.widgets import Input, Static, Tree

from m4review.errors import M4ReviewError
from m4review.newskill import create_skill
from m4review.tui.actions import bindings_of
from m4review.tui.render.shelf import (
    about,
    filtered,
    home_headline,
    waiting_text,
)
from m4review.tui.screens.base import ActionScreen
from m4review.tui.screens.dialogs import LineOfText
from m4review.tui.session.library import FamilyRow, Library, Row, SkillRow, TaskRow, load_library, with_effects
from m4review.tui.widgets.action_bar import ActionBar
from m4review.tui.widgets.filter_box import FilterBox
from m4review.tui.widgets.queue_box import QueueBox
from m4review.tui.widgets.shelf_tree import ShelfTree


class HomeScreen(ActionScreen):
    """The shelf of skills. Enter opens the skill under the cursor; a task opens the skill it belongs to."""

    room = "home"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("home")
    PLACES = (
        ("#queue", "what waits for you"),
        ("#filter", "words to look for"),
        ("#tree", "skills and tasks"),
        ("#about", "what is known of it"),
    )
    DEFAULT_CSS = """
    HomeScreen #shelf { height: 1fr; layout: vertical; }
    HomeScreen Tree { height: 1fr; min-width: 20; padding: 0 1; }
    HomeScreen #filter { display: none; border: none; height: 1; }
    HomeScreen #filter.-shown { display: block; }
    HomeScreen #about { height: 5; border-top: solid $primary; padding: 0 1; }
    HomeScreen #about Static { width: 100%; min-width: 10; }
    HomeScreen.-low #mine, HomeScreen.-low #about { display: none; }
    HomeScreen.-wide #skills { dock: left; width: 60%; height: 100%; border-right: solid $primary; }
    HomeScreen.-wide #mine { max-height: 14; }
    HomeScreen.-wide #mine #queue { max-height: 12; text-wrap: wrap; }
    HomeScreen.-wide #about { height: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._library = Library(())
        self._is_loaded = False
        self._is_settled = False
        self._shown: list[FamilyRow] | None = None
        self._awaited: str | None = None

    def compose(self) -> ComposeResult:
        yield Static(classes="headline", id="where", markup=False)
        with Container(id="shelf"):
            yield QueueBox(id="mine")
            with Vertical(id="skills"):
                yield FilterBox(placeholder="words to look for; Esc shows everything again", id="filter")
                yield ShelfTree(id="tree")
            with VerticalScroll(id="about"):
                yield Static("Reading the workspace …", id="about-text", markup=False)
        yield ActionBar()

    def on_mount(self) -> None:
        self.shelf.focus()

    def on_screen_resume(self) -> None:
        self.do_refresh()

    @property
    def is_filled(self) -> bool:
        """Whether the shelf shows what was read, with the cursor where it belongs."""
        return self._is_settled

    @property
    def focus_chain(self) -> list[Widget]:
        """Tab goes from the shelf to the queue on every size of the screen, wherever the queue stands on it."""
        queue = [one for one in super().focus_chain if one in self.queue_box.children]
        others = [one for one in super().focus_chain if one not in queue]
        after = others.index(self.shelf) + 1 if self.shelf in others else 0
        return [*others[:after], *queue, *others[after:]]

    @property
    def shelf(self) -> ShelfTree:
        return self.query_one(ShelfTree)

    @property
    def queue_box(self) -> QueueBox:
        return self.query_one(QueueBox)

    def why_not(self, action: str) -> str | None:
        skill = self._skill_here()
        if action in {"open", "review", "trial", "compare"} and skill is None:
            return "Put the cursor on a skill or on one of its tasks first." if self._is_loaded else "Still reading."
        if action == "trial" and skill is not None and not skill.tasks:
            return "No task card uses this skill, so there is nothing to run."
        if action == "review" and skill is not None:
            return self.bench.why_not_review(skill.name)
        return None

    # -- actions --------------------------------------------------------------------------------------------------

    def do_open(self) -> None:
        skill = self._skill_here()
        if skill is not None:
            self.bench.open_skill(skill.name)

    def do_review(self) -> None:
        skill = self._skill_here()
        if skill is not None:
            self.bench.open_review(skill.name)

    def do_trial(self) -> None:
        skill = self._skill_here()
        if skill is not None:
            row = None if self.queue_box.item_here else self.shelf.row_here
            task = row.name if isinstance(row, TaskRow) else None
            self.bench.open_trial(skill=skill.name, task=task)

    def do_compare(self) -> None:
        skill = self._skill_here()
        if skill is not None:
            self.bench.open_compare(skill.name)

    async def do_new_skill(self) -> None:
        """Ask for a name; a task card under the cursor that has no skill yet names the new one."""
        row = self.shelf.row_here
        card = row.name if isinstance(row, TaskRow) else None
        tasks = (card,) if card is not None and self._skill_here() is None else ()
        title = f"A new skill for {card}: its name" if tasks else "A new skill: its name"
        name = await self.app.push_screen_wait(LineOfText(title, "small letters, digits and hyphens"))
        if name is not None and name.strip():
            await self.in_thread(create_skill, self.bench.fresh_workspace(), name.strip(), tasks)
            self.bench.open_skill(name.strip())

    def do_filter(self) -> None:
        box = self.query_one("#filter", Input)
        box.add_class("-shown")
        box.focus()

    def do_refresh(self) -> None:
        self.start(self._load, "load")

    async def do_identity(self) -> None:
        await self.bench.ask_identity()

    def do_setup(self) -> None:
        self.bench.open_setup()

    def identity_changed(self) -> None:
        self.do_refresh()

    # -- events ---------------------------------------------------------------------------------------------------

    def on_input_changed(self, _event: Input.Changed) -> None:
        self._fill()

    def on_input_submitted(self) -> None:
        self.shelf.focus()

    def on_key(self, event: Key) -> None:
        box = self.query_one("#filter", Input)
        if event.key == "escape" and box.has_class("-shown"):
            event.stop()
            box.value = ""
            box.remove_class("-shown")
            self.shelf.focus()

    def on_tree_node_highlighted(self) -> None:
        self._tell()

    def on_tree_node_selected(self, event: Tree.NodeSelected[Row]) -> None:
        if isinstance(event.node.data, SkillRow | TaskRow):
            self.action_perform("open")
        else:
            event.node.toggle()

    def on_queue_box_chosen(self, message: QueueBox.Chosen) -> None:
        item = message.item
        opens = {
            "consensus": self.bench.open_consensus,
            "change": self.bench.open_skill,
            "stale": self.bench.open_skill,
        }
        try:
            if item.status.is_recorded:
                opens.get(item.kind, self.bench.open_review)(item.skill)
            else:
                self.bench.open_skill(item.skill)
        except M4ReviewError as error:
            self.bench.show_error(error)

    def on_queue_box_moved(self) -> None:
        self._tell()

    def on_resize(self) -> None:
        if self._is_loaded:
            self._fill(anew=True)

    # -- filling --------------------------------------------------------------------------------------------------

    async def _load(self) -> None:
        workspace = self.bench.fresh_workspace()
        self._library = await self.in_thread(load_library, workspace, self.bench.reviewer)
        self._is_loaded = True
        who = self.bench.reviewer
        name = f"{who.id}, {who.role}" if who else "just looking (F12: say who you are)"
        self.query_one("#where", Static).update(home_headline(workspace.root.name, name, workspace.is_demonstration))
        self.queue_box.show_items(self._library.queue, knows_who=who is not None)
        self._fill()
        self._library = await self.in_thread(with_effects, self._library, workspace)
        if any(row.effect is not None for row in self._library.skills.values()):
            self._fill()
        if self._library.problem is not None:
            self.bench.show_error(self._library.problem)

    def _fill(self, *, anew: bool = False) -> None:
        """Fill the shelf; ``anew`` although the same families are to be shown."""
        families = filtered(self._library.families, self.query_one("#filter", Input).value)
        if families == self._shown and self._awaited is None and not anew:
            return
        here = self.shelf.row_here
        self._shown, self._awaited = families, self._awaited or (None if here is None else here.name)
        self._is_settled = False
        self.shelf.fill(families)
        self.shelf.call_after_refresh(self._put_cursor)

    def _put_cursor(self) -> None:
        """Back to the row that had the cursor before the shelf was filled, else to the first skill."""
        name, self._awaited = self._awaited, None
        self.shelf.put_cursor(name)
        self._is_settled = True
        self._tell()

    def _tell(self) -> None:
        """Say what there is to say of the line under the cursor of the queue or of the shelf."""
        item, row = self.queue_box.item_here, self.shelf.row_here
        text: str | Text | None = None
        if item is not None:
            text = waiting_text(item)
        elif self._is_settled and not self._library.families:
            text = "No skills and no task cards here yet. F7 starts a skill from the template."
        elif self._is_settled and not self.shelf.root.children:
            text = "Nothing holds these words. Esc shows everything again."
        elif row is not None:
            text = about(row)
        if text is not None:
            self.query_one("#about-text", Static).update(text)
        self.refresh_bar()

    def _skill_here(self) -> SkillRow | None:
        """The skill under the cursor of the queue or the shelf, or the one that the task there belongs to."""
        item = self.queue_box.item_here
        return self.shelf.skill_here if item is None else self._library.skills.get(item.skill)
