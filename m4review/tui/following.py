"""The trial that runs beside the workbench: followed on every screen, picked up again, asked about on leaving."""

from __future__ import annotations

import asyncio
from functools import partial

from textual.app import App
from textual.message import Message

from m4review.tui.screens.dialogs import Choice, Question
from m4review.tui.screens.trial import TrialScreen
from m4review.tui.session.running_trial import RunningTrial, to_follow
from m4review.workspace import Workspace

UNDER_WAY = {
    "running": "The trial of {} is running; F5 on its skill shows it.",
    "over": "The trial of {} is over; F5 on its skill shows it.",
    "died": "The trial of {} was ended from outside; F5 on its skill says what to do.",
}


class FollowingApp(App[None]):
    """An app that follows one trial, whatever screen is shown; the trial itself is a process of its own."""

    workspace: Workspace

    class TrialEnded(Message):
        """The background trial came to its end."""

        def __init__(self, trial: RunningTrial) -> None:
            super().__init__()
            self.trial = trial

    def __init__(self) -> None:
        super().__init__()
        self.trial: RunningTrial | None = None
        self._told: set[str] = set()
        """Ids of trials whose end was said already."""

    def follow_trial(self, trial: RunningTrial) -> None:
        """Follow a trial, whatever screen is shown, instead of the one that was followed so far."""
        if self.trial is not None:
            self.trial.let_go()
        self.trial = trial
        self.run_worker(partial(self._follow_trial, trial), thread=True, group="trial")

    def _follow_trial(self, trial: RunningTrial) -> None:
        trial.follow()
        if trial.is_over:
            self.post_message(self.TrialEnded(trial))

    def on_following_app_trial_ended(self, message: TrialEnded) -> None:
        trial = message.trial
        is_shown = any(isinstance(screen, TrialScreen) for screen in self.screen_stack)
        if trial is self.trial and not trial.is_seen and not is_shown and trial.id not in self._told:
            words = "did not run" if trial.error else "is over"
            self.notify(f"The trial of {trial.request.task} {words}; F5 on its skill shows it.", markup=False)

    async def pick_up_trials(self) -> None:
        """Follow what was started elsewhere or before the workbench was closed, and say what ended meanwhile."""
        workspace = self.workspace
        entries = await asyncio.to_thread(to_follow, workspace)
        self._told.update(entry.id for entry in entries if entry.state != "running")
        if entries and self.trial is None:
            self.follow_trial(RunningTrial(workspace, entries[0]))
        for entry in entries:
            said = UNDER_WAY[entry.state].format(", ".join(entry.asked.tasks))
            self.notify(said, severity="warning" if entry.state == "died" else "information", markup=False)

    async def trial_may_go_on(self) -> bool:
        """Say that a running trial goes on without the workbench, and offer to stop it; whether the app may end."""
        if self.trial is None or self.trial.is_over:
            return True
        choices = (
            Choice("leave", "l", "Leave; the trial goes on, and F5 shows it when you are back"),
            Choice("stop", "y", "Stop the trial and leave; what has not finished is not scored"),
            Choice("back", "b", "Back to the workbench"),
        )
        answer = await self.push_screen_wait(Question("A trial is running.", choices))
        if answer == "stop":
            await asyncio.to_thread(self.trial.cancel)
        return answer in {"leave", "stop"}

    def stop_background_work(self) -> None:
        """Let go of the trial that is followed, which goes on in its own process."""
        if self.trial is not None:
            self.trial.let_go()
