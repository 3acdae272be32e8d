"""The checklist of a specification beside the text."""

from __future__ import annotations

from textual.widgets import TabbedContent

from m4review.ehr import synthesise

SKILL = "sirs-criteria"


async def open_the_checklist(person) -> None:
    await person.opens_skill(SKILL)
    await person.presses(*["ctrl+t"] * 5)
    await person.sees("Completeness 20/20", "is for you to judge.")


async def test_the_checklist_follows_what_is_typed(workspace, bench) -> None:
    async with bench(workspace) as person:
        await open_the_checklist(person)
        editor = person.app.screen.editor
        editor.take_text(editor.text.replace("One row per ICU stay; ", ""))
        await person.sees("Completeness 19/20", "[ ] Output grain  absent", "Say what one row of the output is")


async def test_choosing_an_element_goes_to_its_line(workspace, bench) -> None:
    async with bench(workspace) as person:
        await open_the_checklist(person)
        person.app.screen.panel.query_one("#element-list").focus()
        await person.presses("down", "enter")
        line = person.app.screen.editor.cursor_location[0]
        assert "One row per ICU stay" in person.app.screen.editor.document.get_line(line)
        assert person.app.focused is person.app.screen.editor


async def test_a_text_that_is_no_skill_says_so_in_the_checklist(workspace, bench) -> None:
    async with bench(workspace) as person:
        await open_the_checklist(person)
        editor = person.app.screen.editor
        editor.take_text(editor.text.replace("name: sirs-criteria", "nam: sirs-criteria"))
        await person.sees("cannot be read as a skill")


async def test_an_unclear_place_is_counted_listed_first_and_marked_in_the_text(workspace, bench) -> None:
    async with bench(workspace, size=(120, 40)) as person:
        await open_the_checklist(person)
        editor = person.app.screen.editor
        editor.take_text(editor.text.replace("| 220045 (Heart Rate) | /min |", "| 220045 (Heart Rate) | /mim |"))
        await person.sees("unknown-unit", "'/mim' is no known")
        assert (
            str(person.app.screen.panel.query_one(TabbedContent).get_tab("completeness").label)
            == "Completeness 20/20 ?1"
        )
        person.app.screen.panel.query_one("#element-list").focus()
        await person.presses("home", "enter")
        line = editor.cursor_location[0]
        assert "/mim" in editor.document.get_line(line)
        await person.sees(" ?  '/mim' is no known unit", f"{line + 1}? ")


async def test_an_item_id_is_looked_up_where_a_dataset_has_a_dictionary(workspace, bench, tmp_path) -> None:
    synthesise(tmp_path / "data", "small", layout="mimic-iv", stays=5, seed=7)
    async with bench(workspace, size=(120, 40), M4REVIEW_DATA=str(tmp_path / "data")) as person:
        await open_the_checklist(person)
        editor = person.app.screen.editor
        editor.take_text(editor.text.replace("| 220045 (Heart Rate)", "| 220046 (Heart Rate)"))
        await person.sees("unknown-item", "item 220046 is not in the")


async def test_without_a_dataset_nothing_is_said_of_item_ids(workspace, bench, tmp_path) -> None:
    async with bench(workspace, size=(120, 40), M4REVIEW_DATA=str(tmp_path / "data")) as person:
        await open_the_checklist(person)
        editor = person.app.screen.editor
        edited = editor.text.replace("| 220045 (Heart Rate)", "| 220046 (Heart Rate)").replace(
            "One row per ICU stay; ", ""
        )
        editor.take_text(edited)
        await person.sees("Completeness 19/20")
        assert "220046 is not" not in person.screen
