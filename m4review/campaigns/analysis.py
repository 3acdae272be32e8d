"""Every figure of the headline analysis, from runs alone, each with its interval, its size and what was left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from m4review.campaigns.effects import (
    Arm,
    Effect,
    EffectError,
    Metric,
    arm_level,
    compare_arms,
    declared_reward,
    reward,
)
from m4review.campaigns.power import Spread, spread_of
from m4review.campaigns.resampling import (
    DRAWS,
    Interval,
    family_balanced,
    family_clustered,
    nested_bootstrap,
    sign_flip_exact,
    sign_flip_monte_carlo,
    task_bootstrap,
)
from m4review.campaigns.runs import Run, TaskFacts
from m4review.campaigns.strict import StrictFailures, strict_failures

NO_SKILL, WITH_SKILL = Arm("no-skill"), Arm("with-skill")
CONTROLS = ("decoy", "raw-sql", "operational-spec", "all-skills")
ABOVE_SKILL = frozenset({"raw-sql"})
"""Controls that are an upper bound: the skill is taken from them, not they from the skill."""
SCHEMAS = ("obfuscated", "restructured")


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison of the effect table."""

    name: str
    effect: Effect
    interval: Interval


@dataclass(frozen=True, slots=True)
class SchemaLevel:
    """Level of a condition on a changed schema, and its difference from no-skill there where that was run."""

    arm: Arm
    tasks: int
    level: float
    native: float | None
    """Level with the skill on the native schema, on the same tasks and models; ``None`` where that was not run."""
    difference: Row | None


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
    sensitivity: tuple[Row, ...]
    """The primary comparison by model, by mode, on declared columns only, without crashed runs."""
    controls: tuple[Row, ...]
    key_f1: Row | None
    ordered_nmae: Row | None
    schemas: tuple[SchemaLevel, ...]
    strict: dict[str, StrictFailures]
    """By condition on the native schema; ``primary`` is no-skill and with-skill together, ``all`` every run."""
    spread: Spread | None
    cannot: tuple[str, ...]
    seed: int
    draws: int


def analyse(runs: Sequence[Run], facts: dict[str, TaskFacts], *, seed: int, draws: int = DRAWS) -> Analysis:
    """Analyse ``runs`` of one campaign; ``facts`` describes every task they name.

    Raises:
        EffectError: no task has both no-skill and with-skill runs on the native schema.
    """
    cannot: list[str] = []

    def row(name: str, effect: Effect) -> Row:
        return Row(name, effect, task_bootstrap(effect.deltas, seed=seed, draws=draws))

    def attempt(
        name: str, baseline: Arm, treated: Arm, metric: Metric = reward, of: Iterable[Run] = runs
    ) -> Row | None:
        try:
            return row(name, compare_arms(of, facts, baseline, treated, metric=metric))
        except EffectError as error:
            cannot.append(f"{name}: {error.what}")
            return None

    effect = compare_arms(runs, facts, NO_SKILL, WITH_SKILL)
    sensitivity = [row(f"model {model}", effect.of_model(model)) for model in effect.models]
    for mode in sorted({task.facts.mode for task in effect.tasks}):
        sensitivity.append(row(f"{mode} tasks", effect.of_tasks(lambda task, mode=mode: task.facts.mode == mode)))  # type: ignore[misc]
    declared = attempt("declared value columns only", NO_SKILL, WITH_SKILL, declared_reward(facts))
    uncrashed = [run for run in runs if not run.crashed]
    kept = (
        attempt("runs that crashed left out", NO_SKILL, WITH_SKILL, of=uncrashed)
        if len(uncrashed) < len(runs)
        else None
    )
    controls = _controls(runs, facts, effect, row, cannot)
    return Analysis(
        runs=len(runs),
        primary=row("with-skill − no-skill", effect),
        p_exact=sign_flip_exact(effect.deltas),
        p_monte_carlo=sign_flip_monte_carlo(effect.deltas, seed=seed, draws=draws),
        clustered=family_clustered(effect.deltas, effect.families, seed=seed, draws=draws),
        balanced=family_balanced(effect.deltas, effect.families, seed=seed, draws=draws),
        nested=nested_bootstrap(effect, seed=seed, draws=draws),
        sensitivity=(*sensitivity, *(found for found in (declared, kept) if found is not None)),
        controls=controls,
        key_f1=attempt("key F1", NO_SKILL, WITH_SKILL, lambda run: run.key_f1),
        ordered_nmae=attempt("ordered nMAE", NO_SKILL, WITH_SKILL, lambda run: run.ordered_nmae),
        schemas=_schemas(runs, facts, row, cannot),
        strict=_strict(runs, facts),
        spread=spread_of(effect),
        cannot=tuple(cannot),
        seed=seed,
        draws=draws,
    )


def _controls(
    runs: Sequence[Run],
    facts: dict[str, TaskFacts],
    effect: Effect,
    row: Callable[[str, Effect], Row],
    cannot: list[str],
) -> tuple[Row, ...]:
    """Each control against no-skill and with-skill on the tasks it was run on, and the skill effect in and outside."""
    rows = []
    present = {run.condition for run in runs}
    for name in CONTROLS:
        if name not in present:
            continue
        control = Arm(name)
        try:
            where = {run.task for run in runs if control.holds(run)}
            against_none = compare_arms(runs, facts, NO_SKILL, control, tasks=where)
            first, second = (WITH_SKILL, control) if name in ABOVE_SKILL else (control, WITH_SKILL)
            against_skill = compare_arms(runs, facts, first, second, tasks=where)
        except EffectError as error:
            cannot.append(f"control {name}: {error.what}")
            continue
        rows.append(row(f"{name} − no-skill", against_none))
        rows.append(row(f"{second} − {first}", against_skill))
        where = {task.task for task in against_none.tasks}
        for inside in (True, False):
            names = {task.task for task in effect.tasks if (task.task in where) is inside}
            if names:
                which = f"the {len(names)} tasks of {name}" if inside else f"the other {len(names)} tasks than {name}'s"
                chosen = effect.of_tasks(lambda task, names=names: task.task in names)  # type: ignore[misc]
                rows.append(row(f"with-skill − no-skill, {which}", chosen))
    return tuple(rows)


def _schemas(
    runs: Sequence[Run], facts: dict[str, TaskFacts], row: Callable[[str, Effect], Row], cannot: list[str]
) -> tuple[SchemaLevel, ...]:
    levels = []
    for schema in SCHEMAS:
        arm = Arm("with-skill", schema)
        tasks = {run.task for run in runs if arm.holds(run)}
        if not tasks:
            continue
        difference = None
        try:
            difference = row(
                f"with-skill − no-skill, {schema}", compare_arms(runs, facts, Arm("no-skill", schema), arm)
            )
        except EffectError:
            cannot.append(
                f"skill effect on the {schema} schema: the runs hold no no-skill partner there, so the difference "
                "cannot be computed; the level alone says nothing about what the skill adds"
            )
        levels.append(SchemaLevel(arm, len(tasks), arm_level(runs, arm), _native_level(runs, arm), difference))
    return tuple(levels)


def _native_level(runs: Sequence[Run], arm: Arm) -> float | None:
    cells = {(run.task, run.model) for run in runs if arm.holds(run)}
    if not cells <= {(run.task, run.model) for run in runs if WITH_SKILL.holds(run)}:
        return None
    return arm_level(runs, WITH_SKILL, cells=cells)


def _strict(runs: Sequence[Run], facts: dict[str, TaskFacts]) -> dict[str, StrictFailures]:
    native = [run for run in runs if run.schema == "native"]
    primary = [run for run in native if run.condition in (NO_SKILL.condition, WITH_SKILL.condition)]
    counted = {"primary": strict_failures(primary, facts), "all native": strict_failures(native, facts)}
    for condition in sorted({run.condition for run in native}):
        counted[condition] = strict_failures([run for run in native if run.condition == condition], facts)
    ten = {run.task for run in native if run.condition == "raw-sql"}
    if ten:
        same = [run for run in native if run.condition == WITH_SKILL.condition and run.task in ten]
        counted["with-skill, tasks of raw-sql"] = strict_failures(same, facts)
    return counted
