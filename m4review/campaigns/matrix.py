"""The matrix of a plan: which task runs on which schema by which agent under which conditions, block by block.

A cell is one task on one schema by one agent. A block is one repeat of a cell under all its conditions, made close
together in a shuffled order: the unit in which a campaign is scheduled, resumed and shared among machines.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from m4review.campaigns.plan import Group, PlanFile, SchemaName
from m4review.ehr.schemas.plan import LAYOUT as CHANGEABLE_LAYOUT
from m4review.errors import CampaignError, M4ReviewError, one_of
from m4review.tasks import Task
from m4review.tomllines import line_of
from m4review.trials.agents.modelserver import checked_model
from m4review.trials.conditions import AVAILABLE, Condition
from m4review.workspace import Workspace


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Cell(_Part):
    """One task on one schema by one agent. ``agent`` is the plan's label."""

    task: str
    schema_name: SchemaName = "native"
    schema_seed: int = 0
    """0 where nothing is drawn."""
    map_skill: bool = False
    agent: str
    model: str | None = None

    @property
    def label(self) -> str:
        """How the cell is called in messages."""
        schema = self.schema_name + (" mapped" if self.map_skill else "")
        return f"{self.task} · {schema} · {self.agent}"


class Block(_Part):
    """One repeat of a cell. ``conditions`` stand in the order in which they are run."""

    id: str
    cell: Cell
    replicate: int
    conditions: tuple[Condition, ...]

    @property
    def label(self) -> str:
        """How the block is called in messages."""
        return f"{self.cell.label} · {self.replicate}"


@dataclass(frozen=True, slots=True)
class Matrix:
    """What a plan comes to. ``blocks`` stand in the order in which they are run."""

    cells: dict[Cell, tuple[Condition, ...]]
    """Cell → every condition that some repeat of it runs under."""
    blocks: tuple[Block, ...]
    unbalanced: tuple[str, ...]
    """What has no equal partner to be compared with, one sentence each."""

    @property
    def runs(self) -> int:
        """How many runs it is."""
        return sum(len(block.conditions) for block in self.blocks)


def matrix_of(file: PlanFile, workspace: Workspace) -> Matrix:
    """The matrix of a plan in a workspace.

    Raises:
        CampaignError: a group names an unknown task, family, mode or database, or chooses no task; a task has no such
            schema; a model's name is none.
        TaskError: a task card cannot be read.
    """
    wanted: dict[Cell, dict[Condition, int]] = {}
    for number, group in enumerate(file.plan.groups):
        for cell in _cells(file, number, group, workspace):
            repeats = wanted.setdefault(cell, {})
            for condition in group.conditions:
                repeats[condition] = max(group.repeats, repeats.get(condition, 0))
    cells = {cell: tuple(one for one in AVAILABLE if one in repeats) for cell, repeats in wanted.items()}
    return Matrix(cells, _blocks(wanted, file.plan.seed), tuple(_unbalanced(wanted)))


def _cells(file: PlanFile, number: int, group: Group, workspace: Workspace) -> list[Cell]:
    plan = file.plan
    return [
        Cell(
            task=task.name,
            schema_name=schema,
            schema_seed=group.schema_seed if schema == "obfuscated" else 0,
            map_skill=group.map_skill and schema != "native",
            agent=label,
            model=_model(file, label),
        )
        for task in _tasks(file, number, group, workspace)
        for schema in group.schemas
        if _has_schema(file, number, task, schema)
        for label in (group.agents or plan.agents)
    ]


def _model(file: PlanFile, label: str) -> str | None:
    model = file.plan.agents[label].model
    try:
        return None if model is None else checked_model(model)
    except M4ReviewError as error:
        raise _wrong(file, ("agents", label, "model"), error.what, error.expected) from None


def _tasks(file: PlanFile, number: int, group: Group, workspace: Workspace) -> list[Task]:
    """The tasks of a group, in the order of their cards."""
    families = workspace.families()
    names = [entry.name for entries in families.values() for entry in entries]
    for key, given, known in (
        ("tasks", group.tasks, names),
        ("families", group.families, list(families)),
        ("modes", group.modes, ["standard", "raw"]),
        ("databases", group.databases, ["mimic-iv", "eicu"]),
        ("without", group.without, names),
    ):
        for word in given:
            if word not in known:
                raise _wrong(file, ("groups", number, key), f"{key}: no {word!r}", one_of(word, known))
    chosen = set(group.tasks) | {entry.name for family in group.families for entry in families[family]}
    tasks = [
        workspace.task(name)
        for name in names
        if (name in chosen or not (group.tasks or group.families)) and name not in group.without
    ]
    tasks = [
        task
        for task in tasks
        if (not group.modes or task.mode in group.modes) and (not group.databases or task.database in group.databases)
    ]
    if not tasks:
        raise _wrong(file, ("groups", number), f"the group {group.name!r} chooses no task", None)
    return tasks


def _has_schema(file: PlanFile, number: int, task: Task, schema: SchemaName) -> bool:
    if schema != "native" and task.database != CHANGEABLE_LAYOUT:
        raise _wrong(
            file,
            ("groups", number, "schemas"),
            f"{task.name} has no {schema} schema: only {CHANGEABLE_LAYOUT} databases have",
            f'databases = ["{CHANGEABLE_LAYOUT}"] in this group',
        )
    return True


def _wrong(file: PlanFile, place: Sequence[str | int], what: str, expected: str | None) -> CampaignError:
    text = file.data.decode("utf-8-sig").replace("\r\n", "\n")
    return CampaignError(what, where=file.path, line=line_of(text, place), expected=expected)


def _blocks(wanted: dict[Cell, dict[Condition, int]], seed: int) -> tuple[Block, ...]:
    """Repeat by repeat, so that what is there when a campaign is stopped is as balanced as it can be."""
    dice = random.Random(seed)
    last = max(max(repeats.values()) for repeats in wanted.values())
    blocks: list[Block] = []
    for replicate in range(1, last + 1):
        due = [cell for cell, repeats in wanted.items() if replicate <= max(repeats.values())]
        dice.shuffle(due)
        for cell in due:
            conditions = [one for one in AVAILABLE if wanted[cell].get(one, 0) >= replicate]
            dice.shuffle(conditions)
            blocks.append(
                Block(
                    id=f"{len(blocks) + 1:05d}-{cell.task}-{cell.schema_name}-{replicate}",
                    cell=cell,
                    replicate=replicate,
                    conditions=tuple(conditions),
                )
            )
    return tuple(blocks)


def _unbalanced(wanted: dict[Cell, dict[Condition, int]]) -> Iterable[str]:
    """Cells whose conditions cannot all be compared repeat by repeat."""
    alone = [cell for cell, repeats in wanted.items() if Condition.NO_SKILL not in repeats]
    for schema, agent in dict.fromkeys((cell.schema_name, cell.agent) for cell in alone):
        here = [cell for cell in alone if (cell.schema_name, cell.agent) == (schema, agent)]
        yield (
            f"{len(here)} task{'s' if len(here) > 1 else ''} on the {schema} schema by {agent} without no-skill: "
            "a level, not a difference, can be computed there"
        )
    yield from _unequal_agents(wanted)
    for cell, repeats in wanted.items():
        if len(set(repeats.values())) > 1:
            said = ", ".join(f"{name} {count}" for name, count in repeats.items())
            yield f"{cell.label}: unequal repeats ({said}); pairs exist for the smaller number"


def _unequal_agents(wanted: dict[Cell, dict[Condition, int]]) -> Iterable[str]:
    """Conditions that one agent runs on other tasks than another: their means are not over the same tasks."""
    tasks: dict[tuple[str, Condition], dict[str, set[str]]] = {}
    for cell, repeats in wanted.items():
        for condition in repeats:
            tasks.setdefault((cell.schema_name, condition), {}).setdefault(cell.agent, set()).add(cell.task)
    for (schema, condition), by_agent in tasks.items():
        if len(set(map(frozenset, by_agent.values()))) > 1:
            said = ", ".join(f"{len(names)} by {agent}" for agent, names in by_agent.items())
            yield f"{condition.value} on the {schema} schema: not the same tasks by every agent ({said})"
