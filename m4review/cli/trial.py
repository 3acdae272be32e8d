"""``m4review trial …``: run a task with and without its skill and under the controls; list, show and clean.

``m4review trial TASK`` runs; ``trial run TASK`` is the same and serves a task called like a subcommand.
"""

from __future__ import annotations

import json
import sys

import click

from m4review.cli.trialtext import Progress, print_list, print_run
from m4review.errors import M4ReviewError, TrialError
from m4review.trials import (
    AVAILABLE,
    PAIR,
    RunRecord,
    TrialRequest,
    TrialSummary,
    clean_up,
    load_runs,
    load_trials,
    parse_condition,
    run_trial,
    stop_on_signals,
    trial_table,
)
from m4review.workspace import Workspace

LIST_SCHEMA, CLEAN_SCHEMA = "m4review.trials.v1", "m4review.clean.v1"
AUDIT_HOLD_EXIT = 3
EVERY_SECTION = ""
"""``--ablate`` without a title."""


class TaskOrCommand(click.Group):
    """A group in which a first word that is no subcommand is the TASK of ``run``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in {"-h", "--help"}:
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(cls=TaskOrCommand, subcommand_metavar="TASK | list | show | clean  [OPTIONS]")
def trial() -> None:
    """Run a task with and without its skill, and score both.

    'm4review trial TASK' runs it ('m4review trial run --help' lists its options); the other words look at trials.
    """


@trial.command()
@click.argument("task")
@click.option("--agent", default="reader", show_default=True, help="An agent, or an agent's own .toml file.")
@click.option("--model", help="The model, for agents that use one.")
@click.argument("more", nargs=-1, metavar="")
@click.option(
    "--condition",
    "conditions",
    multiple=True,
    help=f"One of {', '.join(AVAILABLE)}; repeatable. Default: {' and '.join(PAIR)}.",
)
@click.option(
    "--ablate",
    "sections",
    multiple=True,
    is_flag=False,
    flag_value=EVERY_SECTION,
    metavar="[SECTION]...",
    help="Leave out one section of the skill at a time: each one named, or every one when none is.",
)
@click.option("--repeats", type=click.IntRange(1, 100), default=1, show_default=True, help="Runs per condition.")
@click.option("--dataset", help="Default: the workspace's own, or the only one that fits.")
@click.option("--sandbox", type=click.Choice(["docker", "local"]), default="docker", show_default=True)
@click.option("--timeout", "seconds", type=click.IntRange(1, 86_400), help="Seconds the agent may take.")
@click.option("--seed", type=int, help="Decides the order of the conditions; drawn and recorded by default.")
@click.option("--reuse", is_flag=True, help="Take finished runs with the very same inputs instead of new ones.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_context
def run(
    context: click.Context,
    task: str,
    more: tuple[str, ...],
    sections: tuple[str, ...],
    agent: str,
    model: str | None,
    conditions: tuple[str, ...],
    repeats: int,
    dataset: str | None,
    sandbox: str,
    seconds: int | None,
    seed: int | None,
    reuse: bool,
    as_json: bool,
) -> None:
    """Run TASK under each condition and score the outputs. The default way to say it is 'm4review trial TASK'.

    Exit 0: every condition has a run that counts. 2: it could not be run. 3: the audit holds a run for a person.
    """
    workspace = Workspace.find()
    if more and not sections:
        raise TrialError(f"one task at a time, and then {more[0]!r}", expected="TASK and options, which begin with --")
    chosen = tuple(parse_condition(name) for name in conditions) or PAIR
    request = TrialRequest.model_validate(
        {
            "task": task,
            "agent": agent,
            "model": model,
            "conditions": chosen,
            "ablate": _ablated(sections, more),
            "repeats": repeats,
            "dataset": dataset,
            "sandbox": sandbox,
            "seconds": seconds,
            "seed": seed,
            "reuse": reuse,
        }
    )
    with stop_on_signals() as stop, Progress(sys.stderr, stop.event) as progress:
        summary = run_trial(workspace, request, listener=progress.show, cancel=stop.event)
    if as_json:
        _print_json(summary)
    else:
        click.echo(trial_table(summary))
    context.exit(stop.exit_code if summary.cancelled else _exit_code(summary))


@trial.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def list_trials(as_json: bool) -> None:
    """The trials of this workspace, newest first."""
    trials = load_trials(Workspace.find(), _complain)
    if as_json:
        entries = [entry.model_dump(mode="json", by_alias=True) for entry in trials]
        click.echo(json.dumps({"schema": LIST_SCHEMA, "trials": entries}, ensure_ascii=False, indent=1))
    else:
        print_list(trials)


@trial.command()
@click.argument("identifier", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def show(identifier: str, as_json: bool) -> None:
    """Show one trial or one run in full. ID is its id or the beginning of it."""
    workspace = Workspace.find()
    found = _find(workspace, identifier)
    if as_json:
        _print_json(found)
    elif isinstance(found, TrialSummary):
        click.echo(trial_table(found, all_gaps=True))
    else:
        print_run(found)


@trial.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def clean(as_json: bool) -> None:
    """Remove what trials that died left behind: containers, volumes, unfinished folders. Finished runs stay."""
    lines = clean_up(Workspace.find())
    if as_json:
        click.echo(json.dumps({"schema": CLEAN_SCHEMA, "removed": lines}, ensure_ascii=False, indent=1))
    else:
        click.echo("\n".join(lines) if lines else "nothing to clean")


def _ablated(sections: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...] | None:
    """The sections named after ``--ablate``, none for all; ``None`` without the option."""
    if not sections:
        return None
    return tuple(name for name in (*sections, *more) if name != EVERY_SECTION)


def _find(workspace: Workspace, identifier: str) -> TrialSummary | RunRecord:
    wanted = identifier.upper()
    trials = [entry for entry in load_trials(workspace, _complain) if entry.id.startswith(wanted)]
    runs = [] if any(entry.id == wanted for entry in trials) else _runs_called(workspace, wanted)
    found: list[TrialSummary | RunRecord] = [*trials, *runs]
    if len(found) == 1:
        return found[0]
    if not found:
        raise TrialError(f"no trial or run with the id {identifier!r}", expected="an id from 'm4review trial list'")
    raise TrialError(
        f"{len(found)} trials and runs with an id that begins with {identifier!r}",
        expected="more of one of these ids:" + "".join(f"\n    {_title(entry)}" for entry in found),
    )


def _title(entry: TrialSummary | RunRecord) -> str:
    if isinstance(entry, TrialSummary):
        return f"{entry.id}  trial  {entry.started:%Y-%m-%d %H:%M}  {entry.task}"
    return f"{entry.id}  run of trial {entry.trial}  {entry.inputs.task}, {entry.inputs.arm.label}"


def _runs_called(workspace: Workspace, wanted: str) -> list[RunRecord]:
    return [record for record in load_runs(workspace, _complain) if record.id.startswith(wanted)]


def _complain(error: M4ReviewError) -> None:
    click.echo(f"m4review: {error}", err=True)


def _exit_code(summary: TrialSummary) -> int:
    if summary.held:
        return AUDIT_HOLD_EXIT
    return 0 if summary.complete else 2


def _print_json(record: TrialSummary | RunRecord) -> None:
    click.echo(record.model_dump_json(by_alias=True, indent=1))
