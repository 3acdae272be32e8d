"""The acts of the review's menu, each as a conversation: what is asked, what it means, and a confirmation of its own.

Every function returns whether something was recorded, and raises :class:`M4ReviewError` where a rule forbids it.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from m4review.errors import LedgerError
from m4review.reviews.carrying import editorial_difference
from m4review.reviews.duties import assign, override, recuse, revoke, withdraw_event
from m4review.reviews.eventparts import OVERRIDABLE
from m4review.reviews.evidence import attach
from m4review.reviews.judges import may_judge
from m4review.reviews.kinds import Event, RuleResult
from m4review.reviews.meaning import listed
from m4review.reviews.openings import opening
from m4review.reviews.remarks import comment
from m4review.reviews.sealing import reveal_verdict
from m4review.reviews.settling import carry, sign_off
from m4review.tui.render.states import WARNING, results_text
from m4review.tui.screens.acting import confirmed, give, me, scene_here
from m4review.tui.screens.dialogs import Choice, LineOfText, Question
from m4review.tui.screens.form import Field, Form
from m4review.tui.session.passages import Passage
from m4review.tui.session.possible import own_events
from m4review.tui.session.trial_setup import evidence_candidates

if TYPE_CHECKING:
    from m4review.tui.screens.base import ActionScreen

REASON = Field("reason", "Why, in one line:")


async def reveal(screen: ActionScreen, skill: str) -> bool:
    """Show one's own sealed verdict."""
    person = me(screen).id
    said = Text(f"As {person} I show the verdict on {skill} that I sealed before I saw any other.")
    if not await confirmed(screen, "Show your sealed verdict?", said, "Yes, show it; it cannot be hidden again"):
        return False
    await screen.in_thread(reveal_verdict, screen.bench.fresh_workspace(), skill, person)
    screen.notify("Your verdict is shown.", markup=False)
    return True


async def release(screen: ActionScreen, skill: str) -> bool:
    """Sign off an approved text; the result of every rule is shown first."""
    return await give(
        screen,
        skill,
        sign_off(),
        title="Sign off: the policy's result, and what you sign",
        yes=f"Yes, I release it as {me(screen).id}",
        shown=lambda act: results_text([RuleResult.model_validate(result) for result in act.values["rules"]]),
    )


async def carry_over(screen: ActionScreen, skill: str) -> bool:
    """Confirm that a change is editorial, on the difference that is shown."""
    shown = await screen.in_thread(editorial_difference, await scene_here(screen, skill))
    return await give(
        screen,
        skill,
        carry(shown),
        title="Is this change editorial? Blanks at line ends are shown as ·",
        yes="Yes, it is editorial; the approval holds for the new text",
        shown=lambda _act: Text(shown),
    )


async def remark(screen: ActionScreen, skill: str, passage: Passage) -> bool:
    """Comment on the marked passage or on the whole text."""
    about = f"“{passage.line}”" if passage.quote else "the whole text"
    text = await screen.app.push_screen_wait(LineOfText(f"Comment on {about}", "what you say; it decides nothing"))
    if text is None or not text.strip():
        return False
    return await give(screen, skill, comment(text.strip(), quote=passage.quote, nth=passage.nth))


async def attach_trial(screen: ActionScreen, skill: str) -> bool:
    """Record the aggregate result of a trial as evidence."""
    workspace = screen.bench.fresh_workspace()
    fit = await screen.in_thread(evidence_candidates, workspace, skill)
    if not fit:
        raise LedgerError("no finished trial gave this skill to an agent", fix="F5 on the first screen runs one")
    choices = [
        Choice(one.trial, str(number) if number < 10 else "", f"{one.trial} · {one.task} · {_rewards(one.rewards)}")
        for number, one in enumerate(fit, start=1)
    ]
    chosen = await screen.app.push_screen_wait(Question("Which trial?", choices, deliberate=True))
    measured = next((one for one in fit if one.trial == chosen), None)
    return measured is not None and await give(screen, skill, attach(measured))


async def ask_for_review(screen: ActionScreen, skill: str) -> bool:
    """Open a review: declare authors, name who judges, until when."""
    judges = await _judges(screen, skill)
    values = await screen.app.push_screen_wait(
        Form(
            f"Ask for a review of {skill}",
            (
                Field(
                    "reviewers", f"Who is asked to judge it ({_can(judges)}):", hint=_example(judges), required=False
                ),
                Field("authors", "Who wrote part of it, whatever the history says:", required=False),
                Field("due", "Until when:", hint="2026-01-31", required=False),
            ),
        )
    )
    if values is None:
        return False
    asked, wrote = _names(values["reviewers"]), _names(values["authors"])
    return await give(screen, skill, opening(authors=wrote, reviewers=asked, due=values["due"] or None))


async def assign_others(screen: ActionScreen, skill: str) -> bool:
    """Ask others to judge, instead of somebody where that is said."""
    judges = await _judges(screen, skill)
    values = await screen.app.push_screen_wait(
        Form(
            f"Who is to judge {skill} from now on?",
            (
                Field("reviewers", f"Reviewers ({_can(judges)}):", hint=_example(judges)),
                Field("away", "Instead of (their verdicts in force are set aside):", required=False),
                REASON,
            ),
        )
    )
    if values is None:
        return False
    plan = assign(_names(values["reviewers"]), values["reason"], instead_of=_names(values["away"]))
    return await give(screen, skill, plan)


async def take_back(screen: ActionScreen, skill: str) -> bool:
    """Take back something of one's own."""
    event = await _one_event(screen, skill, "What do you take back?", own=True)
    if event is None:
        return False
    reason = await _reason(screen, f"Why do you take back your {event.kind}?")
    return reason is not None and await give(screen, skill, withdraw_event(event.id, reason))


async def step_back(screen: ActionScreen, skill: str) -> bool:
    """Recuse oneself from the skill."""
    reason = await _reason(screen, f"Why will you not judge {skill}?")
    return reason is not None and await give(screen, skill, recuse(reason))


async def declare_void(screen: ActionScreen, skill: str) -> bool:
    """Revoke an event: one's own, or anybody's where the policy trusts the person with it."""
    event = await _one_event(screen, skill, "What do you declare void?", own=False)
    if event is None:
        return False
    reason = await _reason(screen, f"Why is the {event.kind} of {event.actor} void?")
    return reason is not None and await give(screen, skill, revoke((event.id,), reason))


async def set_aside(screen: ActionScreen, skill: str) -> bool:
    """Override a rule of the policy, with a warning."""
    values = await screen.app.push_screen_wait(
        Form(
            f"{WARNING} Set a rule aside for {skill}",
            (Field("rule", "Rule:", OVERRIDABLE), REASON),
            Text("The rule is set aside for exactly this text. Who did it and why is shown with the skill for ever."),
        )
    )
    if values is None:
        return False
    rules = [rule for rule in OVERRIDABLE if rule == values["rule"]]
    return await give(
        screen,
        skill,
        override(rules, values["reason"]),
        title=f"{WARNING} WARNING: this sets a rule of the policy aside",
        yes="Yes, set it aside; I know that it stays visible for ever",
    )


DUTIES: Mapping[str, Callable[[ActionScreen, str], Awaitable[bool]]] = {
    "reveal": reveal,
    "sign_off": release,
    "carry": carry_over,
    "evidence": attach_trial,
    "ask": ask_for_review,
    "assign": assign_others,
    "withdraw": take_back,
    "recuse": step_back,
    "revoke": declare_void,
    "override": set_aside,
}
"""Action of the menu → its conversation."""


async def _judges(screen: ActionScreen, skill: str) -> tuple[str, ...]:
    """The reviewers who may judge the present text and have not."""
    scene = await scene_here(screen, skill)
    return may_judge(scene.ledger, scene.status, scene.time)


def _can(judges: Sequence[str]) -> str:
    return f"{listed(judges)} can" if judges else "nobody who can is left"


def _example(judges: Sequence[str]) -> str:
    return f"for example {' '.join(judges[:2])}" if judges else ""


async def _one_event(screen: ActionScreen, skill: str, title: str, *, own: bool) -> Event | None:
    scene = await scene_here(screen, skill)
    events: Sequence[Event] = own_events(scene)
    if not own and me(screen).id in scene.policy.may_override:
        events = tuple(event for event in reversed(scene.judgement.events) if event.kind != "revoke")
    choices = [
        Choice(event.id, str(number) if number < 10 else "", f"{event.kind} of {event.actor}, {event.at[:10]}")
        for number, event in enumerate(events, start=1)
    ]
    chosen = await screen.app.push_screen_wait(Question(title, choices, deliberate=True))
    return next((event for event in events if event.id == chosen), None)


async def _reason(screen: ActionScreen, title: str) -> str | None:
    reason = await screen.app.push_screen_wait(LineOfText(title, "the reason, in one line; it is kept"))
    return reason.strip() if reason is not None and reason.strip() else None


def _names(typed: str) -> tuple[str, ...]:
    return tuple(name for name in re.split(r"[\s,;]+", typed) if name)


def _rewards(rewards: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {reward:.3f}" for name, reward in rewards.items())
