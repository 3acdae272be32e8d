"""A trial: the same agent, task and data under each condition, paired by replicate."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator
from ulid import ULID

from m4review.errors import EngineUnavailableError, TrialError
from m4review.trials.ablation import section_effects
from m4review.trials.agents.agent import Agent, load_agent
from m4review.trials.claims import private_folder
from m4review.trials.conditions import PAIR, Arm, Condition
from m4review.trials.events import Notice, RunStarted, TrialEvent, TrialStarted
from m4review.trials.preparation import Prepared, choose_dataset, prepared
from m4review.trials.records import Outcome, RunRecord, load_runs
from m4review.trials.run import RunPlan, execute_run
from m4review.trials.sandbox.job import Sandbox
from m4review.trials.sandbox.local_sandbox import LocalSandbox
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.summary import (
    TrialSummary,
    arm_result,
    column_deltas,
    make_pairs,
    mean_delta,
    trials_folder,
    unscored_runs,
    write_trial,
)
from m4review.workspace import Workspace

ATTEMPTS = 2
"""A run that fails through no fault of the agent is tried once more."""


class TrialRequest(BaseModel):
    """What to try. ``seed`` decides the order of the conditions; without one it is drawn and recorded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    agent: str = "reader"
    """Name of an agent, or path of an agent's own ``.toml``."""
    model: str | None = None
    conditions: tuple[Condition, ...] = PAIR
    ablate: tuple[str, ...] | None = None
    """Sections to leave out of the skill one at a time, all when none is named; no ablation without it."""
    repeats: int = Field(default=1, ge=1, le=100)
    dataset: str | None = None
    sandbox: Literal["docker", "local"] = "docker"
    seconds: int | None = Field(default=None, gt=0)
    """The agent's time; without it what the agent's file says."""
    seed: int | None = None
    reuse: bool = False
    """Take finished runs with the same inputs instead of making them again."""

    @field_validator("conditions")
    @classmethod
    def _each_once(cls, conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
        if not conditions:
            raise ValueError("at least one condition")
        return tuple(dict.fromkeys(conditions))


@dataclass(frozen=True, slots=True)
class _Slot:
    replicate: int
    arm: Arm


def run_trial(
    workspace: Workspace,
    request: TrialRequest,
    *,
    listener: Callable[[TrialEvent], None] = lambda event: None,
    cancel: threading.Event | None = None,
    environment: Mapping[str, str] = os.environ,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> TrialSummary:
    """Run a trial to its end or until ``cancel`` is set; blocks. The listener is called from this thread only.

    Raises:
        EngineUnavailableError: no engine answers and the sandbox is Docker.
        DatasetError: the dataset lacks what the task needs.
        TrialError: the trial cannot start, or its records cannot be written. Failures of single runs are outcomes.
    """
    cancel = cancel or threading.Event()
    started = clock()
    trial = str(ULID.from_datetime(started))
    task = workspace.task(request.task)
    agent = load_agent(request.agent)
    _require_runnable(agent, request)
    dataset = choose_dataset(workspace, request.dataset, task, environment)
    limits = agent.limits if request.seconds is None else agent.limits.model_copy(update={"seconds": request.seconds})
    seed = random.SystemRandom().randrange(2**32) if request.seed is None else request.seed
    owner = Owner.of_this_process()
    for folder in (workspace.runs_dir, trials_folder(workspace)):
        private_folder(folder)
    with (
        _sandbox(request, agent, owner, listener, environment) as (sandbox, image),
        prepared(
            workspace,
            trial=trial,
            task=task,
            agent=agent,
            dataset=dataset,
            conditions=request.conditions,
            ablate=request.ablate,
            sandbox=request.sandbox,
            limits=limits,
            model=request.model,
            image=image,
            owner=owner,
        ) as ready,
    ):
        slots = _order(tuple(ready.arms), request.repeats, seed)
        listener(TrialStarted(trial=trial, task=task.name, runs=len(slots)))
        finished = _Reuse(workspace, ready) if request.reuse else None
        records: list[RunRecord] = []
        reused: list[str] = []
        for position, slot in enumerate(slots, start=1):
            if cancel.is_set():
                break
            known = finished.take(slot) if finished else None
            if known is not None:
                listener(Notice(text=f"{slot.arm.label}, replicate {slot.replicate}: run {known.id} is reused"))
                records.append(known)
                reused.append(known.id)
                continue
            for attempt in range(1, ATTEMPTS + 1):
                plan = RunPlan(
                    id=str(ULID.from_datetime(clock())),
                    trial=trial,
                    arm=slot.arm,
                    replicate=slot.replicate,
                    position=position,
                    attempt=attempt,
                )
                listener(
                    RunStarted(
                        run=plan.id,
                        condition=slot.arm.condition,
                        left_out=slot.arm.left_out,
                        replicate=slot.replicate,
                        position=position,
                        runs=len(slots),
                    )
                )
                record = execute_run(
                    workspace, ready, plan, sandbox, listener=listener, cancel=cancel, clock=clock, owner=owner
                )
                records.append(record)
                if record.outcome is not Outcome.INFRA_ERROR or cancel.is_set():
                    break
                if attempt < ATTEMPTS:
                    listener(Notice(text=f"the sandbox failed ({record.reason}); trying once more"))
        results = tuple(arm_result(arm, records) for arm in ready.arms)
        pairs = make_pairs(records, request.repeats) if {Arm(end) for end in PAIR} <= ready.arms.keys() else ()
        summary = TrialSummary(
            id=trial,
            task=task.name,
            kind=task.kind,
            agent=agent.name,
            agent_version=agent.version,
            agent_title=agent.title,
            model=request.model,
            dataset=dataset.name,
            synthetic=dataset.synthetic,
            reference_lineage=dataset.lineage,
            sandbox=request.sandbox,
            isolated=sandbox.isolated,
            seed=seed,
            repeats=request.repeats,
            order=tuple(record.id for record in records),
            reused=tuple(reused),
            started=started,
            finished=clock(),
            cancelled=cancel.is_set(),
            conditions=results,
            pairs=pairs,
            delta=mean_delta(pairs),
            column_deltas=column_deltas(results),
            unscored=unscored_runs(records),
            ablation=() if request.ablate is None else section_effects(results),
        )
    write_trial(workspace, summary)
    return summary


def _order(arms: Sequence[Arm], repeats: int, seed: int) -> list[_Slot]:
    """Every replicate's arms in a shuffled order, so that a drift in time is not taken for an effect."""
    shuffle = random.Random(seed)
    slots = []
    for replicate in range(1, repeats + 1):
        order = list(arms)
        shuffle.shuffle(order)
        slots += [_Slot(replicate, arm) for arm in order]
    return slots


def _require_runnable(agent: Agent, request: TrialRequest) -> None:
    if request.sandbox == "local" and not agent.local_argv:
        raise TrialError(
            f"the agent {agent.name} runs in Docker only", expected="--sandbox docker", fix="start Docker and try again"
        )
    if agent.needs_model and not request.model:
        raise TrialError(f"the agent {agent.name} needs a model", expected="--model NAME")
    if request.model and not agent.needs_model:
        raise TrialError(f"the agent {agent.name} uses no model", fix="leave --model out")


@contextmanager
def _sandbox(
    request: TrialRequest,
    agent: Agent,
    owner: Owner,
    listener: Callable[[TrialEvent], None],
    environment: Mapping[str, str],
) -> Iterator[tuple[Sandbox, str | None]]:
    """The sandbox asked for, and the id of the agent's image in it."""
    if request.sandbox == "local":
        listener(
            Notice(text="the local sandbox is not isolated: the agent runs as an ordinary process of this machine")
        )
        yield LocalSandbox(), None
        return
    from m4review.trials.sandbox.docker_sandbox import DockerSandbox
    from m4review.trials.sandbox.engine import NO_ENGINE, connect, engine_status
    from m4review.trials.sandbox.recipe import require_image
    from m4review.trials.sandbox.sweep import sweep_orphans

    status = engine_status(environment)
    if not status.available:
        raise EngineUnavailableError(status.reason or "no Docker engine answers", fix=NO_ENGINE)
    client = connect(environment=environment)
    try:
        for line in sweep_orphans(client):
            listener(Notice(text=f"left by an earlier process: {line}"))
        image = require_image(client, agent.image)
        yield DockerSandbox(client, owner, reconnect=lambda: connect(environment=environment)), image.id
    finally:
        client.close()


class _Reuse:
    """Finished runs by resume key; each is used at most once in a trial."""

    def __init__(self, workspace: Workspace, ready: Prepared) -> None:
        self._ready = ready
        self._runs: dict[str, list[RunRecord]] = {}
        for record in load_runs(workspace):
            if record.outcome is Outcome.SCORED:
                self._runs.setdefault(record.resume_key, []).append(record)

    def take(self, slot: _Slot) -> RunRecord | None:
        """A run with the inputs of the slot, as if it had been made as this replicate."""
        found = self._runs.get(self._ready.inputs(slot.arm).resume_key)
        return found.pop(0).model_copy(update={"replicate": slot.replicate}) if found else None
