"""Keys that come faster than the screens change: each does once what it says, and nothing to another screen."""

from __future__ import annotations

import asyncio

import pytest
from textual.events import Key

from m4review.tui.screens.dialogs import Choice, Question
from m4review.tui.screens.workbench import WorkbenchScreen

SKILL = "sirs-criteria"


MOMENTS = 12
"""Turns of the event loop between two keys: before, while and after the first of them is answered."""


async def hits(person, *keys: str, turns: int = 0) -> None:
    """Keys of which each arrives so many turns of the event loop after the one before it."""
    for key in keys:
        person.app.post_message(Key(key, key if len(key) == 1 else None))
        for _ in range(turns):
            await asyncio.sleep(0)
    await person.settles()


def questions(person) -> int:
    return sum(isinstance(screen, Question) for screen in person.app.screen_stack)


@pytest.mark.parametrize("keys", [("escape", "escape"), ("ctrl+q", "ctrl+q"), ("escape", "escape", "escape")])
async def test_leaving_twice_at_once_asks_once_about_what_is_not_saved(workspace, bench, keys) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.types("mine ")
        for turns in range(MOMENTS):
            await hits(person, *keys, turns=turns)
            assert questions(person) <= 1
            if questions(person):
                await hits(person, "b")
            assert isinstance(person.app.screen, WorkbenchScreen)
            assert person.app.screen.editor.text.startswith("mine ")


async def test_quitting_again_while_it_is_asked_about_asks_nothing_more(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.types("mine ")
        await person.presses("ctrl+q", "ctrl+q")
        await person.until(lambda: questions(person) == 1, "one question")
        await person.presses("d")
        await person.until(lambda: not person.app.is_running, "the end")


@pytest.mark.parametrize("answer", ["b", "enter"])
async def test_an_answer_given_twice_at_once_counts_once(workspace, bench, answer) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        below = len(person.app.screen_stack)
        for turns in range(MOMENTS):
            person.app.push_screen(Question("Which?", (Choice("back", "b", "This one"),)))
            await person.settles()
            await hits(person, answer, answer, turns=turns)
            await person.until(lambda: questions(person) == 0, "the answer")
            assert len(person.app.screen_stack) == below


async def test_a_key_of_the_editor_that_arrives_under_a_question_does_nothing(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.types("mine ")
        below = person.app.screen
        await person.presses("escape")
        await person.until(lambda: questions(person) == 1, "the question")
        below.action_perform("back")
        await person.settles()
        assert questions(person) == 1


async def test_a_question_whose_asker_was_called_off_closes_without_effect(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        await person.types("mine ")
        await person.presses("escape")
        await person.until(lambda: questions(person) == 1, "the question")
        asking = [worker for worker in person.app.workers if not worker.is_finished and worker.group == "do_back"]
        for worker in asking:
            worker.cancel()
        await person.settles()
        assert asking
        await person.presses("d")
        assert isinstance(person.app.screen, WorkbenchScreen)
        assert person.app.screen.editor.text.startswith("mine ")


async def test_a_screen_that_ends_takes_what_is_over_it_away(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        below = person.app.screen
        await person.presses("f1")
        await person.until(lambda: person.app.screen is not below, "the help")
        below.dismiss()
        await person.until(lambda: below not in person.app.screen_stack, "the end of the editor")
        assert person.app.screen.room == "home"


async def test_a_version_can_be_asked_for_before_the_editor_stands(workspace, bench) -> None:
    async with bench(workspace) as person:
        person.app.open_skill(SKILL)
        person.app.screen.action_perform("record")
        await person.until(lambda: len(person.app.screen_stack) > 3 or bool(person.app._notifications), "an answer")
        assert person.app.is_running
