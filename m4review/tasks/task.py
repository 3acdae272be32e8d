"""A task card: ``task.toml`` and ``instruction.md`` as one typed object."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from m4review.errors import TaskError
from m4review.tasks.values import FAMILY_FILE, INSTRUCTION_FILE, TASK_FILE, task_values
from m4review.textfile import read_text
from m4review.tomllines import line_of

Layout = Literal["mimic-iv", "eicu"]
Mode = Literal["standard", "raw"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


class OutputContract(_Part):
    """What ``output.csv`` must hold. ``scored_columns`` are the declared value columns, and only those."""

    key_columns: tuple[str, ...] = Field(min_length=1, strict=False)
    scored_columns: tuple[str, ...] = Field(min_length=1, strict=False)
    required_columns: tuple[str, ...] = Field(min_length=1, strict=False)

    @model_validator(mode="after")
    def _columns_agree(self) -> OutputContract:
        for field in ("key_columns", "scored_columns", "required_columns"):
            names: tuple[str, ...] = getattr(self, field)
            repeated = sorted({name for name in names if names.count(name) > 1})
            if repeated:
                raise ValueError(f"{field} repeats {', '.join(repeated)}")
        for field in ("key_columns", "scored_columns"):
            extra = [name for name in getattr(self, field) if name not in self.required_columns]
            if extra:
                raise ValueError(f"{field} has {', '.join(extra)}, which required_columns lacks")
        both = [name for name in self.scored_columns if name in self.key_columns]
        if both:
            raise ValueError(f"{', '.join(both)} is both key and scored")
        return self


class Thresholds(_Part):
    """Strict-check limits: lowest match rate per scored column, lowest share of reference keys present."""

    accuracy: float = Field(ge=0, le=1, strict=False)
    row_coverage: float = Field(default=1.0, ge=0, le=1, strict=False)


class Tolerances(_Part):
    """Largest accepted differences per column: ``numbers`` in the column's unit, ``seconds`` for timestamps."""

    numbers: dict[str, float] = Field(default_factory=dict, strict=False)
    seconds: dict[str, float] = Field(default_factory=dict, strict=False)

    @model_validator(mode="after")
    def _not_negative(self) -> Tolerances:
        for name, value in (*self.numbers.items(), *self.seconds.items()):
            if value < 0:
                raise ValueError(f"the tolerance of {name} is negative")
        return self


class Task(_Part):
    """One task card. ``name`` is the folder, ``family`` its parent folder."""

    name: str
    family: str
    title: str
    kind: Literal["derivation"] = "derivation"
    database: Layout
    database_version: str
    mode: Mode
    difficulty: Literal["easy", "medium", "hard", "expert"]
    reference: str
    """File name (without ``.sql``) of the reference query; tasks that share it share the expected output."""
    skills: tuple[str, ...] = Field(default=(), strict=False)
    removed: tuple[str, ...] = Field(default=(), strict=False)
    """Qualified names of the derived relations that the task database must not show."""
    output: OutputContract
    thresholds: Thresholds
    tolerances: Tolerances = Tolerances()
    instruction: str
    family_page: str = Field(default="", exclude=True)
    """The family's page (Markdown) with the validity audit, for people; never shown to an agent. Empty without one."""
    path: Path
    """Folder of the task card."""

    @model_validator(mode="after")
    def _tolerances_name_scored_columns(self) -> Task:
        for name in (*self.tolerances.numbers, *self.tolerances.seconds):
            if name not in self.output.scored_columns:
                raise ValueError(f"tolerances name {name}, which scored_columns lacks")
        return self


def load_task(folder: Path) -> Task:
    """Load ``tasks/<family>/<task>/``.

    Raises:
        TextFileError: a file is missing or not UTF-8.
        TaskError: not TOML, an unknown or missing key, or columns that contradict each other (file and line named).
    """
    path = folder / TASK_FILE
    source = read_text(path)
    values = task_values(source.text, path)
    for key in ("name", "family", "instruction", "family_page", "path"):
        if key in values:
            raise TaskError(
                f"the key {key!r} is not written in the file",
                where=path,
                line=line_of(source.text, (key,)),
                expected="the folder names say it",
                fix="delete the line",
            )
    instruction = read_text(folder / INSTRUCTION_FILE).text
    page = folder.parent / FAMILY_FILE
    values |= {
        "name": folder.name,
        "family": folder.parent.name,
        "instruction": instruction,
        "family_page": read_text(page).text if page.is_file() else "",
        "path": folder,
    }
    try:
        return Task.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        keys = tuple(str(part) for part in first["loc"] if not isinstance(part, int))
        what = {
            "extra_forbidden": f"unknown key {'.'.join(keys)!r}",
            "missing": f"the key {'.'.join(keys)!r} is missing",
        }.get(first["type"])
        if what is None:
            message = first["msg"].removeprefix("Value error, ")
            what = f"{'.'.join(keys)}: {message}" if keys else message
        raise TaskError(
            what,
            where=path,
            line=line_of(source.text, first["loc"]),
            expected="the keys described in docs/task-cards.md",
            fix="correct task.toml and run 'm4review tasks' again",
        ) from None
