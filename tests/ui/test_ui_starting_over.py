"""A review begins at its beginning for whoever comes next: the focus, the ballot's line, what is marked and typed."""

from __future__ import annotations

import subprocess

from m4review.reviews import Ledger, record_verdict
from m4review.reviews.kinds import Verdict
from m4review.workspace import SCOPES, Workspace

SKILL = "sirs-criteria"


async def becomes(person, number: str, who: str) -> None:
    await person.presses("f12")
    await person.sees("Who are you?")
    await person.presses(number)
    await person.sees(f"Review · {SKILL} · {who}", "not decided")


async def test_the_next_person_goes_to_the_ballot_with_the_same_keys_after_a_verdict(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.sees("You have given no verdict")
        await person.presses("2", "down", "down", "tab", "a", "a", "a", "f3")
        await person.sees("This is what your verdict says:")
        await person.presses("y")
        await person.is_told("is recorded")
        await becomes(person, "4", "C4")
        assert person.app.screen.packet_view.passage.quote == "---", "the first line, not the one that C2 stood on"
        await person.presses("tab", "c", "a", "a")
        await person.sees("[c] changes")
        await person.presses("f3")
        await person.reads("This is what your verdict says:", "I ask for changes to its definition")
        await person.presses("y")
        await person.is_told("is recorded")
        await person.presses("1")
        assert person.app.screen.ballot.notes == person.app.screen.ballot.conflict == ""
    given = {one.actor: one for one in Ledger.load(Workspace(workspace.root)).events if isinstance(one, Verdict)}
    assert list(given["C4"].decisions.values()) == ["changes", "approve", "approve"]


async def test_a_person_who_stood_in_the_notes_leaves_nobody_else_there(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.sees("You have given no verdict")
        await person.presses("tab", "tab")
        assert person.app.focused.id == "notes"
        await becomes(person, "4", "C4")
        await person.presses("tab", "c", "a", "a")
        await person.sees("[c] changes")
        assert person.app.screen.ballot.notes == ""


async def test_a_letter_on_a_line_that_takes_no_decision_says_so(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.sees("You have given no verdict")
        await person.presses("tab", "a", "a", "a", "x")
        await person.is_told("The line stands on checklist, which takes no decision; the arrow up leads to the scopes.")
        assert set(person.app.screen.ballot.decisions.values()) == {"approve"}


async def test_the_queue_sends_whoever_saved_a_text_to_the_editor_that_records_it(workspace, bench) -> None:
    record_verdict(workspace, SKILL, "C2", dict.fromkeys(SCOPES, "approve"))
    path = workspace.skill_file(SKILL)
    path.write_text(path.read_text("utf-8") + "\nOne more remark.\n", "utf-8")
    async with bench(workspace, "C2", size=(120, 30)) as person:
        await person.reads(f"{SKILL} · not recorded yet: F2 in the editor records it")
        person.app.screen.query_one("#queue").focus()
        await person.presses("enter")
        await person.sees(f"{SKILL} · saved")
    subprocess.run(["git", "commit", "-qam", "a remark"], cwd=workspace.root, check=True)
    async with bench(workspace, "C2", size=(120, 30)) as person:
        await person.reads(f"review again: {SKILL} · ")
        assert "F2 in the editor records it" not in person.said
