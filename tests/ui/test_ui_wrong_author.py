"""A version recorded in the wrong name: what is said before, what cannot be undone, and who can go on."""

from __future__ import annotations

import subprocess

from m4review.workspace import Workspace

SKILL = "sirs-criteria"


def change(workspace: Workspace, words: str, author: str | None = None) -> None:
    path = workspace.skill_file(SKILL)
    path.write_text(path.read_text("utf-8") + f"\n{words}\n", "utf-8")
    if author is not None:
        who = ["-c", f"user.name={author}", "-c", f"user.email={author.lower()}@reviewers.invalid"]
        subprocess.run(["git", *who, "commit", "-qam", words], cwd=workspace.root, check=True)


async def test_recording_the_same_text_in_another_name_says_what_stays_and_who_can_judge(workspace, bench) -> None:
    change(workspace, "Ties are broken by time.", "C2")
    async with bench(workspace, "C2") as person:
        await person.opens_skill(SKILL)
        await person.presses("f2")
        await person.sees("Record a version of")
        await person.types("typed")
        await person.presses("tab", "left")
        await person.reads("As C2 you cannot judge this version, whoever wrote it", "C3 and C4 can.")
        await person.presses("f3")
        await person.reads(
            "Nothing was recorded: nothing changed in the text.",
            "recorded as written by C2. That stays so",
            "Who can judge it then: C3 and C4.",
        )


async def test_an_author_is_told_who_can_judge_and_the_key_that_asks_them_leads_to_their_queue(
    workspace, bench
) -> None:
    change(workspace, "Ties are broken by time.", "C2")
    async with bench(workspace, "C2") as person:
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.reads("You cannot give a verdict now: C2 had a hand", "C1, C3 and C4 can: F2, then o, asks")
        await person.presses("f2")
        await person.sees("What else?")
        await person.presses("o")
        await person.reads("Who is asked to judge it (C1, C3 and C4 can):")
        await person.pastes("C1 C3")
        await person.presses("f3")
        await person.reads("As C2 I ask for a review of sirs-criteria by C1, C3.")
        await person.presses("y")
        await person.is_told("Recorded.")
    async with bench(workspace, "C3") as person:
        await person.sees(f"review: {SKILL}")


async def test_whose_change_it_was_is_told_with_gits_own_user_too(workspace, bench) -> None:
    subprocess.run(["git", "config", "user.email", "C3@reviewers.invalid"], cwd=workspace.root, check=True)
    async with bench(workspace, "C3") as person:
        await person.opens_skill(SKILL)
        await person.presses("f2")
        await person.sees("Record a version of")
        await person.presses("tab", "right", "right")
        await person.sees("[none of them]")
        await person.reads("As C3 you can then not judge this version; C1, C2 and C4 can.")
