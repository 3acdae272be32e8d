"""``m4review trial …``: run a task with and without its skill and under the controls; list, show and clean.

``m4review trial TASK`` runs; ``trial run TASK`` is the same and serves a task called like a subcommand.
"""

from __future__ import annotations

import json
from pathlib import Path

import click

from m4review.cli.trialattach import attach, print_running, stop_command
from m4review.cli.trialfind import complain, find
from m4review.cli.trialhold import hold
from m4review.cli.trialrescore import rescore_command
from m4review.cli.trialrun import run
from m4review.cli.trialtext import print_list, say
from m4review.cli.trialviews import compare, confusion, history
from m4review.errors import TrialError
from m4review.textfile import write_text
from m4review.trials import RunRecord, TrialSummary, clean_up, load_trials, trial_table
from m4review.trials.page import run_page, trial_page
from m4review.trials.records import run_folder
from m4review.trials.runtext import outcome_line, run_lines
from m4review.trials.standing import runs_of
from m4review.trials.timeline import TimelineEntry, read_timeline
from m4review.trials.underway import under_way
from m4review.workspace import Workspace

LIST_SCHEMA, CLEAN_SCHEMA = "m4review.trials.v1", "m4review.clean.v1"
PAGE_SUFFIXES = (".html", ".htm")


class TaskOrCommand(click.Group):
    """A group in which a first word that is no subcommand is the TASK of ``run``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in {"-h", "--help"}:
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(
    cls=TaskOrCommand,
    subcommand_metavar="TASK | list | show | history | compare | attach | …  [OPTIONS]",
)
def trial() -> None:
    """Run a task with and without its skill, and score both.

    'm4review trial TASK' runs it ('m4review trial run --help' lists its options); the other words look at trials.
    """


@trial.command("list")
@click.option("--running", is_flag=True, help="Those under way, and those that ended without anybody having looked.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def list_trials(running: bool, as_json: bool) -> None:
    """The trials of this workspace, newest first."""
    if running:
        print_running(under_way(Workspace.find(), complain), as_json=as_json)
        return
    trials = load_trials(Workspace.find(), complain)
    if as_json:
        entries = [entry.model_dump(mode="json", by_alias=True) for entry in trials]
        click.echo(json.dumps({"schema": LIST_SCHEMA, "trials": entries}, ensure_ascii=False, indent=1))
    else:
        print_list(trials)


@trial.command()
@click.argument("identifier", metavar="ID")
@click.option("--all", "whole", is_flag=True, help="Every event of a run, and every line that was not executed.")
@click.option("--html", "page", type=click.Path(path_type=Path), metavar="FILE", help="Write it as one page instead.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def show(identifier: str, whole: bool, page: Path | None, as_json: bool) -> None:
    """Show one trial or one run: outcome, audit, tokens, and what the agent did in order.

    ID is its id or the beginning of it. No row of data is shown, and the page holds none and loads nothing.
    """
    workspace = Workspace.find()
    found = find(workspace, identifier)
    if page is not None:
        _write_page(workspace, found, page)
    elif as_json:
        _print_json(workspace, found)
    elif isinstance(found, TrialSummary):
        click.echo(trial_table(found, all_gaps=True, earlier=load_trials(workspace)))
        say()
        for record in runs_of(workspace, found):
            say(f"run {record.id}  {record.inputs.arm.label}, replicate {record.replicate}: {outcome_line(record)}")
    else:
        click.echo("\n".join(run_lines(found, _timeline(workspace, found), whole=whole)))


@trial.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def clean(as_json: bool) -> None:
    """Remove what trials that died left behind: containers, volumes, unfinished folders. Finished runs stay."""
    lines = clean_up(Workspace.find())
    if as_json:
        click.echo(json.dumps({"schema": CLEAN_SCHEMA, "removed": lines}, ensure_ascii=False, indent=1))
    else:
        click.echo("\n".join(lines) if lines else "nothing to clean")


trial.add_command(run)
trial.add_command(attach)
trial.add_command(stop_command)
trial.add_command(history)
trial.add_command(compare)
trial.add_command(confusion)
trial.add_command(hold)
trial.add_command(rescore_command)


def _timeline(workspace: Workspace, record: RunRecord) -> list[TimelineEntry]:
    return list(read_timeline(run_folder(workspace, record.id)))


def _write_page(workspace: Workspace, found: TrialSummary | RunRecord, page: Path) -> None:
    if page.suffix.lower() not in PAGE_SUFFIXES:
        raise TrialError("not a name for a page", where=page, expected="a name that ends in .html")
    if isinstance(found, RunRecord):
        text = run_page(found, _timeline(workspace, found))
    else:
        runs = runs_of(workspace, found)
        text = trial_page(found, runs, {record.id: _timeline(workspace, record) for record in runs})
    write_text(page, text)
    click.echo(f"written: {page}")


def _print_json(workspace: Workspace, found: TrialSummary | RunRecord) -> None:
    values = found.model_dump(mode="json", by_alias=True)
    if isinstance(found, RunRecord):
        values["decision"] = None if found.decision is None else found.decision.model_dump(mode="json")
        values["reward"] = found.reward
        values["timeline"] = [entry.model_dump(mode="json") for entry in _timeline(workspace, found)]
    click.echo(json.dumps(values, ensure_ascii=False, indent=1))
