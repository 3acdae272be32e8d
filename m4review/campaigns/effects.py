"""From runs to effects: mean over repeats, difference per task and model, mean over models, mean over tasks.

The order of averaging is that of the published analysis: every task weighs the same however many runs it has, and
within a task every model. A run without the metric is left out and named; it never enters as 0.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from m4review.campaigns.arms import Arm as Arm
from m4review.campaigns.runs import Run, TaskFacts
from m4review.errors import M4ReviewError

Metric = Callable[[Run], float | None]

DUST = 1e-12
"""Differences up to this are rounding dust of the averages, neither a gain nor a decline."""


FEW_PLACES = 6
"""Tasks and models up to which a sentence names each."""


class EffectError(M4ReviewError):
    """Nothing can be compared."""


@dataclass(frozen=True, slots=True)
class ModelPair:
    """The repeats of one task and model on both sides, as ``{repeat: metric}``."""

    model: str
    baseline: Mapping[int, float]
    treated: Mapping[int, float]

    @property
    def levels(self) -> tuple[float, float]:
        """Mean over repeats of each side."""
        return _mean(self.baseline.values()), _mean(self.treated.values())

    @property
    def delta(self) -> float:
        """Difference of the two means; over paired repeats it is the mean of their differences."""
        before, after = self.levels
        return after - before

    @property
    def paired(self) -> dict[int, float]:
        """Difference per repeat that both sides have."""
        both = self.baseline.keys() & self.treated.keys()
        return {repeat: self.treated[repeat] - self.baseline[repeat] for repeat in sorted(both)}


@dataclass(frozen=True, slots=True)
class TaskEffect:
    """One task: both levels and their difference, means over models."""

    task: str
    facts: TaskFacts
    models: tuple[ModelPair, ...]

    @property
    def levels(self) -> tuple[float, float]:
        """Mean over models of each side."""
        pairs = [pair.levels for pair in self.models]
        return _mean(before for before, _ in pairs), _mean(after for _, after in pairs)

    @property
    def delta(self) -> float:
        """Mean over models of the difference."""
        return _mean(pair.delta for pair in self.models)


@dataclass(frozen=True, slots=True)
class Effect:
    """A comparison of two sides over tasks. ``left_out`` says in sentences what did not enter and why."""

    baseline: Arm
    treated: Arm
    tasks: tuple[TaskEffect, ...]
    runs: int
    left_out: tuple[str, ...]
    unused: tuple[tuple[str, str, int], ...] = ()
    """Task, model, and how many runs of the two sides did not enter there."""

    @property
    def deltas(self) -> np.ndarray:
        """Difference per task, in the order of ``tasks``."""
        return np.array([task.delta for task in self.tasks])

    @property
    def families(self) -> tuple[str, ...]:
        """Family per task, in the order of ``tasks``."""
        return tuple(task.facts.family for task in self.tasks)

    @property
    def levels(self) -> tuple[float, float]:
        """Mean over tasks of each side."""
        levels = [task.levels for task in self.tasks]
        return _mean(before for before, _ in levels), _mean(after for _, after in levels)

    @property
    def mean(self) -> float:
        """Mean over tasks of the difference."""
        return float(self.deltas.mean())

    @property
    def models(self) -> tuple[str, ...]:
        """Every model that entered, in alphabetical order."""
        return tuple(sorted({pair.model for task in self.tasks for pair in task.models}))

    def directions(self) -> tuple[int, int]:
        """How many tasks went up and how many down, rounding dust aside."""
        return int((self.deltas > DUST).sum()), int((self.deltas < -DUST).sum())

    def by_gain(self) -> list[TaskEffect]:
        """The tasks from the largest gain to the largest decline; equal ones, rounding dust aside, by name."""
        return sorted(self.tasks, key=lambda task: (-round(task.delta / DUST) * DUST, task.task))

    def of_tasks(self, keep: Callable[[TaskEffect], bool]) -> Effect:
        """The same comparison on some of the tasks.

        Raises:
            EffectError: none of them is kept.
        """
        chosen = tuple(task for task in self.tasks if keep(task))
        names = {task.task for task in chosen}
        unused = tuple(place for place in self.unused if place[0] in names)
        return self._with(chosen, unused, "no task is left after the selection")

    def of_model(self, model: str) -> Effect:
        """The same comparison for one model.

        Raises:
            EffectError: no task has that model on both sides.
        """
        chosen = tuple(
            TaskEffect(task.task, task.facts, pairs)
            for task in self.tasks
            if (pairs := tuple(pair for pair in task.models if pair.model == model))
        )
        unused = tuple(place for place in self.unused if place[1] == model)
        return self._with(chosen, unused, f"no task has the model {model} on both sides")

    def _with(self, tasks: tuple[TaskEffect, ...], unused: tuple[tuple[str, str, int], ...], otherwise: str) -> Effect:
        if not tasks:
            raise EffectError(otherwise, where=f"{self.baseline} against {self.treated}")
        runs = sum(len(pair.baseline) + len(pair.treated) for task in tasks for pair in task.models)
        return Effect(self.baseline, self.treated, tasks, runs, self.left_out, unused)


def reward(run: Run) -> float | None:
    """The run's reward as the file has it."""
    return run.reward


def compare_arms(
    runs: Sequence[Run],
    facts: Mapping[str, TaskFacts],
    baseline: Arm,
    treated: Arm,
    *,
    metric: Metric = reward,
    tasks: Collection[str] | None = None,
) -> Effect:
    """Compare two sides of the same tasks and models.

    A task and model enter when both sides have at least one run with the metric; what has only one side is named.

    Raises:
        EffectError: nothing has both sides.
    """
    cells: dict[tuple[str, str], tuple[dict[int, float], dict[int, float]]] = defaultdict(lambda: ({}, {}))
    without_value: dict[str, int] = defaultdict(int)
    unused: dict[tuple[str, str], int] = defaultdict(int)
    for run in runs:
        side = 0 if baseline.holds(run) else 1 if treated.holds(run) else None
        if side is None or (tasks is not None and run.task not in tasks):
            continue
        value = metric(run)
        if value is None:
            without_value[run.task] += 1
            unused[run.task, run.model] += 1
        else:
            cells[run.task, run.model][side][run.repeat] = value
    by_task: dict[str, list[ModelPair]] = defaultdict(list)
    one_sided: dict[Arm, list[tuple[str, str]]] = defaultdict(list)
    used = 0
    for (task, model), (before, after) in sorted(cells.items()):
        if not before or not after:
            one_sided[treated if before else baseline].append((task, model))
            unused[task, model] += len(before) + len(after)
            continue
        by_task[task].append(ModelPair(model, before, after))
        used += len(before) + len(after)
    if not by_task:
        raise _nothing_shared(runs, baseline, treated, without_value)
    left_out = [
        f"{count} run{'s' * (count > 1)} of {task} {'have' if count > 1 else 'has'} no value"
        for task, count in sorted(without_value.items())
    ]
    left_out += [f"no run of {arm}: {_places(cells)}" for arm, cells in one_sided.items()]
    all_models = {pair.model for pairs in by_task.values() for pair in pairs}
    for task, pairs in by_task.items():
        absent = all_models - {pair.model for pair in pairs}
        if absent:
            left_out.append(f"{task}: compared without " + ", ".join(sorted(absent)))
    chosen = tuple(TaskEffect(task, facts[task], tuple(pairs)) for task, pairs in sorted(by_task.items()))
    return Effect(
        baseline,
        treated,
        chosen,
        used,
        tuple(left_out),
        tuple((*place, count) for place, count in sorted(unused.items())),
    )


def _places(cells: Sequence[tuple[str, str]]) -> str:
    """Tasks with their model each, or how many tasks per model where they are many."""
    if len(cells) <= FEW_PLACES:
        return ", ".join(f"{task} ({model})" for task, model in cells)
    counts = Counter(model for _, model in cells)
    return ", ".join(f"{count} task{'s' * (count > 1)} with {model}" for model, count in sorted(counts.items()))


def _nothing_shared(runs: Iterable[Run], baseline: Arm, treated: Arm, without_value: Mapping[str, int]) -> EffectError:
    """Why two sides cannot be compared, and what the files hold instead."""
    if without_value:
        count = sum(without_value.values())
        what = f"no task and model has both {baseline} and {treated} with a value: {count} of their runs have none"
    else:
        what = f"no task and model has both {baseline} and {treated}"
    present = sorted({str(Arm(run.condition, run.schema)) for run in runs})
    return EffectError(
        what,
        expected=f"runs of both; there are runs of {', '.join(present)}"
        if present
        else "runs of both in the files given",
        fix="name the two conditions to compare: --baseline CONDITION --treated CONDITION",
    )


def arm_level(
    runs: Iterable[Run], arm: Arm, *, metric: Metric = reward, cells: Collection[tuple[str, str]] | None = None
) -> float:
    """Level of one side, on the ``(task, model)`` pairs of ``cells`` alone: mean over repeats, models, then tasks.

    Raises:
        EffectError: no run of that side has the metric.
    """
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        wanted = arm.holds(run) and (cells is None or (run.task, run.model) in cells)
        if wanted and (value := metric(run)) is not None:
            found[run.task][run.model].append(value)
    if not found:
        raise EffectError(f"there is no run of {arm} with a value")
    return _mean(_mean(_mean(values) for values in models.values()) for models in found.values())


def declared_reward(facts: Mapping[str, TaskFacts]) -> Metric:
    """Mean match rate over the declared value columns alone; a crashed run has 0 as in its reward.

    A run whose file gives no rates although it did not crash has no value.
    """

    def metric(run: Run) -> float | None:
        if not run.rates:
            return 0.0 if run.crashed and run.reward is not None else None
        columns: Sequence[str] = facts[run.task].value_columns
        return _mean(run.rates.get(column, 0.0) for column in columns)

    return metric


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))
