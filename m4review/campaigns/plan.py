"""The plan of a campaign: a TOML file that names tasks, conditions, schemas, agents, repeats, limits and a seed.

A plan has groups, because not every task runs under every condition: a group says which tasks run under which
conditions, on which schemas, by which agents, how often. What two groups name twice is run once.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from m4review.errors import CampaignError, one_of
from m4review.textfile import decode
from m4review.tomllines import line_of, syntax_error
from m4review.trials.conditions import AVAILABLE, Condition

SHIPPED = Path(__file__).parent / "plans"
SUFFIX = ".toml"
SchemaName = Literal["native", "obfuscated", "restructured"]
SCHEMAS: tuple[SchemaName, ...] = ("native", "obfuscated", "restructured")
Words = Annotated[tuple[str, ...], Field(strict=False)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class AgentChoice(_Part):
    """Which program is tried, and with which model."""

    agent: str
    """Name of an agent, or path of an agent's own ``.toml``, seen from the plan's folder."""
    model: str | None = None


class PlanLimits(_Part):
    """What a run may use where it differs from the agent's own file. ``seconds`` is the agent's time."""

    seconds: int | None = Field(default=None, gt=0)
    memory_mib: int | None = Field(default=None, gt=0)
    cpus: float | None = Field(default=None, gt=0, strict=False)

    @property
    def changes(self) -> dict[str, int | float]:
        """What the plan says, by the names of a run's limits."""
        return {name: value for name, value in self.model_dump().items() if value is not None}


class Group(_Part):
    """Tasks that run under the same conditions. Without ``tasks`` and ``families`` it is every task."""

    name: str
    tasks: Words = ()
    families: Words = ()
    modes: Words = ()
    """Of those, only tasks of these modes."""
    databases: Words = ()
    """Of those, only tasks on these layouts."""
    without: Words = ()
    """Of those, not these tasks."""
    conditions: Annotated[tuple[Condition, ...], Field(strict=False, min_length=1)]
    schemas: Annotated[tuple[SchemaName, ...], Field(strict=False, min_length=1)] = ("native",)
    schema_seed: int = Field(default=1, ge=1)
    """Which obfuscated schema."""
    map_skill: bool = False
    """Replace native names in skills by those of the changed schema."""
    agents: Words = ()
    """Labels from ``[agents]``; every one when none is named."""
    repeats: int = Field(default=1, ge=1, le=100)

    @field_validator("conditions", mode="before")
    @classmethod
    def _known_conditions(cls, names: Any) -> Any:
        return _known(names, AVAILABLE, "condition", Condition)

    @field_validator("schemas", mode="before")
    @classmethod
    def _known_schemas(cls, names: Any) -> Any:
        return _known(names, SCHEMAS, "schema", str)


class Plan(_Part):
    """A campaign before it is frozen."""

    title: str
    seed: int
    """Decides the order of the blocks and of the conditions in each."""
    sandbox: Literal["docker", "local"] = "docker"
    datasets: dict[Literal["mimic-iv", "eicu"], str] = {}
    """Layout → dataset; without it the workspace's own choice, or the only dataset of the layout."""
    agents: dict[str, AgentChoice] = Field(min_length=1)
    """Label → agent and model."""
    limits: PlanLimits = PlanLimits()
    groups: Annotated[tuple[Group, ...], Field(strict=False, min_length=1)]

    @field_validator("agents")
    @classmethod
    def _labels_are_plain(cls, agents: dict[str, AgentChoice]) -> dict[str, AgentChoice]:
        for label in agents:
            if not label.replace("-", "").replace(".", "").replace("_", "").isalnum() or label[0] in "-.":
                raise ValueError(f"{label!r} is no label: letters, digits, '-', '.' and '_' make one")
        return agents

    @model_validator(mode="after")
    def _groups_name_agents_of_the_plan(self) -> Plan:
        for group in self.groups:
            for label in group.agents:
                if label not in self.agents:
                    raise ValueError(f"the group {group.name!r} names no agent {label!r}: {one_of(label, self.agents)}")
        return self


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan as read: what it says, its exact bytes, and where it lies."""

    plan: Plan
    data: bytes
    path: Path

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes."""
        return "sha256:" + hashlib.sha256(self.data).hexdigest()


def shipped_plans() -> list[str]:
    """Names of the plans that come with the program."""
    return sorted(path.stem for path in SHIPPED.glob(f"*{SUFFIX}"))


def find_plan(name: str) -> PlanFile:
    """The plan in the file ``name``, or the shipped one called so.

    Raises:
        CampaignError: there is neither, or it is no plan (the line is named).
    """
    path = Path(name)
    if not path.is_file() and name in shipped_plans():
        path = SHIPPED / f"{name}{SUFFIX}"
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise CampaignError(
            f"no plan {name!r}",
            expected="a file, or " + one_of(name, shipped_plans()).replace("one of", "one of ours:"),
        ) from None
    except OSError as error:
        raise CampaignError(f"the plan cannot be read ({error.strerror})", where=path) from None
    return read_plan(data, path)


def read_plan(data: bytes, path: Path) -> PlanFile:
    """A plan from its bytes; ``path`` is where they lie, for messages.

    Raises:
        CampaignError: not TOML, or not a plan (the line is named, and the nearest word for a misspelled one).
        TextFileError: not UTF-8.
    """
    text = decode(data, path).text
    try:
        return PlanFile(Plan.model_validate(tomllib.loads(text)), data, path)
    except tomllib.TOMLDecodeError as error:
        said, line = syntax_error(text, error)
        raise CampaignError(f"not valid TOML: {said}", where=path, line=line) from None
    except ValidationError as error:
        raise _wrong(error, text, path) from None


def _wrong(error: ValidationError, text: str, path: Path) -> CampaignError:
    """What is wrong first, an unknown word before a missing one: the one is usually the other misspelled."""
    first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
    place = tuple(part for part in first["loc"] if part != "[key]")
    line = line_of(text, place)
    name = ".".join(str(part) for part in place)
    match first["type"]:
        case "extra_forbidden":
            return CampaignError(
                f"unknown key {place[-1]!r}", where=path, line=line, expected=one_of(str(place[-1]), _keys(place[:-1]))
            )
        case "missing":
            return CampaignError(f"{name} is missing", where=path, line=line)
        case "literal_error":
            known = str(first["ctx"]["expected"]).replace(" or ", ", ").replace("'", "").split(", ")
            given = str(first["input"])
            return CampaignError(f"{name}: no {given!r}", where=path, line=line, expected=one_of(given, known))
        case _:
            message = first["msg"].removeprefix("Value error, ")
            return CampaignError(f"{name}: {message}" if name else message, where=path, line=line)


def _keys(place: Iterable[str | int]) -> list[str]:
    """The keys that may stand in the table at a place of a plan."""
    model: Any = Plan
    held = False
    for part in place:
        if held:  # the label or number of one of several, not a key of a model
            held = False
            continue
        annotation = model.model_fields[str(part)].annotation
        model, held = _inner(annotation), get_origin(annotation) in {tuple, dict}
    return list(model.model_fields) if isinstance(model, type) and issubclass(model, BaseModel) else []


def _inner(annotation: Any) -> Any:
    """The model that a field holds, or holds several of."""
    if get_origin(annotation) in {tuple, dict, Union, UnionType, Annotated}:
        models = [_inner(part) for part in get_args(annotation)]
        return next((one for one in models if isinstance(one, type) and issubclass(one, BaseModel)), annotation)
    return annotation


def _known(names: Any, known: Iterable[str], what: str, made: type[Any]) -> Any:
    """The names as they are meant; anything but a list of words is left for the model to refuse."""
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        return names
    for name in names:
        if name not in tuple(known):
            raise ValueError(f"no {what} {str(name)!r}: {one_of(str(name), [str(one) for one in known])}")
    return tuple(made(name) for name in dict.fromkeys(names))
