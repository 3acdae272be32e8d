"""What a running trial reports: frozen events for a screen, a terminal or a log."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from m4review.trials.conditions import Condition
from m4review.trials.records import RunRecord
from m4review.trials.sandbox.job import Phase


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TrialStarted(_Event):
    """The order of the runs is fixed."""

    kind: Literal["trial-started"] = "trial-started"
    trial: str
    task: str
    runs: int


class RunStarted(_Event):
    """A run begins. ``position`` of ``runs``, from 1."""

    kind: Literal["run-started"] = "run-started"
    run: str
    task: str
    condition: Condition
    left_out: str | None = None
    replicate: int
    position: int
    runs: int


class PhaseStarted(_Event):
    """A phase of a run begins."""

    kind: Literal["phase-started"] = "phase-started"
    run: str
    phase: Phase


class PhaseEnded(_Event):
    """A phase of a run ended, well or not."""

    kind: Literal["phase-ended"] = "phase-ended"
    run: str
    phase: Phase
    seconds: float


class TraceLine(_Event):
    """Something the agent did, in one line. ``event`` is ``raw`` for a line that was not understood."""

    kind: Literal["trace"] = "trace"
    run: str
    event: str
    text: str


class TokensCounted(_Event):
    """What a model was given and gave in a run so far; ``None`` where its program does not say."""

    kind: Literal["tokens"] = "tokens"
    run: str
    input_tokens: int | None
    output_tokens: int | None


class RunFinished(_Event):
    """A run ended and its record is written."""

    kind: Literal["run-finished"] = "run-finished"
    record: RunRecord


class Progressed(_Event):
    """How far all runs are. ``seconds_left`` comes from the runs that were measured; ``None`` while none was."""

    kind: Literal["progressed"] = "progressed"
    done: int
    runs: int
    seconds_left: float | None


class Notice(_Event):
    """Something a person should know."""

    kind: Literal["notice"] = "notice"
    text: str


TrialEvent = (
    TrialStarted
    | RunStarted
    | PhaseStarted
    | PhaseEnded
    | TraceLine
    | TokensCounted
    | RunFinished
    | Progressed
    | Notice
)
