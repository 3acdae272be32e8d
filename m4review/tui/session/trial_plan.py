"""The next trial as a person has put it together so far, and why it cannot run yet. Plain Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from m4review.tui.session.trial_setup import COMPARISONS, PLACES, Comparison, Place, TrialSetup

if TYPE_CHECKING:
    from m4review.trials import TrialRequest


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

    @classmethod
    def begin(cls, setup: TrialSetup, task: str | None) -> TrialPlan:
        """Everything that needs no choice: the only task or ``task``, its dataset, Docker where there is an engine."""
        only = setup.tasks[0] if len(setup.tasks) == 1 else None
        plan = cls(setup, None, None, "docker" if setup.engine is None else "local")
        plan.choose_task(task if task in setup.tasks else only)
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
