"""``m4review review open``, ``assign``, ``recuse``, ``withdraw`` and others: who judges, what is taken back."""

from __future__ import annotations

import click

from m4review.cli.identity import required_identity
from m4review.cli.reviewact import REASON_OPTION, act_options, confirm_statement, give, require_skill, say_recorded
from m4review.reviews.duties import assign, override, recuse, revoke, withdraw_event
from m4review.reviews.eventparts import OVERRIDABLE, Overridable
from m4review.reviews.ledger import Ledger
from m4review.reviews.openings import opening
from m4review.reviews.recording import prepare_withdrawal, withdraw_verdict
from m4review.workspace import SCOPES, Scope, Workspace


@click.command("open")
@click.argument("skill")
@click.option("--author", "authors", metavar="C3", multiple=True, help="Wrote part of the text, whatever git says.")
@click.option(
    "--reviewer", "reviewers", metavar="C1", multiple=True, help="Is asked to judge it. Give it per reviewer."
)
@click.option(
    "--scope", "scopes", type=click.Choice(SCOPES), multiple=True, help="What is asked about; all by default."
)
@click.option("--base", metavar="DIGEST", help="Content that the present one grew from.")
@click.option("--due", metavar="DAY", help="Day by which it is asked for, such as 2026-01-31.")
@act_options
@click.pass_context
def open_command(
    context: click.Context,
    skill: str,
    authors: tuple[str, ...],
    reviewers: tuple[str, ...],
    scopes: tuple[Scope, ...],
    base: str | None,
    due: str | None,
    reviewer: str | None,
    yes: bool,
    as_json: bool,
) -> int:
    """Ask for a review of the recorded text of SKILL: name who wrote it and who judges."""
    plan = opening(authors=authors, reviewers=reviewers, scopes=scopes, base=base, due=due)
    return give(context, skill, plan, reviewer, yes, as_json)


@click.command("assign")
@click.argument("skill")
@click.option("--reviewer", "reviewers", metavar="C2", multiple=True, required=True, help="Is to judge from now on.")
@click.option("--instead-of", metavar="C1", multiple=True, help="Whose verdict in force is set aside for it.")
@REASON_OPTION
@act_options
@click.pass_context
def assign_command(
    context: click.Context,
    skill: str,
    reviewers: tuple[str, ...],
    instead_of: tuple[str, ...],
    reason: str,
    reviewer: str | None,
    yes: bool,
    as_json: bool,
) -> int:
    """Ask others to judge SKILL, for instance in the place of somebody who is away."""
    return give(context, skill, assign(reviewers, reason, instead_of=instead_of), reviewer, yes, as_json)


@click.command("recuse")
@click.argument("skill")
@REASON_OPTION
@act_options
@click.pass_context
def recuse_command(
    context: click.Context, skill: str, reason: str, reviewer: str | None, yes: bool, as_json: bool
) -> int:
    """Step back from judging SKILL."""
    return give(context, skill, recuse(reason), reviewer, yes, as_json)


@click.command()
@click.argument("skill")
@click.option("--event", metavar="EVENT", help="Path or id of an event of yours; your verdict in force by default.")
@REASON_OPTION
@act_options
@click.pass_context
def withdraw(
    context: click.Context, skill: str, event: str | None, reason: str, reviewer: str | None, yes: bool, as_json: bool
) -> int:
    """Take back your verdict on the present text of SKILL, or another event of yours."""
    if event is not None:
        return give(context, skill, withdraw_event(event, reason), reviewer, yes, as_json)
    workspace = Workspace.find()
    person = required_identity(context, workspace, reviewer)
    require_skill(Ledger.load(workspace), skill)
    click.echo(prepare_withdrawal(workspace, skill, person.id, reason), err=as_json)
    if not yes:
        confirm_statement()
    path = withdraw_verdict(workspace, skill, person.id, reason)
    return say_recorded(workspace, skill, person.id, path, as_json)


@click.command("revoke")
@click.argument("skill")
@click.option("--event", "events", metavar="EVENT", multiple=True, required=True, help="Path or id of an event.")
@REASON_OPTION
@act_options
@click.pass_context
def revoke_command(
    context: click.Context,
    skill: str,
    events: tuple[str, ...],
    reason: str,
    reviewer: str | None,
    yes: bool,
    as_json: bool,
) -> int:
    """Declare events void: your own, or anybody's where the policy trusts you with it."""
    return give(context, skill, revoke(events, reason), reviewer, yes, as_json)


@click.command("override")
@click.argument("skill")
@click.option("--rule", "rules", type=click.Choice(OVERRIDABLE), multiple=True, required=True, help="The rule.")
@click.option("--finding", "findings", multiple=True, help="Only this open blocker; all of them by default.")
@REASON_OPTION
@act_options
@click.pass_context
def override_command(
    context: click.Context,
    skill: str,
    rules: tuple[Overridable, ...],
    findings: tuple[str, ...],
    reason: str,
    reviewer: str | None,
    yes: bool,
    as_json: bool,
) -> int:
    """Set a rule aside for exactly the present text of SKILL; it stays visible for ever."""
    return give(context, skill, override(rules, reason, findings=findings), reviewer, yes, as_json)
