"""Keys that wait in a row take effect in the order in which they were pressed."""

from __future__ import annotations

import pytest

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
