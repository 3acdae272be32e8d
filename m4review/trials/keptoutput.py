"""The output that a run kept and the reference it was scored against, together again."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from m4review.ehr import open_dataset, pin_reference
from m4review.ehr.dataset import file_sha256
from m4review.errors import TrialError
from m4review.tasks import Task
from m4review.trials.claims import private_folder
from m4review.trials.records import RunRecord, run_folder
from m4review.trials.sandbox.job import OUTPUT_NAME
from m4review.workspace import Workspace


@dataclass(frozen=True, slots=True)
class KeptOutput:
    """What can be scored again. ``reference`` is a copy of its own and has ``reference_sha256``."""

    task: Task
    output: Path
    output_sha256: str
    reference: Path
    reference_sha256: str


@contextmanager
def kept_output(
    workspace: Workspace,
    record: RunRecord,
    environment: Mapping[str, str],
    *,
    folder: Path | None = None,
    other_reference: bool = False,
) -> Iterator[KeptOutput]:
    """The output of a run beside the reference of its task and dataset, by the present task card.

    ``folder`` is where the run lies, if not among the runs of the workspace.

    Raises:
        TrialError: the run left no output, its output is not the one it kept, or the reference is another than then
            and ``other_reference`` does not allow that.
        DatasetError: the dataset or the reference is not there.
    """
    output = (folder or run_folder(workspace, record.id)) / OUTPUT_NAME
    if record.output_sha256 is None or not output.is_file():
        gone = record.output_sha256 is not None
        raise TrialError(f"the run {'kept an output that is gone' if gone else 'left no output'}", where=record.id)
    if file_sha256(output) != record.output_sha256:
        raise TrialError(
            "the output is not the one that the run kept", where=output, expected=f"SHA-256 {record.output_sha256}"
        )
    task = workspace.task(record.inputs.task)
    dataset = open_dataset(workspace.data_home(environment), record.inputs.dataset)
    private_folder(workspace.local_dir)
    with tempfile.TemporaryDirectory(prefix="rescore-", dir=workspace.local_dir) as scratch:
        reference = pin_reference(dataset, task, Path(scratch) / "reference.parquet")
        now = file_sha256(reference)
        if now != record.inputs.reference_digest and not other_reference:
            raise TrialError(
                "the reference is not the one that the run was scored against",
                where=record.id,
                expected=f"SHA-256 {record.inputs.reference_digest}, and it is {now}",
                fix="add --other-reference to score against the present one all the same",
            )
        yield KeptOutput(task, output, record.output_sha256, reference, now)
