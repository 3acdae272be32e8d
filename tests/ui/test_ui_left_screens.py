"""What is left behind by screens and dialogs that were opened and left again."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable, Sequence
from itertools import count

import pytest
from textual._styles_cache import StylesCache
from textual.css.query import NoMatches
from textual.geometry import Size
from textual.screen import Screen

from m4review.tui.screens.compare import CompareScreen
from m4review.tui.screens.consensus import ConsensusScreen
from m4review.tui.screens.dialogs import Choice, LineOfText, Question, Reading
from m4review.tui.screens.form import Field, Form
from m4review.tui.screens.home import HomeScreen
from m4review.tui.screens.items import ItemLookup
from m4review.tui.screens.jumping import Jump
from m4review.tui.screens.picking import Pick
from m4review.tui.screens.recover import RecoverScreen
from m4review.tui.screens.review import ReviewScreen
from m4review.tui.screens.setup import SetUpScreen
from m4review.tui.screens.trial import TrialScreen
from m4review.tui.screens.workbench import WorkbenchScreen
from m4review.tui.session import OpenedSkill
from m4review.tui.session.itemsearch import ItemSearch
from m4review.workspace import Workspace

SKILL = "sirs-criteria"
MOMENTS = 10
"""Turns of the event loop after which a screen is closed again: before, while and after its parts are built."""
DIALOGS = {
    "enter": ("ctrl+o", "ctrl+k", "f10", "ctrl+g"),
    "f3": ("f1",),
    "f5": (),
    "f6": ("f2",),
    "f7": (),
    "f8": (),
    "ctrl+p": (),
}
"""The keys that lead on from the first screen, and those that open a dialog there."""


def parts_of(screens: Sequence[Screen]) -> list[weakref.ref[object]]:
    """The screens, all that is on them but the messages, which the next screen goes on showing, and what was drawn."""
    parts = [part for screen in screens for part in (screen, *screen.query("*").exclude("Toast"))]
    drawn = [held for part in parts for held in vars(part).values() if isinstance(held, StylesCache)]
    assert len(drawn) == len(parts), "each part has a store of its drawn lines"
    return [weakref.ref(one) for one in (*parts, *drawn)]


async def opens(person, key: str) -> list[weakref.ref[object]]:
    """Press a key that opens a screen; what is on it."""
    before = len(person.app.screen_stack)
    await person.presses(key)
    await person.until(lambda: len(person.app.screen_stack) > before, f"what {key} opens")
    await person.settles()
    return parts_of(person.app.screen_stack[before:])


async def goes_back(person, standing: int) -> None:
    for _ in range(4):
        if len(person.app.screen_stack) == standing:
            return
        await person.presses("escape")
    raise AssertionError(f"no way back from:\n{person.screen}")


async def test_nothing_of_a_screen_or_dialog_stays_in_memory_after_it_was_left(workspace, bench) -> None:
    left: dict[str, list[weakref.ref[object]]] = {}
    async with bench(workspace, size=(120, 40)) as person:
        await person.chooses_skill(SKILL)
        home = len(person.app.screen_stack)
        for way, dialogs in DIALOGS.items():
            left[way] = await opens(person, way)
            if way == "enter":
                await person.types("a word ")
                await person.presses("ctrl+z", "ctrl+f", "escape")
            for dialog in dialogs:
                left[f"{way} {dialog}"] = await opens(person, dialog)
                await goes_back(person, home + 1)
            await goes_back(person, home)
        person.app.open_consensus(SKILL)
        await person.settles()
        left["the consensus"] = parts_of(person.app.screen_stack[home:])
        await goes_back(person, home)
        assert all(left.values())

        def kept() -> dict[str, set[str]]:
            gc.collect()
            alive = {
                way: {type(part()).__name__ for part in parts if part() is not None} for way, parts in left.items()
            }
            return {way: names for way, names in alive.items() if names}

        await person.until(lambda: not kept(), f"nothing to be left of {kept()}")


async def test_a_message_that_ended_while_another_screen_was_shown_leaves_nothing_behind(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.chooses_skill(SKILL)
        home = len(person.app.screen_stack)
        person.app.notify("Something is done.", timeout=600)
        await person.sees("Something is done.")
        for _ in range(2):
            await opens(person, "f1")
            person.app.clear_notifications()
            await goes_back(person, home)
            await person.sees_no("Something is done.")
        await person.until(lambda: not person.app.screen.query("ToastHolder"), "the message's place to be gone")


SCREENS: dict[str, Callable[[Workspace], Screen]] = {
    "a question": lambda _: Question("Which?", (Choice("this", "t", "This one"),)),
    "a line of text": lambda _: LineOfText("What?"),
    "a text": lambda _: Reading("Help", "Read this."),
    "a form": lambda _: Form("Say", (Field("name", "Name"), Field("kind", "Kind", ("one", "other")))),
    "a list": lambda _: Pick("Which?", ("one", "other")),
    "the items": lambda workspace: ItemLookup(ItemSearch(workspace, SKILL, {}), "heart", False),
    "the letters": lambda _: Jump((), Size(80, 24)),
    "the first screen": lambda _: HomeScreen(),
    "the editor": lambda ward: WorkbenchScreen(OpenedSkill.open(SKILL, ward.skill_file(SKILL), count())),
    "the review": lambda _: ReviewScreen(SKILL),
    "the comparison": lambda _: CompareScreen(SKILL),
    "the consensus": lambda _: ConsensusScreen(SKILL),
    "the trials": lambda _: TrialScreen(SKILL),
    "the set-up": lambda _: SetUpScreen(),
    "the drafts": lambda _: RecoverScreen([]),
}


@pytest.mark.parametrize("kind", SCREENS)
async def test_a_screen_that_is_closed_while_it_is_built_ends_quietly(workspace, bench, kind) -> None:
    async with bench(workspace) as person:
        standing = person.app.screen_stack
        for turns in range(MOMENTS):
            person.app.push_screen(SCREENS[kind](workspace))
            for _ in range(turns):
                await asyncio.sleep(0)
            person.app.pop_screen()
            await person.settles()
            assert person.app.is_running
            assert person.app.screen_stack == standing


async def test_what_is_missing_from_a_screen_that_is_shown_is_a_fault(workspace, bench) -> None:
    class Faulty(Reading):
        def on_mount(self) -> None:
            self.query_one("#nowhere")

    async def reads_it() -> None:
        async with bench(workspace) as person:
            person.app.push_screen(Faulty("Help", "Read this."))
            await person.settles()

    with pytest.raises(NoMatches):
        await reads_it()


@pytest.mark.parametrize("way", ["enter", "f3", "f6"])
async def test_a_text_that_is_shown_takes_on_a_new_theme(workspace, bench, way) -> None:
    async with bench(workspace, size=(120, 40)) as person:
        await person.chooses_skill(SKILL)
        await person.presses(way)
        await person.until(lambda: any(area.size.height for area in person.app.screen.query("TextArea")), "a text")
        area = next(area for area in person.app.screen.query("TextArea") if area.size.height)
        drawn = {}
        for theme in ("textual-dark", "textual-light", "textual-dark"):
            person.app.theme = theme
            await person.settles()
            colours = frozenset(str(segment.style) for segment in area.render_lines(area.size.region)[0])
            assert drawn.setdefault(theme, colours) == colours
        assert drawn["textual-dark"].isdisjoint(drawn["textual-light"])
