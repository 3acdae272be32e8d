"""Intervals and p-values of a mean difference over tasks. Every draw comes from the seed that is passed in.

Sources: B. Efron, R. Tibshirani, *An Introduction to the Bootstrap* (1993), ch. 13 (percentile interval);
A. C. Cameron, J. Gelbach, D. Miller, *Bootstrap-based improvements for inference with clustered errors*,
Rev. Econ. Stat. 90 (2008) 414-427 (whole clusters resampled); R. A. Fisher, *The Design of Experiments* (1935), ch. 3
(sign-flip test); B. Phipson, G. Smyth, *Permutation p-values should never be zero*, Stat. Appl. Genet. Mol. Biol. 9
(2010) 39 (Monte-Carlo p); E. Horowitz, S. Sahni, J. ACM 21 (1974) 277-292 (counting all sign patterns by halves).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from m4review.campaigns.effects import Effect, TaskEffect

DRAWS = 20_000
LEVEL = 0.95
CHUNK = 2_000
"""Draws held in memory at once."""
EXACT_MOST = 40
"""Tasks up to which every sign pattern is counted: two halves of 2^20 sums each."""
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Interval:
    """A percentile interval of a mean over ``units`` that were resampled; ``None`` with fewer than two of them."""

    low: float | None
    high: float | None
    units: int
    kind: str

    @property
    def defined(self) -> bool:
        """Whether there is anything to infer from."""
        return self.low is not None


def task_bootstrap(deltas: np.ndarray, *, seed: int, draws: int = DRAWS, level: float = LEVEL) -> Interval:
    """Resample tasks. ``deltas`` is the difference per task, shape ``(tasks,)``."""
    deltas = np.asarray(deltas, dtype=float)
    return _percentiles(_resampled_means(deltas, np.ones_like(deltas), seed, draws), len(deltas), level, "tasks")


def family_clustered(
    deltas: np.ndarray, families: Sequence[str], *, seed: int, draws: int = DRAWS, level: float = LEVEL
) -> Interval:
    """Resample whole families and pool the differences of all their tasks."""
    sums, sizes = _by_family(deltas, families)
    return _percentiles(_resampled_means(sums, sizes, seed, draws), len(sums), level, "families, tasks pooled")


def family_balanced(
    deltas: np.ndarray, families: Sequence[str], *, seed: int, draws: int = DRAWS, level: float = LEVEL
) -> tuple[float, Interval]:
    """The mean of family means, and its interval when families are resampled."""
    sums, sizes = _by_family(deltas, families)
    means = sums / sizes
    drawn = _resampled_means(means, np.ones_like(means), seed, draws)
    return float(means.mean()), _percentiles(drawn, len(means), level, "families, balanced")


def nested_bootstrap(effect: Effect, *, seed: int, draws: int = DRAWS, level: float = LEVEL) -> Interval:
    """Resample tasks, and within each drawn task the repeats of each model.

    Repeats that both sides have are drawn as pairs; where the sides share none, each side is drawn on its own.
    """
    generator = np.random.default_rng(seed)
    tasks = len(effect.tasks)
    means = []
    for start in range(0, draws, CHUNK):
        count = min(CHUNK, draws - start)
        chosen = generator.integers(0, tasks, size=(count, tasks))
        values = np.empty(chosen.shape)
        for index, task in enumerate(effect.tasks):
            places = chosen == index
            values[places] = _drawn_repeats(task, int(places.sum()), generator)
        means.append(values.mean(axis=1))
    return _percentiles(np.concatenate(means), tasks, level, "tasks, then repeats")


def repeats_bootstrap(task: TaskEffect, *, seed: int, draws: int = DRAWS, level: float = LEVEL) -> Interval:
    """Resample the repeats of one task, each model for itself: how far its difference moves from repeat to repeat.

    ``units`` is the least number of repeats that a side of a model has; below two there is no interval.
    """
    units = min(min(len(pair.baseline), len(pair.treated)) for pair in task.models)
    drawn = _drawn_repeats(task, draws, np.random.default_rng(seed)) if units > 1 else np.zeros(1)
    return _percentiles(drawn, units, level, "repeats of one task")


def narrowness(units: int, level: float = LEVEL) -> float:
    """How much narrower a percentile interval of a mean over ``units`` is than Student's t: 0.25 is a quarter.

    It leaves out the factor ``n / (n - 1)`` of the variance and the heavier tails of t (T. Hesterberg, *What teachers
    should know about the bootstrap*, The American Statistician 69 (2015) 371-386).
    """
    quantile = (1 + level) / 2
    normal, student = stats.norm.ppf(quantile), stats.t.ppf(quantile, units - 1)
    return float(1 - normal * math.sqrt((units - 1) / units) / student)


def sign_flip_exact(deltas: np.ndarray) -> tuple[int, int] | None:
    """How many of the ``2^n`` sign patterns give a mean at least as far from 0, and ``2^n``; two-sided.

    ``None`` above ``EXACT_MOST`` tasks. Ties within rounding count as at least as far.
    """
    deltas = np.asarray(deltas, dtype=float)
    if len(deltas) > EXACT_MOST:
        return None
    half = len(deltas) // 2
    left, right = _signed_sums(deltas[:half]), np.sort(_signed_sums(deltas[half:]))
    limit = abs(float(deltas.sum())) - ROUNDING * max(1.0, float(np.abs(deltas).sum()))
    if limit <= 0:
        return 2 ** len(deltas), 2 ** len(deltas)
    above = len(right) - np.searchsorted(right, limit - left, side="left")
    below = np.searchsorted(right, -limit - left, side="right")
    return int(above.sum() + below.sum()), 2 ** len(deltas)


def sign_flip_p(deltas: np.ndarray, *, seed: int, draws: int = DRAWS) -> float:
    """Two-sided p of the sign-flip test: exact where every pattern can be counted, else Monte Carlo (never 0)."""
    counted = sign_flip_exact(deltas)
    return counted[0] / counted[1] if counted else sign_flip_monte_carlo(deltas, seed=seed, draws=draws)


def sign_flip_monte_carlo(deltas: np.ndarray, *, seed: int, draws: int = DRAWS) -> float:
    """Two-sided Monte-Carlo p: ``(1 + patterns at least as far) / (1 + draws)``."""
    deltas = np.asarray(deltas, dtype=float)
    generator = np.random.default_rng(seed)
    limit = abs(float(deltas.sum())) - ROUNDING * max(1.0, float(np.abs(deltas).sum()))
    far = 0
    for start in range(0, draws, CHUNK):
        signs = generator.integers(0, 2, size=(min(CHUNK, draws - start), len(deltas))) * 2 - 1
        far += int((np.abs(signs @ deltas) >= limit).sum())
    return (1 + far) / (1 + draws)


def _signed_sums(values: np.ndarray) -> np.ndarray:
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate((sums + value, sums - value))
    return sums


def _by_family(deltas: np.ndarray, families: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    pooled: dict[str, list[float]] = defaultdict(list)
    for family, delta in zip(families, deltas, strict=True):
        pooled[family].append(float(delta))
    return np.array([sum(values) for values in pooled.values()]), np.array([float(len(v)) for v in pooled.values()])


def _resampled_means(sums: np.ndarray, sizes: np.ndarray, seed: int, draws: int) -> np.ndarray:
    """Mean per draw when units with these sums and sizes are drawn with replacement."""
    generator = np.random.default_rng(seed)
    means = []
    for start in range(0, draws, CHUNK):
        chosen = generator.integers(0, len(sums), size=(min(CHUNK, draws - start), len(sums)))
        means.append(sums[chosen].sum(axis=1) / sizes[chosen].sum(axis=1))
    return np.concatenate(means)


def _drawn_repeats(task: TaskEffect, count: int, generator: np.random.Generator) -> np.ndarray:
    """``count`` differences of one task with its repeats drawn anew, mean over models; shape ``(count,)``."""
    total = np.zeros(count)
    for pair in task.models:
        paired = pair.paired
        if len(paired) == len(pair.baseline) == len(pair.treated):
            total += _drawn_means(np.array(list(paired.values())), count, generator)
        else:
            total += _drawn_means(np.array(list(pair.treated.values())), count, generator)
            total -= _drawn_means(np.array(list(pair.baseline.values())), count, generator)
    return total / len(task.models)


def _drawn_means(values: np.ndarray, count: int, generator: np.random.Generator) -> np.ndarray:
    drawn: np.ndarray = values[generator.integers(0, len(values), size=(count, len(values)))]
    return np.asarray(drawn.mean(axis=1))


def _percentiles(means: np.ndarray, units: int, level: float, kind: str) -> Interval:
    if units < 2:
        return Interval(None, None, units, kind)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), units, kind)
