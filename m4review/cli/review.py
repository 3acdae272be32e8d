"""``m4review review``: status, queue, verdict and withdrawal on the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from m4review.cli.identity import identity, required_identity
from m4review.cli.reviewkey import key
from m4review.errors import LedgerError, one_of
from m4review.reviews import (
    DECISIONS,
    Decision,
    JudgedVerdict,
    Ledger,
    SkillStatus,
    all_statuses,
    open_review,
    prepare_verdict,
    queue,
    record_verdict,
    skill_status,
    withdraw_verdict,
)
from m4review.reviews.report import RECORDED_SCHEMA, queue_report, status_report, status_values
from m4review.textfile import read_text
from m4review.workspace import Scope, Workspace

AS_OPTION = click.option("--as", "reviewer", metavar="C1", help="Who you are, for this call only.")
JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")


@click.group()
def review() -> None:
    """The review ledger: who said what of which exact text."""


review.add_command(key)


@review.command()
@click.argument("skill", required=False)
@AS_OPTION
@JSON_OPTION
@click.pass_context
def status(context: click.Context, skill: str | None, reviewer: str | None, as_json: bool) -> int:
    """The computed state of one skill or of all. Exit code 2 when an event file is damaged or not understood."""
    workspace = Workspace.find()
    person = identity(context, workspace, reviewer)
    viewer = None if person is None else person.id
    ledger = Ledger.load(workspace)
    if skill is None:
        statuses, problems = all_statuses(workspace, ledger, viewer), ledger.problems
    else:
        require_skill(ledger, skill)
        statuses, problems = (skill_status(workspace, ledger, skill, viewer),), ledger.problems_of(skill)
    if as_json:
        click.echo(
            json.dumps(status_report(statuses, problems, workspace.policy, viewer), indent=2, ensure_ascii=False)
        )
    elif skill is None:
        width = max((len(entry.skill) for entry in statuses), default=0)
        for entry in statuses:
            click.echo(f"{entry.skill:<{width}}  {state_words(entry)}")
        if not statuses:
            click.echo("there are no skills")
    else:
        click.echo(status_text(statuses[0]))
    for problem in problems:
        click.echo(f"{problem.kind}, not counted: {problem.error}", err=True)
    return 2 if problems else 0


@review.command("queue")
@AS_OPTION
@JSON_OPTION
@click.pass_context
def queue_command(context: click.Context, reviewer: str | None, as_json: bool) -> None:
    """What waits for you."""
    workspace = Workspace.find()
    person = required_identity(context, workspace, reviewer)
    items = queue(workspace, person.id)
    if as_json:
        click.echo(json.dumps(queue_report(items, person.id), indent=2, ensure_ascii=False))
        return
    if not items:
        click.echo(f"nothing waits for {person.id}")
    for item in items:
        click.echo(f"{item.kind:<12}  {item.skill}  {state_words(item.status)}\n              {item.why}")


@review.command()
@click.argument("skill")
@click.option("--definition", type=click.Choice(DECISIONS), help="Decision on the clinical definition.")
@click.option("--schema", type=click.Choice(DECISIONS), help="Decision on sources, windows and derived inputs.")
@click.option("--output", type=click.Choice(DECISIONS), help="Decision on output, missing data and edge cases.")
@click.option("--approve-all", is_flag=True, help="Approve every scope that is not named otherwise.")
@click.option("--notes", default="", help="Your notes; they enter git and are linted.")
@click.option("--notes-file", type=click.Path(path_type=Path), help="The same from a UTF-8 file.")
@click.option("--looked-at", type=click.Choice(["text", "diff", "rendered", "trial"]), multiple=True, default=("text",))
@click.option("--conflict", default="none", show_default=True, help="Your conflict of interest, in one line.")
@click.option("--replace", is_flag=True, help="Replace your own verdict on this very text.")
@click.option("--yes", is_flag=True, help="You confirm the statement; without a terminal it must be given.")
@AS_OPTION
@JSON_OPTION
@click.pass_context
def verdict(
    context: click.Context,
    skill: str,
    definition: Decision | None,
    schema: Decision | None,
    output: Decision | None,
    approve_all: bool,
    notes: str,
    notes_file: Path | None,
    looked_at: tuple[str, ...],
    conflict: str,
    replace: bool,
    yes: bool,
    reviewer: str | None,
    as_json: bool,
) -> int:
    """Give your verdict on the recorded text of SKILL, one decision per scope."""
    workspace = Workspace.find()
    person = required_identity(context, workspace, reviewer)
    given: dict[Scope, Decision | None] = {"definition": definition, "schema": schema, "output": output}
    decisions = chosen_decisions(given, workspace.policy.scopes, approve_all)
    if notes_file is not None:
        if notes:
            raise LedgerError("both --notes and --notes-file are given", fix="give one of them")
        notes = read_text(notes_file).text
    ledger = Ledger.load(workspace)
    require_skill(ledger, skill)
    said = prepare_verdict(
        workspace, ledger, skill, person.id, decisions, conflict_of_interest=conflict, replace=replace
    )
    click.echo(said, err=as_json)
    if not yes:
        confirm_statement()
    path = record_verdict(
        workspace,
        skill,
        person.id,
        decisions,
        notes,
        looked_at=looked_at,  # type: ignore[arg-type]
        conflict_of_interest=conflict,
        replace=replace,
    )
    return _say_recorded(workspace, skill, person.id, path, as_json)


def confirm_statement() -> None:
    """Ask the person at the terminal whether the statement above is theirs.

    Raises:
        LedgerError: there is no terminal to ask on.
        click.Abort: the answer was not yes.
    """
    if not sys.stdin.isatty():
        raise LedgerError(
            "the verdict was not confirmed: there is no terminal to ask on; nothing was recorded",
            expected="a person who read the statement above",
            fix="add --yes to confirm the statement",
        )
    click.confirm("Give this verdict?", abort=True, err=True)


@review.command("open")
@click.argument("skill")
@click.option("--author", "authors", metavar="C3", multiple=True, help="Wrote part of the text, whatever git says.")
@click.option(
    "--reviewer", "reviewers", metavar="C1", multiple=True, help="Is asked to judge it. Give it per reviewer."
)
@AS_OPTION
@JSON_OPTION
@click.pass_context
def open_command(
    context: click.Context,
    skill: str,
    authors: tuple[str, ...],
    reviewers: tuple[str, ...],
    reviewer: str | None,
    as_json: bool,
) -> int:
    """Ask for a review of the recorded text of SKILL: name who wrote it and who judges."""
    workspace = Workspace.find()
    person = required_identity(context, workspace, reviewer)
    require_skill(Ledger.load(workspace), skill)
    path = open_review(workspace, skill, person.id, authors=authors, reviewers=reviewers)
    return _say_recorded(workspace, skill, person.id, path, as_json)


@review.command()
@click.argument("skill")
@click.option("--reason", required=True, help="Why, in one line.")
@AS_OPTION
@JSON_OPTION
@click.pass_context
def withdraw(context: click.Context, skill: str, reason: str, reviewer: str | None, as_json: bool) -> int:
    """Take back your verdict on the present text of SKILL."""
    workspace = Workspace.find()
    person = required_identity(context, workspace, reviewer)
    require_skill(Ledger.load(workspace), skill)
    path = withdraw_verdict(workspace, skill, person.id, reason)
    return _say_recorded(workspace, skill, person.id, path, as_json)


def require_skill(ledger: Ledger, skill: str) -> None:
    """Raise :class:`LedgerError` when there is no such skill."""
    known = sorted({*ledger.snapshot.skills, *ledger.snapshot.unreadable})
    if skill not in known:
        raise LedgerError(f"no skill {skill!r}", expected=one_of(skill, known))


def chosen_decisions(
    given: Mapping[Scope, Decision | None], scopes: tuple[Scope, ...], approve_all: bool
) -> dict[Scope, Decision]:
    """The decisions of the options; ``approve_all`` fills the scopes of the policy that were not named.

    Raises:
        LedgerError: a scope of the policy has no decision.
    """
    fill: Decision | None = "approve" if approve_all else None
    filled = {scope: decision or (fill if scope in scopes else None) for scope, decision in given.items()}
    chosen = {scope: decision for scope, decision in filled.items() if decision is not None}
    missing = [scope for scope in scopes if scope not in chosen]
    if missing:
        raise LedgerError(
            f"no decision on {', '.join(missing)}",
            expected="for each scope one of " + ", ".join(DECISIONS),
            fix=" ".join(f"--{scope} approve" for scope in missing) + ", or --approve-all",
        )
    return chosen


def state_words(status: SkillStatus) -> str:
    """The state with its version, and whether the disk differs from it."""
    words = status.label
    if status.version is not None:
        words += f" · version {status.version}"
    if not status.is_recorded and status.state != "not recorded":
        words += " · the text on disk is not recorded"
    return words


def status_text(status: SkillStatus) -> str:
    """One skill's status with what it rests on, line by line."""
    lines = [f"{status.skill}: {state_words(status)}"]
    if status.subject is not None:
        lines.append(f"  content {status.subject.content}")
        lines += [f"  task    {digest} {name}" for name, digest in status.subject.tasks.items()]
    lines += [f"  - {sentence}" for sentence in status.because]
    lines += [f"  not eligible: {why}" for why in (status.excluded or {}).values()]
    for judged in status.verdicts:
        lines += verdict_lines(judged)
    return "\n".join(lines)


def verdict_lines(judged: JudgedVerdict) -> list[str]:
    """One verdict: who, when, its standing, what it said (unless withheld), its notes."""
    entry = judged.verdict
    lines = [f"  {entry.at[:10]} {entry.actor} [{judged.standing}] {judged.why}"]
    if judged.hidden:
        return [*lines, f"      {entry.meaning}"]
    lines.append("      " + ", ".join(f"{scope}: {decision}" for scope, decision in entry.decisions.items()))
    return lines + [f"      | {line}" for line in entry.notes.split("\n") if entry.notes]


def _say_recorded(workspace: Workspace, skill: str, reviewer: str, path: Path, as_json: bool) -> int:
    state = skill_status(workspace, Ledger.load(workspace), skill, reviewer)
    if as_json:
        values = {"schema": RECORDED_SCHEMA, "event": workspace.relative(path), "status": status_values(state)}
        click.echo(json.dumps(values, indent=2, ensure_ascii=False))
    else:
        click.echo(f"recorded {workspace.relative(path)}\n{skill}: {state_words(state)}")
    return 0
