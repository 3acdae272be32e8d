"""What people decided about runs that the audit holds: released or confirmed, by whom, why, and over what evidence.

Decisions lie beside the run's record in ``decisions.jsonl``, one line each, and lines are only ever added. Each binds
the SHA-256 of the record it judges and of the line before it, so that a changed line or another record is noticed.
The record itself stays as the run wrote it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from m4review.ehr.lock import writing_lock
from m4review.errors import TrialError
from m4review.trials.sandbox.capture import run_folder_error

DECISIONS_FILE = "decisions.jsonl"
LONGEST_REASON = 2_000

Verdict = Literal["released", "confirmed"]


class HoldDecision(BaseModel):
    """One person's decision over a held run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: str
    decision: Verdict
    """``released``: the run counts as if nothing had been found. ``confirmed``: it never counts."""
    by: str
    """Pseudonym of the reviewer."""
    reason: str = Field(min_length=1, max_length=LONGEST_REASON)
    at: datetime
    record: str
    """SHA-256 of the run's record, findings included."""
    previous: str | None
    """SHA-256 of the line before, ``None`` for the first."""


def read_decisions(folder: Path, record_name: str) -> tuple[HoldDecision, ...]:
    """The decisions about the run whose record lies in ``folder``, oldest first; the last one is in force.

    Raises:
        TrialError: a line was changed or removed, or it judges another record than the one that is there.
    """
    path = folder / DECISIONS_FILE
    if not path.is_file():
        return ()
    record = _sha256((folder / record_name).read_bytes())
    found: list[HoldDecision] = []
    previous: str | None = None
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            decision = HoldDecision.model_validate_json(line)
        except ValidationError:
            raise _broken(path, number, "the line is no decision") from None
        if decision.previous != previous:
            raise _broken(path, number, "the line before it is not the one it was written after")
        if decision.record != record:
            raise _broken(path, number, "the run's record is not the one that was judged")
        found.append(decision)
        previous = _sha256(line)
    return tuple(found)


def add_decision(
    folder: Path, record_name: str, *, run: str, decision: Verdict, by: str, reason: str, at: datetime
) -> HoldDecision:
    """Add a decision and return it.

    Raises:
        TrialError: no reason was given, the decisions there were changed, or the file cannot be written.
        DatasetError: another process decides about the run at this moment.
    """
    if not reason.strip() or len(reason) > LONGEST_REASON:
        raise TrialError(
            "a decision needs a reason", expected=f"one to {LONGEST_REASON:,} characters", fix="--reason 'what you saw'"
        )
    with writing_lock(folder, "a decision about this run"):
        read_decisions(folder, record_name)
        path = folder / DECISIONS_FILE
        lines = path.read_bytes().splitlines() if path.is_file() else []
        made = HoldDecision(
            run=run,
            decision=decision,
            by=by,
            reason=reason.strip(),
            at=at,
            record=_sha256((folder / record_name).read_bytes()),
            previous=_sha256(lines[-1]) if lines else None,
        )
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(descriptor, "ab") as stream:
                stream.write(made.model_dump_json().encode() + b"\n")
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise run_folder_error(path, error) from None
    return made


def in_force(decisions: Sequence[HoldDecision]) -> HoldDecision | None:
    """The decision that counts: the last one."""
    return decisions[-1] if decisions else None


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _broken(path: Path, line: int, what: str) -> TrialError:
    return TrialError(
        what,
        where=path,
        line=line,
        expected="decisions as they were recorded; lines are only ever added",
        fix="restore the file, or move it away and decide again; until then the run stays held",
    )
