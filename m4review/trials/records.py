"""Records of runs and trials: what is kept, where, and how it is read again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from m4review.errors import M4ReviewError, TrialError
from m4review.scoring import Score
from m4review.textfile import read_text
from m4review.trials.agents.trace import TraceSummary
from m4review.trials.audit import Audit
from m4review.trials.conditions import Arm, Condition
from m4review.trials.decisions import HoldDecision, in_force, read_decisions
from m4review.workspace import Workspace

RUN_FILE = "run.json"
RUN_SCHEMA: Literal["m4review.run.v1"] = "m4review.run.v1"
TRIAL_SCHEMA: Literal["m4review.trial.v1"] = "m4review.trial.v1"
MAX_RECORD_BYTES = 64_000_000

Record = TypeVar("Record", bound=BaseModel)
OnError = Callable[[M4ReviewError], None]


SchemaShown = Literal["native", "obfuscated", "restructured"]
"""The tables that an agent finds: the dataset's own or those of a changed schema."""


class Outcome(StrEnum):
    """How a run ended. Only the first five say something about the agent."""

    SCORED = "scored"
    NO_OUTPUT = "no_output"
    INVALID_OUTPUT = "invalid_output"
    AGENT_TIMEOUT = "agent_timeout"
    AGENT_ERROR = "agent_error"
    INFRA_ERROR = "infra_error"
    AUDIT_HOLD = "audit_hold"
    CANCELLED = "cancelled"

    @property
    def counts(self) -> bool:
        """Whether the run enters a mean: scored with its reward, the agent's own failures with 0."""
        return self not in {Outcome.INFRA_ERROR, Outcome.AUDIT_HOLD, Outcome.CANCELLED}


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SkillUsed(_Part):
    """A skill as it was given, or the control in its place. ``version`` is ``None`` for unrecorded content."""

    name: str
    digest: str
    version: int | None
    place: Literal["skill", "prompt"] = "skill"
    """Where the agent found it: in a folder of skills, or as text after the instruction."""
    mapped: str | None = None
    """Digest of what was given where names were replaced for a changed schema; ``digest`` stays the skill's own."""


class Inputs(_Part):
    """Everything that decides a run's result: the same inputs give the same resume key."""

    task: str
    kind: str
    task_digest: str
    condition: Condition
    left_out: str | None = None
    """Title of the section that an ablation left out of the skill."""
    skills: tuple[SkillUsed, ...]
    agent: str
    agent_version: str
    agent_source: str
    """Digest of the agent's declaration and of what its image is made from."""
    model: str | None
    server: str | None = None
    """Address of the model's server, without its key."""
    effort: str | None
    image: str | None
    """Id of the image; ``None`` without a container."""
    sandbox: Literal["docker", "local"]
    limits: dict[str, int | float]
    dataset: str
    dataset_digest: str
    database_digest: str
    """Digest of what the task sees: tables, concepts and the engine that made them."""
    schema_name: SchemaShown = "native"
    schema_seed: int = 0
    """What the names of an obfuscated schema were drawn from; 0 where nothing is drawn."""
    schema_digest: str | None = None
    """Digest of a changed schema: every rewritten table and the dictionary; ``None`` for the native one."""
    reference_digest: str
    reference_lineage: str
    """As ``Dataset.lineage``: whose definitions the references follow, and whether concepts are not ours."""
    tool_version: str
    duckdb_version: str

    @property
    def arm(self) -> Arm:
        """The arm of the trial that these are the inputs of."""
        return Arm(self.condition, self.left_out)

    @property
    def resume_key(self) -> str:
        """SHA-256 over all of it, version numbers of skills aside: they are names, the digest is the content.

        What only a changed schema has is left out on the native one, so that runs keep the keys they were made with.
        """
        values = self.model_dump(mode="json")
        for skill in values["skills"]:
            del skill["version"]
            if skill["mapped"] is None:
                del skill["mapped"]
        if self.schema_name == "native":
            del values["schema_name"], values["schema_seed"], values["schema_digest"]
        return "sha256:" + hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


class MountEntry(_Part):
    """One thing the agent could read. ``digest`` is of the file, or of what the file was made from."""

    target: str
    size: int
    digest: str


class KeptFile(_Part):
    """A file of the run folder, as it was when the record was written."""

    size: int
    sha256: str


FailureKind = Literal["sandbox", "data", "auth", "rate-limit", "server"]
"""What kept a run from counting: the sandbox or scoring, data that changed under the run, or the model's server."""

RETRIED: frozenset[FailureKind] = frozenset({"sandbox", "rate-limit", "server"})
"""Failures that may be over the next time."""


class RunRecord(_Part):
    """One execution of one agent on one task under one condition."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    schema_id: Literal["m4review.run.v1"] = Field(default=RUN_SCHEMA, alias="schema")
    id: str
    trial: str
    replicate: int
    position: int
    """Place in the order in which the trial's runs were made, from 1."""
    attempt: int
    outcome: Outcome
    reason: str | None = None
    """One sentence on why the run was not scored."""
    failure: FailureKind | None = None
    """What failed, for an ``infra_error``."""
    if_released: Outcome | None = None
    """For an ``audit_hold``: how the run ended otherwise, which is its outcome once a person released it."""
    isolated: bool
    inputs: Inputs
    resume_key: str
    started: datetime
    finished: datetime
    seconds: dict[str, float]
    """Duration per phase."""
    exit_code: int | None = None
    mounts: tuple[MountEntry, ...] = ()
    output_sha256: str | None = None
    score: Score | None = None
    audit: Audit | None = None
    trace: TraceSummary | None = None
    egress: dict[str, int] = {}
    """Network connections by kind, as the sandbox's sidecars saw them; empty without a network."""
    files: dict[str, KeptFile] = {}
    """What the run folder holds beside the record."""
    price_usd: float | None = None
    """What the model's server charged; ``None`` when it did not say. It is never computed from a price list."""
    notes: tuple[str, ...] = ()
    decision: HoldDecision | None = Field(default=None, exclude=True)
    """What a person decided about a held run. It lies beside the record, never in it."""

    @property
    def waits(self) -> bool:
        """Whether the audit holds the run and nobody has decided yet."""
        return self.outcome is Outcome.AUDIT_HOLD and self.decision is None

    @property
    def reward(self) -> float | None:
        """What enters the mean: the score's reward, 0 for the agent's own failure, ``None`` when it does not count."""
        if not self.outcome.counts:
            return None
        return self.score.reward if self.outcome is Outcome.SCORED and self.score is not None else 0.0


def run_folder(workspace: Workspace, run_id: str) -> Path:
    """Where the record, trace and output of a run lie: a trial's own, or one that a campaign made."""
    places = [workspace.runs_dir, *workspace.campaign_runs_dirs()]
    return next((place / run_id for place in places if (place / run_id).is_dir()), workspace.runs_dir / run_id)


def load_run(workspace: Workspace, run_id: str) -> RunRecord:
    """The record of a run, with what a person decided about it applied.

    Raises:
        TrialError: there is none, it cannot be understood, or the decisions about it were changed.
    """
    return read_run(run_folder(workspace, run_id))


def read_run(folder: Path) -> RunRecord:
    """The record of the run in a folder, wherever it lies, with what a person decided about it applied.

    Raises:
        TrialError: as ``load_run``.
    """
    return _with_decision(read_record(folder / RUN_FILE, RunRecord), folder)


def load_runs(
    workspace: Workspace, on_error: OnError = lambda error: None, *, campaigns: bool = False
) -> list[RunRecord]:
    """Every finished run of trials, oldest first, with decisions applied; folders of unfinished runs are passed over.

    With ``campaigns`` those that campaigns made come with them.
    A record that cannot be understood is given to ``on_error`` and hides no other. One whose decisions were changed is
    given to ``on_error`` too and stays held.
    """
    records = []
    places = [workspace.runs_dir, *(workspace.campaign_runs_dirs() if campaigns else [])]
    paths = [path for place in places for path in place.glob(f"*/{RUN_FILE}")]
    for path in sorted(paths, key=lambda path: path.parent.name):
        try:
            record = read_record(path, RunRecord)
        except M4ReviewError as error:
            on_error(error)
            continue
        try:
            record = _with_decision(record, path.parent)
        except M4ReviewError as error:
            on_error(error)
        records.append(record)
    return records


def _with_decision(record: RunRecord, folder: Path) -> RunRecord:
    """A record with the decision in force. A released run has the outcome it would have had without a finding."""
    decision = in_force(read_decisions(folder, RUN_FILE)) if record.outcome is Outcome.AUDIT_HOLD else None
    if decision is None:
        return record
    ended = record.if_released or (Outcome.SCORED if record.score is not None else None)
    if decision.decision == "confirmed" or ended is None:
        return record.model_copy(update={"decision": decision})
    return record.model_copy(update={"decision": decision, "outcome": ended})


def to_json(record: BaseModel) -> bytes:
    """A record as it is written: readable JSON with its schema first."""
    return (record.model_dump_json(by_alias=True, indent=1) + "\n").encode()


def read_record(path: Path, model: type[Record]) -> Record:
    """A record from its file.

    Raises:
        TrialError: missing, or not of this form.
    """
    if not path.is_file():
        raise TrialError("no such record", where=path)
    try:
        return model.model_validate_json(read_text(path, max_bytes=MAX_RECORD_BYTES).text)
    except ValidationError as error:
        first = error.errors()[0]
        raise TrialError(
            f"the record cannot be understood: {'.'.join(map(str, first['loc']))}: {first['msg']}",
            where=path,
            fix="remove it if it is of no use any more",
        ) from None


def read_records(paths: Iterable[Path], model: type[Record], on_error: OnError) -> list[Record]:
    """The records that can be read, in the order of ``paths``."""
    records = []
    for path in paths:
        try:
            records.append(read_record(path, model))
        except M4ReviewError as error:
            on_error(error)
    return records
