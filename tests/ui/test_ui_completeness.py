"""The checklist of a specification beside the text."""

from __future__ import annotations

SKILL = "sirs-criteria"


async def open_the_checklist(person) -> None:
    await person.opens_skill(SKILL)
    await person.presses(*["ctrl+t"] * 5)
    await person.sees("Completeness 20/20")


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
