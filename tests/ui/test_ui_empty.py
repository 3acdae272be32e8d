"""Wherever a screen, page or list has nothing to show, it says so, and what to do next."""

from __future__ import annotations

import shutil

import pytest

from m4review.workspace import Workspace

SKILL = "sirs-criteria"
LONE = "lone"
NO_ENGINE = "unix:///nonexistent/docker.sock"
TABS = {
    "Task card": "No task card uses this skill yet. A card names its skills in task.toml.",
    "Findings": "No findings: nothing in this text is refused. F2 records it as a version.",
    "Reviews": "No verdict has been given yet. F2 records this text as a version, F3 reviews it.",
    "Trials": "No trial yet. F5 runs a task without and with this skill, and tells whether it helps.",
}
REVIEW_VIEWS = {
    "Cards": "No task card uses this skill yet. A card names its skills in task.toml.",
    "Trials": "No trial is recorded as evidence for this text. F5 in the editor runs one",
    "Findings": "No findings, no comments. In the text, mark a passage",
    "State": "No verdict has been given yet.",
}
TRIAL_PAGES = {
    "Result": "No trial yet.",
    "Past": "No trial of this skill yet.",
    "Columns": "No trial of this skill yet.",
    "Levels": "No trial of this skill yet.",
    "Sections": "No trial of this skill yet.",
    "Steps": "No trial of this skill yet.",
    "Compare": "No trial of this skill yet.",
    "Plots": "No skill has been tried yet",
}
MAKES_A_DATASET = (
    "There is no dataset of the layout mimic-iv on this machine. s (Set up; F8 on the first screen) makes one"
)


@pytest.fixture
def lone(workspace: Workspace) -> Workspace:
    """A workspace with one more skill that is nothing but a beginning: not recorded, without a task card."""
    path = workspace.skill_file(LONE)
    path.parent.mkdir()
    path.write_text(f"---\nname: {LONE}\ndescription: a beginning\n---\n", encoding="utf-8")
    return workspace


async def test_a_workspace_without_skills_names_the_key_that_starts_one(workspace, bench) -> None:
    for folder in (workspace.skills_dir, workspace.tasks_dir):
        shutil.rmtree(folder)
        folder.mkdir()
    async with bench(workspace) as person:
        await person.reads(
            "Nothing waits for you. F3 reviews the skill under the cursor all the same.",
            "No skills and no task cards here yet. F7 starts a skill from the template.",
        )
        await person.presses("f7")
        await person.sees("A new skill")


async def test_without_a_name_and_without_a_match_the_first_screen_names_the_keys(workspace, bench) -> None:
    workspace.save_just_looking()
    async with bench(workspace, None) as person:
        await person.reads("Say who you are (F12) to see what waits for you.")
        await person.presses("slash", *"zzz")
        await person.reads("Nothing holds these words. Esc shows everything again.")


async def test_every_tab_beside_a_text_that_is_a_beginning(lone, bench) -> None:
    async with bench(lone) as person:
        await person.opens_skill(LONE)
        await person.sees("no findings")
        for title, words in TABS.items():
            await person.clicks(f"{title}")
            await person.reads(words)
        await person.presses("ctrl+o")
        await person.is_told("The text has no headings yet; a line that begins with # is one.")
        await person.presses("f5")
        await person.is_told("No task card uses this skill, so there is nothing to run.")
        await person.presses("ctrl+f", *"zzz", "enter")
        await person.sees("is not in the text")


async def test_every_view_of_a_review_of_a_text_that_is_not_recorded(lone, bench) -> None:
    async with bench(lone) as person:
        await person.chooses_skill(LONE)
        await person.presses("f3")
        await person.reads("not the last recorded version", "F2 in the editor records it.")
        for title, words in REVIEW_VIEWS.items():
            await person.clicks(f" {title} ")
            await person.reads(words)


async def test_a_comparison_of_the_same_and_a_list_that_holds_no_such_words(lone, bench) -> None:
    async with bench(lone) as person:
        await person.chooses_skill(LONE)
        await person.presses("f6")
        await person.reads("No difference.")
        await person.sees("These two texts are the same. F2 chooses another older side, F3 another newer")
        await person.presses("f2", *"zzz")
        await person.reads("Nothing holds these words. Backspace takes letters back.")
        await person.presses("enter")
        await person.sees("Compare from which text?")


async def test_every_page_of_a_skill_that_was_never_tried_on_a_machine_without_data(workspace, bench, tmp_path) -> None:
    async with bench(workspace, M4REVIEW_DATA=str(tmp_path / "none"), DOCKER_HOST=NO_ENGINE) as person:
        await person.chooses_skill(SKILL)
        await person.presses("f5")
        await person.sees("dataset: none")
        for digit, words in enumerate(TRIAL_PAGES.values(), start=1):
            await person.presses(str(digit))
            await person.reads(words, MAKES_A_DATASET)
        await person.presses("r")
        await person.is_told("No trial is under way, and none has ended without being looked at.")


async def test_the_items_of_a_machine_without_data(workspace, bench, tmp_path) -> None:
    async with bench(workspace, M4REVIEW_DATA=str(tmp_path / "none")) as person:
        await person.opens_skill(SKILL)
        await person.presses("ctrl+k")
        await person.reads("Type two letters or more.")
        await person.types("heart")
        await person.reads(
            "no dataset of the layout mimic-iv is here, so there is nothing to look items up in.", "m4review data synth"
        )
