"""The workspace: with ``places``, the only module that knows the folder names.

A workspace is a folder with ``skills/``, ``tasks/`` and ``reviews/``; local, never versioned state lies under
``.m4review/``. Loading is lazy and read-only: nothing here writes except what keeps a preference (``save_…``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from m4review.errors import M4ReviewError, SkillError, TaskError, WorkspaceError, one_of
from m4review.places import DEMONSTRATION_FILE, find_root
from m4review.places import LOCAL as LOCAL
from m4review.places import REVIEWS as REVIEWS
from m4review.places import SKILLS as SKILLS
from m4review.places import TASKS as TASKS
from m4review.preferences import keep_preference, read_preferences
from m4review.roster import POLICY_FILE as POLICY_FILE
from m4review.roster import ROSTER_FILE as ROSTER_FILE
from m4review.roster import SCOPES as SCOPES
from m4review.roster import Policy as Policy
from m4review.roster import Reviewer as Reviewer
from m4review.roster import Roster as Roster
from m4review.roster import Scope as Scope
from m4review.skills import SKILL_FILE, Skill, load_skill
from m4review.tasks import TASK_FILE, Task, load_task
from m4review.tomlmodel import load_toml

EVENTS, CONFIG_FILE = "events", "config.toml"
SPECIFICATION_FILE, DECOYS_FILE = "operational-spec.md", "decoys.toml"
DATA_ENVIRONMENT = "M4REVIEW_DATA"
JUST_LOOKING = "just looking"
"""Kept as the answer of somebody who only looks."""


@dataclass(frozen=True, slots=True)
class SkillEntry:
    """A skill folder as found: either loaded or with the reason why it could not be."""

    name: str
    path: Path
    skill: Skill | None = None
    error: M4ReviewError | None = None


@dataclass(frozen=True, slots=True)
class TaskEntry:
    """A task folder as found: either loaded or with the reason why it could not be."""

    name: str
    family: str
    path: Path
    task: Task | None = None
    error: M4ReviewError | None = None


class Workspace:
    """One workspace folder. Loaded parts are cached per instance; make a new instance to see new content."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    @classmethod
    def find(cls, start: Path | None = None) -> Workspace:
        """The workspace that holds ``start`` (default: the current folder).

        Raises:
            WorkspaceError: no folder upwards has ``skills/`` and ``tasks/``.
        """
        root = find_root(start or Path.cwd())
        if root is not None:
            return cls(root)
        raise WorkspaceError(
            "no workspace here",
            where=(start or Path.cwd()).resolve(),
            expected=f"a folder with {SKILLS}/ and {TASKS}/ here or above",
            fix="change to your workspace folder, or try 'm4review demo'",
        )

    # -- places ---------------------------------------------------------------------------------------------------

    @property
    def skills_dir(self) -> Path:
        return self.root / SKILLS

    @property
    def tasks_dir(self) -> Path:
        return self.root / TASKS

    @property
    def decoys_file(self) -> Path:
        """Which unrelated skill each task gets as a decoy."""
        return self.tasks_dir / DECOYS_FILE

    @property
    def is_demonstration(self) -> bool:
        """Whether this is a workspace to try things in, whose verdicts nobody gave."""
        return (self.root / DEMONSTRATION_FILE).is_file()

    @property
    def reviews_dir(self) -> Path:
        return self.root / REVIEWS

    @property
    def events_dir(self) -> Path:
        return self.reviews_dir / EVENTS

    @property
    def local_dir(self) -> Path:
        """Local state: journal, drafts, run records, configuration. Never versioned."""
        return self.root / LOCAL

    @property
    def runs_dir(self) -> Path:
        return self.local_dir / "runs"

    @property
    def campaigns_dir(self) -> Path:
        """One folder per campaign: plan, manifest, runs. Never versioned."""
        return self.local_dir / "campaigns"

    def campaign_runs_dirs(self) -> list[Path]:
        """Where the runs of each campaign lie, sorted by campaign."""
        return sorted(self.campaigns_dir.glob("*/runs"))

    @property
    def drafts_dir(self) -> Path:
        return self.local_dir / "drafts"

    def data_home(self, environment: Mapping[str, str] = os.environ) -> Path:
        """Where datasets lie: ``$M4REVIEW_DATA``, else ``.m4review/data`` in the workspace."""
        configured = environment.get(DATA_ENVIRONMENT)
        return Path(configured).expanduser().resolve() if configured else self.local_dir / "data"

    def skill_file(self, name: str) -> Path:
        return self.skills_dir / name / SKILL_FILE

    def relative(self, path: Path) -> str:
        """``path`` as written in messages and git: relative to the workspace, with ``/``."""
        resolved = path if path.is_absolute() else self.root / path
        try:
            return resolved.relative_to(self.root).as_posix()
        except ValueError:
            return str(path)

    # -- skills and tasks -----------------------------------------------------------------------------------------

    def skill_names(self) -> list[str]:
        """Folders under ``skills/``, sorted; hidden ones are left out."""
        if not self.skills_dir.is_dir():
            return []
        return sorted(path.name for path in self.skills_dir.iterdir() if path.is_dir() and path.name[0] != ".")

    @cached_property
    def skills(self) -> tuple[SkillEntry, ...]:
        """Every skill folder, loaded; a broken one carries its error instead of stopping the rest."""
        return tuple(self._skill_entry(name) for name in self.skill_names())

    @cached_property
    def tasks(self) -> tuple[TaskEntry, ...]:
        """Every task folder, loaded; a broken one carries its error instead of stopping the rest."""
        return tuple(self._task_entry(folder) for folder in self._task_folders())

    def skill(self, name: str) -> Skill:
        """The skill of that name.

        Raises:
            SkillError, TextFileError: missing or broken.
        """
        if name not in self.skill_names():
            raise SkillError(
                f"no skill {name!r}",
                where=self.skills_dir,
                expected=one_of(name, self.skill_names()),
            )
        entry = self._skill_entry(name)
        if entry.skill is None:
            assert entry.error is not None
            raise entry.error
        return entry.skill

    def task(self, name: str) -> Task:
        """The task card of that name.

        Raises:
            TaskError, TextFileError: missing or broken.
        """
        for entry in self.tasks:
            if entry.name == name:
                if entry.task is None:
                    assert entry.error is not None
                    raise entry.error
                return entry.task
        raise TaskError(
            f"no task {name!r}",
            where=self.tasks_dir,
            expected=one_of(name, [entry.name for entry in self.tasks]),
        )

    def tasks_of_skill(self, name: str) -> tuple[Task, ...]:
        """The readable task cards that use the skill, sorted by name."""
        return tuple(entry.task for entry in self.tasks if entry.task is not None and name in entry.task.skills)

    def families(self) -> dict[str, list[TaskEntry]]:
        """Task entries by family, both sorted."""
        grouped: dict[str, list[TaskEntry]] = {}
        for entry in self.tasks:
            grouped.setdefault(entry.family, []).append(entry)
        return grouped

    def _task_folders(self) -> Iterator[Path]:
        if not self.tasks_dir.is_dir():
            return
        for family in sorted(self.tasks_dir.iterdir()):
            if family.is_dir() and family.name[0] != ".":
                yield from (folder for folder in sorted(family.iterdir()) if (folder / TASK_FILE).is_file())

    def _skill_entry(self, name: str) -> SkillEntry:
        path = self.skill_file(name)
        try:
            return SkillEntry(name=name, path=path, skill=load_skill(path))
        except M4ReviewError as error:
            return SkillEntry(name=name, path=path, error=error)

    def _task_entry(self, folder: Path) -> TaskEntry:
        family = folder.parent.name
        try:
            task = load_task(folder)
            self._require_skills(task)
        except M4ReviewError as error:
            return TaskEntry(name=folder.name, family=family, path=folder, error=error)
        return TaskEntry(name=folder.name, family=family, path=folder, task=task)

    def _require_skills(self, task: Task) -> None:
        for name in task.skills:
            if not self.skill_file(name).is_file():
                path = task.path / TASK_FILE
                lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
                raise TaskError(
                    f"the skill {name!r} does not exist",
                    where=path,
                    line=next((number for number, line in enumerate(lines, 1) if f'"{name}"' in line), None),
                    expected="skills that are folders under skills/: " + ", ".join(self.skill_names()),
                )

    # -- roster, policy, identity ---------------------------------------------------------------------------------

    @cached_property
    def roster(self) -> Roster:
        """The reviewers.

        Raises:
            WorkspaceError: missing or wrong (file and line named).
        """
        return load_toml(self.reviews_dir / ROSTER_FILE, Roster)

    @cached_property
    def policy(self) -> Policy:
        """The approval policy; the defaults apply when there is no file."""
        path = self.reviews_dir / POLICY_FILE
        return load_toml(path, Policy) if path.exists() else Policy()

    def identity(self, override: str | None = None) -> Reviewer | None:
        """Who works here: ``--as``, else the one kept in the local configuration, else ``None``."""
        name = override or read_preferences(self._preferences).get("as")
        return self.roster.get(str(name)) if name and name != JUST_LOOKING else None

    def is_just_looking(self) -> bool:
        """Whether the local configuration keeps that nobody who reviews works here."""
        return read_preferences(self._preferences).get("as") == JUST_LOOKING

    def default_dataset(self) -> str | None:
        """The dataset name kept in the local configuration."""
        name = read_preferences(self._preferences).get("dataset")
        return str(name) if name else None

    def save_identity(self, identity: str) -> None:
        """Keep the reviewer in the local configuration."""
        keep_preference(self._preferences, "as", self.roster.get(identity).id)

    def save_just_looking(self) -> None:
        """Keep in the local configuration that nobody who reviews works here."""
        keep_preference(self._preferences, "as", JUST_LOOKING)

    def save_default_dataset(self, name: str) -> None:
        """Keep the dataset name in the local configuration."""
        keep_preference(self._preferences, "dataset", name)

    @property
    def _preferences(self) -> Path:
        return self.local_dir / CONFIG_FILE
