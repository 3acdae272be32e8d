"""Making what a trial's runs share, once: the task database, the materials of each condition, the inputs' digests.

Materials are the exact bytes that were linted; an edit during the trial changes nothing in it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import Literal

from m4review.ehr import Dataset, TaskDatabase, build_task_database, pin_reference
from m4review.ehr.schemas import ChangedSchema, schema_words
from m4review.errors import TrialError
from m4review.reviews import task_digest
from m4review.tasks import INSTRUCTION_FILE, TASK_FILE, Task
from m4review.trials.agents.agent import Agent
from m4review.trials.agents.modelserver import Reach
from m4review.trials.changedschema import mapped_arms, schema_note
from m4review.trials.claims import STAGING, claim_folder
from m4review.trials.conditions import Condition
from m4review.trials.materials import (
    SEEDS,
    write_materials,
    write_seeds,
)
from m4review.trials.offers import arms_of
from m4review.trials.preparation import Prepared
from m4review.trials.sandbox.capture import run_folder_error
from m4review.trials.sandbox.job import (
    Limits,
)
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.sandbox.recipe import recipe_digest
from m4review.trials.skillfiles import Shelf
from m4review.workspace import Workspace


@contextlib.contextmanager
def prepared(
    workspace: Workspace,
    *,
    trial: str,
    task: Task,
    agent: Agent,
    dataset: Dataset,
    schema: ChangedSchema | None,
    map_skill: bool,
    conditions: Sequence[Condition],
    ablate: Sequence[str] | None,
    sandbox: Literal["docker", "local"],
    limits: Limits,
    model: str | None,
    image: str | None,
    owner: Owner,
    reach: Reach | None = None,
    shelf: Shelf | None = None,
) -> Iterator[Prepared]:
    """Make the shared parts in a private folder, which is gone afterwards.

    Raises:
        DatasetError: the task's database or reference is not built.
        TrialError: a skill or control is missing or may not be given; no such section to leave out; the sandbox could
            not read a file; the disk is full.
    """
    arms = arms_of(workspace, task, conditions, ablate, schema=schema, shelf=shelf)
    if schema is not None and map_skill:
        arms = mapped_arms(arms, schema_words(schema))
    note = None if schema is None else schema_note(schema.plan.name)
    declared = json.dumps(agent.model_dump(mode="json"), sort_keys=True) + recipe_digest(agent.image)
    folder = workspace.local_dir / STAGING / trial
    try:
        try:
            claim_folder(folder, owner)
            card, instruction = ((task.path / name).read_bytes() for name in (TASK_FILE, INSTRUCTION_FILE))
            for arm, offer in arms.items():
                write_materials(folder / arm.folder, task, agent, offer, note)
            write_seeds(folder / SEEDS, agent, model)
            reference = pin_reference(dataset, task, folder / "reference.parquet")
            with reference.open("rb") as stream:
                reference_digest = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise run_folder_error(folder, error) from None
        database = build_task_database(dataset, task, folder / "data", sandboxed=sandbox == "docker", schema=schema)
        if sandbox == "docker" and sys.platform == "linux":
            _require_readable(database)
        yield Prepared(
            task=task,
            task_digest=task_digest(card, instruction),
            agent=agent,
            agent_source="sha256:" + hashlib.sha256(declared.encode()).hexdigest(),
            dataset=dataset,
            schema=schema,
            database=database,
            reference=reference,
            reference_digest=reference_digest,
            arms=arms,
            folder=folder,
            sandbox=sandbox,
            limits=limits,
            model=model,
            image=image,
            reach=reach,
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _require_readable(database: TaskDatabase) -> None:
    for mount in database.mounts:
        if not mount.source.stat().st_mode & 0o004:
            raise TrialError(
                "the sandbox's user cannot read a data file",
                where=mount.source,
                expected="files readable by others; the folder above may stay private, since each file is shown alone",
                fix=f"chmod a+r {mount.source.parent}/*.parquet",
            )
