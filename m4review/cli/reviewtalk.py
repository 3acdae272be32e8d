"""``m4review review comment``, ``resolve``, ``consensus``: what reviewers say to each other and settle."""

from __future__ import annotations

import click

from m4review.cli.reviewact import REASON_OPTION, act_options, give, scene_of
from m4review.errors import LedgerError
from m4review.reviews import DECISIONS, Decision
from m4review.reviews.acts import Scene
from m4review.reviews.remarks import comment, resolve
from m4review.reviews.settling import confirm, open_questions, propose
from m4review.workspace import SCOPES, Scope


@click.command("comment")
@click.argument("skill")
@click.option("--text", required=True, help="What you say; it enters git and is linted.")
@click.option("--scope", type=click.Choice(SCOPES), help="The scope it is about.")
@click.option("--quote", default="", help="The passage it is about, copied exactly from the recorded text.")
@click.option("--nth", default=1, show_default=True, help="Which occurrence of the passage.")
@click.option("--reply-to", metavar="EVENT", help="Path or id of the event it answers.")
@act_options
@click.pass_context
def comment_command(
    context: click.Context,
    skill: str,
    text: str,
    scope: Scope | None,
    quote: str,
    nth: int,
    reply_to: str | None,
    reviewer: str | None,
    yes: bool,
    as_json: bool,
) -> int:
    """Comment on SKILL, or on a passage of it; this decides nothing."""
    plan = comment(text, scope=scope, quote=quote, nth=nth, reply_to=reply_to)
    return give(context, skill, plan, reviewer, yes, as_json)


@click.command("resolve")
@click.argument("skill")
@click.argument("finding")
@click.option("--fixed-in", metavar="DIGEST", help="Content that fixes it; the present text by default.")
@click.option("--no-defect", is_flag=True, help="It was none.")
@REASON_OPTION
@act_options
@click.pass_context
def resolve_command(
    context: click.Context,
    skill: str,
    finding: str,
    fixed_in: str | None,
    no_defect: bool,
    reason: str,
    reviewer: str | None,
    yes: bool,
    as_json: bool,
) -> int:
    """Settle a FINDING of yours, as 'review status' names it."""
    if no_defect and fixed_in:
        raise LedgerError("what was no defect has no fix", fix="give --fixed-in or --no-defect")
    plan = resolve(finding, "no defect" if no_defect else "fixed", reason, fixed_in=fixed_in)
    return give(context, skill, plan, reviewer, yes, as_json)


@click.command()
@click.argument("skill")
@click.option("--definition", type=click.Choice(DECISIONS), help="What you agree on, where you disagreed.")
@click.option("--schema", type=click.Choice(DECISIONS), help="The same.")
@click.option("--output", type=click.Choice(DECISIONS), help="The same.")
@click.option("--rationale", default="", help="Why, in one line. Without it the open questions are shown.")
@click.option("--settle", multiple=True, metavar="FINDING=TEXT", help="How a finding is settled.")
@click.option("--dissent", default="", help="What you still hold against it.")
@click.option("--confirm", "confirms", is_flag=True, help="Confirm the consensus that another put forward.")
@act_options
@click.pass_context
def consensus(
    context: click.Context,
    skill: str,
    definition: Decision | None,
    schema: Decision | None,
    output: Decision | None,
    rationale: str,
    settle: tuple[str, ...],
    dissent: str,
    confirms: bool,
    reviewer: str | None,
    yes: bool,
    as_json: bool,
) -> int:
    """Settle what the reviewers of SKILL disagree on. It holds once each of them has confirmed it."""
    given: dict[Scope, Decision | None] = {"definition": definition, "schema": schema, "output": output}
    decisions = {scope: decision for scope, decision in given.items() if decision is not None}
    if confirms:
        if decisions or rationale or settle:
            raise LedgerError("a confirmation repeats the statement as it is", fix="give --confirm and --dissent only")
        return give(context, skill, confirm(dissent), reviewer, yes, as_json)
    if not rationale and not decisions and not settle:
        click.echo(_questions(scene_of(context, skill, reviewer, "there is nothing to settle")))
        return 0
    resolutions = {}
    for typed in settle:
        name, equals, text = typed.partition("=")
        if not equals:
            raise LedgerError(f"{typed!r} does not say how", expected="FINDING=TEXT")
        resolutions[name] = text
    plan = propose(decisions, rationale, resolutions=resolutions, dissent=dissent)
    return give(context, skill, plan, reviewer, yes, as_json)


def _questions(scene: Scene) -> str:
    scopes, findings = open_questions(scene)
    lines = []
    for scope in scopes:
        lines.append(f"{scope}: the reviewers disagree")
        for verdict in scene.judgement.in_force(scene.subject.pair):
            lines.append(f"    {verdict.actor}: {verdict.decisions.get(scope, 'nothing')}")
    lines += [
        f"finding {found.ref[:19]}#{found.finding.id} ({found.finding.severity}, {found.finding.scope}) "
        f"of {found.verdict.actor}: {found.finding.text}"
        for found in findings
    ]
    return "\n".join(lines) or "the reviewers said the same; there is nothing to settle"
