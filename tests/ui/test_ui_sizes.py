"""Every screen and dialog from 40×10 to 200×50: nothing overlaps, the focus is in sight, the way on is shown."""

from __future__ import annotations

from itertools import combinations

from textual.geometry import Region
from textual.widget import Widget
from textual.widgets._toast import ToastRack

from m4review.reviews import record_verdict
from m4review.workspace import SCOPES

SKILL = "sirs-criteria"
SIZES = ((40, 10), (80, 24), (120, 40), (200, 50))


def faults(screen: Widget, width: int, height: int) -> list[str]:
    """What is wrong with how a screen is laid out: overlapping neighbours, or a focus that is out of sight."""
    found = []
    for node in screen.walk_children(with_self=True):
        assert isinstance(node, Widget)
        shown = [
            child
            for child in node.children
            if child.display and child.region.area and not isinstance(child, ToastRack) and not child.styles.is_docked
        ]
        bars = [child for child in node.children if child.display and child.styles.is_docked and child.region.area]
        found += [
            f"{one!r} and {other!r} overlap"
            for one, other in combinations(shown, 2)
            if one.region.overlaps(other.region)
        ]
        found += [
            f"{bar!r} covers {one!r}"
            for bar in bars
            for one in shown
            if bar.styles.dock == "bottom" and bar.region.overlaps(one.region)
        ]
    focus = screen.screen.focused
    if focus is not None and not focus.region.intersection(Region(0, 0, width, height)).area:
        found.append(f"the focus {focus!r} is out of sight")
    return found


async def fits(person, essential: str) -> None:
    """The screen that is shown now fits every size, and shows the way on at its foot."""
    for width, height in SIZES:
        await person.pilot.resize_terminal(width, height)
        await person.until(lambda: essential in person.screen, f"{essential!r} at {width}×{height}")
        await person.settles()
        assert faults(person.app.screen, width, height) == [], f"at {width}×{height}:\n{person.screen}"
        rows = person.screen.splitlines()
        assert len(rows) == height
        assert all(len(row) <= width for row in rows)
    await person.pilot.resize_terminal(80, 24)
    await person.settles()


async def test_every_screen_and_dialog_fits_every_size(workspace, bench) -> None:
    record_verdict(workspace, SKILL, "C4", {**dict.fromkeys(SCOPES, "approve"), "schema": "changes"}, "The window.")
    record_verdict(workspace, SKILL, "C2", dict.fromkeys(SCOPES, "approve"))
    async with bench(workspace) as person:
        await person.chooses_skill(SKILL)
        await fits(person, "Enter Open")
        await person.presses("f1")
        await person.sees("Help: home")
        await fits(person, "Esc closes")
        await person.presses("escape", "f8")
        await person.sees("Set up ·", "signing")
        await fits(person, "Enter Put right")
        await person.presses("escape")
        await person.chooses_skill(SKILL)
        await person.presses("enter")
        await person.sees(f"{SKILL} · saved")
        await fits(person, "F2 Record")
        await person.presses("f2")
        await person.sees("Record a version of")
        await fits(person, "Tab next")
        await person.presses("escape", "f3")
        await person.sees("definition [ ] you gave: approve")
        await fits(person, "F3 Give verdict")
        await person.presses("f2")
        await person.sees("What else?")
        await fits(person, "m, t, o, a")
        await person.presses("escape", "f4")
        await person.sees("What is wrong")
        await fits(person, "Tab next")
        await person.presses("escape", "f8")
        await person.sees("≠ schema: changes")
        await fits(person, "F3 Put forward")
        await person.presses("escape", "f6")
        await person.sees("No difference.")
        await fits(person, "F1 Help")
        await person.presses("f2")
        await person.sees("Compare from which text?")
        await fits(person, "type to narrow")
        await person.presses("escape", "escape", "escape", "f5")
        await person.sees("Trial ·")
        await fits(person, "F5 Run")
        await person.presses("escape")
        await person.types("x")
        await person.until(lambda: list(workspace.drafts_dir.glob("*.draft.json")), "the draft")
        await person.leaves()
        await person.sees("is not saved")
        await fits(person, "s, k, d, b")
        await person.presses("k")
        await person.until(lambda: not person.app.is_running, "the end")
    async with bench(workspace) as person:
        await person.sees("Unsaved text was found")
        await fits(person, "k Keep")


async def test_a_window_that_is_too_small_says_so_takes_no_keys_and_comes_back(workspace, bench) -> None:
    async with bench(workspace) as person:
        await person.opens_skill(SKILL)
        for size in ((39, 24), (80, 9), (20, 6)):
            await person.pilot.resize_terminal(*size)
            await person.reads(f"This window is too small: {size[0]}×{size[1]}.", "Enlarge it to 40×10")
        await person.types("zzz")
        await person.pilot.resize_terminal(80, 24)
        await person.sees(f"{SKILL} · saved", "F2 Record")
        assert "zzz" not in person.screen
        await person.types("zzz")
        await person.sees("* not saved")
        await person.pilot.resize_terminal(20, 6)
        await person.reads("This window is too small")
        await person.leaves()
        await person.reads("is not saved")
        await person.pilot.resize_terminal(80, 24)
        await person.presses("escape")
        await person.sees("* not saved", "F2 Record")


async def test_a_workbench_started_in_too_small_a_window_says_so_at_once(workspace, bench) -> None:
    async with bench(workspace, size=(30, 8)) as person:
        await person.reads("This window is too small: 30×8.")
        await person.pilot.resize_terminal(80, 24)
        await person.sees("My queue", "Enter Open")
