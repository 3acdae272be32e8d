"""Comparing what is not two versions of one skill, and in two columns."""

from __future__ import annotations

import subprocess

from m4review.reviews import record_verdict
from m4review.workspace import SCOPES

SKILL = "sirs-criteria"


async def test_a_skill_is_compared_with_another_skill_and_with_the_rules_alone(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.chooses_skill(SKILL)
        await person.presses("f6")
        await person.sees("No difference.", "not recorded as a version")
        await person.presses("f3")
        await person.sees("Compare to which text?")
        await person.types("another skill: sofa")
        await person.presses("enter")
        await person.sees("sofa-score version 1")
        await person.presses("down", "enter")
        await person.sees("+ sofa-score version 1 · Ward Office", "name: [-sirs-]{+sofa+}")
        await person.presses("f2")
        await person.sees("Compare from which text?")
        await person.types("operational spec")
        await person.presses("enter")
        await person.sees("- operational spec of mimic-sirs-24h-raw", "nobody reviews it as a skill")
        await person.presses("f5")
        await person.sees("+ operational spec of mimic-sirs-24h-raw", "- sofa-score version 1")
        await person.presses("f2")
        await person.sees("Compare from which text?")
        await person.presses("escape")
        await person.sees("- sofa-score version 1")


async def test_two_columns_show_both_texts_beside_each_other_and_who_approved_each(workspace, bench) -> None:
    path = workspace.skill_file(SKILL)
    record_verdict(workspace, SKILL, "C2", dict.fromkeys(SCOPES, "approve"))
    text = path.read_text("utf-8")
    path.write_text(text.replace("first ICU day", "first two ICU days"), "utf-8")
    subprocess.run(["git", "commit", "-qam", "window"], cwd=workspace.root, check=True)
    async with bench(workspace, "C2", size=(160, 45)) as person:
        await person.chooses_skill(SKILL)
        await person.presses("f6")
        await person.sees("two columns (F4)", "approving verdict of C2", "nobody has approved it", " │ ")
        changed = [row for row in person.screen.splitlines() if "{+two+}" in row or "[-day-]" in row]
        assert any(
            " │ " in row and row.index("[-day-]") < row.index(" │ ") < row.index("{+")
            for row in changed
            if "[-day-]" in row
        )
        view = person.app.screen.query_one("DifferenceView")
        start = view.cursor_location
        await person.presses("n")
        assert view.cursor_location > start
        await person.presses("f4")
        await person.sees("one column (F4)")
        await person.presses("f4")
        await person.pilot.resize_terminal(80, 24)
        await person.sees("two columns (F4)")
        assert all(len(row.rstrip()) <= 80 for row in person.screen.splitlines())


async def test_the_text_of_ones_own_last_verdict_is_offered_first(workspace, bench) -> None:
    path = workspace.skill_file(SKILL)
    record_verdict(workspace, SKILL, "C2", dict.fromkeys(SCOPES, "approve"))
    for words in ("two ICU days", "three ICU days"):
        path.write_text(path.read_text("utf-8") + f"\nThe first {words}.\n", "utf-8")
        subprocess.run(["git", "commit", "-qam", words], cwd=workspace.root, check=True)
    async with bench(workspace, "C2") as person:
        await person.chooses_skill(SKILL)
        await person.presses("f3")
        await person.sees("[1 Changes]")
        await person.presses("f6")
        await person.sees(
            "- version 2", "+ version 3", "Lines: 2 added in 1 place · one column (F4) · [-before-] {+after+}"
        )
        await person.presses("f2")
        await person.sees("Compare from which text?", "my last verdict was on version 1")
        await person.presses("enter")
        await person.sees("- version 1", "+ The first two ICU days.", "+ The first three ICU days.")
