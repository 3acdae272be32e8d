"""Before the own verdict no screen, menu or message tells C4 what C2 said."""

from __future__ import annotations

from m4review.reviews import record_verdict
from m4review.reviews.eventparts import Finding
from m4review.tui.actions import MENU_KEY
from m4review.workspace import SCOPES, Workspace

SKILL = "sirs-criteria"
BLOCKER = Finding(id="f1", scope="schema", severity="blocker", text="This is the venous item.")
SECRETS = ("My own remark", "I know the author", "venous item", "changes requested", "asks for changes", "blocker of")
PANEL_TABS, VIEWS = 5, "1234567"


def strict(workspace: Workspace) -> Workspace:
    """C2 asks for changes, names a blocker, a conflict of interest, and leaves notes."""
    decisions = {**dict.fromkeys(SCOPES, "approve"), "schema": "changes"}
    record_verdict(
        workspace,
        SKILL,
        "C2",
        decisions,
        "My own remark.",
        findings=(BLOCKER,),
        conflict_of_interest="I know the author.",
    )
    return workspace


async def seen_by_c4(workspace: Workspace, bench) -> list[str]:
    """Every screen that C4 comes across on the way through home, editor, panel, review, its views and its menu."""
    screens: list[str] = []

    async def look(*keys: str) -> None:
        await person.presses(*keys)
        await person.app.workers.wait_for_complete()
        await person.settles()
        screens.append(person.screen)
        screens.extend(note.message for note in person.app._notifications)

    async with bench(workspace, "C4", size=(150, 50)) as person:
        await person.chooses_skill(SKILL)
        await person.sees("C2 ·")
        await look()
        await look("enter")
        await person.sees(f"{SKILL} · saved")
        for _ in range(PANEL_TABS):
            await look("ctrl+t")
        await look("escape")
        await person.chooses_skill(SKILL)
        await look("f3")
        for view in VIEWS:
            await look(view)
        await look("f8")
        review = person.app.screen
        await person.presses(MENU_KEY)
        await person.until(lambda: person.app.screen is not review, "the menu of acts")
        await person.settles()
        screens.append(person.screen)
        await person.presses("escape")
    return screens


async def test_before_the_own_verdict_no_screen_tells_what_the_other_said(workspace, bench) -> None:
    told = await seen_by_c4(strict(workspace), bench)
    assert any("in review (1 of 2)" in screen for screen in told)
    for screen in told:
        assert not any(secret in screen for secret in SECRETS), screen
