"""Scoring a run again from what it kept, without running anything: the old figures and the new ones side by side."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from m4review import __version__
from m4review.reviews import task_digest
from m4review.scoring import InvalidOutputError, NoOutputError, Score, ScoringSpec
from m4review.tasks import INSTRUCTION_FILE, TASK_FILE
from m4review.trials.conditions import Condition
from m4review.trials.keptoutput import kept_output
from m4review.trials.records import RunRecord
from m4review.trials.scorer import ScoreRequest, score_in_process
from m4review.workspace import Workspace


class Rescored(BaseModel):
    """A run's score then and now. ``None`` where the output could not be scored; ``problem`` says why it cannot now."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: str
    trial: str
    task: str
    condition: Condition
    left_out: str | None
    replicate: int
    old: Score | None
    new: Score | None
    problem: str | None
    output_sha256: str
    reference_then: str
    reference_now: str
    card_changed: bool
    """Whether the task card is another than the run was scored by."""
    tool_then: str
    tool_now: str

    @property
    def same_reference(self) -> bool:
        """Whether both scores are against the same bytes."""
        return self.reference_then == self.reference_now

    @property
    def differs(self) -> bool:
        """Whether any figure of the score is another now."""
        return self.old != self.new


def rescore(
    workspace: Workspace,
    record: RunRecord,
    *,
    folder: Path | None = None,
    other_reference: bool = False,
    environment: Mapping[str, str] = os.environ,
    cancel: threading.Event | None = None,
) -> Rescored:
    """Score the output that the run kept, by the present task card and scoring.

    ``folder`` is where the run lies, if not among the runs of the workspace.

    Raises:
        TrialError: the run left no output, its output is not the one it kept, or the reference is another than then
            and ``other_reference`` does not allow that.
        DatasetError: the dataset or the reference is not there.
        SandboxFailure: scoring failed.
    """
    with kept_output(workspace, record, environment, folder=folder, other_reference=other_reference) as kept:
        task, output_sha256, now = kept.task, kept.output_sha256, kept.reference_sha256
        request = ScoreRequest(output=kept.output, reference=kept.reference, spec=ScoringSpec.from_task(task))
        new, problem = _score(request, cancel or threading.Event())
    card, instruction = ((task.path / name).read_bytes() for name in (TASK_FILE, INSTRUCTION_FILE))
    return Rescored(
        run=record.id,
        trial=record.trial,
        task=task.name,
        condition=record.inputs.condition,
        left_out=record.inputs.left_out,
        replicate=record.replicate,
        old=record.score,
        new=new,
        problem=problem,
        output_sha256=output_sha256,
        reference_then=record.inputs.reference_digest,
        reference_now=now,
        card_changed=task_digest(card, instruction) != record.inputs.task_digest,
        tool_then=record.inputs.tool_version,
        tool_now=__version__,
    )


def _score(request: ScoreRequest, cancel: threading.Event) -> tuple[Score | None, str | None]:
    try:
        return score_in_process(request, cancel), None
    except (NoOutputError, InvalidOutputError) as error:
        return None, error.what
