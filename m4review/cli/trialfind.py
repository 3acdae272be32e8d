"""Trials and runs by id, or by the beginning of one."""

from __future__ import annotations

import click

from m4review.errors import M4ReviewError, TrialError
from m4review.trials import RunRecord, TrialSummary, load_runs, load_trials
from m4review.trials.recorded import runs_by_version
from m4review.workspace import Workspace


def find(workspace: Workspace, identifier: str) -> TrialSummary | RunRecord:
    """The trial or run with that id, or the only one whose id begins so.

    Raises:
        TrialError: there is none, or several.
    """
    wanted = identifier.upper()
    trials = [entry for entry in load_trials(workspace, complain) if entry.id.startswith(wanted)]
    runs = [] if any(entry.id == wanted for entry in trials) else _runs(workspace, wanted)
    found: list[TrialSummary | RunRecord] = [*trials, *runs]
    return found[_only([_title(entry) for entry in found], identifier, "trial or run")]


def find_run(workspace: Workspace, identifier: str) -> RunRecord:
    """The run with that id, or the only one whose id begins so.

    Raises:
        TrialError: there is none, or several.
    """
    found = _runs(workspace, identifier.upper())
    return found[_only([_title(entry) for entry in found], identifier, "run")]


def find_trial(workspace: Workspace, identifier: str) -> TrialSummary:
    """The trial with that id, or the only one whose id begins so.

    Raises:
        TrialError: there is none, or several.
    """
    found = [entry for entry in load_trials(workspace, complain) if entry.id.startswith(identifier.upper())]
    return found[_only([_title(entry) for entry in found], identifier, "trial")]


def complain(error: M4ReviewError) -> None:
    """Say on standard error that a record cannot be read, and go on."""
    click.echo(f"m4review: {error}", err=True)


def _runs(workspace: Workspace, wanted: str) -> list[RunRecord]:
    found = [record for record in load_runs(workspace, complain, campaigns=True) if record.id.startswith(wanted)]
    return runs_by_version(workspace, found)


def _only(titles: list[str], identifier: str, what: str) -> int:
    """The index of the only one."""
    if not titles:
        raise TrialError(f"no {what} with the id {identifier!r}", expected="an id from 'm4review trial list'")
    if len(titles) > 1:
        raise TrialError(
            f"{len(titles)} trials and runs with an id that begins with {identifier!r}",
            expected="more of one of these ids:" + "".join(f"\n    {title}" for title in titles),
        )
    return 0


def _title(entry: TrialSummary | RunRecord) -> str:
    if isinstance(entry, TrialSummary):
        return f"{entry.id}  trial  {entry.started:%Y-%m-%d %H:%M}  {entry.task}"
    return f"{entry.id}  run of trial {entry.trial}  {entry.inputs.task}, {entry.inputs.arm.label}"
