"""What the runs of a trial start from, and what the sandbox is asked to do for each of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import duckdb

from m4review import __version__
from m4review.ehr import Dataset, TaskDatabase
from m4review.ehr.schemas import ChangedSchema
from m4review.tasks import INSTRUCTION_FILE, Task
from m4review.trials.agents.agent import Agent, filled
from m4review.trials.agents.modelserver import Reach
from m4review.trials.conditions import Arm
from m4review.trials.controls.texts import OfferedText
from m4review.trials.manifest import data_entries, file_entries, skill_entries
from m4review.trials.materials import (
    CONTAINER_PLACES,
    PROMPT,
    PROMPT_FILE,
    SEEDS,
    model_values,
)
from m4review.trials.offers import Offer
from m4review.trials.records import Inputs, MountEntry, SkillUsed
from m4review.trials.sandbox.job import (
    DATABASE,
    INSTRUCTION,
    OUTPUT_NAME,
    BindMount,
    Limits,
    NetworkNeed,
    SandboxJob,
)
from m4review.trials.skillfiles import OfferedSkill


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the runs of a trial start from."""

    task: Task
    task_digest: str
    agent: Agent
    agent_source: str
    dataset: Dataset
    schema: ChangedSchema | None
    """The changed schema that the database shows, ``None`` for the native one."""
    database: TaskDatabase
    reference: Path
    reference_digest: str
    arms: Mapping[Arm, Offer]
    """What each arm is given, in the order in which the arms are shown."""
    folder: Path
    sandbox: Literal["docker", "local"]
    limits: Limits
    model: str | None
    image: str | None
    reach: Reach | None = None

    @property
    def network(self) -> NetworkNeed | None:
        """What the agent needs of the network, its model's key included."""
        return None if self.reach is None else self.reach.need

    @property
    def secrets(self) -> tuple[bytes, ...]:
        """What no record may hold, by value."""
        key = None if self.network is None or self.network.model is None else self.network.model.key
        return () if key is None else (key.reveal().encode(),)

    def materials(self, arm: Arm) -> Path:
        """The folder that the agent sees as ``/task``."""
        return self.folder / arm.folder

    def argv(self, arm: Arm) -> tuple[str, ...]:
        """The agent's command line under an arm."""
        given = self.materials(arm)
        if self.sandbox == "docker":
            words, places = self.agent.argv, CONTAINER_PLACES
        else:
            words = self.agent.local_argv
            places = {
                "instruction": str(given / INSTRUCTION_FILE),
                "skills": str(given / "skills"),
                "database": str(self.database.path),
                "output": "{work}/" + OUTPUT_NAME,
            }
        prompt = given / PROMPT_FILE
        values = {
            **model_values(self.model),
            **places,
            "python": sys.executable,
            "prompt": prompt.read_text(encoding="utf-8") if prompt.is_file() else "",
        }
        return self.agent.command((*words, *(self.agent.skill_argv if self.arms[arm].skills else ())), values)

    def environment(self) -> dict[str, str]:
        """The agent's own variables."""
        values = {**model_values(self.model), **CONTAINER_PLACES}
        return {name: filled(text, values) for name, text in self.agent.environment.items()}

    def job(self, arm: Arm, run_id: str, record: Path) -> SandboxJob:
        """What the sandbox is asked to do under an arm; ``record`` is the run's folder."""
        return SandboxJob(
            run_id=run_id,
            argv=self.argv(arm),
            environment=self.environment() if self.sandbox == "docker" else self.agent.environment,
            limits=self.limits,
            database=self.database.path,
            mounts=self.binds(),
            materials=self.materials(arm),
            record=record,
            image=self.image,
            network=self.network,
            seeds=self.folder / SEEDS if self.agent.seeds else None,
            skill_folders=self.agent.skill_folders if self.arms[arm].skills else (),
            stdin=PROMPT if self.agent.stdin == "prompt" else None,
            extra_outputs=self.agent.extra_outputs,
        )

    def binds(self) -> tuple[BindMount, ...]:
        """The data files the container sees beside the task database."""
        return tuple(BindMount(mount.source, mount.target) for mount in self.database.mounts)

    def manifest(self, arm: Arm) -> tuple[MountEntry, ...]:
        """Everything the agent could read, with digests."""
        given, seeds = self.materials(arm), self.folder / SEEDS
        files = {DATABASE: self.database.path, INSTRUCTION: given / INSTRUCTION_FILE}
        if (given / PROMPT_FILE).is_file():
            files[PROMPT] = given / PROMPT_FILE
        files |= {f"~/{path}": seeds / path for path in self.agent.seeds}
        return (
            *file_entries(files),
            *skill_entries(self.arms[arm].skills),
            *data_entries(self.dataset, self.database, self.schema),
        )

    def inputs(self, arm: Arm) -> Inputs:
        """What decides the result of a run under an arm."""
        given = self.arms[arm]
        return Inputs(
            task=self.task.name,
            kind=self.task.kind,
            task_digest=self.task_digest,
            condition=arm.condition,
            left_out=arm.left_out,
            skills=(
                *(_used(skill, "skill") for skill in given.skills),
                *(_used(text, "prompt") for text in given.texts),
            ),
            agent=self.agent.name,
            agent_version=self.agent.version,
            agent_source=self.agent_source,
            model=self.model,
            server=None if self.reach is None else self.reach.server,
            effort=None,
            image=self.image,
            sandbox=self.sandbox,
            limits=self.limits.model_dump(),
            dataset=self.dataset.name,
            dataset_digest=self.dataset.digest,
            database_digest=self.database.digest,
            schema_name="native" if self.schema is None else self.schema.plan.name,
            schema_seed=0 if self.schema is None else self.schema.plan.seed,
            schema_digest=None if self.schema is None else self.schema.digest,
            reference_digest=self.reference_digest,
            reference_lineage=self.dataset.lineage,
            tool_version=__version__,
            duckdb_version=duckdb.__version__,
        )


def _used(given: OfferedSkill | OfferedText, place: Literal["skill", "prompt"]) -> SkillUsed:
    return SkillUsed(name=given.name, digest=given.digest, version=given.version, place=place, mapped=given.mapped)
