"""Keys that wait in a row take effect in the order in which they were pressed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import ClassVar

import pytest
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.widgets import TextArea

from m4review.tui.keyorder import OrderedKeysApp
from m4review.tui.widgets.skill_editor import SkillEditor

SKILL = "sirs-criteria"


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (["3", "left", "8", "left", "delete"], "3"),
        (["3", "8", "left", "left", "delete"], "8"),
        (["a", "b", "backspace", "c"], "ac"),
        (["a", "enter", "b", "up", "x"], "ax\nb"),
        (["a", "b", "home", "c", "end", "d"], "cabd"),
        (["a", "ctrl+z", "b"], "b"),
        (["a", "shift+left", "ctrl+x", "b", "ctrl+v"], "ba"),
    ],
)
async def test_letters_never_overtake_the_other_keys_of_the_editor(workspace, bench, monkeypatch, keys, text) -> None:
    monkeypatch.setattr("pyperclip.copy", lambda copied: None)
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        editor = person.app.screen.query_one(SkillEditor)
        editor.load_text("")
        person.rushes(*keys)
        await person.settles()
        assert editor.text == text


@pytest.mark.parametrize("turns", [0, 1, 3, 10])
async def test_what_is_typed_right_before_saving_is_saved_and_stays_on_the_screen(workspace, bench, turns) -> None:
    before = workspace.skill_file(SKILL).read_text("utf-8")
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        editor = person.app.screen.query_one(SkillEditor)
        for typed in ("abc", "x", "yz"):
            for key in ("ctrl+home", "delete", *typed, "ctrl+s"):
                person.rushes(key)
                for _ in range(turns):
                    await asyncio.sleep(0)
            await person.settles()
            assert editor.text.startswith(typed)
            assert workspace.skill_file(SKILL).read_text("utf-8") == editor.text
    assert workspace.skill_file(SKILL).read_text("utf-8") == "yzbc--" + before[3:]


@pytest.mark.parametrize("leaving", ["ctrl+q", "escape"])
async def test_what_is_typed_right_before_leaving_is_asked_about(workspace, bench, leaving) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        person.rushes("v", "w", leaving)
        await person.sees("is not saved")
        await person.presses("s")
        await person.until(lambda: "vw" in workspace.skill_file(SKILL).read_text("utf-8"), "the file")


async def test_a_field_of_a_form_takes_hurried_keys_in_their_order_too(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.chooses_skill(SKILL)
        person.rushes("/", *"sofa", "left", "x", "home", "y", "delete")
        await person.settles()
        assert person.app.screen.query_one("#filter").value == "yofxa"


async def test_a_filter_an_enter_and_an_enter_typed_in_one_go_open_the_skill_that_was_meant(library, bench) -> None:
    async with bench(library) as person:
        person.rushes("/", *"sirs", "enter", "enter")
        await person.settles()
        await person.sees(f"{SKILL} · saved")


async def test_what_is_pasted_after_an_arrow_lands_behind_it(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        editor = person.app.screen.query_one(SkillEditor)
        editor.load_text("ab")
        person.rushes("end", "left")
        await person.pastes("xyz")
        assert editor.text == "axyzb"


async def test_an_error_met_by_a_key_that_waited_ends_the_workbench_as_any_other_does(
    workspace, bench, monkeypatch
) -> None:
    def fails() -> None:
        raise ZeroDivisionError

    async def hurry() -> None:
        async with bench(workspace) as person:
            await person.opens_skill(SKILL)
            monkeypatch.setattr(person.app, "leave", fails)
            person.rushes("left", "ctrl+q")
            await person.until(lambda: not person.app.is_running, "the end")

    with pytest.raises(ZeroDivisionError):
        await hurry()


class Pad(OrderedKeysApp):
    """A text area, and a key that notes at once what it holds."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+s", "note", priority=True)]

    def compose(self) -> Iterator[TextArea]:
        self.noted: list[str] = []
        yield TextArea()

    def action_note(self) -> None:
        self.noted.append(self.query_one(TextArea).text)


async def test_a_key_that_acts_before_all_others_still_finds_the_letters_before_it() -> None:
    pad = Pad()
    async with pad.run_test() as pilot:
        for key, sign in (("a", "a"), ("b", "b"), ("ctrl+s", None), ("left", None), ("c", "c"), ("ctrl+s", None)):
            pad.post_message(Key(key, sign))
        await pilot.pause()
        while pad.is_handling_keys:
            await pilot.pause()
    assert pad.noted == ["ab", "acb"]
