"""Which data a trial is made on: the dataset, and the schema in which the agent finds it."""

from __future__ import annotations

from collections.abc import Mapping

from m4review.ehr import Dataset, list_datasets, open_dataset
from m4review.ehr.schemas import ChangedSchema, open_schema
from m4review.errors import TrialError
from m4review.tasks import Task
from m4review.trials.request import TrialRequest
from m4review.workspace import Workspace


def choose_dataset(workspace: Workspace, name: str | None, task: Task, environment: Mapping[str, str]) -> Dataset:
    """The dataset asked for, else the workspace's own choice, else the only one of the task's layout.

    Raises:
        TrialError: it is not clear which.
        DatasetError: there is no such dataset.
    """
    home = workspace.data_home(environment)
    chosen = name or workspace.default_dataset()
    if chosen:
        return open_dataset(home, chosen)
    fitting = [dataset for dataset in list_datasets(home) if dataset.layout_name == task.database]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise TrialError(
            f"there is no dataset of the layout {task.database}",
            where=home,
            fix=f"m4review data synth --layout {task.database} --stays 2000 --seed 1 --name synthetic",
        )
    raise TrialError(
        f"several datasets fit {task.name}",
        expected="--dataset " + " | ".join(dataset.name for dataset in fitting),
    )


def choose_schema(dataset: Dataset, request: TrialRequest) -> ChangedSchema | None:
    """The changed schema asked for, ``None`` for the native one.

    Raises:
        DatasetError: it is not made or out of date, or the dataset's layout has none.
    """
    if request.schema_name == "native":
        return None
    return open_schema(dataset, request.schema_name, seed=request.schema_seed)
