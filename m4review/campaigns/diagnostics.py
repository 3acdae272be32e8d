"""Beside the reward, task by task: keys, ordered errors, strict passes, and the match rate of every column."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from m4review.campaigns.effects import Arm
from m4review.campaigns.runs import Run, TaskFacts

MEASURES: dict[str, Callable[[Run], float | None]] = {
    "key precision": lambda run: run.key_precision,
    "key recall": lambda run: run.key_recall,
    "key F1": lambda run: run.key_f1,
    "extra keys": lambda run: None if run.extra_keys is None else float(run.extra_keys),
    "ordered nMAE": lambda run: run.ordered_nmae,
    "strict passes": lambda run: None if run.strict is None else float(run.strict),
}
"""Measures of a run beside its reward."""


@dataclass(frozen=True, slots=True)
class TaskMeasures:
    """One task: each measure on both sides, mean over repeats and then over models; ``None`` where no run has it."""

    task: str
    runs: int
    measures: dict[str, tuple[float | None, float | None]]


@dataclass(frozen=True, slots=True)
class ColumnMatch:
    """Match rate of one column on both sides, mean over repeats and then over models."""

    task: str
    column: str
    declared: bool
    """Whether the task card names it as a value column."""
    before: float | None
    after: float | None


def task_measures(runs: Iterable[Run], baseline: Arm, treated: Arm) -> tuple[TaskMeasures, ...]:
    """Every task that one of the sides has runs of, by name."""
    by_task = _by_task(runs, baseline, treated)
    return tuple(
        TaskMeasures(
            task,
            len(sides[0]) + len(sides[1]),
            {name: (_level(sides[0], read), _level(sides[1], read)) for name, read in MEASURES.items()},
        )
        for task, sides in by_task.items()
    )


def column_matches(
    runs: Iterable[Run], facts: Mapping[str, TaskFacts], baseline: Arm, treated: Arm
) -> tuple[ColumnMatch, ...]:
    """Every column that some run has a rate of, by task, in the order of the file; crashed runs count as 0."""
    found = []
    for task, sides in _by_task(runs, baseline, treated).items():
        columns = dict.fromkeys(column for side in sides for run in side for column in run.rates)
        for column in columns:
            before, after = (_level(side, _rate_of(column)) for side in sides)
            found.append(ColumnMatch(task, column, column in facts[task].value_columns, before, after))
    return tuple(found)


def _rate_of(column: str) -> Callable[[Run], float | None]:
    def read(run: Run) -> float | None:
        if run.reward is None:
            return None
        return run.rates.get(column, 0.0) if run.rates or run.crashed else None

    return read


def _by_task(runs: Iterable[Run], baseline: Arm, treated: Arm) -> dict[str, tuple[list[Run], list[Run]]]:
    found: dict[str, tuple[list[Run], list[Run]]] = defaultdict(lambda: ([], []))
    for run in runs:
        for side, arm in enumerate((baseline, treated)):
            if arm.holds(run):
                found[run.task][side].append(run)
    return dict(sorted(found.items()))


def _level(runs: Sequence[Run], read: Callable[[Run], float | None]) -> float | None:
    models: dict[str, list[float]] = defaultdict(list)
    for run in runs:
        value = read(run)
        if value is not None:
            models[run.model].append(value)
    if not models:
        return None
    return sum(sum(values) / len(values) for values in models.values()) / len(models)
