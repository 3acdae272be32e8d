"""How the stages or scores of a trial were mistaken, per condition: counted where the data is, kept in aggregate only.

What is kept under ``.m4review/confusion`` are the counts with small ones hidden; it can be shown again where the data
is not. It says which output and reference it was counted from.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from m4review.errors import TrialError, one_of
from m4review.scoring import ScoringSpec
from m4review.scoring.mistakes import Confusion
from m4review.textfile import write_bytes
from m4review.trials.claims import private_folder
from m4review.trials.keptoutput import kept_output
from m4review.trials.records import Outcome, RunRecord, read_record, to_json
from m4review.trials.scorer import ScoreRequest, confusion_in_process
from m4review.trials.standing import runs_of
from m4review.trials.summary import TrialSummary
from m4review.workspace import Workspace

FOLDER = "confusion"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class RunConfusions(_Part):
    """What was counted of one run's output, by column."""

    schema_id: Literal["m4review.run-confusions.v1"] = Field(default="m4review.run-confusions.v1", alias="schema")
    run: str
    output_sha256: str
    reference_sha256: str
    columns: dict[str, Confusion]


class ArmConfusion(_Part):
    """One condition: the run that was counted, or why none could be."""

    label: str
    run: str | None
    confusion: Confusion | None
    why_not: str | None = None


class TrialConfusion(_Part):
    """One column of a trial, condition by condition, of one replicate."""

    schema_id: Literal["m4review.trial-confusion.v1"] = Field(default="m4review.trial-confusion.v1", alias="schema")
    trial: str
    task: str
    dataset: str
    column: str
    replicate: int
    arms: tuple[ArmConfusion, ...]


def trial_confusion(
    workspace: Workspace,
    summary: TrialSummary,
    column: str,
    *,
    replicate: int = 1,
    environment: Mapping[str, str] = os.environ,
    cancel: threading.Event | None = None,
) -> TrialConfusion:
    """How ``column`` was mistaken under each condition of the trial, sections left out aside.

    Raises:
        TrialError: no run has such a column or such a replicate, a run record cannot be read, or the reference is not
            the one of the trial.
        DatasetError: the dataset or its reference is not there.
        ScoringError: the column has no levels.
    """
    records = [record for record in runs_of(workspace, summary) if record.inputs.left_out is None]
    known = dict.fromkeys(part.name for record in records if record.score for part in record.score.columns)
    if column not in known:
        raise TrialError(f"no column {column!r} was scored", where=summary.id, expected=one_of(column, known))
    arms = []
    for result in (result for result in summary.conditions if result.left_out is None):
        runs = [one for one in records if one.inputs.arm == result.arm and one.replicate == replicate]
        if not runs:
            raise TrialError(f"there is no replicate {replicate}", where=summary.id, expected=f"1 to {summary.repeats}")
        record = runs[-1]
        if record.outcome is not Outcome.SCORED:
            why = record.outcome.value.replace("_", " ")
            arms.append(ArmConfusion(label=result.label, run=record.id, confusion=None, why_not=why))
            continue
        counted = run_confusion(workspace, record, column, environment=environment, cancel=cancel)
        arms.append(ArmConfusion(label=result.label, run=record.id, confusion=counted))
    return TrialConfusion(
        trial=summary.id,
        task=summary.task,
        dataset=summary.dataset,
        column=column,
        replicate=replicate,
        arms=tuple(arms),
    )


def run_confusion(
    workspace: Workspace,
    record: RunRecord,
    column: str,
    *,
    environment: Mapping[str, str] = os.environ,
    cancel: threading.Event | None = None,
) -> Confusion:
    """How ``column`` was mistaken in a run: what was kept, or counted now and kept.

    Raises:
        TrialError, DatasetError, ScoringError: as :func:`trial_confusion`.
    """
    path = workspace.local_dir / FOLDER / f"{record.id}.json"
    kept = _kept(path, record)
    if column in kept:
        return kept[column]
    with kept_output(workspace, record, environment) as found:
        spec = ScoringSpec.from_task(found.task)
        request = ScoreRequest(output=found.output, reference=found.reference, spec=spec, column=column)
        counted = confusion_in_process(request, cancel or threading.Event())
    private_folder(path.parent)
    whole = RunConfusions(
        run=record.id,
        output_sha256=str(record.output_sha256),
        reference_sha256=record.inputs.reference_digest,
        columns={**kept, column: counted},
    )
    write_bytes(path, to_json(whole))
    return counted


def _kept(path: Path, record: RunRecord) -> dict[str, Confusion]:
    """What was counted before, unless it was of another output or reference."""
    if not path.is_file():
        return {}
    before = read_record(path, RunConfusions)
    same = (before.output_sha256, before.reference_sha256) == (record.output_sha256, record.inputs.reference_digest)
    return dict(before.columns) if same else {}
