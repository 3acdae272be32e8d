"""What may be concluded from runs: averaging order, intervals, p-values, power."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from m4review.campaigns.effects import Arm, EffectError, compare_arms
from m4review.campaigns.power import Spread, repeats_needed, smallest_detectable, spread_of, tasks_needed
from m4review.campaigns.resampling import (
    family_balanced,
    family_clustered,
    narrowness,
    nested_bootstrap,
    repeats_bootstrap,
    sign_flip_exact,
    sign_flip_monte_carlo,
    task_bootstrap,
)
from m4review.campaigns.runfile import Run, TaskFacts

NONE, SKILL = Arm("no-skill"), Arm("with-skill")
FACTS = {f"task-{n}": TaskFacts(f"family-{n // 2}", "raw" if n % 2 else "standard", ("score",), 1.0) for n in range(8)}


def run(task: str, condition: str, repeat: int, reward: float | None, model: str = "m", **more: object) -> Run:
    return Run(f"{task}/{condition}/{model}/{repeat}", task, condition, "native", model, repeat, reward, **more)  # type: ignore[arg-type]


def pair(task: str, before: list[float], after: list[float], model: str = "m") -> list[Run]:
    rows = [run(task, "no-skill", n, value, model) for n, value in enumerate(before)]
    return rows + [run(task, "with-skill", n, value, model) for n, value in enumerate(after)]


def test_every_task_and_model_weighs_the_same_however_many_runs_it_has() -> None:
    runs = pair("task-0", [0.0], [1.0]) + pair("task-1", [0.5] * 9, [0.5] * 9)
    runs += pair("task-0", [0.0, 0.0, 0.0], [0.5, 0.5, 0.5], model="n")
    effect = compare_arms(runs, FACTS, NONE, SKILL)
    assert effect.mean == pytest.approx((0.75 + 0.0) / 2)
    assert effect.levels == pytest.approx((0.25, (0.75 + 0.5) / 2))


def test_a_run_without_a_value_is_left_out_and_named_and_is_not_a_zero() -> None:
    runs = [*pair("task-0", [0.4, 0.4], [0.8, 0.8]), run("task-0", "with-skill", 2, None)]
    effect = compare_arms(runs, FACTS, NONE, SKILL)
    assert effect.mean == pytest.approx(0.4)
    assert effect.left_out == ("1 run of task-0 has no value",)


def test_a_missing_cell_is_named() -> None:
    runs = [*pair("task-0", [0.1], [0.2]), run("task-1", "no-skill", 0, 0.3), *pair("task-2", [0.1], [0.2], model="n")]
    effect = compare_arms(runs, FACTS, NONE, SKILL)
    assert [task.task for task in effect.tasks] == ["task-0", "task-2"]
    assert effect.left_out == (
        "no run of with-skill: task-1 (m)",
        "task-0: compared without n",
        "task-2: compared without m",
    )


def test_nothing_to_compare_is_an_error_and_not_a_zero() -> None:
    with pytest.raises(EffectError, match="no task and model has both"):
        compare_arms([run("task-0", "no-skill", 0, 0.3)], FACTS, NONE, SKILL)


def test_rounding_dust_is_neither_a_gain_nor_a_decline() -> None:
    runs = pair("task-0", [0.1, 0.2, 0.3], [0.3, 0.2, 0.1]) + pair("task-1", [0.1], [0.2])
    assert compare_arms(runs, FACTS, NONE, SKILL).directions() == (1, 0)


@given(st.lists(st.floats(-1, 1).map(lambda value: round(value, 3)), min_size=1, max_size=9))
def test_counting_by_halves_gives_what_counting_every_sign_pattern_gives(deltas: list[float]) -> None:
    values = np.array(deltas)
    observed = abs(values.sum())
    far = sum(abs(np.dot(signs, values)) >= observed - 1e-9 for signs in itertools.product((1, -1), repeat=len(values)))
    assert sign_flip_exact(values) == (far, 2 ** len(values))


def test_more_tasks_than_can_be_counted_are_sampled_and_p_is_never_zero() -> None:
    deltas = np.full(60, 0.1)
    assert sign_flip_exact(deltas) is None
    assert sign_flip_monte_carlo(deltas, seed=1, draws=2_000) == pytest.approx(1 / 2_001)


def test_one_task_has_no_interval() -> None:
    assert not task_bootstrap(np.array([0.3]), seed=1).defined
    assert not family_clustered(np.array([0.3, 0.4]), ["a", "a"], seed=1).defined


def test_identical_rewards_give_an_interval_of_no_width() -> None:
    interval = task_bootstrap(np.zeros(12), seed=1)
    assert (interval.low, interval.high) == (0.0, 0.0)
    assert sign_flip_exact(np.zeros(12)) == (2**12, 2**12)


def test_how_narrow_an_interval_is_told_is_how_narrow_it_is() -> None:
    """The width of percentile intervals of many made-up sets of eight tasks, against Student's t of the same tasks."""
    generator = np.random.default_rng(8)
    ratios = []
    for seed in range(120):
        deltas = generator.normal(0.1, 0.2, size=8)
        interval = task_bootstrap(deltas, seed=seed, draws=2_000)
        student = 2 * stats.t.ppf(0.975, 7) * deltas.std(ddof=1) / np.sqrt(8)
        ratios.append((interval.high - interval.low) / student)  # type: ignore[operator]
    assert 1 - np.mean(ratios) == pytest.approx(narrowness(8), abs=0.02)


def test_the_same_seed_gives_the_same_interval_and_draws_do_not_depend_on_chunks() -> None:
    deltas = np.linspace(-0.2, 0.5, 17)
    assert task_bootstrap(deltas, seed=7) == task_bootstrap(deltas, seed=7)
    assert task_bootstrap(deltas, seed=7) != task_bootstrap(deltas, seed=8)


def test_the_interval_of_many_tasks_is_that_of_the_normal_law() -> None:
    deltas = np.random.default_rng(3).normal(0.1, 0.2, size=400)
    interval = task_bootstrap(deltas, seed=1)
    half = 1.96 * deltas.std(ddof=1) / np.sqrt(len(deltas))
    assert interval.low == pytest.approx(deltas.mean() - half, abs=0.002)
    assert interval.high == pytest.approx(deltas.mean() + half, abs=0.002)


def test_families_are_resampled_whole() -> None:
    deltas = np.array([1.0, 1.0, 1.0, 0.0])
    families = ["a", "a", "a", "b"]
    mean, balanced = family_balanced(deltas, families, seed=1)
    assert mean == pytest.approx(0.5)
    assert (balanced.low, balanced.high, balanced.units) == (0.0, 1.0, 2)
    assert family_clustered(deltas, families, seed=1).high == 1.0


def test_drawing_repeats_too_widens_the_interval_where_repeats_differ() -> None:
    noisy, steady = [], []
    generator = np.random.default_rng(5)
    for n in range(8):
        noisy += pair(f"task-{n}", list(generator.uniform(0, 0.5, 3)), list(generator.uniform(0.5, 1, 3)))
        steady += pair(f"task-{n}", [0.2] * 3, [0.2 + 0.05 * n] * 3)
    effect = compare_arms(noisy, FACTS, NONE, SKILL)
    only_tasks, nested = task_bootstrap(effect.deltas, seed=1), nested_bootstrap(effect, seed=1)
    assert nested.high - nested.low > only_tasks.high - only_tasks.low  # type: ignore[operator]
    effect = compare_arms(steady, FACTS, NONE, SKILL)
    only_tasks, nested = task_bootstrap(effect.deltas, seed=1), nested_bootstrap(effect, seed=1)
    assert nested.low == pytest.approx(only_tasks.low, abs=0.01)


def test_the_interval_of_one_task_is_over_its_repeats_and_needs_two_of_every_model() -> None:
    (steady,) = compare_arms(pair("task-0", [0.2] * 3, [0.5] * 3), FACTS, NONE, SKILL).tasks
    found = repeats_bootstrap(steady, seed=1)
    assert (found.low, found.high) == (pytest.approx(0.3), pytest.approx(0.3))
    (moving,) = compare_arms(pair("task-0", [0.0, 0.0], [0.2, 0.6]), FACTS, NONE, SKILL).tasks
    found = repeats_bootstrap(moving, seed=1)
    assert (found.low, found.high, found.units) == (pytest.approx(0.2), pytest.approx(0.6), 2)
    single = pair("task-0", [0.1, 0.2], [0.3, 0.4]) + pair("task-0", [0.1], [0.3], model="n")
    (uneven,) = compare_arms(single, FACTS, NONE, SKILL).tasks
    assert not repeats_bootstrap(uneven, seed=1).defined


def test_repeats_that_pair_are_drawn_together_and_others_apart() -> None:
    generator = np.random.default_rng(2)
    shift = generator.uniform(0, 0.5, 6)
    together = pair("task-0", list(shift), list(shift + 0.1))
    apart = [replace(run, repeat=run.repeat + 100 * (run.condition == "with-skill")) for run in together]
    widths = []
    for runs in (together, apart):
        (task,) = compare_arms(runs, FACTS, NONE, SKILL).tasks
        found = repeats_bootstrap(task, seed=1)
        widths.append(found.high - found.low)  # type: ignore[operator]
    assert widths[0] == pytest.approx(0, abs=1e-12)
    assert widths[1] > 0.1


def test_the_spread_of_repeats_that_do_not_pair_is_that_of_both_sides_together() -> None:
    runs = []
    for n in range(2):
        runs += [run(f"task-{n}", "no-skill", k, value) for k, value in enumerate([0.1, 0.3])]
        runs += [run(f"task-{n}", "with-skill", 10 + k, value) for k, value in enumerate([0.5, 0.9])]
    spread = spread_of(compare_arms(runs, FACTS, NONE, SKILL))
    assert spread is not None
    assert spread.within == pytest.approx(0.02 + 0.08)
    assert spread.between == 0


def test_power_is_what_many_made_up_campaigns_show() -> None:
    """The smallest effect found with 80 % power is found in about 80 % of campaigns with that effect."""
    spread = Spread(between=0.01, within=0.04, tasks=12, repeats=3)
    effect = smallest_detectable(spread, tasks=12, models=1, repeats=3)
    generator = np.random.default_rng(4)
    campaigns = generator.normal(effect, np.sqrt(0.01 + 0.04 / 3), size=(4000, 12))
    p = stats.ttest_1samp(campaigns, 0, axis=1).pvalue
    assert (p < 0.05).mean() == pytest.approx(0.8, abs=0.03)


def test_more_tasks_show_what_no_number_of_repeats_does() -> None:
    spread = Spread(between=0.04, within=0.0, tasks=8, repeats=1)
    assert repeats_needed(spread, 0.1, tasks=8, models=1) is None
    needed = tasks_needed(spread, 0.1, models=1, repeats=1)
    assert needed is not None
    sizes = [smallest_detectable(spread, tasks=tasks, models=1, repeats=1) for tasks in (needed - 1, needed)]
    assert sizes[0] > 0.1 >= sizes[1]  # type: ignore[operator]
    assert tasks_needed(spread, 1e-6, models=1, repeats=1) is None


def test_a_smaller_effect_takes_more_repeats_until_only_more_tasks_help() -> None:
    runs = []
    generator = np.random.default_rng(5)
    for n in range(8):
        runs += pair(f"task-{n}", list(generator.uniform(0, 0.5, 5)), list(generator.uniform(0.2, 0.7, 5)))
    spread = spread_of(compare_arms(runs, FACTS, NONE, SKILL))
    assert spread is not None
    sizes = [smallest_detectable(spread, tasks=8, models=1, repeats=repeats) for repeats in (1, 2, 5, 50)]
    assert sizes == sorted(sizes, reverse=True)  # type: ignore[type-var]
    assert repeats_needed(spread, sizes[1], tasks=8, models=1) == 2  # type: ignore[arg-type]
    assert repeats_needed(spread, 1e-6, tasks=8, models=1) is None
    assert smallest_detectable(spread, tasks=1, models=1, repeats=5) is None
