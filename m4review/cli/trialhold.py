"""``m4review trial hold …``: what the audit holds for a person, and the person's decision with its reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

import click

from m4review.cli.identity import required_identity
from m4review.cli.reviewact import AS_OPTION, JSON_OPTION
from m4review.cli.trialfind import complain, find_run
from m4review.errors import TrialError
from m4review.trials import RunRecord, load_run, load_runs
from m4review.trials.decisions import HoldDecision, Verdict, add_decision
from m4review.trials.records import RUN_FILE, Outcome, run_folder
from m4review.trials.runtext import finding_line, outcome_line
from m4review.workspace import Workspace

HOLDS_SCHEMA, DECISION_SCHEMA = "m4review.holds.v1", "m4review.hold.v1"


@click.group()
def hold() -> None:
    """Runs that the audit holds: look at the evidence, then release or confirm.

    A released run counts as if nothing had been found; a confirmed one never counts. Decisions are only ever added.
    """


@hold.command("list")
@click.option("--all", "every", is_flag=True, help="Decided ones too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def list_holds(every: bool, as_json: bool) -> None:
    """The runs that wait for a decision, with what was found."""
    found = load_runs(Workspace.find(), complain, campaigns=True)
    runs = [run for run in found if run.waits or (every and run.decision is not None)]
    if as_json:
        click.echo(json.dumps({"schema": HOLDS_SCHEMA, "runs": [_values(run) for run in runs]}, indent=1))
        return
    for run in runs:
        click.echo(f"{run.id}  {run.inputs.task} · {run.inputs.arm.label} · {run.inputs.agent} (trial {run.trial})")
        for finding in run.audit.findings if run.audit is not None else ():
            click.echo(f"  {finding_line(finding)}")
        if run.decision is not None:
            click.echo(f"  {run.decision.decision} by {run.decision.by}: {run.decision.reason}")
    if not runs:
        click.echo("no run waits for a decision")


Command = TypeVar("Command", bound=Callable[..., Any])


def decision_options(command: Command) -> Command:
    """Which run, why, and who decides."""
    for option in (
        JSON_OPTION,
        AS_OPTION,
        click.option("--reason", required=True, help="What you saw, in a sentence."),
        click.argument("run_id", metavar="RUN"),
    ):
        command = option(command)
    return command


@hold.command()
@decision_options
@click.pass_context
def release(context: click.Context, run_id: str, reason: str, reviewer: str | None, as_json: bool) -> None:
    """What was found is harmless: the run counts."""
    _decide(context, run_id, "released", reason, reviewer, as_json)


@hold.command()
@decision_options
@click.pass_context
def confirm(context: click.Context, run_id: str, reason: str, reviewer: str | None, as_json: bool) -> None:
    """What was found is what it looks like: the run never counts."""
    _decide(context, run_id, "confirmed", reason, reviewer, as_json)


def _decide(
    context: click.Context, run_id: str, decision: Verdict, reason: str, reviewer: str | None, as_json: bool
) -> None:
    workspace = Workspace.find()
    person = required_identity(context, workspace, reviewer)
    run = find_run(workspace, run_id)
    if not run.waits and run.decision is None:
        raise TrialError(
            f"the audit does not hold the run; it is {run.outcome.value.replace('_', ' ')}",
            where=run.id,
            expected="a run from 'm4review trial hold list'",
        )
    folder = run_folder(workspace, run.id)
    made = add_decision(
        folder, RUN_FILE, run=run.id, decision=decision, by=person.id, reason=reason, at=datetime.now(UTC)
    )
    after = load_run(workspace, run.id)
    if as_json:
        click.echo(json.dumps({"schema": DECISION_SCHEMA, **_values(after)}, indent=1))
    else:
        click.echo(f"run {run.id} {made.decision} by {made.by}: {_effect(after, made)}")


def _effect(run: RunRecord, made: HoldDecision) -> str:
    if made.decision == "confirmed":
        return "it never counts"
    if run.outcome is Outcome.AUDIT_HOLD:
        return "it did not come so far that it could count"
    return f"it counts as {outcome_line(run)}"


def _values(run: RunRecord) -> dict[str, object]:
    return {
        "run": run.id,
        "trial": run.trial,
        "task": run.inputs.task,
        "condition": run.inputs.condition.value,
        "outcome": run.outcome.value,
        "reward": run.reward,
        "findings": [finding.model_dump() for finding in (run.audit.findings if run.audit is not None else ())],
        "decision": None if run.decision is None else run.decision.model_dump(mode="json"),
    }
