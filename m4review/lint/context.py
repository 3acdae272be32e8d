"""What the lint knows of the tasks around a text: which relations are out of bounds, which names give answers away.

Task cards are read without pydantic, so that a hook starts fast. A relation is out of bounds for a skill when

* a standard task that uses the skill removes it: that is what the task asks for;
* every task that uses the skill removes it: no reader of the skill can see it;
* a source-only (``raw``) task that uses the skill removes it and its name says that it is the answer: it holds the
  name of the task's family or reference (``first_day_sofa`` for the family ``sofa``). A standard task with the same
  reference knows better: what it leaves in the database is an input, whatever its name (``kdigo_creatinine``).

An intermediate concept that some task of the skill leaves in the database, and that is no task's answer, may be named:
a skill may say what changes when it is available. A text that belongs to no known skill may not name any answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from m4review.errors import TaskError
from m4review.places import REVIEWS, SKILLS, TASKS
from m4review.tasks.values import TASK_FILE

if TYPE_CHECKING:
    from m4review.workspace import Workspace

PUBLISHED_ANSWERS = (
    "sofa", "first_day_sofa", "sirs", "sapsii", "oasis", "apsiii", "lods", "sepsis3", "suspicion_of_infection",
    "kdigo_stages", "meld", "charlson", "creatinine_baseline", "norepinephrine_equivalent_dose",
)  # fmt: skip
"""Answers of the published tasks: what is out of bounds where no task card says better."""


class TaskFacts(NamedTuple):
    """The parts of a task card that matter here."""

    name: str
    family: str
    mode: str
    reference: str
    skills: frozenset[str]
    removed: frozenset[str]
    columns: frozenset[str]


class LintContext(NamedTuple):
    """What surrounds one text. ``folder`` is the skill's folder name, ``None`` for other texts."""

    folder: str | None = None
    answers: frozenset[str] = frozenset(PUBLISHED_ANSWERS)
    """Bare names of relations that hold a task's answer."""
    unseen: frozenset[str] = frozenset()
    """Bare names of relations that no task of the skill leaves in the database."""
    columns: frozenset[str] = frozenset()
    """Output columns of the tasks: a column may be called like a relation."""
    references: frozenset[str] = frozenset()
    """Names of tasks and references, for file names that give an answer away."""
    profile: str | None = None
    families: frozenset[str] | None = None
    """The rule families that apply; ``None`` for all."""


NOTES = frozenset(("query", "program", "rows", "hidden-text"))
"""What applies to commit messages and review notes: they may name tables, tasks and runs, never code or patients."""


class TaskIndex(NamedTuple):
    """All task cards of a workspace."""

    tasks: tuple[TaskFacts, ...] = ()
    unreadable: tuple[str, ...] = ()

    @classmethod
    def read(cls, tasks_dir: Path) -> TaskIndex:
        """Read ``tasks/<family>/<task>/task.toml``; cards that cannot be read are left to ``m4review tasks``."""
        texts = {}
        if tasks_dir.is_dir():
            for path in sorted(tasks_dir.glob(f"*/*/{TASK_FILE}")):
                texts[f"{path.parent.parent.name}/{path.parent.name}"] = path.read_bytes()
        return cls.from_bytes(texts)

    @classmethod
    def from_bytes(cls, cards: Mapping[str, bytes]) -> TaskIndex:
        """The same from bytes by ``family/task``, as for an index or a commit."""
        from m4review.tasks.values import task_values  # not where there are no cards: it loads a reader of TOML

        tasks = []
        unreadable = []
        for name, data in cards.items():
            family, _, task = name.partition("/")
            try:
                values = task_values(data.decode("utf-8-sig"), Path(name))
            except (TaskError, UnicodeDecodeError):
                unreadable.append(name)
                continue
            output = values.get("output")
            columns = output.get("required_columns") if isinstance(output, dict) else ()
            tasks.append(
                TaskFacts(
                    name=task,
                    family=family,
                    mode=str(values.get("mode", "standard")),
                    reference=str(values.get("reference", task)),
                    skills=_names(values.get("skills")),
                    removed=frozenset(bare(item) for item in _names(values.get("removed"))),
                    columns=_names(columns),
                )
            )
        return cls(tuple(tasks), tuple(unreadable))

    def context(self, folder: str | None, profile: str | None = None) -> LintContext:
        """The context of a text of the skill ``folder`` (``None``: a text of no skill)."""
        users = tuple(task for task in self.tasks if folder is not None and folder in task.skills)
        references = frozenset(name for task in self.tasks for name in (task.name, task.reference))
        if not users:
            answers = self._answers(self.tasks) | frozenset(PUBLISHED_ANSWERS)
            columns = frozenset().union(*(task.columns for task in self.tasks))
            return LintContext(folder, answers, frozenset(), columns, references, profile)
        answers = self._answers(users)
        unseen = frozenset.intersection(*(task.removed for task in users)) - answers
        columns = frozenset().union(*(task.columns for task in users))
        return LintContext(folder, answers, unseen, columns, references, profile)

    def _answers(self, tasks: Iterable[TaskFacts]) -> frozenset[str]:
        """The answers of these tasks, without the inputs that a standard task of the same reference leaves in place."""
        found: frozenset[str] = frozenset()
        for task in tasks:
            names = answers_of(task)
            for other in self.tasks if task.mode == "raw" else ():
                if other.mode != "raw" and other.reference == task.reference:
                    names &= other.removed
            found |= names
        return found


def bare(relation: str) -> str:
    """``sofa`` for ``mimiciv_derived.sofa``."""
    return relation.rpartition(".")[2].strip('"` ').lower()


def answers_of(task: TaskFacts) -> frozenset[str]:
    """Bare names of the removed relations that hold the task's answer itself."""
    if task.mode != "raw":
        return task.removed
    stems = {re.sub(r"\W+", "_", name.lower()) for name in (task.family, re.sub(r"-\d+h$", "", task.reference))}
    return frozenset(name for name in task.removed if any(re.search(rf"(?:^|_){stem}(?:_|$)", name) for stem in stems))


def _names(value: object) -> frozenset[str]:
    if isinstance(value, str):
        return frozenset((value,))
    return frozenset(str(item) for item in value) if isinstance(value, Iterable) else frozenset()


def context_for(workspace: Workspace, path: Path) -> LintContext:
    """The context of the text at ``path`` (absolute or relative to the workspace), as an editor needs it."""
    parts = PurePosixPath(workspace.relative(path)).parts
    folder = parts[1] if len(parts) > 2 and parts[0] == SKILLS else None
    context = TaskIndex.read(workspace.root / TASKS).context(folder)
    return context._replace(families=NOTES) if parts[:1] == (REVIEWS,) else context
