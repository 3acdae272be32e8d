"""What a reviewer said themselves is shown to them everywhere, however the text changed since."""

from __future__ import annotations

import subprocess

import pytest

from m4review.reviews import record_verdict
from m4review.workspace import SCOPES, Workspace

SKILL = "sirs-criteria"
OWN = "My own remark."


def change(workspace: Workspace, how: str) -> None:
    """Change the text after the verdicts: not recorded, recorded by somebody, or by the reviewer."""
    path = workspace.skill_file(SKILL)
    if how != "nothing":
        path.write_text(path.read_text("utf-8") + "\nOne more remark.\n", "utf-8")
    if how in {"recorded", "by the reviewer"}:
        who = ["-c", "user.email=c2@reviewers.invalid"] if how == "by the reviewer" else []
        subprocess.run(["git", *who, "commit", "-qam", "more"], cwd=workspace.root, check=True)


@pytest.mark.parametrize("how", ["nothing", "unrecorded", "recorded", "by the reviewer"])
async def test_ones_own_verdict_is_shown_at_home_and_beside_the_text(workspace, bench, how) -> None:
    record_verdict(workspace, SKILL, "C2", dict.fromkeys(SCOPES, "changes"), OWN)
    change(workspace, how)
    async with bench(workspace, "C1", size=(170, 60)) as person:
        await person.chooses_skill(SKILL)
        await person.sees("C2 ·", "shown after your own verdict")
        assert OWN not in person.screen
        await person.presses("f12")
        await person.sees("Who are you?")
        await person.presses("2")
        await person.sees("C2, intensivist")
        await person.chooses_skill(SKILL)
        await person.sees(OWN)
        await person.opens_skill(SKILL)
        await person.presses("ctrl+t", "ctrl+t", "ctrl+t")
        await person.sees("Verdicts", OWN)


async def test_whoever_did_not_say_who_they_are_is_told_so_beside_a_withheld_verdict(workspace, bench) -> None:
    record_verdict(workspace, SKILL, "C2", dict.fromkeys(SCOPES, "changes"), OWN)
    change(workspace, "recorded")
    async with bench(workspace, None, size=(170, 60)) as person:
        await person.sees("Who are you?")
        await person.presses("l")
        await person.sees("Set up ·")
        await person.presses("escape")
        await person.chooses_skill(SKILL)
        await person.sees("C2 ·", "say who you are")
        assert OWN not in person.screen
