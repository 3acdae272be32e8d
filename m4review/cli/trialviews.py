"""``m4review trial history | compare | confusion``: what the pages of the trial screen show, as text or JSON."""

from __future__ import annotations

import json
import sys

import click

from m4review.cli.trialfind import find_trial
from m4review.trials import stop_on_signals
from m4review.workspace import Workspace

HISTORY_SCHEMA = "m4review.trial-history.v1"
JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="One JSON object.")


@click.command()
@click.argument("skill")
@JSON_OPTION
def history(skill: str, as_json: bool) -> None:
    """What each version of SKILL was worth: rewards with and without it, runs, who recorded it, on which dataset."""
    from m4review.trials.versionhistory import skill_history
    from m4review.trials.viewtext import history_lines

    workspace = Workspace.find()
    workspace.skill(skill)
    found = skill_history(workspace, skill)
    if as_json:
        series = [entry.model_dump(mode="json") for entry in found]
        click.echo(
            json.dumps({"schema": HISTORY_SCHEMA, "skill": skill, "series": series}, ensure_ascii=False, indent=1)
        )
    else:
        click.echo("\n".join(history_lines(found)))


@click.command()
@click.argument("first")
@click.argument("second")
@JSON_OPTION
def compare(first: str, second: str, as_json: bool) -> None:
    """What is not the same in trial SECOND as in trial FIRST: rewards, columns, and the inputs that decide them."""
    from m4review.trials.difference import trial_difference
    from m4review.trials.viewtext import difference_lines

    workspace = Workspace.find()
    found = trial_difference(workspace, find_trial(workspace, first), find_trial(workspace, second))
    click.echo(found.model_dump_json(by_alias=True, indent=1) if as_json else "\n".join(difference_lines(found)))


@click.command()
@click.argument("trial")
@click.option("--column", required=True, help="A scored column that holds a stage or score.")
@click.option("--replicate", type=click.IntRange(1), default=1, show_default=True)
@JSON_OPTION
def confusion(trial: str, column: str, replicate: int, as_json: bool) -> None:
    """How the levels of a stage or score were mistaken in TRIAL, per condition.

    Counts in aggregate, never a row; counts below ten, and those that would give them away, are hidden. The first time
    they are counted from the kept outputs and the reference, so the dataset must be on this machine.
    """
    from m4review.trials.confusion import trial_confusion
    from m4review.trials.viewtext import confusion_lines

    workspace = Workspace.find()
    summary = find_trial(workspace, trial)
    with stop_on_signals() as stop:
        try:
            found = trial_confusion(workspace, summary, column, replicate=replicate, cancel=stop.event)
        except KeyboardInterrupt:
            sys.exit(stop.exit_code)
    click.echo(found.model_dump_json(by_alias=True, indent=1) if as_json else "\n".join(confusion_lines(found)))
