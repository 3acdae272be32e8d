"""``m4review review carry``, ``sign-off``, ``trial``: what holds over, what is released, what was measured."""

from __future__ import annotations

import difflib
from datetime import UTC, datetime

import click

from m4review.cli.identity import required_identity
from m4review.cli.reviewact import act_options, give, require_skill
from m4review.errors import LedgerError
from m4review.reviews import Ledger
from m4review.reviews.acts import Scene
from m4review.reviews.evidence import Measured, attach
from m4review.reviews.overview import full_status
from m4review.reviews.settling import approved_base, carry, sign_off
from m4review.workspace import Workspace


@click.command("carry")
@click.argument("skill")
@act_options
@click.pass_context
def carry_command(context: click.Context, skill: str, reviewer: str | None, yes: bool, as_json: bool) -> int:
    """Confirm that the change since the approved text of SKILL is editorial. The difference is shown first."""
    shown = _difference(context, skill, reviewer)
    click.echo(shown, err=as_json)
    return give(context, skill, carry(shown), reviewer, yes, as_json)


@click.command("sign-off")
@click.argument("skill")
@act_options
@click.pass_context
def sign_off_command(context: click.Context, skill: str, reviewer: str | None, yes: bool, as_json: bool) -> int:
    """Release the approved text of SKILL for use; the result of every rule is kept with it."""
    return give(context, skill, sign_off(), reviewer, yes, as_json)


@click.command("trial")
@click.argument("skill")
@click.argument("trial_id", metavar="TRIAL")
@act_options
@click.pass_context
def trial_command(
    context: click.Context, skill: str, trial_id: str, reviewer: str | None, yes: bool, as_json: bool
) -> int:
    """Record the aggregate result of TRIAL as evidence for exactly the present text of SKILL."""
    return give(context, skill, attach(_measured(Workspace.find(), skill, trial_id)), reviewer, yes, as_json)


def _difference(context: click.Context, skill: str, reviewer: str | None) -> str:
    """The difference between the approved and the present text, with trailing blanks made visible."""
    workspace = Workspace.find()
    person = required_identity(context, workspace, reviewer)
    ledger = Ledger.load(workspace)
    require_skill(ledger, skill)
    status = full_status(workspace, ledger, skill)
    if status.subject is None or status.judgement is None:
        raise LedgerError("there is nothing to carry over", where=skill, expected="\n".join(status.because))
    base = approved_base(Scene(workspace, ledger, status, person, datetime.now(UTC)))
    before = None if base is None else ledger.snapshot.files_of(base.content)
    if before is None:
        raise LedgerError("no earlier text of this skill is approved, so nothing can be carried over", where=skill)
    after = ledger.snapshot.skills[skill]
    lines: list[str] = []
    for path in sorted({*before, *after}):
        old, new = (_visible(files.get(path, b"")) for files in (before, after))
        lines += difflib.unified_diff(old, new, f"approved/{path}", f"now/{path}", lineterm="", n=1)
    return "\n".join(lines)


def _visible(data: bytes) -> list[str]:
    """The lines of a file; blanks at a line's end as ``·``, tabs there as ``→``."""
    lines = []
    for line in data.decode("utf-8").split("\n"):
        kept = line.rstrip(" \t")
        lines.append(kept + line[len(kept) :].replace(" ", "·").replace("\t", "→"))
    return lines


def _measured(workspace: Workspace, skill: str, trial_id: str) -> Measured:
    from m4review.trials import Condition, load_trials

    trials = {trial.id: trial for trial in load_trials(workspace)}
    if trial_id not in trials:
        raise LedgerError(f"no trial {trial_id!r}", expected="the id of a trial, as 'm4review trial list' prints it")
    trial = trials[trial_id]
    own = trial.result(Condition.WITH_SKILL)
    used = [] if own is None else [one.digest for one in own.skills if one.name == skill and one.place == "skill"]
    if not used or trial.cancelled:
        what = "the trial was cancelled" if trial.cancelled else f"the trial did not give {skill} to an agent"
        raise LedgerError(what, where=trial_id)
    results = [result for result in trial.conditions if result.reward is not None and result.left_out is None]
    if own is None or own.reward is None or trial.held:
        raise LedgerError("no run with the skill counts, or one waits for a decision", where=trial_id)
    return Measured(
        trial=trial.id,
        task=trial.task,
        task_digest=_task_digest(workspace, trial.id, trial.order),
        content=used[0],
        agent=trial.agent,
        model=trial.model,
        dataset=trial.dataset,
        isolated=trial.isolated,
        n=min(result.counted for result in results),
        rewards={result.label: result.reward for result in results if result.reward is not None},
        columns={result.label: dict(result.columns) for result in results},
    )


def _task_digest(workspace: Workspace, trial_id: str, runs: tuple[str, ...]) -> str:
    from m4review.trials.records import load_run

    digests = {load_run(workspace, run).inputs.task_digest for run in runs}
    if len(digests) != 1:
        raise LedgerError("the runs of the trial saw different task cards", where=trial_id)
    return digests.pop()
