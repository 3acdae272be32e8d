"""Comparisons with their intervals: the rows of every table of effects, and why a comparison could not be made."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from m4review.campaigns.effects import DUST, Arm, Effect, EffectError, Metric, TaskEffect, compare_arms, reward
from m4review.campaigns.resampling import Interval, task_bootstrap
from m4review.campaigns.runs import Run, TaskFacts


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison with its interval over tasks."""

    name: str
    effect: Effect
    interval: Interval


@dataclass(frozen=True, slots=True)
class Contrast:
    """How much larger one effect is than another on the tasks and models of both: a difference of differences."""

    name: str
    first: float
    second: float
    deltas: tuple[float, ...]
    interval: Interval

    @property
    def mean(self) -> float:
        """Mean over tasks of the second effect minus the first."""
        return float(np.mean(self.deltas))

    def directions(self) -> tuple[int, int]:
        """In how many tasks the second effect is larger and in how many smaller, rounding dust aside."""
        return sum(delta > DUST for delta in self.deltas), sum(delta < -DUST for delta in self.deltas)


class Comparisons:
    """Makes the rows of one set of runs. ``cannot`` collects in sentences what the runs do not allow."""

    def __init__(self, runs: Sequence[Run], facts: Mapping[str, TaskFacts], *, seed: int, draws: int) -> None:
        self.runs, self.facts, self.seed, self.draws = runs, facts, seed, draws
        self.cannot: list[str] = []

    def row(self, name: str, effect: Effect) -> Row:
        """An effect with its interval."""
        return Row(name, effect, task_bootstrap(effect.deltas, seed=self.seed, draws=self.draws))

    def ask(
        self,
        name: str,
        baseline: Arm,
        treated: Arm,
        *,
        metric: Metric = reward,
        of: Sequence[Run] | None = None,
        tasks: Collection[str] | None = None,
    ) -> Row | None:
        """Compare two sides; ``None`` where nothing has both, and ``cannot`` says so."""
        try:
            runs = self.runs if of is None else of
            return self.row(name, compare_arms(runs, self.facts, baseline, treated, metric=metric, tasks=tasks))
        except EffectError as error:
            self.cannot.append(f"{name}: {error.what}")
            return None

    def contrast(self, name: str, first: Effect, second: Effect) -> Contrast | None:
        """The second effect minus the first; ``None`` where they share no task and model."""
        before, after = _shared(first, second), _shared(second, first)
        if not before:
            self.cannot.append(f"{name}: the two effects share no task and model")
            return None
        deltas = np.array([after[task].delta - before[task].delta for task in before])
        interval = task_bootstrap(deltas, seed=self.seed, draws=self.draws)
        means = [float(np.mean([side[task].delta for task in before])) for side in (before, after)]
        return Contrast(name, means[0], means[1], tuple(map(float, deltas)), interval)


def _shared(effect: Effect, other: Effect) -> dict[str, TaskEffect]:
    """The tasks of ``effect`` with the models that ``other`` has for them too."""
    models = {task.task: {pair.model for pair in task.models} for task in other.tasks}
    found = {}
    for task in effect.tasks:
        pairs = tuple(pair for pair in task.models if pair.model in models.get(task.task, ()))
        if pairs:
            found[task.task] = TaskEffect(task.task, task.facts, pairs)
    return found
