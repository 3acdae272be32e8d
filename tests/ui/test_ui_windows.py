"""Two windows on one workspace: what one of them records is never overwritten, missed or judged unseen by the other."""

from __future__ import annotations

import subprocess

from m4review.lint import record_version
from m4review.reviews import Ledger
from m4review.reviews.kinds import Verdict
from m4review.workspace import Workspace

SKILL = "sirs-criteria"


def verdicts(workspace: Workspace) -> list[Verdict]:
    return [event for event in Ledger.load(Workspace(workspace.root)).events if isinstance(event, Verdict)]


async def begins_a_verdict(person) -> None:
    await person.chooses_skill(SKILL)
    await person.presses("f3")
    await person.sees("not decided")
    await person.presses("tab", "a", "a", "a")
    await person.sees_no("not decided")


async def test_a_verdict_begun_on_a_text_that_another_window_replaced_is_not_given_on_the_new_one(
    workspace, bench
) -> None:
    async with bench(workspace, "C2") as reviewer, bench(workspace, "C1") as author:
        await begins_a_verdict(reviewer)
        await author.opens_skill(SKILL)
        await author.presses("ctrl+end")
        await author.pastes("\nThe window ends at 24 hours.\n")
        await author.presses("f2")
        await author.sees("Record a version of")
        await author.types("window")
        await author.presses("f3")
        await author.is_told("Version 2 of sirs-criteria is recorded.")
        await reviewer.presses("f3")
        await reviewer.is_told("was changed after it was read")
        await reviewer.sees("not decided")
        assert "The window ends at 24 hours." in reviewer.app.screen.packet.text
        assert verdicts(workspace) == []
        await reviewer.presses("f3")
        await reviewer.is_told("Decide on definition, schema, output first")


async def test_a_text_that_is_replaced_while_the_verdict_is_being_confirmed_is_not_judged(workspace, bench) -> None:
    async with bench(workspace, "C2") as reviewer:
        await begins_a_verdict(reviewer)
        await reviewer.presses("f3")
        await reviewer.sees("This is what your verdict says:")
        record_another(workspace)
        await reviewer.presses("y")
        await reviewer.is_told("was changed after it was read")
        await reviewer.sees("not decided")
        assert verdicts(workspace) == []


async def test_coming_back_from_a_menu_to_a_text_that_was_replaced_decides_nothing_of_it(workspace, bench) -> None:
    async with bench(workspace, "C2") as reviewer:
        await begins_a_verdict(reviewer)
        record_another(workspace)
        await reviewer.presses("f2")
        await reviewer.sees("What else?")
        await reviewer.presses("m")
        await reviewer.sees("Comment on")
        await reviewer.types("Why?")
        await reviewer.presses("enter", "y")
        await reviewer.is_told("was changed meanwhile: read it again")
        await reviewer.sees("not decided")


def record_another(workspace: Workspace) -> None:
    """Somebody else records another version."""
    path = workspace.skill_file(SKILL)
    path.write_text(path.read_text("utf-8") + "\nThe window ends at 24 hours.\n", "utf-8")
    record_version(Workspace(workspace.root), SKILL, "window")


async def test_two_reviewers_judge_at_once_and_neither_is_shown_the_other_before_their_own(workspace, bench) -> None:
    async with bench(workspace, "C2") as second, bench(workspace, "C4") as fourth:
        await begins_a_verdict(second)
        await begins_a_verdict(fourth)
        await fourth.presses("f3")
        await fourth.sees("This is what your verdict says:")
        await fourth.presses("y")
        await fourth.is_told("is recorded")
        await second.presses("f3")
        await second.sees("This is what your verdict says:")
        await second.presses("y")
        await second.is_told("is recorded")
        await second.reads("● approved")
    assert sorted(verdict.actor for verdict in verdicts(workspace)) == ["C2", "C4"]
    log = subprocess.run(
        ["git", "log", "--format=%an"], cwd=workspace.root, check=True, capture_output=True, text=True
    ).stdout.split("\n")
    assert sorted(log[:2]) == ["C2", "C4"]


async def test_a_text_being_typed_in_one_window_is_not_offered_to_another_as_lost(workspace, bench) -> None:
    async with bench(workspace, "C2") as first:
        await first.opens_skill(SKILL)
        await first.types("Half a thought. ")
        await first.until(lambda: bool(list(workspace.drafts_dir.glob("*.draft.json"))), "the draft on disk")
        async with bench(workspace, "C3") as second:
            await second.chooses_skill(SKILL)
            assert "Unsaved text was found" not in second.screen
            await second.opens_skill(SKILL)
            assert "Half a thought" not in second.app.screen.editor.text
        await first.sees("Half a thought. ", "* not saved")
