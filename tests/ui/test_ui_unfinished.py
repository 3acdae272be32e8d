"""A verdict that was begun: neither a crash, nor a closed terminal, nor a pause loses what was put on the ballot."""

from __future__ import annotations

import subprocess
from pathlib import Path

from m4review.reviews import record_verdict
from m4review.tui.session.unfinished import UnfinishedBallot, UnfinishedBallots
from m4review.workspace import SCOPES, Workspace

SKILL = "sirs-criteria"


def kept_files(workspace: Workspace) -> list[Path]:
    return sorted(workspace.drafts_dir.glob("*.ballot.json"))


async def begins_a_verdict(person) -> None:
    """Decide on two scopes and write a note."""
    await person.chooses_skill(SKILL)
    await person.presses("f3")
    await person.sees("You have given no verdict")
    await person.presses("tab", "a", "n", "tab")
    await person.pastes("Cite the guideline’s page.")
    await person.sees("[n] approve with notes")


async def test_a_crash_in_the_middle_of_a_verdict_loses_nothing(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await begins_a_verdict(person)
        await person.until(
            lambda: any("page" in f.read_text("utf-8") for f in kept_files(workspace)), "the kept ballot"
        )
        # the window ends here without a question, as in a crash
    async with bench(workspace, "C2") as person:
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.sees("What you had put on the ballot is here again", "[a] approve: I agree", "[n] approve with")
        await person.sees("Cite the guideline’s page.", "output     [ ] not decided")
        await person.presses("tab", "down", "down", "a", "f3")
        await person.sees("This is what your verdict says:")
        await person.presses("y")
        await person.is_told("is recorded")
        await person.until(lambda: not kept_files(workspace), "the kept ballot to be gone")


async def test_what_is_typed_is_kept_when_the_workbench_stops_at_once(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await begins_a_verdict(person)
        assert any("verdict on sirs-criteria" in line for line in person.app.keep_all_texts())
        assert "Cite the guideline" in kept_files(workspace)[0].read_text("utf-8")


async def test_quitting_asks_about_a_begun_verdict_and_keeps_it_on_enter(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await begins_a_verdict(person)
        await person.leaves()
        await person.sees("Your verdict is not given yet.", "Keep it:")
        await person.presses("b")
        assert person.app.is_running
        await person.leaves()
        await person.sees("Your verdict is not given yet.")
        await person.presses("enter")
        await person.until(lambda: not person.app.is_running, "the end")
    assert len(kept_files(workspace)) == 1


async def test_a_begun_verdict_is_shown_to_nobody_else_and_blocks_a_change_of_person(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await begins_a_verdict(person)
        await person.presses("f12")
        await person.is_told("A verdict is begun here")
        await person.presses("escape", "k")
        await person.sees("My queue")
    async with bench(workspace, "C3") as person:
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.sees("You have given no verdict", "definition [ ] not decided")
        assert "Cite the guideline" not in person.screen


async def test_on_a_changed_text_the_notes_are_kept_and_the_decisions_are_asked_anew(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await begins_a_verdict(person)
        await person.presses("escape", "k")
        await person.sees("My queue")
    path = workspace.skill_file(SKILL)
    path.write_text(path.read_text("utf-8") + "\nAnother rule.\n", "utf-8")
    subprocess.run(["git", "commit", "-qam", "another rule"], cwd=workspace.root, check=True)
    async with bench(workspace, "C2") as person:
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.sees("is here again", "definition [ ] not decided", "Cite the guideline’s page.")


async def test_who_may_not_judge_sees_no_ballot(workspace, bench) -> None:
    record_verdict(workspace, SKILL, "C3", dict.fromkeys(SCOPES, "approve"))
    record_verdict(workspace, SKILL, "C4", dict.fromkeys(SCOPES, "approve"))
    path = workspace.skill_file(SKILL)
    path.write_text(path.read_text("utf-8") + "\nNot recorded.\n", "utf-8")
    async with bench(workspace, "C2") as person:
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.sees("You cannot give a verdict now")
        assert "not decided" not in person.screen


def test_a_late_write_of_an_older_ballot_neither_replaces_a_newer_one_nor_brings_back_a_given_one(tmp_path) -> None:
    ballots = UnfinishedBallots(tmp_path / "drafts")
    older, newer = (
        UnfinishedBallot(skill=SKILL, reviewer="C2", content="sha256:00", notes=notes) for notes in ("old", "new")
    )
    first, second = ballots.turn(), ballots.turn()
    ballots.keep(newer, second)
    ballots.keep(older, first)
    assert ballots.find(SKILL, "C2") == newer
    third, fourth = ballots.turn(), ballots.turn()
    ballots.drop(SKILL, "C2", fourth)
    ballots.keep(newer, third)
    assert ballots.find(SKILL, "C2") is None
    (tmp_path / "drafts" / f"{SKILL}--C2.ballot.json").write_text("[1]")
    assert ballots.find(SKILL, "C2") is None
