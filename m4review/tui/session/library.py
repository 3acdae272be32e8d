"""What the home screen shows: families with their skills and tasks, each skill's computed state, my queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from m4review.errors import M4ReviewError
from m4review.workspace import Reviewer, TaskEntry, Workspace

if TYPE_CHECKING:
    from m4review.reviews import QueueItem, SkillStatus
    from m4review.trials.summary import TrialSummary

NO_FAMILY = "without a task"


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task card; ``facts`` says which database and mode."""

    name: str
    facts: str
    error: M4ReviewError | None = None


@dataclass(frozen=True, slots=True)
class Effect:
    """What a trial said of a skill: reward with it minus reward without."""

    delta: float
    version: int | None = None
    """The version that was tried, where that is another text than the one on disk."""


@dataclass(frozen=True, slots=True)
class SkillRow:
    """One skill: either with its status or with the reason why it cannot be read."""

    name: str
    title: str
    tasks: tuple[TaskRow, ...] = ()
    status: SkillStatus | None = None
    effect: Effect | None = None
    """Of the last trial of exactly this text on any of its tasks; else of the last trial of an earlier version."""
    error: M4ReviewError | None = None


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """One family: its skills with the tasks that use them, and the task cards that name no skill."""

    name: str
    skills: tuple[SkillRow, ...]
    loose_tasks: tuple[TaskRow, ...] = ()


Row = FamilyRow | SkillRow | TaskRow


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
    """The same library with what trials said of each skill.

    Apart from :func:`load_library` because it needs the trials room, which is slow to load.
    """
    from m4review.trials import load_trials

    problems: list[M4ReviewError] = []
    trials = load_trials(workspace, problems.append)
    families = tuple(
        replace(
            family,
            skills=tuple(replace(row, effect=effect_of(row.name, _content(row), trials)) for row in family.skills),
        )
        for family in library.families
    )
    return replace(library, families=families, problem=library.problem or (problems[0] if problems else None))


def _content(row: SkillRow) -> str | None:
    return row.status.subject.content if row.status is not None and row.status.subject is not None else None


def effect_of(skill: str, now: str | None, trials: Sequence[TrialSummary]) -> Effect | None:
    """What the trials, newest first, say of a skill whose content digest is ``now``. A text that was tried but is
    neither on disk any more nor in a version is left out."""
    from m4review.trials import Condition

    earlier: Effect | None = None
    for trial in trials:
        own = trial.result(Condition.WITH_SKILL)
        if trial.delta is None or own is None:
            continue
        for used in own.skills:
            if used.name != skill:
                continue
            if used.digest == now:
                return Effect(trial.delta)
            if earlier is None and used.version is not None:
                earlier = Effect(trial.delta, used.version)
    return earlier
