"""What can be chosen on the pages of a trial: another trial, a column, a run, a figure, one of those under way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from m4review.tui.render.shelf import signed
from m4review.tui.screens.dialogs import Choice, Question
from m4review.tui.session.running_trial import to_follow
from m4review.tui.session.trial_pages import Look, Page, columns_of, runs_to_show

if TYPE_CHECKING:
    from m4review.trials import TrialSummary
    from m4review.trials.underway import UnderWay
    from m4review.tui.screens.base import ActionScreen
    from m4review.workspace import Workspace

DETAILS: frozenset[Page] = frozenset({"levels", "steps", "compare", "plots"})
"""Pages on which something can be chosen."""
LETTERS = "123456789abcdefghijklmnopqrstuvwxyz"
"""Keys of the first answers; further ones are reached with the arrows."""
STATES = {"running": "running", "over": "over, not looked at yet", "died": "ENDED FROM OUTSIDE"}


def why_not_choose(action: str, page: Page, trials: Sequence[TrialSummary]) -> str | None:
    """Why another trial, or what is chosen within the page, cannot be chosen now; ``None`` when it can."""
    match action, page:
        case "other", _ if len(trials) < 2:
            return "There are no two trials to choose from yet."
        case "detail", _ if page not in DETAILS:
            return "There is nothing to choose on this page; it shows all there is."
        case "detail", "levels" | "steps" | "compare" if not trials:
            return "There is no trial yet."
        case "detail", "compare" if len(trials) < 2:
            return "There is no other trial to compare with yet."
        case _:
            return None


async def choose(screen: ActionScreen, title: str, answers: Sequence[tuple[str, str]]) -> str | None:
    """The id of the chosen answer; ``answers`` are ids with what they say."""
    choices = [
        Choice(name, LETTERS[place] if place < len(LETTERS) else " ", says)
        for place, (name, says) in enumerate(answers)
    ]
    return await screen.app.push_screen_wait(Question(title, choices))


async def choose_trial(screen: ActionScreen, title: str, trials: Sequence[TrialSummary]) -> TrialSummary | None:
    """One of the trials, newest first."""
    answer = await choose(screen, title, [(trial.id, _trial(trial)) for trial in trials])
    return next((trial for trial in trials if trial.id == answer), None)


async def choose_detail(screen: ActionScreen, page: Page, look: Look, trials: Sequence[TrialSummary]) -> Look | None:
    """The look with what was chosen on the page; ``None`` when nothing was."""
    match page:
        case "compare":
            others = [trial for trial in trials if look.trial is None or trial.id != look.trial.id]
            other = await choose_trial(screen, "Compare with which trial?", others)
            return None if other is None else replace(look, other=other)
        case "levels":
            assert look.trial is not None
            columns = columns_of(look.trial)
            column = await choose(screen, "Which column?", [(name, name) for name in columns])
            return None if column is None else replace(look, column=column)
        case "steps":
            assert look.trial is not None
            records = await screen.in_thread(runs_to_show, screen.bench.fresh_workspace(), look.trial)
            said = [
                (
                    record.id,
                    f"{record.inputs.arm.label}, replicate {record.replicate}: {record.outcome.replace('_', ' ')}",
                )
                for record in records
            ]
            run = await choose(screen, "Which run?", said)
            return None if run is None else replace(look, run=run)
        case "plots":
            return await _choose_figure(screen, look)
        case _:
            return None


async def choose_under_way(screen: ActionScreen, workspace: Workspace) -> UnderWay | None:
    """One of the trials that run, died or ended unseen, whoever started them."""
    entries = await screen.in_thread(to_follow, workspace)
    if not entries:
        screen.notify("No trial is under way, and none has ended without being looked at.", markup=False)
        return None
    said = [
        (
            entry.id,
            f"{STATES[entry.state]}: {', '.join(entry.asked.tasks)}, begun {entry.asked.started:%Y-%m-%d %H:%M} UTC",
        )
        for entry in entries
    ]
    answer = await choose(screen, "Which trial do you want to follow?", said)
    return next((entry for entry in entries if entry.id == answer), None)


async def _choose_figure(screen: ActionScreen, look: Look) -> Look | None:
    from m4review.campaigns.workspacefigures import FIGURES, rewards

    figure = await screen.in_thread(rewards, screen.bench.fresh_workspace(), look.skill)
    answers = [(f"reward {place}", f"Reward per version: {panel.setting}") for place, panel in enumerate(figure.panels)]
    answers = answers or [("reward 0", "Reward per version")]
    answers += [(name, f"{says[0].upper()}{says[1:]}") for name, says in FIGURES.items() if name != "reward"]
    answer = await choose(screen, "Which figure?", answers)
    match answer:
        case None:
            return None
        case "forest" | "agreement":
            return replace(look, figure=answer)
        case _:
            return replace(look, figure="reward", panel=int(answer.removeprefix("reward ")))


def _trial(trial: TrialSummary) -> str:
    from m4review.tui.render.trials import versions_tried

    delta = "cancelled" if trial.cancelled else "no Δ" if trial.delta is None else f"Δ {signed(trial.delta)}"
    marks = (" · sections" if trial.ablation else "") + (" · held" if trial.held else "")
    tried = versions_tried(trial) or "no skill"
    return f"{trial.started:%Y-%m-%d %H:%M}  {delta}  {tried} · {trial.task} · {trial.dataset} · {trial.agent}{marks}"
