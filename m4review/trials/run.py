"""One run: the sandbox, then the audit, then the score, then the record."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from m4review.scoring import InvalidOutputError, NoOutputError, Score, ScoringSpec
from m4review.trials.agents.trace import SHOWN, TraceReader
from m4review.trials.audit import Audit, Auditor
from m4review.trials.claims import claim_folder, release_folder
from m4review.trials.conditions import Arm
from m4review.trials.events import PhaseEnded, PhaseStarted, RunFinished, TraceLine, TrialEvent
from m4review.trials.preparation import Prepared
from m4review.trials.printable import printable
from m4review.trials.records import Outcome, RunRecord, run_folder, write_run
from m4review.trials.sandbox.job import (
    OUTPUT_NAME,
    STDERR_NAME,
    TRACE_NAME,
    Phase,
    Sandbox,
    SandboxFailure,
    SandboxJob,
    SandboxResult,
    Watch,
)
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.scorer import ScoreRequest, ScoringCancelledError, score_in_process
from m4review.workspace import Workspace

Listener = Callable[[TrialEvent], None]
Clock = Callable[[], datetime]

RAW_LINES_SHOWN = 200
"""Lines in which a trace that is not understood is shown live; its file holds them all."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """Which run of a trial this is."""

    id: str
    trial: str
    arm: Arm
    replicate: int
    position: int
    attempt: int


def execute_run(
    workspace: Workspace,
    prepared: Prepared,
    plan: RunPlan,
    sandbox: Sandbox,
    *,
    listener: Listener,
    cancel: threading.Event,
    clock: Clock,
    owner: Owner,
) -> RunRecord:
    """Run once and keep the record.

    Raises:
        TrialError: the run folder cannot be written. Every other failure is an outcome.
    """
    folder = run_folder(workspace, plan.id)
    claim_folder(folder, owner)
    phases = _Phases(plan.id, listener)
    started = clock()
    inputs = prepared.inputs(plan.arm)
    trace = TraceReader(prepared.agent.parser)
    local = not sandbox.isolated
    auditor = Auditor(
        forbidden=[prepared.reference] if local else [prepared.reference, workspace.root, prepared.dataset.path],
        own=[folder, prepared.folder] if local else [],
        reference=prepared.reference_digest,
    )

    def trace_line(line: bytes) -> None:
        event = trace.feed(line)
        if event is not None:
            auditor.look_at_event(event)
            if event.text:
                listener(TraceLine(run=plan.id, event=event.kind, text=event.text))
        elif line.strip() and trace.lines <= RAW_LINES_SHOWN:
            listener(TraceLine(run=plan.id, event="raw", text=printable(line.decode("utf-8", "replace"), SHOWN)))

    result: SandboxResult | None = None
    audit: Audit | None = None
    score: Score | None = None
    try:
        job = SandboxJob(
            run_id=plan.id,
            argv=prepared.argv(plan.arm),
            environment=prepared.agent.environment,
            limits=prepared.limits,
            database=prepared.database.path,
            mounts=prepared.binds(),
            materials=prepared.materials(plan.arm),
            record=folder,
            image=prepared.image,
        )
        result = sandbox.run(job, Watch(phases, auditor.visit, trace_line, cancel))
        with phases("audit"):
            if not result.left_complete:
                auditor.unfinished("the agent left more than can be looked at", scored=result.output == "present")
            auditor.look_at_record(folder / TRACE_NAME)
            auditor.look_at_record(folder / STDERR_NAME)
            audit = auditor.result(trace.summary(), trace_truncated=result.trace_truncated)
        outcome, reason = _outcome_of(result)
        if outcome is Outcome.SCORED:
            with phases("score"):
                score = _score(workspace, prepared, plan, cancel)
        if audit.held and outcome is not Outcome.CANCELLED:
            outcome, reason = Outcome.AUDIT_HOLD, f"the audit found: {audit.findings[0].why}"
    except (NoOutputError, InvalidOutputError) as error:
        outcome = Outcome.NO_OUTPUT if isinstance(error, NoOutputError) else Outcome.INVALID_OUTPUT
        reason = error.what
        if audit is not None and audit.held:
            outcome, reason = Outcome.AUDIT_HOLD, f"the audit found: {audit.findings[0].why}"
    except ScoringCancelledError:
        outcome, reason = Outcome.CANCELLED, "stopped while the output was scored"
    except SandboxFailure as error:
        outcome, reason = Outcome.INFRA_ERROR, " ".join([error.what, *getattr(error, "__notes__", ())])
    output = folder / OUTPUT_NAME
    record = RunRecord(
        id=plan.id,
        trial=plan.trial,
        replicate=plan.replicate,
        position=plan.position,
        attempt=plan.attempt,
        outcome=outcome,
        reason=reason,
        isolated=sandbox.isolated,
        inputs=inputs,
        resume_key=inputs.resume_key,
        started=started,
        finished=clock(),
        seconds=phases.seconds,
        exit_code=None if result is None else result.exit_code,
        mounts=prepared.manifest(plan.arm),
        output_sha256=_output_digest(audit, score) if output.is_file() else None,
        score=score,
        audit=audit,
        trace=trace.summary(),
        notes=() if result is None else result.notes,
    )
    write_run(workspace, record)
    release_folder(folder)
    listener(RunFinished(record=record))
    return record


def _outcome_of(result: SandboxResult) -> tuple[Outcome, str | None]:
    """What the sandbox's result says before scoring. An exit code alone is no failure: the output decides."""
    if result.ending == "cancelled":
        return Outcome.CANCELLED, "stopped while the agent ran"
    if result.ending == "deadline":
        return Outcome.AGENT_TIMEOUT, "the agent did not finish in its time"
    if result.output == "too large":
        return Outcome.INVALID_OUTPUT, "the output is larger than its limit"
    if result.output == "not a regular file":
        return Outcome.INVALID_OUTPUT, "the output is a link or special file, which is never followed"
    if result.output == "absent":
        if result.out_of_memory:
            return Outcome.AGENT_ERROR, "the agent used more memory than its limit and left no output"
        if result.exit_code:
            return Outcome.AGENT_ERROR, f"the agent ended with exit code {result.exit_code} and left no output"
        return Outcome.NO_OUTPUT, "the agent ended well and left no output"
    return Outcome.SCORED, None


def _score(workspace: Workspace, prepared: Prepared, plan: RunPlan, cancel: threading.Event) -> Score:
    request = ScoreRequest(
        output=run_folder(workspace, plan.id) / OUTPUT_NAME,
        reference=prepared.reference,
        spec=ScoringSpec.from_task(prepared.task),
    )
    return score_in_process(request, cancel)


def _output_digest(audit: Audit | None, score: Score | None) -> str | None:
    if score is not None:
        return score.output_sha256
    entries = () if audit is None else audit.left
    return next((entry.sha256 for entry in entries if entry.path == OUTPUT_NAME), None)


class _Phases:
    """Times the phases of a run and reports them."""

    def __init__(self, run_id: str, listener: Listener) -> None:
        self._run = run_id
        self._listener = listener
        self.seconds: dict[str, float] = {}

    @contextlib.contextmanager
    def __call__(self, phase: Phase) -> Iterator[None]:
        self._listener(PhaseStarted(run=self._run, phase=phase))
        began = time.monotonic()
        try:
            yield
        finally:
            lasted = round(time.monotonic() - began, 3)
            self.seconds[phase] = lasted
            self._listener(PhaseEnded(run=self._run, phase=phase, seconds=lasted))
