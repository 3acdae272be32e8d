"""Trials: the same agent, task and data under each condition, paired by replicate; several tasks share one schedule."""

from __future__ import annotations

import os
import queue
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime

from ulid import ULID

from m4review.ehr import Dataset
from m4review.tasks import Task
from m4review.trials.agents.agent import Agent, load_agent
from m4review.trials.agents.modelserver import Reach, reach_of
from m4review.trials.choosing import choose_dataset, choose_schema
from m4review.trials.claims import private_folder
from m4review.trials.course import Course, Known
from m4review.trials.crew import Crew
from m4review.trials.events import Notice, Progressed, TrialEvent, TrialStarted
from m4review.trials.opening import Rooms, opened
from m4review.trials.pins import Pins
from m4review.trials.preparing import prepared
from m4review.trials.records import RETRIED, Outcome, RunRecord
from m4review.trials.request import TrialRequest, require_runnable
from m4review.trials.sandbox.job import Sandbox
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.schedule import Pace, Slot, Wanted, shuffled, side_by_side
from m4review.trials.summary import TrialSummary, trials_folder, write_trial
from m4review.workspace import Workspace

ATTEMPTS = 2
"""A run that fails through no fault of the agent is tried once more, after all others."""

Clock = Callable[[], datetime]
Listener = Callable[[TrialEvent], None]


def run_trial(
    workspace: Workspace,
    request: TrialRequest,
    *,
    parallel: int = 1,
    listener: Listener = lambda event: None,
    cancel: threading.Event | None = None,
    environment: Mapping[str, str] = os.environ,
    clock: Clock = lambda: datetime.now(UTC),
) -> TrialSummary:
    """Run one trial to its end or until ``cancel`` is set; see :func:`run_trials`."""
    (summary,) = run_trials(
        workspace,
        [request],
        parallel=parallel,
        listener=listener,
        cancel=cancel,
        environment=environment,
        clock=clock,
    )
    return summary


def run_trials(
    workspace: Workspace,
    requests: Sequence[TrialRequest],
    *,
    parallel: int = 1,
    listener: Listener = lambda event: None,
    cancel: threading.Event | None = None,
    environment: Mapping[str, str] = os.environ,
    clock: Clock = lambda: datetime.now(UTC),
) -> tuple[TrialSummary, ...]:
    """Run trials to their end or until ``cancel`` is set; blocks. The listener is called from this thread only.

    The requests differ in their task; agent, sandbox and time are those of the first. At most ``parallel`` runs are
    under way at once, fewer where memory or processors would be promised twice.

    Raises:
        EngineUnavailableError: no engine answers and the sandbox is Docker.
        DatasetError: a dataset lacks what its task needs.
        TrialError: a trial cannot start, or its records cannot be written. Failures of single runs are outcomes.
    """
    first = requests[0]
    cancel = cancel or threading.Event()
    agent = load_agent(first.agent)
    require_runnable(agent, first)
    reach = reach_of(agent, environment)
    tasks = [workspace.task(request.task) for request in requests]
    datasets = [
        choose_dataset(workspace, request.dataset, task, environment)
        for request, task in zip(requests, tasks, strict=True)
    ]
    seed = random.SystemRandom().randrange(2**32) if first.seed is None else first.seed
    owner = Owner.of_this_process()
    for folder in (workspace.runs_dir, trials_folder(workspace)):
        private_folder(folder)
    with ExitStack() as stack:
        rooms = stack.enter_context(
            opened(first.sandbox, agent, owner, listener, environment, workspace=workspace, clock=clock, cancel=cancel)
        )
        courses = [
            _begin(stack, workspace, request, task, dataset, agent, reach, rooms, owner, clock())
            for request, task, dataset in zip(requests, tasks, datasets, strict=True)
        ]
        limits = courses[0].ready.limits
        size = side_by_side(parallel, limits, rooms.machine, waits_for_model=agent.needs_model)
        if size < parallel:
            listener(Notice(text=_too_many(parallel, size, rooms)))
        batch = _Batch(workspace, courses, rooms, size, seed, listener=listener, clock=clock, owner=owner)
        batch.run(cancel)
        summaries = tuple(
            course.summary(
                seed=seed,
                parallel=size,
                isolated=rooms.isolated,
                cancelled=cancel.is_set(),
                finished=clock(),
            )
            for course in courses
        )
    for summary in summaries:
        write_trial(workspace, summary)
    return summaries


def _begin(
    stack: ExitStack,
    workspace: Workspace,
    request: TrialRequest,
    task: Task,
    dataset: Dataset,
    agent: Agent,
    reach: Reach | None,
    rooms: Rooms,
    owner: Owner,
    started: datetime,
) -> Course:
    """Prepare a trial; what is prepared is gone when ``stack`` is left."""
    trial = str(ULID.from_datetime(started))
    limits = agent.limits if request.seconds is None else agent.limits.model_copy(update={"seconds": request.seconds})
    ready = stack.enter_context(
        prepared(
            workspace,
            trial=trial,
            task=task,
            agent=agent,
            dataset=dataset,
            schema=choose_schema(dataset, request),
            map_skill=request.map_skill,
            conditions=request.conditions,
            ablate=request.ablate,
            sandbox=request.sandbox,
            limits=limits,
            model=request.model,
            image=rooms.image,
            owner=owner,
            reach=reach,
        )
    )
    return Course(workspace, trial, request, ready, Pins(ready.folder), started)


@dataclass(frozen=True, slots=True)
class _Job:
    slot: Slot
    attempt: int


class _Batch:
    """The runs of all trials that were asked for together."""

    def __init__(
        self,
        workspace: Workspace,
        courses: Sequence[Course],
        rooms: Rooms,
        size: int,
        seed: int,
        *,
        listener: Listener,
        clock: Clock,
        owner: Owner,
    ) -> None:
        self._courses = courses
        self._slots = shuffled([Wanted(tuple(course.ready.arms), course.request.repeats) for course in courses], seed)
        self._known = Known(workspace) if any(course.request.reuse for course in courses) else None
        self._size = min(size, len(self._slots))
        self._sandboxes: queue.SimpleQueue[Sandbox] = queue.SimpleQueue()
        for _ in range(self._size):
            self._sandboxes.put(rooms.another())
        self._pace = Pace(self._size)
        self._left = len(self._slots)
        self._failed: list[Slot] = []
        self._listener = listener
        self._clock = clock
        self._owner = owner

    def run(self, cancel: threading.Event) -> None:
        """Make every run that is not known, and those once more that failed through no fault of the agent."""
        for trial, course in enumerate(self._courses):
            runs = sum(1 for slot in self._slots if slot.trial == trial)
            self._listener(TrialStarted(trial=course.id, task=course.ready.task.name, runs=runs))
        crew = Crew(self._make, size=self._size, hear=self._listener, cancel=cancel)
        crew.work([_Job(slot, 1) for slot in self._slots if not self._reused(slot)], self._done)
        again, self._failed = self._failed, []
        self._left = len(again)
        if again and not cancel.is_set():
            crew.work([_Job(slot, ATTEMPTS) for slot in again], self._done)

    def _reused(self, slot: Slot) -> bool:
        course = self._courses[slot.trial]
        known = self._known.take(course, slot) if self._known is not None and course.request.reuse else None
        if known is None:
            return False
        self._listener(Notice(text=f"{slot.arm.label}, replicate {slot.replicate}: run {known.id} is reused"))
        course.records.append(known)
        course.reused.append(known.id)
        self._left -= 1
        return True

    def _make(self, job: _Job, report: Listener, stop: threading.Event) -> RunRecord:
        """In a thread of the crew."""
        sandbox = self._sandboxes.get()
        try:
            return self._courses[job.slot.trial].make(
                job.slot,
                job.attempt,
                sandbox,
                runs=len(self._slots),
                listener=report,
                cancel=stop,
                clock=self._clock,
                owner=self._owner,
            )
        finally:
            self._sandboxes.put(sandbox)

    def _done(self, job: _Job, record: RunRecord) -> bool:
        self._courses[job.slot.trial].records.append(record)
        self._left -= 1
        if record.outcome is not Outcome.INFRA_ERROR:
            self._pace.measured(sum(record.seconds.values()))
        elif record.failure in RETRIED and job.attempt < ATTEMPTS:
            self._failed.append(job.slot)
            self._listener(Notice(text=f"the sandbox failed ({record.reason}); trying once more after the other runs"))
        if record.failure == "auth":
            self._listener(Notice(text=f"no further run is begun: {record.reason}"))
            self._failed.clear()
        done = len(self._slots) - self._left
        seconds = self._pace.seconds_left(self._left)
        self._listener(Progressed(done=done, runs=len(self._slots), seconds_left=seconds))
        return record.failure != "auth"


def _too_many(wanted: int, size: int, rooms: Rooms) -> str:
    has = f"{rooms.machine.cpus:g} processors and {rooms.machine.memory_mib / 1024:.1f} GiB"
    return f"{size} of {wanted} runs at a time: the {'engine' if rooms.isolated else 'machine'} has {has}"
