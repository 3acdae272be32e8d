"""What a person is asked about a trial: which task, data, place and comparison, and whether it shall run or stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from m4review.tui.screens.dialogs import Choice, Question
from m4review.tui.screens.trialchoice import choose
from m4review.tui.session.trial_plan import TrialPlan
from m4review.tui.session.trial_setup import COMPARISONS, PLACES

if TYPE_CHECKING:
    from m4review.tui.screens.base import ActionScreen


async def ask_task(screen: ActionScreen, plan: TrialPlan) -> bool:
    """Which task; whether one was chosen."""
    answer = await choose(screen, "Which task?", [(name, name) for name in plan.setup.tasks])
    if answer is not None:
        plan.choose_task(answer)
    return answer is not None


async def ask_dataset(screen: ActionScreen, plan: TrialPlan) -> None:
    """Which dataset, of those that fit the task."""
    assert plan.task is not None
    fitting = [(dataset.name, f"{dataset.name}: {dataset.facts}") for dataset in plan.setup.fitting(plan.task)]
    plan.dataset = await choose(screen, "Which dataset?", fitting) or plan.dataset


async def ask_place(screen: ActionScreen, plan: TrialPlan) -> None:
    """Where the agent runs."""
    choices = [Choice(place, place[0], says) for place, says in PLACES.items()]
    answer = await screen.app.push_screen_wait(Question("Where does the agent run?", choices))
    if answer is not None:
        plan.place = "local" if answer == "local" else "docker"


async def ask_comparison(screen: ActionScreen, plan: TrialPlan) -> None:
    """What is compared beside the pair."""
    choices = [Choice(comparison.id, comparison.key, comparison.says) for comparison in COMPARISONS]
    answer = await screen.app.push_screen_wait(Question("What is compared?", choices))
    plan.comparison = next((entry for entry in COMPARISONS if entry.id == answer), plan.comparison)


async def may_run(screen: ActionScreen, plan: TrialPlan) -> bool:
    """Whether the trial shall run: asked where text is not saved, and where exactly this was tried already."""
    if plan.unsaved:
        choices = (
            Choice("back", "b", "Back; save the text first (Ctrl+S in the editor)"),
            Choice("run", "y", "Run it on the saved file, without what was typed since"),
        )
        question = Question(f"The text of {plan.setup.skill} is not saved. A trial runs on the saved file.", choices)
        if await screen.app.push_screen_wait(question) != "run":
            return False
    tried = plan.tried
    if tried is None:
        return True
    choices = (
        Choice("back", "b", "Back; look at the trial that there is"),
        Choice("run", "y", "Run it once more; both trials are kept, and a paid model is paid again"),
    )
    question = Question(f"Exactly this was tried already, at {tried.started:%Y-%m-%d %H:%M} UTC.", choices)
    return await screen.app.push_screen_wait(question) == "run"


async def wants_stop(screen: ActionScreen) -> bool:
    """Whether the running trial shall stop, said with another key than the one that asked."""
    choices = (
        Choice("back", "b", "Back; the trial goes on"),
        Choice("stop", "y", "Yes, stop it; what has not finished is not scored"),
    )
    return await screen.app.push_screen_wait(Question("Stop the running trial?", choices)) == "stop"
