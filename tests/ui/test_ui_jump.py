"""Going to a place of a screen by its letter, and asking for help where no text is typed."""

from __future__ import annotations

import pytest

from m4review.tui.actions import ACTIONS
from m4review.tui.screens.jumping import Jump

SKILL = "sirs-criteria"
WIDE = (120, 40)


def letters(person) -> dict[str, str]:
    """The letter of each place by its name, as the list at the foot says it."""
    return {place.name: letter for letter, place in person.app.screen._places.items()}


async def jumps(person, name: str, key: str = "ctrl+n") -> None:
    await person.presses(key)
    await person.until(lambda: isinstance(person.app.screen, Jump), "the letters")
    await person.sees("Go to", name, "Esc stays here")
    await person.presses(letters(person)[name])
    await person.until(lambda: not isinstance(person.app.screen, Jump), "the letters to be gone")
    await person.settles()


def focus(person) -> str:
    focused = person.app.screen.focused
    return "" if focused is None else str(focused.id)


def is_inside(person, part: str) -> bool:
    focused = person.app.screen.focused
    return focused is not None and any(node.id == part for node in focused.ancestors)


@pytest.mark.parametrize("key", ["ctrl+n", "g"])
async def test_a_letter_stands_on_each_place_of_the_first_screen_and_goes_there(workspace, bench, key) -> None:
    async with bench(workspace, size=WIDE) as person:
        await person.chooses_skill(SKILL)
        for name, there in (
            ("what waits for you", "queue"),
            ("what is known of it", "about"),
            ("skills and tasks", "tree"),
        ):
            await jumps(person, name, key)
            assert focus(person) == there
        assert "words to look for" not in person.screen


async def test_esc_another_key_and_a_window_of_another_size_stay_where_one_is(workspace, bench) -> None:
    async with bench(workspace, size=WIDE) as person:
        await person.chooses_skill(SKILL)
        await person.presses("ctrl+n")
        await person.sees("Go to")
        await person.presses("z")
        await person.sees("Go to")
        await person.presses("escape")
        await person.sees_no("Esc stays here")
        assert focus(person) == "tree"
        await person.presses("ctrl+n")
        await person.sees("Go to")
        await person.pilot.resize_terminal(100, 30)
        await person.sees_no("Esc stays here")
        assert focus(person) == "tree"


async def test_a_click_on_a_letter_goes_there_and_one_beside_it_stays(workspace, bench) -> None:
    async with bench(workspace, size=WIDE) as person:
        await person.chooses_skill(SKILL)
        await person.presses("ctrl+n")
        await person.sees("Go to")
        letter = letters(person)["what waits for you"]
        await person.pilot.click(f"#letter-{letter}")
        await person.sees_no("Esc stays here")
        assert focus(person) == "queue"
        await person.presses("ctrl+n")
        await person.sees("Go to")
        await person.pilot.click(offset=(60, 20))
        await person.sees_no("Esc stays here")
        assert focus(person) == "queue"


@pytest.mark.parametrize("size", [(80, 24), (160, 45)], ids=["80x24", "160x45"])
async def test_from_the_text_every_tab_beside_it_is_two_keys_away(workspace, bench, size) -> None:
    async with bench(workspace, size=size) as person:
        await person.opens_skill(SKILL)
        for name, tab in (("Findings", "findings"), ("Completeness", "completeness"), ("Task card", "card")):
            await jumps(person, name)
            assert person.app.screen.panel.tab == tab
            await person.until(lambda tab=tab: is_inside(person, tab), f"the focus in {tab}")
        await jumps(person, "the text")
        assert person.app.screen.editor.has_focus
        await person.presses("ctrl+f", *"age")
        await jumps(person, "what is looked for")
        assert focus(person) == "find-words"
        assert person.app.screen.focused.value == "age"


async def test_letters_and_question_marks_are_typed_where_text_is_typed(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.presses("ctrl+home")
        await person.types("g?")
        assert person.app.screen.editor.text.startswith("g?")


async def test_the_ballot_and_the_reading_of_a_review_are_places(workspace, bench) -> None:
    async with bench(workspace, size=WIDE) as person:
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.sees("not decided")
        for name, there in (("your decisions", "scopes"), ("your notes", "notes"), ("what is read", "view-text")):
            await jumps(person, name)
            assert focus(person) == there


async def test_the_sides_of_a_comparison_are_places_and_can_be_clicked(workspace, bench) -> None:
    async with bench(workspace, size=WIDE) as person:
        await person.chooses_skill(SKILL)
        await person.presses("f6")
        await person.sees("No difference.")
        await jumps(person, "another older side")
        await person.sees("Compare from which text?")
        await person.presses("escape")
        await person.pilot.click("#newer")
        await person.sees("Compare to which text?")


async def test_set_up_and_a_trial_and_kept_text_have_their_places(workspace, bench, tmp_path) -> None:
    async with bench(workspace, size=WIDE, M4REVIEW_DATA=str(tmp_path / "none")) as person:
        await person.chooses_skill(SKILL)
        await person.presses("f5")
        await person.sees("Trial ·")
        await jumps(person, "the page")
        await person.presses("escape", "f8")
        await person.sees("to put right")
        await jumps(person, "how it is put right")
        assert focus(person) == "about"


@pytest.mark.parametrize("room", sorted(ACTIONS))
def test_every_screen_offers_its_places_and_help_with_a_key_that_types_nothing(room) -> None:
    also = {action.id: action.key_names for action in ACTIONS[room] if action.also}
    assert also == {"jump": "Ctrl+N, g", "help": "F1, ?"}


async def test_a_question_mark_shows_the_help_where_no_text_is_typed(workspace, bench) -> None:
    async with bench(workspace, size=WIDE) as person:
        await person.chooses_skill(SKILL)
        await person.presses("?")
        await person.sees("Help: home", "F1, ?", "Ctrl+N, g", "a letter stands on each")
