"""Scoring in a process of its own, so that a hostile or huge output can be given up at any moment.

``python -m m4review.trials.scorer`` reads a request from standard input and prints a score or the reason why there is
none; it is started by :func:`score_in_process` only.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from m4review.errors import ScoringError
from m4review.scoring import InvalidOutputError, NoOutputError, Score, ScoringSpec, score_output
from m4review.scoring.mistakes import Confusion
from m4review.trials.sandbox.job import SandboxFailure

SCORE_SECONDS = 1800
POLL_SECONDS = 0.02


class ScoreRequest(BaseModel):
    """What to score against what."""

    model_config = ConfigDict(frozen=True)

    output: Path
    reference: Path
    spec: ScoringSpec
    column: str | None = None
    """Count how this column's levels were mistaken instead of scoring."""


class ScoreAnswer(BaseModel):
    """A score, or why there is none. ``failure`` names the exception."""

    model_config = ConfigDict(frozen=True)

    score: Score | None = None
    confusion: Confusion | None = None
    failure: str | None = None
    message: str | None = None
    expected: str | None = None


class ScoringCancelledError(Exception):
    """The wish to stop came while the output was scored."""


def score_in_process(request: ScoreRequest, cancel: threading.Event, *, seconds: float = SCORE_SECONDS) -> Score:
    """The score of an output.

    Raises:
        NoOutputError, InvalidOutputError: the agent's fault.
        SandboxFailure: scoring itself failed or took too long.
        ScoringCancelledError: ``cancel`` was set.
    """
    answer = _answered(request, cancel, seconds)
    assert answer.score is not None
    return answer.score


def confusion_in_process(
    request: ScoreRequest, cancel: threading.Event, *, seconds: float = SCORE_SECONDS
) -> Confusion:
    """How the levels of the request's column were mistaken, in aggregate.

    Raises:
        NoOutputError, InvalidOutputError: the agent's fault.
        ScoringError: the column has no levels.
        SandboxFailure: counting failed or took too long.
        ScoringCancelledError: ``cancel`` was set.
    """
    answer = _answered(request, cancel, seconds)
    assert answer.confusion is not None
    return answer.confusion


def _answered(request: ScoreRequest, cancel: threading.Event, seconds: float) -> ScoreAnswer:
    process = subprocess.Popen(
        [sys.executable, "-m", "m4review.trials.scorer"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    deadline = time.monotonic() + seconds
    wanted: bytes | None = request.model_dump_json().encode()
    try:
        while True:
            with suppress(subprocess.TimeoutExpired):
                answer, complaint = process.communicate(wanted, POLL_SECONDS)
                break
            wanted = None
            if cancel.is_set():
                raise ScoringCancelledError
            if time.monotonic() > deadline:
                raise SandboxFailure(f"scoring took longer than {seconds:.0f} seconds", where=request.output)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    if process.returncode != 0:
        # The last line names the exception; what stands above may quote the output.
        last = complaint.decode(errors="replace").strip().splitlines()[-1:] or [f"exit {process.returncode}"]
        raise SandboxFailure(f"scoring failed ({last[0].partition(':')[0][:100]})", where=request.output)
    return _understood(ScoreAnswer.model_validate_json(answer), request)


def _understood(answer: ScoreAnswer, request: ScoreRequest) -> ScoreAnswer:
    if answer.failure is None:
        return answer
    message = answer.message or "no score"
    if answer.failure == NoOutputError.__name__:
        raise NoOutputError(message)
    if answer.failure == InvalidOutputError.__name__:
        raise InvalidOutputError(message)
    if request.column is not None:
        raise ScoringError(message, expected=answer.expected)
    raise SandboxFailure(f"scoring failed: {message}", where=request.output)


def _answer(request: ScoreRequest) -> ScoreAnswer:
    try:
        if request.column is None:
            return ScoreAnswer(score=score_output(request.output, request.reference, request.spec))
        from m4review.scoring.confusion import confusion_of

        return ScoreAnswer(confusion=confusion_of(request.output, request.reference, request.spec, request.column))
    except ScoringError as error:
        return ScoreAnswer(failure=type(error).__name__, message=error.what, expected=error.expected)


if __name__ == "__main__":
    print(_answer(ScoreRequest.model_validate_json(sys.stdin.read())).model_dump_json())
