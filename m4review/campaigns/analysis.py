"""Every figure of the headline analysis, from runs alone, each with its interval, its size and what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from m4review.campaigns.changedschemas import SchemaLevel, SchemaProbe, schema_levels, schema_probes
from m4review.campaigns.comparisons import Comparisons, Row
from m4review.campaigns.compute import Compute, compute_of
from m4review.campaigns.controls import Ladder, control_rows, ladders
from m4review.campaigns.diagnostics import ColumnMatch, TaskMeasures, column_matches, task_measures
from m4review.campaigns.effects import Arm, Effect, compare_arms, declared_reward
from m4review.campaigns.exclusions import Exclusion, exclusions_of
from m4review.campaigns.integrity import Integrity, integrity_of
from m4review.campaigns.power import Spread, spread_of
from m4review.campaigns.resampling import (
    DRAWS,
    Interval,
    family_balanced,
    family_clustered,
    nested_bootstrap,
    repeats_bootstrap,
    sign_flip_exact,
    sign_flip_monte_carlo,
)
from m4review.campaigns.runs import Run, TaskFacts
from m4review.campaigns.strict import StrictFailures, strict_by_group

NO_SKILL, WITH_SKILL = Arm("no-skill"), Arm("with-skill")


@dataclass(frozen=True, slots=True)
class Analysis:
    """The figures of one set of runs. A comparison that the runs do not hold is named in ``cannot``."""

    runs: int
    primary: Row
    p_exact: tuple[int, int] | None
    p_monte_carlo: float
    clustered: Interval
    balanced: tuple[float, Interval]
    nested: Interval
    within_tasks: dict[str, Interval]
    """Per task the interval over its repeats alone; undefined where no model has two repeats on a side."""
    sensitivity: tuple[Row, ...]
    """The primary comparison by model, by mode, on declared columns only, without crashed runs, on paired repeats."""
    families: tuple[Row, ...]
    """The primary comparison with each family left out."""
    controls: dict[str, tuple[Row, ...]]
    ladders: tuple[Ladder, ...]
    key_precision: Row | None
    key_recall: Row | None
    key_f1: Row | None
    ordered_nmae: Row | None
    schemas: tuple[SchemaLevel, ...]
    probes: tuple[SchemaProbe, ...]
    strict: dict[str, StrictFailures]
    """By condition on the native schema; ``primary`` is both sides together, ``all`` every run."""
    measures: tuple[TaskMeasures, ...]
    columns: tuple[ColumnMatch, ...]
    integrity: tuple[Integrity, ...]
    compute: tuple[Compute, ...]
    excluded: tuple[Exclusion, ...]
    spread: Spread | None
    cannot: tuple[str, ...]
    seed: int
    draws: int


def analyse(
    runs: Sequence[Run],
    facts: Mapping[str, TaskFacts],
    *,
    seed: int,
    draws: int = DRAWS,
    baseline: Arm = NO_SKILL,
    treated: Arm = WITH_SKILL,
) -> Analysis:
    """Analyse ``runs`` of one campaign; ``facts`` describes every task they name.

    Raises:
        EffectError: no task has runs of both sides with a reward.
    """
    made = Comparisons(runs, facts, seed=seed, draws=draws)
    effect = compare_arms(runs, facts, baseline, treated)
    return Analysis(
        runs=len(runs),
        primary=made.row(f"{treated} − {baseline}", effect),
        p_exact=sign_flip_exact(effect.deltas),
        p_monte_carlo=sign_flip_monte_carlo(effect.deltas, seed=seed, draws=draws),
        clustered=family_clustered(effect.deltas, effect.families, seed=seed, draws=draws),
        balanced=family_balanced(effect.deltas, effect.families, seed=seed, draws=draws),
        nested=nested_bootstrap(effect, seed=seed, draws=draws),
        within_tasks={
            task.task: repeats_bootstrap(task, seed=seed, draws=min(draws, DRAWS // 10)) for task in effect.tasks
        },
        sensitivity=_sensitivity(made, effect),
        families=_without_each_family(made, effect),
        controls=control_rows(made, effect),
        ladders=ladders(runs, baseline.schema),
        key_precision=made.ask("key precision", baseline, treated, metric=lambda run: run.key_precision),
        key_recall=made.ask("key recall", baseline, treated, metric=lambda run: run.key_recall),
        key_f1=made.ask("key F1", baseline, treated, metric=lambda run: run.key_f1),
        ordered_nmae=made.ask("ordered nMAE", baseline, treated, metric=lambda run: run.ordered_nmae),
        schemas=schema_levels(made, effect),
        probes=schema_probes(made, effect),
        strict=strict_by_group(runs, facts, baseline, treated),
        measures=task_measures(runs, baseline, treated),
        columns=column_matches(runs, facts, baseline, treated),
        integrity=integrity_of(runs),
        compute=compute_of(runs),
        excluded=exclusions_of(runs),
        spread=spread_of(effect),
        cannot=tuple(dict.fromkeys(made.cannot)),
        seed=seed,
        draws=draws,
    )


def _sensitivity(made: Comparisons, effect: Effect) -> tuple[Row, ...]:
    baseline, treated = effect.baseline, effect.treated
    rows: list[Row | None] = [made.row(f"model {model}", effect.of_model(model)) for model in effect.models]
    for mode in sorted({task.facts.mode for task in effect.tasks}):
        chosen = effect.of_tasks(lambda task, mode=mode: task.facts.mode == mode)  # type: ignore[misc]
        rows.append(made.row(f"{mode} tasks", chosen))
    rows.append(made.ask("declared value columns only", baseline, treated, metric=declared_reward(made.facts)))
    uncrashed = [run for run in made.runs if not run.crashed]
    if len(uncrashed) < len(made.runs):
        rows.append(made.ask("runs that crashed left out", baseline, treated, of=uncrashed))
    paired = _paired_only(made.runs, baseline, treated)
    if len(paired) < effect.runs:
        rows.append(made.ask("only repeats that both sides have", baseline, treated, of=paired))
    return tuple(row for row in rows if row is not None)


def _paired_only(runs: Sequence[Run], baseline: Arm, treated: Arm) -> list[Run]:
    """The runs with a reward whose repeat has one on the other side too."""
    places: list[dict[tuple[str, str, int], Run]] = [
        {(run.task, run.model, run.repeat): run for run in runs if arm.holds(run) and run.reward is not None}
        for arm in (baseline, treated)
    ]
    both = places[0].keys() & places[1].keys()
    return [side[place] for side in places for place in side if place in both]


def _without_each_family(made: Comparisons, effect: Effect) -> tuple[Row, ...]:
    """The comparison with one family left out at a time; none where there is only one."""
    families = sorted(set(effect.families))
    if len(families) < 2:
        return ()
    return tuple(
        made.row(
            f"without {family}",
            effect.of_tasks(lambda task, family=family: task.facts.family != family),  # type: ignore[misc]
        )
        for family in families
    )
