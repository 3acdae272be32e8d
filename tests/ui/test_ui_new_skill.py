"""Starting a skill from the first screen."""

from __future__ import annotations

from m4review.workspace import Workspace


async def test_a_new_skill_opens_in_the_editor_with_what_is_to_be_written(workspace, bench) -> None:
    async with bench(workspace, size=(120, 40)) as person:
        await person.chooses_skill("sirs-criteria")
        await person.presses("f7")
        await person.sees("A new skill: its name")
        await person.types("frailty-index")
        await person.presses("enter")
        await person.sees("frailty-index · saved", "To be written")
        assert "frailty-index" in Workspace(workspace.root).skill_names()


async def test_a_name_that_is_taken_is_said_and_nothing_changes(workspace, bench) -> None:
    before = workspace.skill_file("sirs-criteria").read_bytes()
    async with bench(workspace) as person:
        await person.chooses_skill("sirs-criteria")
        await person.presses("f7")
        await person.sees("A new skill: its name")
        await person.types("sirs-criteria")
        await person.presses("enter")
        await person.is_told("there is a skill 'sirs-criteria' already")
    assert workspace.skill_file("sirs-criteria").read_bytes() == before
