"""What a report says beside the runs: the task cards, who reviewed the skills, what the agents were given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from m4review.campaigns.runs import Run
from m4review.campaigns.specification import SpecificationCurve, given_texts, specification_curve
from m4review.ehr import open_dataset
from m4review.errors import DatasetError, M4ReviewError
from m4review.reviews import Ledger
from m4review.reviews.provenance import Provenance, ValidityAudit, provenance, validity_audits
from m4review.tasks import Task
from m4review.trials.records import RunRecord
from m4review.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Background:
    """Read from the workspace once; the report itself reads nothing."""

    sources: tuple[str, ...] = ()
    """Where the runs come from."""
    cards: tuple[Task, ...] = ()
    provenance: tuple[Provenance, ...] | None = None
    """``None`` without a ledger; ``why_no_provenance`` then says why."""
    why_no_provenance: str = "no workspace was read"
    audits: tuple[ValidityAudit, ...] = ()
    specification: SpecificationCurve | None = None
    references: tuple[tuple[str, ...], ...] = ()
    """Task, lineage, beginning of the digest and dataset of each reference, where the runs say it."""
    synthetic: tuple[str, ...] = ()
    """Datasets behind the runs that are made up."""
    notes: tuple[str, ...] = ()
    """Sentences about what the runs lack."""


def background_of(
    workspace: Workspace,
    runs: Sequence[Run],
    *,
    sources: Iterable[str],
    records: Iterable[RunRecord] = (),
    notes: Iterable[str] = (),
    viewer: str | None = None,
) -> Background:
    """Read what the report needs beside ``runs``. ``viewer`` is who reads it: open rounds stay sealed for others."""
    cards = tuple(entry.task for entry in workspace.tasks if entry.task is not None)
    named = {run.task for run in runs}
    entries, why_not = None, ""
    try:
        entries = provenance(workspace, Ledger.load(workspace), viewer)
    except M4ReviewError as error:
        why_not = f"the ledger cannot be read ({error.what})"
    texts = given_texts(workspace, [card for card in cards if card.name in named])
    records = list(records)
    references = {
        (
            record.inputs.task,
            record.inputs.reference_lineage,
            record.inputs.reference_digest.removeprefix("sha256:")[:12],
            record.inputs.dataset,
        )
        for record in records
    }
    return Background(
        sources=tuple(sources),
        cards=cards,
        provenance=entries,
        why_no_provenance=why_not,
        audits=validity_audits(workspace),
        specification=specification_curve(runs, texts),
        references=tuple(sorted(references)),
        synthetic=_synthetic(workspace, {record.inputs.dataset for record in records}),
        notes=tuple(notes),
    )


def _synthetic(workspace: Workspace, names: Iterable[str]) -> tuple[str, ...]:
    """Which of these datasets are made up; one that is no longer here cannot say."""
    found = []
    for name in sorted(names):
        try:
            dataset = open_dataset(workspace.data_home(), name)
        except DatasetError:
            continue
        if dataset.synthetic:
            found.append(name)
    return tuple(found)
