"""``m4review trial attach`` and ``trial stop``: trials that run in a process of their own, or in another window."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

import click

from m4review.cli.trialrun import exit_code_of
from m4review.cli.trialtext import Progress, say, time_left
from m4review.trials import load_trials, stop_on_signals, trial_table
from m4review.trials.logbook import LogbookReader
from m4review.trials.standing import load_trial
from m4review.trials.underway import UnderWay, find_under_way, look_at, mark_seen
from m4review.trials.underway import stop as stop_trial
from m4review.workspace import Workspace

RUNNING_SCHEMA, ATTACHED_SCHEMA, STOPPED_SCHEMA = "m4review.running.v1", "m4review.attached.v1", "m4review.stopped.v1"
LOOK_SECONDS = 0.1
STATE_WORDS = {"running": "running", "over": "over, not looked at yet", "died": "DIED"}


@click.command()
@click.argument("identifier", metavar="[ID]", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON object at the end.")
@click.pass_context
def attach(context: click.Context, identifier: str | None, as_json: bool) -> None:
    """Follow a trial that is under way, whoever started it, and print its result.

    ID comes from 'm4review trial list --running'; without it the only one is followed. Ctrl-C stops following; the
    trial goes on.
    """
    workspace = Workspace.find()
    entry = find_under_way(workspace, identifier, states=("running", "over", "died") if identifier else ("running",))
    with stop_on_signals() as wish, Progress(sys.stderr, wish.event) as progress:
        reader = LogbookReader(entry.folder)
        while True:
            entry = look_at(entry.folder)
            for reported in reader.news():
                progress.show(reported.event)
            if entry.state != "running" or wish.event.wait(LOOK_SECONDS):
                break
    if entry.state == "running":
        click.echo(f"not followed any longer; it goes on: m4review trial attach {entry.id}", err=True)
        context.exit(wish.exit_code)
    mark_seen(entry.folder)
    if entry.state == "died":
        raise entry.died_error()
    if entry.ended is not None and entry.ended.trouble is not None:
        raise entry.ended.trouble.as_error()
    summaries = [load_trial(workspace, trial) for trial in entry.trials()]
    if as_json:
        values = [summary.model_dump(mode="json", by_alias=True) for summary in summaries]
        click.echo(
            json.dumps({"schema": ATTACHED_SCHEMA, "id": entry.id, "trials": values}, ensure_ascii=False, indent=1)
        )
    else:
        earlier = load_trials(workspace)
        click.echo("\n\n".join(trial_table(summary, earlier=earlier) for summary in summaries))
    context.exit(exit_code_of(summaries))


@click.command("stop")
@click.argument("identifier", metavar="[ID]", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def stop_command(identifier: str | None, as_json: bool) -> None:
    """Stop a trial that is under way; what had finished stays recorded, and its containers are removed."""
    entry = find_under_way(Workspace.find(), identifier)
    stop_trial(entry)
    if as_json:
        click.echo(json.dumps({"schema": STOPPED_SCHEMA, "id": entry.id, "tasks": list(entry.asked.tasks)}, indent=1))
    else:
        click.echo(f"{entry.id}: asked to stop; 'm4review trial attach {entry.id}' shows how it ends")


def print_running(entries: Sequence[UnderWay], *, as_json: bool) -> None:
    """Trials that run, died, or ended without anybody having looked."""
    shown = [entry for entry in entries if entry.state == "running" or not entry.seen]
    if as_json:
        values = [_values(entry) for entry in shown]
        click.echo(json.dumps({"schema": RUNNING_SCHEMA, "trials": values}, ensure_ascii=False, indent=1))
        return
    if not shown:
        say("no trial is under way; 'm4review trial TASK --detach' starts one")
    for entry in shown:
        now = datetime.now(UTC)
        since = time_left((now - entry.asked.started).total_seconds())
        host = "" if entry.is_here or entry.owner is None else f" on {entry.owner.host}"
        say(f"{entry.id}  {STATE_WORDS[entry.state]}{host}, begun {since} ago  {', '.join(entry.asked.tasks)}")
        if entry.state == "died":
            say(f"  {entry.died_error().render()}")


def _values(entry: UnderWay) -> dict[str, object]:
    return {
        "id": entry.id,
        "state": entry.state,
        "tasks": list(entry.asked.tasks),
        "started": entry.asked.started.isoformat(),
        "trials": list(entry.trials()),
        "host": None if entry.owner is None else entry.owner.host,
        "pid": None if entry.owner is None else entry.owner.pid,
    }
