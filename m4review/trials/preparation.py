"""Everything a trial's runs share, made once: the task database, the materials of each condition, the inputs' digests.

Materials are the exact bytes that were linted; an edit during the trial changes nothing in it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import duckdb

from m4review import __version__
from m4review.ehr import Dataset, TaskDatabase, build_task_database, list_datasets, open_dataset, pin_reference
from m4review.errors import TrialError
from m4review.reviews import task_digest
from m4review.tasks import INSTRUCTION_FILE, TASK_FILE, Task
from m4review.trials.agents.agent import Agent, filled
from m4review.trials.agents.modelserver import Reach
from m4review.trials.claims import STAGING, claim_folder
from m4review.trials.conditions import Arm, Condition
from m4review.trials.materials import (
    CONTAINER_PLACES,
    PROMPT,
    PROMPT_FILE,
    SEEDS,
    model_values,
    write_materials,
    write_seeds,
)
from m4review.trials.offers import Offer, arms_of
from m4review.trials.records import Inputs, MountEntry, SkillUsed
from m4review.trials.sandbox.capture import run_folder_error
from m4review.trials.sandbox.job import (
    DATABASE,
    INSTRUCTION,
    OUTPUT_NAME,
    SKILLS,
    BindMount,
    Limits,
    NetworkNeed,
    SandboxJob,
)
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.sandbox.recipe import recipe_digest
from m4review.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the runs of a trial start from."""

    task: Task
    task_digest: str
    agent: Agent
    agent_source: str
    dataset: Dataset
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
        digests = {
            f"{table.schema_name}.{table.name}": table.sha256 for table in (*self.dataset.tables, *self.dataset.reused)
        }
        entries = [
            _entry(DATABASE, self.database.path),
            _entry(INSTRUCTION, self.materials(arm) / INSTRUCTION_FILE),
        ]
        prompt = self.materials(arm) / PROMPT_FILE
        if prompt.is_file():
            entries.append(_entry(PROMPT, prompt))
        entries += [_entry(f"~/{path}", self.folder / SEEDS / path) for path in self.agent.seeds]
        for skill in self.arms[arm].skills:
            for name, data in skill.files.items():
                digest = "sha256:" + hashlib.sha256(data).hexdigest()
                entries.append(MountEntry(target=f"{SKILLS}/{skill.name}/{name}", size=len(data), digest=digest))
        for mount in self.database.mounts:
            relation = ".".join(Path(mount.target).with_suffix("").parts[-2:])
            known = digests.get(relation)
            digest = f"sha256:{known}" if known else f"made-from:{self.database.digest}"
            entries.append(MountEntry(target=mount.target, size=mount.source.stat().st_size, digest=digest))
        return tuple(entries)

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
                *(SkillUsed(name=skill.name, digest=skill.digest, version=skill.version) for skill in given.skills),
                *(
                    SkillUsed(name=text.name, digest=text.digest, version=text.version, place="prompt")
                    for text in given.texts
                ),
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
            reference_digest=self.reference_digest,
            reference_lineage=self.dataset.lineage,
            tool_version=__version__,
            duckdb_version=duckdb.__version__,
        )


@contextlib.contextmanager
def prepared(
    workspace: Workspace,
    *,
    trial: str,
    task: Task,
    agent: Agent,
    dataset: Dataset,
    conditions: Sequence[Condition],
    ablate: Sequence[str] | None,
    sandbox: Literal["docker", "local"],
    limits: Limits,
    model: str | None,
    image: str | None,
    owner: Owner,
    reach: Reach | None = None,
) -> Iterator[Prepared]:
    """Make the shared parts in a private folder, which is gone afterwards.

    Raises:
        DatasetError: the task's database or reference is not built.
        TrialError: a skill or control is missing or may not be given; no such section to leave out; the sandbox could
            not read a file; the disk is full.
    """
    arms = arms_of(workspace, task, conditions, ablate)
    declared = json.dumps(agent.model_dump(mode="json"), sort_keys=True) + recipe_digest(agent.image)
    folder = workspace.local_dir / STAGING / trial
    try:
        try:
            claim_folder(folder, owner)
            card, instruction = ((task.path / name).read_bytes() for name in (TASK_FILE, INSTRUCTION_FILE))
            for arm, offer in arms.items():
                write_materials(folder / arm.folder, task, agent, offer)
            write_seeds(folder / SEEDS, agent, model)
            reference = pin_reference(dataset, task, folder / "reference.parquet")
            with reference.open("rb") as stream:
                reference_digest = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise run_folder_error(folder, error) from None
        database = build_task_database(dataset, task, folder / "data", sandboxed=sandbox == "docker")
        if sandbox == "docker" and sys.platform == "linux":
            _require_readable(database)
        yield Prepared(
            task=task,
            task_digest=task_digest(card, instruction),
            agent=agent,
            agent_source="sha256:" + hashlib.sha256(declared.encode()).hexdigest(),
            dataset=dataset,
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


def _require_readable(database: TaskDatabase) -> None:
    for mount in database.mounts:
        if not mount.source.stat().st_mode & 0o004:
            raise TrialError(
                "the sandbox's user cannot read a data file",
                where=mount.source,
                expected="files readable by others; the folder above may stay private, since each file is shown alone",
                fix=f"chmod a+r {mount.source.parent}/*.parquet",
            )


def _entry(target: str, path: Path) -> MountEntry:
    data = path.read_bytes()
    return MountEntry(target=target, size=len(data), digest="sha256:" + hashlib.sha256(data).hexdigest())
