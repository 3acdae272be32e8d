"""The next trial as a person has put it together so far, and why it cannot run yet. Plain Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from m4review.tui.session.trial_setup import COMPARISONS, PLACES, Comparison, Place, TrialSetup

if TYPE_CHECKING:
    from m4review.trials import TrialRequest, TrialSummary

UNSAVED = (
    "The text in the editor is not saved, and a trial runs on the saved file. Esc goes back, and Ctrl+S there saves; "
    "F5 here runs the file as it is."
)


@dataclass
class TrialPlan:
    """What is chosen of what there is. ``None`` stands for what still has to be chosen."""

    setup: TrialSetup
    task: str | None
    dataset: str | None
    place: Place
    comparison: Comparison = COMPARISONS[0]
    goes_on: bool = False
    """Whether it takes the runs that had finished of a trial that died."""
    unsaved: bool = False
    """Whether the editor holds text that is not in the file, which is what a trial runs on."""

    @classmethod
    def begin(cls, setup: TrialSetup, task: str | None, unsaved: bool = False) -> TrialPlan:
        """Everything that needs no choice: the only task or ``task``, its dataset, Docker where there is an engine."""
        only = setup.tasks[0] if len(setup.tasks) == 1 else None
        plan = cls(setup, None, None, "docker" if setup.engine is None else "local", unsaved=unsaved)
        plan.choose_task(task if task in setup.tasks else only)
        return plan

    def on(self, setup: TrialSetup) -> TrialPlan:
        """The same task and comparison on what is there now."""
        plan = TrialPlan.begin(setup, self.task, self.unsaved)
        plan.comparison = self.comparison
        return plan

    def choose_task(self, task: str | None) -> None:
        """Try another task, on the dataset that goes with it."""
        self.task = task
        self.dataset = self.setup.first_dataset(task) if task else None

    def why_not(self, action: str) -> str | None:
        """Why ``action`` of the screen is not possible with what is chosen; ``None`` when it is."""
        setup = self.setup
        if action == "sandbox":
            return None if setup.engine is None else f"Only this machine can be used: {setup.engine}."
        if self.task is None:
            return None if action == "task" else "Choose a task first (F2)."
        if action == "task" and len(setup.tasks) < 2:
            return "This skill has one task only."
        if action in {"run", "dataset"} and not setup.fitting(self.task):
            return setup.why_no_dataset(self.task)
        if action == "dataset" and len(setup.fitting(self.task)) < 2:
            return "There is one dataset for this task only."
        if action == "run" and self.dataset is None:
            return "Several datasets fit; choose one first (F3)."
        return None

    @property
    def next_step(self) -> str:
        """What to press to get a trial, in a sentence or two; what is missing comes first."""
        if self.task is None:
            return "Choose a task with F2; F5 then runs it without and with the skill and scores both."
        reason = self.why_not("run")
        if reason is not None:
            return reason
        if self.unsaved:
            return UNSAVED
        return "F5 runs the task without and with the skill and scores both; F6 adds controls."

    @property
    def tried(self) -> TrialSummary | None:
        """The newest finished trial of exactly this text under everything that is chosen; ``None`` without one."""
        if self.task is None or self.dataset is None or self.goes_on:
            return None
        return self.setup.tried(self.task, self.dataset, self.place, self.comparison)

    def request(self) -> TrialRequest:
        """What to run. Something is chosen for everything: :meth:`why_not` had no reason against it."""
        from m4review.trials import TrialRequest

        assert self.task is not None
        return TrialRequest(
            task=self.task,
            dataset=self.dataset,
            sandbox=self.place,
            conditions=self.comparison.conditions,
            ablate=() if self.comparison.sections else None,
            reuse=self.goes_on,
        )

    @property
    def described(self) -> str:
        """Two lines: task, dataset and what is compared; then where the agent runs."""
        place = PLACES[self.place] + (f" ({self.setup.engine})" if self.setup.engine is not None else "")
        compared = f" · {self.comparison.beside_the_pair}" if self.comparison.beside_the_pair else ""
        return f"{self.task or 'not chosen (F2)'} · dataset: {self.dataset or 'none'}{compared}\n{place}"
