"""One trial while its runs are made: what they start from, what has been recorded, and the summary at the end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from ulid import ULID

from m4review.trials.ablation import section_effects
from m4review.trials.conditions import PAIR, Arm
from m4review.trials.events import RunStarted, TrialEvent
from m4review.trials.pins import Pins
from m4review.trials.preparation import Prepared
from m4review.trials.records import Outcome, RunRecord, load_runs
from m4review.trials.request import TrialRequest
from m4review.trials.run import RunPlan, execute_run
from m4review.trials.sandbox.job import Sandbox
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.schedule import Slot
from m4review.trials.summary import (
    TrialSummary,
    arm_result,
    column_deltas,
    make_pairs,
    mean_delta,
    recorded_decisions,
    unscored_runs,
)
from m4review.workspace import Workspace


@dataclass
class Course:
    """One trial from its start to its summary. ``pins`` are of the prepared files."""

    workspace: Workspace
    id: str
    request: TrialRequest
    ready: Prepared
    pins: Pins
    started: datetime
    records: list[RunRecord] = field(default_factory=list)
    reused: list[str] = field(default_factory=list)

    def make(
        self,
        slot: Slot,
        attempt: int,
        sandbox: Sandbox,
        *,
        runs: int,
        listener: Callable[[TrialEvent], None],
        cancel: threading.Event,
        clock: Callable[[], datetime],
        owner: Owner,
    ) -> RunRecord:
        """Make the run of a slot, one of ``runs``. Changes nothing here, so that several may be made at once."""
        run_id = str(ULID.from_datetime(clock()))
        plan = RunPlan(
            id=run_id,
            folder=self.workspace.runs_dir / run_id,
            trial=self.id,
            arm=slot.arm,
            replicate=slot.replicate,
            position=slot.position,
            attempt=attempt,
        )
        listener(
            RunStarted(
                run=plan.id,
                task=self.ready.task.name,
                condition=slot.arm.condition,
                left_out=slot.arm.left_out,
                replicate=slot.replicate,
                position=slot.position,
                runs=runs,
            )
        )
        return execute_run(
            self.workspace,
            self.ready,
            self.pins,
            plan,
            sandbox,
            listener=listener,
            cancel=cancel,
            clock=clock,
            owner=owner,
        )

    def summary(self, *, seed: int, parallel: int, isolated: bool, cancelled: bool, finished: datetime) -> TrialSummary:
        """What the recorded runs come to."""
        records = sorted(self.records, key=lambda record: (record.position, record.attempt))
        arms = self.ready.arms
        results = tuple(arm_result(arm, records) for arm in arms)
        paired = {Arm(end) for end in PAIR} <= arms.keys()
        pairs = make_pairs(records, self.request.repeats) if paired else ()
        ready, agent = self.ready, self.ready.agent
        return TrialSummary(
            id=self.id,
            task=ready.task.name,
            kind=ready.task.kind,
            agent=agent.name,
            agent_version=agent.version,
            agent_title=agent.title,
            model=ready.model,
            dataset=ready.dataset.name,
            synthetic=ready.dataset.synthetic,
            schema_name="native" if ready.schema is None else ready.schema.plan.name,
            schema_seed=0 if ready.schema is None else ready.schema.plan.seed,
            mapped=self.request.map_skill,
            reference_lineage=ready.dataset.lineage,
            sandbox=ready.sandbox,
            isolated=isolated,
            seed=seed,
            repeats=self.request.repeats,
            parallel=parallel,
            order=tuple(record.id for record in records),
            replicates=tuple(record.replicate for record in records),
            reused=tuple(self.reused),
            started=self.started,
            finished=finished,
            cancelled=cancelled,
            conditions=results,
            pairs=pairs,
            delta=mean_delta(pairs),
            column_deltas=column_deltas(results),
            unscored=unscored_runs(records),
            decisions=recorded_decisions(records),
            ablation=() if self.request.ablate is None else section_effects(results),
        )


class Known:
    """Finished runs by resume key: whatever their outcome, if it says something about the agent or waits for a person.

    To take the scored ones only would try the failed ones again until they succeed.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._runs: dict[str, list[RunRecord]] = {}
        for record in load_runs(workspace):
            if record.outcome.counts or record.outcome is Outcome.AUDIT_HOLD:
                self._runs.setdefault(record.resume_key, []).append(record)

    def take(self, course: Course, slot: Slot) -> RunRecord | None:
        """A run with the very inputs of the slot, as if it had been made there; each is taken once.

        The newest of the same replicate comes first, so that pairs stay the pairs they were.
        """
        found = self._runs.get(course.ready.inputs(slot.arm).resume_key, [])
        if not found:
            return None
        best = max(found, key=lambda record: (record.replicate == slot.replicate, record.id))
        found.remove(best)
        return best.model_copy(update={"replicate": slot.replicate, "position": slot.position, "attempt": 1})
