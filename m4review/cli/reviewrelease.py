"""``m4review review carry``, ``sign-off``, ``trial``: what holds over, what is released, what was measured."""

from __future__ import annotations

import click

from m4review.cli.reviewact import act_options, give, scene_of
from m4review.reviews.carrying import editorial_difference
from m4review.reviews.evidence import attach
from m4review.reviews.settling import carry, sign_off
from m4review.workspace import Workspace


@click.command("carry")
@click.argument("skill")
@act_options
@click.pass_context
def carry_command(context: click.Context, skill: str, reviewer: str | None, yes: bool, as_json: bool) -> int:
    """Confirm that the change since the approved text of SKILL is editorial. The difference is shown first."""
    shown = editorial_difference(scene_of(context, skill, reviewer, "there is nothing to carry over"))
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
    from m4review.trials.evidence import measured

    return give(context, skill, attach(measured(Workspace.find(), skill, trial_id)), reviewer, yes, as_json)
