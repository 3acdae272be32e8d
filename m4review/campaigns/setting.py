"""What the cells of a campaign are prepared from on one machine: agents, datasets, schemas, images."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ulid import ULID

from m4review.campaigns.matrix import Cell
from m4review.campaigns.plan import SUFFIX, Plan, PlanFile
from m4review.ehr import Dataset, list_datasets, open_dataset
from m4review.ehr.schemas import ChangedSchema, open_schema
from m4review.errors import CampaignError
from m4review.tasks import Task
from m4review.trials.agents.agent import Agent, load_agent
from m4review.trials.agents.modelserver import Reach, reach_of
from m4review.trials.conditions import Condition
from m4review.trials.preparation import Prepared
from m4review.trials.preparing import prepared
from m4review.trials.request import TrialRequest, require_runnable
from m4review.trials.sandbox.job import Limits
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.skillfiles import Shelf
from m4review.workspace import Workspace


@dataclass(frozen=True)
class Setting:
    """One plan in one workspace on one machine. Datasets, schemas and skills are read once each."""

    workspace: Workspace
    plan: Plan
    agents: Mapping[str, Agent]
    """Label → agent."""
    environment: Mapping[str, str]
    owner: Owner
    _schemas: dict[tuple[str, str, int], ChangedSchema] = field(default_factory=dict)
    _datasets: dict[str, Dataset] = field(default_factory=dict)
    _shelf: Shelf = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def agent(self, cell: Cell) -> Agent:
        """The agent of a cell."""
        return self.agents[cell.agent]

    def reach(self, cell: Cell) -> Reach | None:
        """What the cell's agent needs of the network.

        Raises:
            TrialError: its model's address or key is missing.
        """
        return reach_of(self.agent(cell), self.environment)

    def limits(self, cell: Cell) -> Limits:
        """What a run of the cell may use."""
        return limits_of(self.agent(cell), self.plan)

    def dataset(self, task: Task) -> Dataset:
        """The dataset that the task runs on: the plan's, else the workspace's own choice, else the only one that fits.

        Raises:
            CampaignError: it is not clear which.
            DatasetError: there is no such dataset.
        """
        with self._lock:
            if task.database not in self._datasets:
                self._datasets[task.database] = dataset_for(self.workspace, self.plan, task.database, self.environment)
            return self._datasets[task.database]

    def schema(self, cell: Cell, dataset: Dataset) -> ChangedSchema | None:
        """The changed schema of a cell, ``None`` for the native one.

        Raises:
            DatasetError: it is not made or out of date.
        """
        if cell.schema_name == "native":
            return None
        key = (dataset.name, cell.schema_name, cell.schema_seed)
        with self._lock:
            if key not in self._schemas:
                self._schemas[key] = open_schema(dataset, cell.schema_name, seed=max(1, cell.schema_seed))
            return self._schemas[key]

    @contextmanager
    def prepared(self, cell: Cell, conditions: Sequence[Condition], image: str | None) -> Iterator[Prepared]:
        """What the runs of a cell start from, in a private folder that is gone afterwards.

        Raises:
            CampaignError, DatasetError, TrialError: something is missing or may not be given.
        """
        task, agent = self.workspace.task(cell.task), self.agent(cell)
        require_runnable(agent, TrialRequest(task=cell.task, model=cell.model, sandbox=self.plan.sandbox))
        dataset = self.dataset(task)
        with prepared(
            self.workspace,
            trial=str(ULID()),
            task=task,
            agent=agent,
            dataset=dataset,
            schema=self.schema(cell, dataset),
            map_skill=cell.map_skill,
            conditions=conditions,
            ablate=None,
            sandbox=self.plan.sandbox,
            limits=self.limits(cell),
            model=cell.model,
            image=image,
            owner=self.owner,
            reach=self.reach(cell),
            shelf=self._shelf,
        ) as ready:
            yield ready


def plan_agents(file: PlanFile, kept: Path | None = None) -> dict[str, Agent]:
    """The agents of a plan by label. A file of an agent's own is looked for in ``kept``, else beside the plan.

    Raises:
        CampaignError, TrialError: there is no such agent, or its file is wrong.
    """
    return {label: load_agent(agent_source(file, label, kept)) for label in file.plan.agents}


def agent_source(file: PlanFile, label: str, kept: Path | None = None) -> str:
    """The name of a built-in agent, or the path of an agent's own file."""
    name = file.plan.agents[label].agent
    if not name.endswith(SUFFIX):
        return name
    return str(file.path.parent / name if kept is None else kept / f"{label}{SUFFIX}")


def limits_of(agent: Agent, plan: Plan) -> Limits:
    """The agent's limits with what the plan changes."""
    return agent.limits.model_copy(update=plan.limits.changes)


def dataset_for(workspace: Workspace, plan: Plan, layout: str, environment: Mapping[str, str]) -> Dataset:
    """The dataset of a layout; see :meth:`Setting.dataset`."""
    home = workspace.data_home(environment)
    named = next((name for key, name in plan.datasets.items() if key == layout), None)
    if named is not None:
        dataset = open_dataset(home, named)
        if dataset.layout_name != layout:
            raise CampaignError(
                f"the dataset {named} is of the layout {dataset.layout_name}",
                where=f"[datasets] {layout}",
                expected=f"a dataset of the layout {layout}",
            )
        return dataset
    fitting = [dataset for dataset in list_datasets(home) if dataset.layout_name == layout]
    own = [dataset for dataset in fitting if dataset.name == workspace.default_dataset()]
    if len(own or fitting) == 1:
        return (own or fitting)[0]
    if not fitting:
        raise CampaignError(
            f"there is no dataset of the layout {layout}",
            where=home,
            fix=f"m4review data synth --layout {layout} --stays 2000 --seed 1 --name synthetic-{layout}",
        )
    raise CampaignError(
        f"several datasets have the layout {layout}",
        expected=f'[datasets] {layout} = "NAME" in the plan, or --dataset NAME: '
        + ", ".join(dataset.name for dataset in fitting),
    )


def image_of(agent: Agent, plan: Plan, environment: Mapping[str, str]) -> str | None:
    """Id of the agent's image; ``None`` without a container.

    Raises:
        EngineUnavailableError: no engine answers.
        TrialError: the image is not built, or older than its recipe.
    """
    if plan.sandbox == "local":
        return None
    from m4review.trials.sandbox.engine import connect
    from m4review.trials.sandbox.recipe import require_image

    client = connect(environment=environment)
    try:
        return require_image(client, agent.image).id
    finally:
        client.close()
