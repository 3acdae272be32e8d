"""How small an effect a plan can show, and how many repeats it takes.

The spread of a mean difference over tasks has two parts: tasks differ in their true effect (variance *between* tasks)
and repeats of one task and model differ (variance *within*). With ``n`` tasks, ``m`` models and ``r`` repeats on each
side the standard error is ``sqrt((between + within / (m * r)) / n)``. Parts are estimated by the method of moments of a
one-way random-effects model (S. Searle, G. Casella, C. McCulloch, *Variance Components*, 1992, ch. 3); the smallest
detectable effect uses Student's t with ``n - 1`` degrees of freedom (J. Cohen, *Statistical Power Analysis*, 1988,
ch. 2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from m4review.campaigns.effects import Effect, ModelPair

MOST_REPEATS, MOST_TASKS = 100, 1000
"""What is tried at most."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Variances of a difference: between tasks, and within one task and model per paired repeat."""

    between: float
    within: float
    tasks: int
    repeats: float
    """Models times repeats behind one task, harmonic mean."""


def spread_of(effect: Effect) -> Spread | None:
    """The spread that past runs show; ``None`` below two tasks, or where no task has two runs on both sides.

    Repeats that both sides have are taken as pairs; where a model has fewer than two of them, the variances of its
    two sides are added. *Between* includes how these models differ, so other models need not do alike.
    """
    if len(effect.tasks) < 2:
        return None
    squares, freedom, counts = 0.0, 0, []
    for task in effect.tasks:
        runs = 0.0
        for pair in task.models:
            variance, degrees = _within(pair)
            squares += variance * degrees
            freedom += degrees
            runs += degrees + 1
        counts.append(runs)
    if not freedom:
        return None
    within = squares / freedom
    repeats = len(counts) / sum(1 / count for count in counts)
    between = max(0.0, float(np.var(effect.deltas, ddof=1)) - within / repeats)
    return Spread(between, within, len(effect.tasks), repeats)


def _within(pair: ModelPair) -> tuple[float, int]:
    """Variance of one model's difference from repeat to repeat, and its degrees of freedom (0 with one repeat)."""
    paired = list(pair.paired.values())
    if len(paired) > 1:
        return float(np.var(paired, ddof=1)), len(paired) - 1
    sides = [list(side.values()) for side in (pair.baseline, pair.treated)]
    degrees = min(map(len, sides)) - 1
    return (sum(float(np.var(side, ddof=1)) for side in sides), degrees) if degrees > 0 else (0.0, 0)


def standard_error(spread: Spread, *, tasks: int, models: int, repeats: int) -> float:
    """Standard error of the mean difference in a plan of that size."""
    return math.sqrt((spread.between + spread.within / (models * repeats)) / tasks)


def smallest_detectable(
    spread: Spread, *, tasks: int, models: int, repeats: int, level: float = 0.05, power: float = 0.8
) -> float | None:
    """The smallest true mean difference found with ``power`` by a two-sided test; ``None`` below two tasks."""
    if tasks < 2:
        return None
    freedom = tasks - 1
    needed = stats.t.ppf(1 - level / 2, freedom) + stats.t.ppf(power, freedom)
    return float(needed) * standard_error(spread, tasks=tasks, models=models, repeats=repeats)


def repeats_needed(
    spread: Spread, target: float, *, tasks: int, models: int, level: float = 0.05, power: float = 0.8
) -> int | None:
    """The fewest repeats with which ``target`` can be shown; ``None`` when no number of repeats is enough.

    More repeats never help against the differences between tasks: then only more tasks do.
    """
    for repeats in range(1, MOST_REPEATS + 1):
        smallest = smallest_detectable(spread, tasks=tasks, models=models, repeats=repeats, level=level, power=power)
        if smallest is not None and smallest <= target:
            return repeats
    return None


def tasks_needed(
    spread: Spread, target: float, *, models: int, repeats: int, level: float = 0.05, power: float = 0.8
) -> int | None:
    """The fewest tasks with which ``target`` can be shown; ``None`` when ``MOST_TASKS`` are not enough."""
    for tasks in range(2, MOST_TASKS + 1):
        smallest = smallest_detectable(spread, tasks=tasks, models=models, repeats=repeats, level=level, power=power)
        if smallest is not None and smallest <= target:
            return tasks
    return None
