"""What a changed schema does: to the agent without the skill (a probe), with it, and to what the skill adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from m4review.campaigns.comparisons import Comparisons, Contrast, Row
from m4review.campaigns.effects import Arm, Effect, EffectError, arm_level, compare_arms
from m4review.campaigns.runs import Run

NATIVE = "native"
KNOWN = ("obfuscated", "restructured")


@dataclass(frozen=True, slots=True)
class SchemaLevel:
    """Level with the skill on a changed schema, and its difference from no-skill there where that was run."""

    arm: Arm
    tasks: int
    level: float
    native: float | None
    """Level with the skill on the native schema, on the same tasks and models; ``None`` where that was not run."""
    difference: Row | None


@dataclass(frozen=True, slots=True)
class SchemaProbe:
    """Every comparison that a changed schema allows. ``None`` where the runs lack a side."""

    schema: str
    without: Row | None
    """no-skill there minus no-skill on the native schema: what the agent knew of the native names."""
    with_skill: Row | None
    """with-skill there minus with-skill on the native schema: how the skill carries over."""
    effect: Row | None
    """with-skill minus no-skill there."""
    kept: Contrast | None
    """That effect minus the effect on the native schema."""


def schema_names(runs: Sequence[Run]) -> list[str]:
    """The changed schemas of the runs: the known ones first, then by name."""
    present = {run.schema for run in runs} - {NATIVE}
    return [name for name in KNOWN if name in present] + sorted(present - set(KNOWN))


def schema_levels(made: Comparisons, effect: Effect) -> tuple[SchemaLevel, ...]:
    """The level with the skill on each changed schema that it was run on."""
    none, skill = effect.baseline.condition, effect.treated.condition
    levels = []
    for schema in schema_names(made.runs):
        arm = Arm(skill, schema)
        tasks = {run.task for run in made.runs if arm.holds(run) and run.reward is not None}
        if not tasks:
            continue
        try:
            there = compare_arms(made.runs, made.facts, Arm(none, schema), arm)
            difference = made.row(f"{skill} − {none}, {schema}", there)
        except EffectError:
            difference = None
            made.cannot.append(
                f"skill effect on the {schema} schema: the runs hold no {none} partner there, so the difference "
                "cannot be computed; the level alone says nothing about what the skill adds"
            )
        native = _native_level(made.runs, arm)
        levels.append(SchemaLevel(arm, len(tasks), arm_level(made.runs, arm), native, difference))
    return tuple(levels)


def schema_probes(made: Comparisons, effect: Effect) -> tuple[SchemaProbe, ...]:
    """The comparisons of each changed schema with the native one; what cannot be compared is not asked."""
    none, skill = effect.baseline.condition, effect.treated.condition
    arms = {(run.condition, run.schema) for run in made.runs if run.reward is not None}

    def ask(name: str, first: tuple[str, str], second: tuple[str, str]) -> Row | None:
        return made.ask(name, Arm(*first), Arm(*second)) if {first, second} <= arms else None

    probes = []
    for schema in schema_names(made.runs):
        there = ask(f"{skill} − {none}, {schema}", (none, schema), (skill, schema))
        probes.append(
            SchemaProbe(
                schema=schema,
                without=ask(f"{none}, {schema} − native", (none, NATIVE), (none, schema)),
                with_skill=ask(f"{skill}, {schema} − native", (skill, NATIVE), (skill, schema)),
                effect=there,
                kept=None if there is None else made.contrast(f"skill effect, {schema} − native", effect, there.effect),
            )
        )
    return tuple(probes)


def _native_level(runs: Sequence[Run], arm: Arm) -> float | None:
    native = Arm(arm.condition)
    cells = {(run.task, run.model) for run in runs if arm.holds(run) and run.reward is not None}
    if not cells <= {(run.task, run.model) for run in runs if native.holds(run) and run.reward is not None}:
        return None
    return arm_level(runs, native, cells=cells)
