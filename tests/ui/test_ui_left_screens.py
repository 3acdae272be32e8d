"""What is left behind by screens and dialogs that were opened and left again."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Sequence

import pytest
from textual._styles_cache import StylesCache
from textual.screen import Screen
from textual.widget import Widget

SKILL = "sirs-criteria"
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


def parts_of(screens: Sequence[Screen]) -> list[weakref.ref[Widget]]:
    """The screens and all that is on them but the messages, which the next screen goes on showing."""
    parts = (part for screen in screens for part in (screen, *screen.query("*").exclude("Toast")))
    return [weakref.ref(part) for part in parts]


async def opens(person, key: str) -> list[weakref.ref[Widget]]:
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
    left: dict[str, list[weakref.ref[Widget]]] = {}
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
        held = gc.get_objects()
        drawn, shown = (sum(isinstance(one, kind) for one in held) for kind in (StylesCache, Widget))
        assert drawn == shown, "each widget has one store of drawn lines, and there is none of a widget that is gone"


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
