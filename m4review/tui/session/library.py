"""What the home screen shows: families with their skills and tasks, each skill's computed state, my queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from m4review.errors import M4ReviewError
from m4review.workspace import Reviewer, TaskEntry, Workspace

if TYPE_CHECKING:
    from m4review.reviews import QueueItem, SkillStatus

NO_FAMILY = "without a task"


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task card; ``facts`` says which database and mode."""

    name: str
    facts: str
    error: M4ReviewError | None = None


@dataclass(frozen=True, slots=True)
class SkillRow:
    """One skill: either with its status or with the reason why it cannot be read."""

    name: str
    title: str
    tasks: tuple[TaskRow, ...] = ()
    status: SkillStatus | None = None
    effect: float | None = None
    """Reward with the skill minus reward without, of the last trial of any of its tasks."""
    error: M4ReviewError | None = None


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """One family: its skills with the tasks that use them, and the task cards that name no skill."""

    name: str
    skills: tuple[SkillRow, ...]
    loose_tasks: tuple[TaskRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Library:
    """Everything the home screen needs, read once. ``problem`` says why states or queue are missing."""

    families: tuple[FamilyRow, ...]
    queue: tuple[QueueItem, ...] = ()
    problem: M4ReviewError | None = None

    @property
    def skills(self) -> dict[str, SkillRow]:
        """Every skill row by name."""
        return {row.name: row for family in self.families for row in family.skills}


def load_library(workspace: Workspace, reviewer: Reviewer | None) -> Library:
    """Read skills, task cards, ledger and trials. Broken files become rows that say so, never an error."""
    statuses, queued, problem = _review_state(workspace, reviewer)
    rows = {
        entry.name: SkillRow(
            name=entry.name,
            title=entry.skill.title if entry.skill else entry.name,
            status=statuses.get(entry.name),
            error=entry.error,
        )
        for entry in workspace.skills
    }
    families = [_family(name, entries, rows) for name, entries in workspace.families().items()]
    placed = {row.name for family in families for row in family.skills}
    homeless = tuple(row for name, row in rows.items() if name not in placed)
    if homeless:
        families.append(FamilyRow(NO_FAMILY, homeless))
    return Library(tuple(families), queued, problem)


def _family(name: str, entries: Sequence[TaskEntry], rows: Mapping[str, SkillRow]) -> FamilyRow:
    by_skill: dict[str, list[TaskRow]] = {}
    loose = []
    for entry in entries:
        row = _task_row(entry)
        skills = [skill for skill in entry.task.skills if skill in rows] if entry.task else []
        for skill in skills:
            by_skill.setdefault(skill, []).append(row)
        if not skills:
            loose.append(row)
    return FamilyRow(
        name,
        tuple(replace(rows[skill], tasks=tuple(tasks)) for skill, tasks in sorted(by_skill.items())),
        tuple(loose),
    )


def _task_row(entry: TaskEntry) -> TaskRow:
    if entry.task is None:
        return TaskRow(entry.name, "", entry.error)
    return TaskRow(entry.name, f"{entry.task.database} · {entry.task.mode}")


def _review_state(
    workspace: Workspace, reviewer: Reviewer | None
) -> tuple[dict[str, SkillStatus], tuple[QueueItem, ...], M4ReviewError | None]:
    from m4review.reviews import Ledger, all_statuses, queue

    viewer = reviewer.id if reviewer else None
    try:
        statuses = all_statuses(workspace, Ledger.load(workspace), viewer)
        queued = tuple(queue(workspace, reviewer.id)) if reviewer else ()
    except M4ReviewError as error:
        return {}, (), error
    return {status.skill: status for status in statuses}, queued, None


def with_effects(library: Library, workspace: Workspace) -> Library:
    """The same library with the effect of each skill's last trial that has one.

    Apart from :func:`load_library` because it needs the trials room, which is slow to load.
    """
    effects, problems = _effects(workspace)
    families = tuple(
        replace(family, skills=tuple(replace(row, effect=effects.get(row.name)) for row in family.skills))
        for family in library.families
    )
    return replace(library, families=families, problem=library.problem or (problems[0] if problems else None))


def _effects(workspace: Workspace) -> tuple[dict[str, float], list[M4ReviewError]]:
    from m4review.trials import Condition, load_trials

    effects: dict[str, float] = {}
    problems: list[M4ReviewError] = []
    for trial in load_trials(workspace, problems.append):
        if trial.delta is not None:
            own = trial.result(Condition.WITH_SKILL)
            for skill in {used.name for used in own.skills} if own is not None else ():
                effects.setdefault(skill, trial.delta)
    return effects, problems
