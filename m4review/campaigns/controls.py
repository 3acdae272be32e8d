"""Controls: the same tasks with other words in the place of the skill, each matched to the tasks it was run on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from m4review.campaigns.comparisons import Comparisons, Row
from m4review.campaigns.effects import Arm, Effect, EffectError, compare_arms
from m4review.campaigns.runs import Run

KNOWN = ("decoy", "raw-sql", "operational-spec", "skill-as-text", "all-skills")
ABOVE_SKILL = frozenset({"raw-sql"})
"""Controls that are an upper bound: the skill is taken from them, not they from the skill."""
LADDER = ("no-skill", "decoy", "operational-spec", "with-skill", "raw-sql")
"""Conditions from what gives least to what gives most."""


@dataclass(frozen=True, slots=True)
class LadderStep:
    """Level of one condition on the tasks and models that every step of the same ladder has."""

    condition: str
    level: float
    runs: int


@dataclass(frozen=True, slots=True)
class Ladder:
    """Conditions in the order of what they give, all on the same tasks."""

    tasks: tuple[str, ...]
    steps: tuple[LadderStep, ...]


def control_names(runs: Sequence[Run], baseline: Arm, treated: Arm) -> list[str]:
    """The conditions on the native schema beside the two compared: the known ones first, then by name."""
    present = {run.condition for run in runs if run.schema == baseline.schema}
    present -= {baseline.condition, treated.condition}
    return [name for name in KNOWN if name in present] + sorted(present - set(KNOWN))


def control_rows(made: Comparisons, effect: Effect) -> dict[str, tuple[Row, ...]]:
    """Per control: it against both sides on the tasks it was run on, and the skill effect on these and the others."""
    none, skill = effect.baseline, effect.treated
    found = {}
    for name in control_names(made.runs, none, skill):
        control = Arm(name, none.schema)
        try:
            where = {run.task for run in made.runs if control.holds(run)}
            against_none = compare_arms(made.runs, made.facts, none, control, tasks=where)
            first, second = (skill, control) if name in ABOVE_SKILL else (control, skill)
            against_skill = compare_arms(made.runs, made.facts, first, second, tasks=where)
        except EffectError as error:
            made.cannot.append(f"control {name}: {error.what}")
            continue
        rows = [made.row(f"{control} − {none}", against_none), made.row(f"{second} − {first}", against_skill)]
        where = {task.task for task in against_none.tasks}
        for inside in (True, False):
            names = {task.task for task in effect.tasks if (task.task in where) is inside}
            if names:
                which = f"the {len(names)} tasks of {name}" if inside else f"the other {len(names)} tasks than {name}'s"
                chosen = effect.of_tasks(lambda task, names=names: task.task in names)  # type: ignore[misc]
                rows.append(made.row(f"{skill} − {none}, {which}", chosen))
        found[name] = tuple(rows)
    return found


def ladders(runs: Sequence[Run], schema: str = "native") -> tuple[Ladder, ...]:
    """One ladder for every set of conditions that some task and model has runs of, the widest first.

    A ladder holds the tasks and models that have a run with a reward under each of its conditions; one whose tasks
    are all in a wider ladder is left out, and so is one of fewer than three steps.
    """
    cells: dict[str, dict[tuple[str, str], list[float]]] = {name: {} for name in LADDER}
    for run in runs:
        if run.schema == schema and run.condition in cells and run.reward is not None:
            cells[run.condition].setdefault((run.task, run.model), []).append(run.reward)
    places = {place for found in cells.values() for place in found}
    patterns = {tuple(name for name in LADDER if place in cells[name]) for place in places}
    made: list[tuple[tuple[str, ...], set[tuple[str, str]]]] = []
    for pattern in sorted(patterns, key=lambda names: (-len(names), names)):
        shared = {place for place in places if all(place in cells[name] for name in pattern)}
        if len(pattern) > 2 and not any(shared <= wider for _, wider in made):
            made.append((pattern, shared))
    return tuple(_ladder(pattern, shared, cells) for pattern, shared in made)


def _ladder(
    pattern: tuple[str, ...], shared: set[tuple[str, str]], cells: dict[str, dict[tuple[str, str], list[float]]]
) -> Ladder:
    tasks = tuple(sorted({task for task, _ in shared}))
    steps = []
    for name in pattern:
        levels = []
        for task in tasks:
            models = [cells[name][place] for place in sorted(shared) if place[0] == task]
            levels.append(sum(sum(values) / len(values) for values in models) / len(models))
        steps.append(LadderStep(name, sum(levels) / len(levels), sum(len(cells[name][place]) for place in shared)))
    return Ladder(tasks, tuple(steps))
