"""One run: the sandbox, then the audit, then the score, then the record."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from m4review.ehr.dataset import file_sha256
from m4review.scoring import InvalidOutputError, NoOutputError, Score, ScoringSpec
from m4review.textfile import write_bytes
from m4review.trials.agents.trace import TraceSummary
from m4review.trials.audit import Audit, Auditor
from m4review.trials.claims import OWNER_FILE, claim_folder, release_folder
from m4review.trials.conditions import Arm
from m4review.trials.discretion import Discretion
from m4review.trials.events import RunFinished, TrialEvent
from m4review.trials.observation import Observer, Phases
from m4review.trials.pins import Pins
from m4review.trials.preparation import Prepared
from m4review.trials.records import RUN_FILE, FailureKind, KeptFile, Outcome, RunRecord, to_json
from m4review.trials.sandbox.job import (
    OUTPUT_NAME,
    STDERR_NAME,
    Sandbox,
    SandboxFailure,
    SandboxResult,
    Watch,
)
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.scorer import ScoreRequest, ScoringCancelledError, score_in_process
from m4review.trials.timeline import Timeline
from m4review.workspace import Workspace

Listener = Callable[[TrialEvent], None]
Clock = Callable[[], datetime]

TAIL_BYTES = 8_000
SERVER_FAILURES = {
    "auth": "the model's server refused the key",
    "rate-limit": "the model's server takes no more requests for now",
    "server": "the model's server failed",
}
"""Why a run does not count that failed at the model's server."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """Which run of a trial this is, and where its record, trace and output are to lie."""

    id: str
    folder: Path
    trial: str
    arm: Arm
    replicate: int
    position: int
    attempt: int


@dataclass(frozen=True, slots=True)
class _Ending:
    """How a run ended, as far as it came."""

    outcome: Outcome
    reason: str | None = None
    failure: FailureKind | None = None
    if_released: Outcome | None = None
    result: SandboxResult | None = None
    audit: Audit | None = None
    score: Score | None = None


def execute_run(
    workspace: Workspace,
    prepared: Prepared,
    pins: Pins,
    plan: RunPlan,
    sandbox: Sandbox,
    *,
    listener: Listener,
    cancel: threading.Event,
    clock: Clock,
    owner: Owner,
) -> RunRecord:
    """Run once and keep the record. ``pins`` are of the prepared folder.

    Raises:
        TrialError: the run folder cannot be written. Every other failure is an outcome.
    """
    folder = plan.folder
    claim_folder(folder, owner)
    started = clock()
    phases = Phases(plan.id, listener)
    with Timeline(folder, Discretion.for_materials(prepared.materials(plan.arm))) as timeline:
        observer = Observer(
            parser=prepared.agent.parser,
            auditor=_auditor(workspace, prepared, folder, sandbox.isolated),
            timeline=timeline,
            phases=phases,
            listener=listener,
            secrets=prepared.secrets,
        )
        changed = pins.changed()
        if changed is None:
            ending = _run(prepared, plan, folder, sandbox, observer, phases, cancel)
            changed = pins.changed()
            if changed is not None:
                ending = _on_other_data(ending, changed, "while the run was under way")
        else:
            ending = _on_other_data(_Ending(Outcome.INFRA_ERROR), changed, "before the run began")
    result = ending.result
    inputs = prepared.inputs(plan.arm)
    record = RunRecord(
        id=plan.id,
        trial=plan.trial,
        replicate=plan.replicate,
        position=plan.position,
        attempt=plan.attempt,
        outcome=ending.outcome,
        reason=ending.reason,
        failure=ending.failure,
        if_released=ending.if_released,
        isolated=sandbox.isolated,
        inputs=inputs,
        resume_key=inputs.resume_key,
        started=started,
        finished=clock(),
        seconds=phases.seconds,
        exit_code=None if result is None else result.exit_code,
        mounts=prepared.manifest(plan.arm),
        output_sha256=_output_digest(folder),
        score=ending.score,
        audit=ending.audit,
        trace=observer.trace.summary(),
        egress={} if result is None else dict(sorted(Counter(attempt.kind for attempt in result.egress).items())),
        files=_kept(folder),
        notes=() if result is None else result.notes,
    )
    write_bytes(folder / RUN_FILE, to_json(record))
    release_folder(folder)
    listener(RunFinished(record=record))
    return record


def _run(
    prepared: Prepared,
    plan: RunPlan,
    folder: Path,
    sandbox: Sandbox,
    observer: Observer,
    phases: Phases,
    cancel: threading.Event,
) -> _Ending:
    """Sandbox, audit and score; whatever fails on the way is an ending."""
    ending = _Ending(Outcome.INFRA_ERROR, failure="sandbox")
    try:
        watch = Watch(phases, observer.auditor.visit, observer.trace_line, cancel, observer.screen)
        result = sandbox.run(prepared.job(plan.arm, plan.id, folder), watch)
        outcome, reason = _outcome_of(result)
        ending = replace(ending, result=result)
        with phases("audit"):
            audit = observer.audit(result, folder, scored=outcome is Outcome.SCORED)
        ending = replace(ending, audit=audit)
        if outcome is Outcome.SCORED:
            with phases("score"):
                ending = replace(ending, score=_score(prepared, folder, cancel))
        ending = replace(ending, outcome=outcome, reason=reason, failure=None)
    except NoOutputError as error:
        ending = replace(ending, outcome=Outcome.NO_OUTPUT, reason=error.what, failure=None)
    except InvalidOutputError as error:
        ending = replace(ending, outcome=Outcome.INVALID_OUTPUT, reason=error.what, failure=None)
    except ScoringCancelledError:
        ending = replace(ending, outcome=Outcome.CANCELLED, reason="stopped while the output was scored", failure=None)
    except SandboxFailure as error:
        ending = replace(ending, reason=" ".join([error.what, *getattr(error, "__notes__", ())]))
    return _held(_blamed(ending, prepared, observer.trace.summary(), folder))


def _auditor(workspace: Workspace, prepared: Prepared, folder: Path, isolated: bool) -> Auditor:
    """A sealed sandbox shows no path of the host; without one the agent may name what it was given."""
    hidden = [workspace.root, prepared.dataset.path] if isolated else []
    return Auditor(
        forbidden=[prepared.reference, *hidden],
        own=[] if isolated else [folder, prepared.folder],
        reference=prepared.reference_digest,
        spool=folder,
    )


def _held(ending: _Ending) -> _Ending:
    """The ending, or the hold in its place when the audit found something in a run that would count."""
    if ending.audit is None or not ending.audit.held or not ending.outcome.counts:
        return ending
    reason = f"the audit found: {ending.audit.findings[0].why}"
    return replace(ending, outcome=Outcome.AUDIT_HOLD, reason=reason, if_released=ending.outcome)


def _on_other_data(ending: _Ending, file: str, when: str) -> _Ending:
    reason = f"the data changed {when}: {file} is not what it was when the trial began"
    return replace(ending, outcome=Outcome.INFRA_ERROR, reason=reason, failure="data", if_released=None, score=None)


def _blamed(ending: _Ending, prepared: Prepared, trace: TraceSummary, folder: Path) -> _Ending:
    """The ending with the failure laid where the agent's program lays it: at the key, the model's server, the model."""
    result = ending.result
    left_nothing = ending.outcome in {Outcome.NO_OUTPUT, Outcome.AGENT_ERROR}
    broke_off = ending.outcome is Outcome.SCORED and result is not None and bool(result.exit_code)
    if result is None or not (left_nothing or broke_off):
        return ending
    kind = prepared.agent.classify(trace, result.exit_code, _tail(folder / STDERR_NAME))
    match kind:
        case "auth" | "rate-limit" | "server":
            reason = SERVER_FAILURES[kind]
            return replace(ending, outcome=Outcome.INFRA_ERROR, failure=kind, reason=reason, score=None)
        case "refusal" if left_nothing:
            return replace(ending, outcome=Outcome.AGENT_ERROR, reason="the model refused")
        case _:
            return ending


def _tail(path: Path) -> str:
    """The last words of a kept stream."""
    if not path.is_file():
        return ""
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - TAIL_BYTES))
        return stream.read().decode("utf-8", "replace")


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


def _score(prepared: Prepared, folder: Path, cancel: threading.Event) -> Score:
    spec = ScoringSpec.from_task(prepared.task)
    request = ScoreRequest(output=folder / OUTPUT_NAME, reference=prepared.reference, spec=spec)
    return score_in_process(request, cancel)


def _output_digest(folder: Path) -> str | None:
    path = folder / OUTPUT_NAME
    return file_sha256(path) if path.is_file() else None


def _kept(folder: Path) -> dict[str, KeptFile]:
    """Every file beside the record, with its digest."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != OWNER_FILE)
    return {
        path.relative_to(folder).as_posix(): KeptFile(size=path.stat().st_size, sha256=file_sha256(path))
        for path in paths
    }
