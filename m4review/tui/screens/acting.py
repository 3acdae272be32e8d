"""An act of the ledger as a conversation: what it means is repeated, confirmed with another key, then recorded."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from m4review.lint import LintRefusal
from m4review.reviews.acts import Act, Plan, Scene, prepare, record
from m4review.tui.render.findings import listing
from m4review.tui.screens.dialogs import Choice, Question, Reading
from m4review.tui.session.possible import scene_now

if TYPE_CHECKING:
    from m4review.tui.screens.base import ActionScreen
    from m4review.workspace import Reviewer

BACK = Choice("back", "b", "Back; nothing is recorded")
YES = "yes"


def me(screen: ActionScreen) -> Reviewer:
    """Who works here. Acts are refused before this is asked where nobody said who they are."""
    reviewer = screen.bench.reviewer
    assert reviewer is not None
    return reviewer


async def scene_here(screen: ActionScreen, skill: str) -> Scene:
    """The scene of ``skill`` as it is now.

    Raises:
        M4ReviewError: it cannot be read, or nothing can be recorded on the present text.
    """
    return await screen.in_thread(scene_now, screen.bench.fresh_workspace(), skill, me(screen), datetime.now(UTC))


async def confirmed(screen: ActionScreen, title: str, body: RenderableType, yes: str) -> bool:
    """Whether the person says, with a key of its own, that this is what they mean."""
    choices = (BACK, Choice(YES, "y", yes))
    return await screen.app.push_screen_wait(Question(title, choices, body)) == YES


async def give(
    screen: ActionScreen,
    skill: str,
    plan: Plan,
    *,
    title: str = "This is what will be recorded:",
    yes: str = "",
    shown: Callable[[Act], RenderableType] | None = None,
) -> bool:
    """Repeat what the act means, ask, record it; whether it was recorded. ``shown`` adds to what is repeated.

    Raises:
        M4ReviewError: a rule forbids it.
    """
    workspace, person = screen.bench.fresh_workspace(), me(screen)
    act = await screen.in_thread(prepare, workspace, skill, person.id, plan)
    said: RenderableType = Text(act.meaning)
    if act.notes:
        said = Group(said, Text(f"\n“{act.notes}”", "italic"))
    if shown is not None:
        said = Group(said, Text(), shown(act))
    if not await confirmed(screen, title, said, yes or f"Yes, record it as {person.id}"):
        return False
    try:
        await screen.in_thread(partial(record, workspace, skill, person.id, plan, confirmed=act.meaning))
    except LintRefusal as refusal:
        await say_refused(screen, refusal, "This text may not be recorded. Nothing was recorded.")
        return False
    screen.notify("Recorded.", markup=False)
    return True


async def say_refused(screen: ActionScreen, refusal: LintRefusal, title: str) -> None:
    """Show why the lint refused a text."""
    text = Text(f"{refusal.what}\n\n").append_text(listing(refusal.report.errors))
    await screen.app.push_screen_wait(Reading(title, text))
