"""What a plan lacks before it can be frozen and run: agents, keys, images, datasets, schemas, skills and controls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from m4review.campaigns.matrix import Cell, Matrix
from m4review.campaigns.plan import PlanFile
from m4review.campaigns.setting import Setting, agent_source, image_of
from m4review.ehr import reference_path
from m4review.errors import M4ReviewError
from m4review.trials.agents.agent import Agent, load_agent
from m4review.trials.conditions import Condition
from m4review.trials.offers import arms_of
from m4review.trials.request import TrialRequest, require_runnable
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.skillfiles import Shelf
from m4review.workspace import Workspace


def lacking(
    file: PlanFile, matrix: Matrix, workspace: Workspace, environment: Mapping[str, str]
) -> list[M4ReviewError]:
    """Everything that stands between a plan and its first run, each once; nothing is built for the answer."""
    found: dict[str, M4ReviewError] = {}
    agents: dict[str, Agent] = {}
    for label in dict.fromkeys(cell.agent for cell in matrix.cells):
        try:
            agents[label] = load_agent(agent_source(file, label))
        except M4ReviewError as error:
            found.setdefault(str(error), error)
    setting = Setting(workspace, file.plan, agents, environment, Owner.of_this_process())
    for lack in (*_agents(setting, matrix), *_data(setting, matrix), *_offers(setting, matrix)):
        found.setdefault(str(lack), lack)
    return list(found.values())


def _agents(setting: Setting, matrix: Matrix) -> Iterator[M4ReviewError]:
    """Each agent once, as its first cell uses it."""
    first = {cell.agent: cell for cell in reversed(matrix.cells)}
    for label, agent in setting.agents.items():
        cell = first[label]
        try:
            require_runnable(agent, TrialRequest(task=cell.task, model=cell.model, sandbox=setting.plan.sandbox))
        except M4ReviewError as error:
            yield error
        try:
            setting.reach(cell)
        except M4ReviewError as error:
            yield error
        try:
            image_of(agent, setting.plan, setting.environment)
        except M4ReviewError as error:
            yield error


def _data(setting: Setting, matrix: Matrix) -> Iterator[M4ReviewError]:
    """Each task's dataset and reference, and each changed schema once."""
    by_data: dict[tuple[str, str, int], Cell] = {}
    for cell in matrix.cells:
        by_data.setdefault((cell.task, cell.schema_name, cell.schema_seed), cell)
    for cell in by_data.values():
        try:
            task = setting.workspace.task(cell.task)
            dataset = setting.dataset(task)
            reference_path(dataset, task)
            setting.schema(cell, dataset)
        except M4ReviewError as error:
            yield error


def _offers(setting: Setting, matrix: Matrix) -> Iterator[M4ReviewError]:
    """What each condition gives, task by task, with the lint that every text passes."""
    wanted: dict[str, dict[Condition, None]] = {}
    for cell, conditions in matrix.cells.items():
        wanted.setdefault(cell.task, {}).update(dict.fromkeys(conditions))
    shelf: Shelf = {}
    for name, needed in wanted.items():
        for condition in needed:
            try:
                arms_of(setting.workspace, setting.workspace.task(name), [condition], None, shelf=shelf)
            except M4ReviewError as error:
                yield error
