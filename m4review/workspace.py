"""The workspace: with ``places``, the only module that knows the folder names.

A workspace is a folder with ``skills/``, ``tasks/`` and ``reviews/``; local, never versioned state lies under
``.m4review/``. Loading is lazy and read-only: nothing here writes except what keeps a preference (``save_…``).
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from m4review.errors import M4ReviewError, SkillError, TaskError, WorkspaceError, one_of
from m4review.places import LOCAL as LOCAL
from m4review.places import REVIEWS as REVIEWS
from m4review.places import SKILLS as SKILLS
from m4review.places import TASKS as TASKS
from m4review.places import find_root
from m4review.skills import SKILL_FILE, Skill, load_skill
from m4review.tasks import TASK_FILE, Task, load_task
from m4review.textfile import read_text, write_text
from m4review.tomllines import line_of, syntax_error

EVENTS, ROSTER_FILE, POLICY_FILE, CONFIG_FILE = "events", "roster.toml", "policy.toml", "config.toml"
SPECIFICATION_FILE, DECOYS_FILE = "operational-spec.md", "decoys.toml"
DATA_ENVIRONMENT = "M4REVIEW_DATA"
JUST_LOOKING = "just looking"
"""Kept as the answer of somebody who only looks."""

Scope = Literal["definition", "schema", "output"]
Model = TypeVar("Model", bound=BaseModel)
SCOPES: tuple[Scope, ...] = ("definition", "schema", "output")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)


class Reviewer(_Frozen):
    """One clinician of the roster. ``until`` is the last day on which a verdict counts."""

    id: str = Field(pattern=r"^C[1-9][0-9]*$")
    role: str
    expertise: str
    databases: tuple[str, ...] = ()
    since: date | None = Field(default=None, alias="from")
    until: date | None = None
    git_emails: tuple[str, ...] = ()
    """Further addresses under which this person commits; the author exclusion counts them as the same human."""

    @property
    def git_identity(self) -> tuple[str, str]:
        """Name and address that the reviewer's own commits carry, so that real names stay out of history."""
        return self.id, f"{self.id.lower()}@reviewers.invalid"

    @cached_property
    def addresses(self) -> frozenset[str]:
        """Every address (lower case) under which this person commits."""
        return frozenset(email.strip().lower() for email in (self.git_identity[1], *self.git_emails))

    def active_on(self, day: date) -> bool:
        """Whether the reviewer is on the roster on that day."""
        return (self.since is None or self.since <= day) and (self.until is None or day <= self.until)


class Roster(_Frozen):
    """Who may review, and which pair is asked first for each task family."""

    reviewers: tuple[Reviewer, ...] = Field(min_length=2)
    pairs: dict[str, tuple[str, str]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _ids_are_consistent(self) -> Roster:
        ids = [reviewer.id for reviewer in self.reviewers]
        repeated = sorted({name for name in ids if ids.count(name) > 1})
        if repeated:
            raise ValueError(f"reviewer {', '.join(repeated)} is listed twice")
        for family, pair in self.pairs.items():
            if pair[0] == pair[1] or not set(pair) <= set(ids):
                raise ValueError(f"the pair of {family} must name two different reviewers of this roster")
        return self

    @cached_property
    def humans(self) -> dict[str, str]:
        """Id → the first id of the same human: entries that share an address, directly or in a chain, are one."""
        groups: list[tuple[frozenset[str], list[str]]] = []
        for reviewer in self.reviewers:
            mine, members = reviewer.addresses, [reviewer.id]
            apart = []
            for group in groups:
                if group[0] & mine:
                    mine |= group[0]
                    members = [*group[1], *members]
                else:
                    apart.append(group)
            groups = [*apart, (mine, members)]
        order = [reviewer.id for reviewer in self.reviewers]
        return {member: min(members, key=order.index) for _, members in groups for member in members}

    def get(self, identity: str) -> Reviewer:
        """The reviewer with that id, typed in capitals or not.

        Raises:
            WorkspaceError: not on the roster.
        """
        for reviewer in self.reviewers:
            if reviewer.id == identity.strip().upper():
                return reviewer
        raise WorkspaceError(
            f"{identity!r} is not on the roster",
            where=f"{REVIEWS}/{ROSTER_FILE}",
            expected=one_of(identity, [reviewer.id for reviewer in self.reviewers]),
        )


class Policy(_Frozen):
    """What it takes to approve. ``sections`` maps each scope to the heading words that belong to it."""

    required: int = Field(default=2, ge=1)
    scopes: tuple[Scope, ...] = SCOPES
    independent: Literal["sealed", "ui-blind", "open"] = "ui-blind"
    exclude_authors: bool = True
    minimum_assurance: int = Field(default=0, ge=0, le=2)
    editorial: Literal["carry", "review"] = "carry"
    """What an editorial change costs: one confirmation that carries the approval over, or a full review."""
    may_override: tuple[str, ...] = ()
    """Who may set a rule aside or revoke events of others; empty: nobody."""
    sections: dict[Scope, tuple[str, ...]] = Field(default_factory=dict)


class SkillEntry(_Frozen):
    """A skill folder as found: either loaded or with the reason why it could not be."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True, defer_build=True)

    name: str
    path: Path
    skill: Skill | None = None
    error: M4ReviewError | None = None


class TaskEntry(_Frozen):
    """A task folder as found: either loaded or with the reason why it could not be."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True, defer_build=True)

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
        return _load_toml(self.reviews_dir / ROSTER_FILE, Roster)

    @cached_property
    def policy(self) -> Policy:
        """The approval policy; the defaults apply when there is no file."""
        path = self.reviews_dir / POLICY_FILE
        return _load_toml(path, Policy) if path.exists() else Policy()

    def identity(self, override: str | None = None) -> Reviewer | None:
        """Who works here: ``--as``, else the one kept in the local configuration, else ``None``."""
        name = override or self._config().get("as")
        return self.roster.get(str(name)) if name and name != JUST_LOOKING else None

    def is_just_looking(self) -> bool:
        """Whether the local configuration keeps that nobody who reviews works here."""
        return self._config().get("as") == JUST_LOOKING

    def default_dataset(self) -> str | None:
        """The dataset name kept in the local configuration."""
        name = self._config().get("dataset")
        return str(name) if name else None

    def save_identity(self, identity: str) -> None:
        """Keep the reviewer in the local configuration."""
        self._save_config("as", self.roster.get(identity).id)

    def save_just_looking(self) -> None:
        """Keep in the local configuration that nobody who reviews works here."""
        self._save_config("as", JUST_LOOKING)

    def save_default_dataset(self, name: str) -> None:
        """Keep the dataset name in the local configuration."""
        self._save_config("dataset", name)

    def _config(self) -> dict[str, object]:
        path = self.local_dir / CONFIG_FILE
        if not path.exists():
            return {}
        try:
            text = read_text(path).text
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            said, line = syntax_error(text, error)
            raise WorkspaceError(
                f"not valid TOML: {said}",
                where=path,
                line=line,
                fix="correct the file or delete it; it holds only preferences",
            ) from None

    def _save_config(self, key: str, value: str) -> None:
        values = {**self._config(), key: value}
        lines = [f'{name} = "{text}"' for name, text in sorted(values.items())]
        write_text(self.local_dir / CONFIG_FILE, "\n".join(lines) + "\n")


def _load_toml(path: Path, model: type[Model]) -> Model:
    return parse_toml(read_text(path).text, model, path)


def parse_toml(text: str, model: type[Model], path: str | Path) -> Model:
    """A model from a TOML text; ``path`` is where it lies, for messages.

    Raises:
        WorkspaceError: not TOML, or not what the model asks for (the line is named).
    """
    text = text.removeprefix("\ufeff")
    try:
        return model.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        said, line = syntax_error(text, error)
        raise WorkspaceError(
            f"not valid TOML: {said}",
            where=path,
            line=line,
            fix="check quotes, brackets and '=' on this line and above it",
        ) from None
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise WorkspaceError(
            f"{key}: {message}" if key else message,
            where=path,
            line=line_of(text, first["loc"]),
            fix=f"correct {key} in this file" if key else "correct this file",
        ) from None
