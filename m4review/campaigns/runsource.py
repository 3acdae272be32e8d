"""Where the runs of a report come from: a campaign of this workspace, files of runs, or both side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from m4review.campaigns.cells import RunFileError
from m4review.campaigns.folder import CampaignFolder
from m4review.campaigns.ownruns import runs_of
from m4review.campaigns.runfile import join_runs, read_run_file
from m4review.campaigns.runs import Run, TaskFacts
from m4review.errors import one_of
from m4review.trials.canary.proofs import kept_reports
from m4review.trials.records import RunRecord
from m4review.workspace import Workspace


@dataclass(frozen=True, slots=True)
class RunSource:
    """Runs with what is known of where they come from."""

    runs: list[Run]
    names: tuple[str, ...]
    """The campaign and the files, without their folders."""
    records: tuple[RunRecord, ...] = ()
    """The records behind the runs of a campaign."""
    notes: tuple[str, ...] = ()
    """What the campaign still lacks."""


def read_source(
    workspace: Workspace, facts: Mapping[str, TaskFacts], *, campaign: str | None, files: Sequence[Path]
) -> RunSource:
    """The runs of the campaign of that name, of ``files``, or of both.

    Raises:
        RunFileError: neither is given, a file cannot be understood, two hold the same run, or a run is of no task here.
        CampaignError, TrialError: there is no such campaign, or its folder was changed.
    """
    if campaign is None and not files:
        raise RunFileError(
            "there are no runs to report on",
            expected="the name of a campaign, or --runs FILE.csv",
            fix="m4review campaign list shows the campaigns of this workspace",
        )
    own = None if campaign is None else campaign_source(workspace, facts, campaign)
    found = {} if own is None else {own.names[0]: own.runs}
    for path in files:
        name = str(path)
        if name in found:
            raise RunFileError("the file is given twice", where=path, fix="give each file once")
        found[name] = read_run_file(path, facts)
    return RunSource(
        runs=join_runs(found),
        names=(*(own.names if own else ()), *(path.name for path in files)),
        records=own.records if own else (),
        notes=own.notes if own else (),
    )


def campaign_source(workspace: Workspace, facts: Mapping[str, TaskFacts], name: str) -> RunSource:
    """The runs that count for a campaign.

    Raises:
        RunFileError: no block of it is done yet, or a task of it is no longer in this workspace.
        CampaignError, TrialError: there is no such campaign, or its folder was changed.
    """
    folder = CampaignFolder.open(workspace, name)
    records = folder.records()
    if not records:
        raise RunFileError(f"no block of the campaign {name} is done yet", fix=f"m4review campaign run {name}")
    runs = runs_of(records, proofs=kept_reports(workspace.data_home()))
    for run in runs:
        if run.task not in facts:
            raise RunFileError(f"no task {run.task!r}", where=name, expected=one_of(run.task, facts))
    return RunSource(
        runs=runs,
        names=(f"campaign {name}",),
        records=tuple(record for _, _, record in records),
        notes=_notes(folder),
    )


def _notes(folder: CampaignFolder) -> tuple[str, ...]:
    missing, blocks = len(folder.missing()), len(folder.manifest.blocks)
    again = sum(len(done.infra_errors) for done in folder.done().values())
    notes = []
    if missing:
        notes.append(f"{missing} of the campaign's {blocks} blocks are not done: the matrix has holes")
    if again:
        notes.append(
            f"{again} runs failed through no fault of the agent and were made again; they are not in any table"
        )
    return tuple(notes)
