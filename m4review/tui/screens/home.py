"""Home: my work first, then every family, skill and task with its computed state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical, VerticalScroll
from textual.events import Key
from textual.widgets import Input, OptionList, Static, Tree
from textual.widgets.option_list import Option
from textual.widgets.tree import TreeNode

from m4review.errors import M4ReviewError
from m4review.newskill import create_skill
from m4review.tui.actions import bindings_of
from m4review.tui.render.shelf import (
    family_label,
    filtered,
    is_one_skill,
    queue_label,
    queue_title,
    shelf_rows,
    skill_label,
    task_label,
)
from m4review.tui.render.states import status_text
from m4review.tui.screens.base import ActionScreen
from m4review.tui.screens.dialogs import LineOfText
from m4review.tui.session.library import FamilyRow, Library, SkillRow, TaskRow, load_library, with_effects
from m4review.tui.widgets.action_bar import ActionBar

Row = FamilyRow | SkillRow | TaskRow


class HomeScreen(ActionScreen):
    """The shelf of skills. Enter opens the skill under the cursor; a task opens the skill it belongs to."""

    room = "home"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("home")
    DEFAULT_CSS = """
    HomeScreen #shelf { height: 1fr; layout: vertical; }
    HomeScreen #mine { height: auto; max-height: 6; }
    HomeScreen #queue { height: auto; max-height: 4; text-wrap: nowrap; text-overflow: ellipsis; }
    HomeScreen .title { padding: 0 1; text-style: bold; }
    HomeScreen Tree { height: 1fr; min-width: 20; padding: 0 1; }
    HomeScreen #filter { display: none; border: none; height: 1; }
    HomeScreen #filter.-shown { display: block; }
    HomeScreen #about { height: 5; border-top: solid $primary; padding: 0 1; }
    HomeScreen #about Static { width: 100%; min-width: 10; }
    HomeScreen.-low #mine, HomeScreen.-low #about { display: none; }
    HomeScreen.-wide #skills { dock: left; width: 60%; height: 100%; border-right: solid $primary; }
    HomeScreen.-wide #mine { max-height: 14; }
    HomeScreen.-wide #queue { max-height: 12; text-wrap: wrap; }
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
            with Vertical(id="mine"):
                yield Static(queue_title(0), classes="title", id="queue-title", markup=False)
                yield OptionList(id="queue", markup=False)
            with Vertical(id="skills"):
                yield Input(placeholder="words to look for; Esc shows everything again", id="filter")
                tree: Tree[Row] = Tree("skills", id="tree")
                tree.show_root = False
                tree.guide_depth = 2
                yield tree
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
    def shelf(self) -> Tree[Row]:
        return self.query_one("#tree", Tree)

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
            node = self.shelf.cursor_node
            task = node.data.name if node is not None and isinstance(node.data, TaskRow) else None
            self.bench.open_trial(skill=skill.name, task=task)

    def do_compare(self) -> None:
        skill = self._skill_here()
        if skill is not None:
            self.bench.open_compare(skill.name)

    async def do_new_skill(self) -> None:
        """Ask for a name; a task card under the cursor that has no skill yet names the new one."""
        node = self.shelf.cursor_node
        card = node.data.name if node is not None and isinstance(node.data, TaskRow) else None
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

    def on_tree_node_highlighted(self, event: Tree.NodeHighlighted[Row]) -> None:
        self._show_about(event.node.data)
        self.refresh_bar()

    def on_tree_node_selected(self, event: Tree.NodeSelected[Row]) -> None:
        if isinstance(event.node.data, SkillRow | TaskRow):
            self.action_perform("open")
        else:
            event.node.toggle()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if event.option_index < len(self._library.queue):
            item = self._library.queue[event.option_index]
            opens = {"consensus": self.bench.open_consensus, "change": self._open, "stale": self._open}
            opens.get(item.kind, self.bench.open_review)(item.skill)

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
        self.query_one("#where", Static).update(f"m4review · {workspace.root.name} · {name}")
        self._fill_queue()
        self._fill()
        self._library = await self.in_thread(with_effects, self._library, workspace)
        if any(row.effect is not None for row in self._library.skills.values()):
            self._fill()
        if self._library.problem is not None:
            self.bench.show_error(self._library.problem)

    def _fill_queue(self) -> None:
        box = self.query_one("#queue", OptionList)
        box.clear_options()
        if self.bench.reviewer is None:
            box.add_option(Option("Say who you are (F12) to see what waits for you.", disabled=True))
        elif not self._library.queue:
            box.add_option(Option("Nothing waits for you.", disabled=True))
        box.add_options([Option(queue_label(item)) for item in self._library.queue])
        self.query_one("#queue-title", Static).update(queue_title(len(self._library.queue)))
        box.highlighted = 0 if self._library.queue else None

    def _fill(self, *, anew: bool = False) -> None:
        """Fill the shelf; ``anew`` although the same families are to be shown. Tasks are folded in where not all fit,
        and a family of one skill is one row."""
        families = filtered(self._library.families, self.query_one("#filter", Input).value)
        if families == self._shown and self._awaited is None and not anew:
            return
        shelf = self.shelf
        fits = shelf_rows(families) <= shelf.size.height
        self._shown, self._awaited = families, self._awaited or self._name_here()
        self._is_settled = False
        shelf.clear()
        for family in families:
            branch = shelf.root if is_one_skill(family) else shelf.root.add(family_label(family), family, expand=True)
            for skill in family.skills:
                leaf = branch.add(skill_label(skill, counts_tasks=not fits), skill, expand=fits)
                for task in skill.tasks:
                    leaf.add_leaf(task_label(task), task)
            for task in family.loose_tasks:
                branch.add_leaf(task_label(task), task)
        shelf.call_after_refresh(self._put_cursor)

    def _put_cursor(self) -> None:
        """Back to the row that had the cursor before the shelf was filled, else to the first skill."""
        name, self._awaited = self._awaited, None
        rows = list(_rows_below(self.shelf.root))
        wanted = [row for row in rows if row.data is not None and row.data.name == name]
        wanted += [row for row in rows if isinstance(row.data, SkillRow)]
        if wanted:
            shown = wanted[0]
            if shown.parent is not None and not shown.parent.is_expanded and isinstance(shown.data, TaskRow):
                shown = shown.parent
            self.shelf.move_cursor(shown)
            self._show_about(shown.data)
        if not self._library.families:
            self._say("No skills and no task cards here yet. A skill is a folder under skills/ with a SKILL.md.")
        elif not self.shelf.root.children:
            self._say("Nothing holds these words. Esc shows everything again.")
        self._is_settled = True
        self.refresh_bar()

    def _show_about(self, row: Row | None) -> None:
        if isinstance(row, SkillRow):
            if row.error is not None:
                self._say(str(row.error))
            elif row.status is not None:
                self._say(Text().append(f"{row.title}\n", "bold").append_text(status_text(row.status)))
            else:
                self._say(row.title)
        elif isinstance(row, TaskRow):
            self._say(str(row.error) if row.error is not None else f"Task {row.name}: {row.facts}. F5 runs it.")
        elif isinstance(row, FamilyRow):
            self._say(f"Family {row.name}")

    def _open(self, skill: str) -> None:
        try:
            self.bench.open_skill(skill)
        except M4ReviewError as error:
            self.bench.show_error(error)

    def _say(self, text: str | Text) -> None:
        self.query_one("#about-text", Static).update(text)

    def _name_here(self) -> str | None:
        node = self.shelf.cursor_node
        return node.data.name if node is not None and node.data is not None else None

    def _skill_here(self) -> SkillRow | None:
        """The skill under the cursor, or the one that the task under the cursor belongs to."""
        node: TreeNode[Row] | None = self.shelf.cursor_node
        while node is not None:
            if isinstance(node.data, SkillRow):
                return node.data
            node = node.parent
        return None


def _rows_below(node: TreeNode[Row]) -> Iterator[TreeNode[Row]]:
    for child in node.children:
        yield child
        yield from _rows_below(child)
