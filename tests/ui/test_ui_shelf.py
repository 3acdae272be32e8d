"""The first screen with everything the library holds: what waits for me, and a shelf that stays in sight."""

from __future__ import annotations

import subprocess

import pytest

from m4review.places import DEMONSTRATION_FILE
from m4review.reviews import record_verdict
from m4review.workspace import SCOPES

SKILL = "sirs-criteria"
BUSIEST = "C4"
"""The reviewer whom the roster asks for most families."""


async def test_all_skills_fit_on_a_small_screen_below_a_full_queue(library, bench) -> None:
    async with bench(library, BUSIEST) as person:
        await person.sees("My queue · ", "apsiii-score", "○ draft  2 tasks")
        rows = person.screen.splitlines()
        queued = [row for row in rows if row.startswith("review: ")]
        shelf = [row for row in rows if "○ draft  " in row and "review:" not in row]
        assert 0 < len(queued) <= 4
        assert len(shelf) >= 8
        assert all(len(row) <= 80 for row in rows)
        assert person.app.screen.shelf.last_line < 25
        await person.presses("end")
        await person.sees("ventilation")


async def test_a_high_screen_shows_every_task_and_a_folded_skill_opens_with_the_right_key(library, bench) -> None:
    async with bench(library, size=(120, 80)) as person:
        await person.sees("mimic-sofa-24h-raw", "eicu-gcs")
        await person.pilot.resize_terminal(80, 24)
        await person.sees_no("eicu-gcs")
        await person.chooses_skill("kdigo-aki-staging")
        await person.presses("space", "down", "down")
        await person.sees("mimic-kdigo-48h-raw")


async def test_what_waits_says_since_when_and_how_large_the_change_is(workspace, bench) -> None:
    record_verdict(workspace, SKILL, "C2", dict.fromkeys(SCOPES, "approve"))
    path = workspace.skill_file(SKILL)
    path.write_text(path.read_text("utf-8") + "\nTies are broken by time.\n", "utf-8")
    subprocess.run(["git", "commit", "-qam", "ties"], cwd=workspace.root, check=True)
    async with bench(workspace, "C2", size=(120, 30)) as person:
        await person.sees(f"review again: {SKILL} · since 20", "scoped, 2 lines added, 0 removed")
        person.app.screen.query_one("#queue").focus()
        await person.presses("enter")
        await person.sees("Review · sirs-criteria", "+ Ties are broken by time.")


async def test_a_disagreement_in_the_queue_opens_what_is_to_be_settled(workspace, bench) -> None:
    record_verdict(workspace, SKILL, "C4", dict.fromkeys(SCOPES, "approve"))
    record_verdict(workspace, SKILL, "C2", dict.fromkeys(SCOPES, "changes"))
    async with bench(workspace, "C2") as person:
        await person.sees(f"consensus: {SKILL}")
        person.app.screen.query_one("#queue").focus()
        await person.presses("enter")
        await person.sees("Consensus · sirs-criteria · C2", "≠ definition: approve", "≠ definition: changes")


async def test_changes_asked_of_an_author_open_the_text(workspace, bench) -> None:
    path = workspace.skill_file(SKILL)
    path.write_text(path.read_text("utf-8") + "\nTies are broken by time.\n", "utf-8")
    author = ["-c", "user.name=C1", "-c", "user.email=c1@reviewers.invalid"]
    subprocess.run(["git", *author, "commit", "-qam", "ties"], cwd=workspace.root, check=True)
    record_verdict(workspace, SKILL, "C2", dict.fromkeys(SCOPES, "changes"))
    async with bench(workspace, "C1", size=(120, 30)) as person:
        await person.reads(f"change: {SKILL}", "changes are asked for by C2")
        person.app.screen.query_one("#queue").focus()
        await person.presses("enter")
        await person.sees(f"{SKILL} · saved")


@pytest.mark.parametrize("size", [(80, 24), (120, 30)])
async def test_the_keys_mean_the_line_of_the_queue_while_it_has_the_cursor(workspace, bench, size) -> None:
    record_verdict(workspace, SKILL, "C4", dict.fromkeys(SCOPES, "approve"))
    record_verdict(workspace, SKILL, "C2", dict.fromkeys(SCOPES, "changes"))
    async with bench(workspace, "C2", size=size) as person:
        await person.chooses_skill("sofa-score")
        await person.sees("My queue · 2 · Tab goes there")
        queue = person.app.screen.query_one("#queue")
        assert queue.highlighted is None, "no line looks chosen while Enter would open another skill"
        await person.presses("tab")
        await person.reads("You and the other reviewer disagree; settle it together.")
        await person.presses("f6")
        await person.sees(f"Compare · {SKILL}")
        await person.presses("escape")
        await person.sees("My queue")
        await person.chooses_skill("sofa-score")
        assert queue.highlighted is None
        await person.presses("f6")
        await person.sees("Compare · sofa-score")


async def test_a_demonstration_is_told_apart_at_a_glance(workspace, bench) -> None:
    async with bench(workspace, "C2") as person:
        await person.sees("m4review · workspace · C2, intensivist")
    (workspace.root / DEMONSTRATION_FILE).write_text("# A demonstration\n", "utf-8")
    async with bench(workspace, "C2") as person:
        await person.sees("DEMONSTRATION · C2, intensivist")
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.sees(f"DEMONSTRATION · Review · {SKILL} · C2")


async def test_home_tells_of_verdicts_in_words_and_the_state_page_with_digests(workspace, bench) -> None:
    record_verdict(workspace, SKILL, "C2", dict.fromkeys(SCOPES, "approve"))
    async with bench(workspace, "C2", size=(160, 45)) as person:
        await person.chooses_skill(SKILL)
        await person.sees("C2 · 20", "on exactly this text", "definition: approve")
        assert "sha256" not in person.screen
        await person.presses("f3")
        await person.sees("[7 State]", "given on exactly this text, sha256:")


async def test_the_key_that_looks_for_words_begins_anew_where_words_stand_already(library, bench) -> None:
    async with bench(library, "C2") as person:
        await person.sees("My queue")
        await person.presses("slash")
        await person.types("sirs")
        await person.sees_no("kdigo-aki-staging")
        await person.presses("slash")
        await person.types("kdigo")
        await person.sees("kdigo-aki-staging")
        await person.presses("enter", "slash")
        await person.types("meld")
        await person.sees("meld")
        await person.sees_no("kdigo")
