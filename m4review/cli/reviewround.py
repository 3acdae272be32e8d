"""``m4review review verdict``, ``seal`` and ``reveal``: giving a verdict, openly or sealed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from m4review.cli.identity import required_identity
from m4review.cli.reviewact import (
    AS_OPTION,
    JSON_OPTION,
    YES_OPTION,
    act_options,
    confirm_statement,
    require_skill,
    say_recorded,
)
from m4review.errors import LedgerError
from m4review.reviews import DECISIONS, Decision, Ledger, LookedAt, prepare_verdict, record_verdict
from m4review.reviews.eventparts import Answer, Finding
from m4review.reviews.recording import changed_scopes, pair_now
from m4review.reviews.remarks import parse_finding
from m4review.reviews.sealing import reveal_verdict, seal_meaning, seal_verdict
from m4review.reviews.verdicts import Said
from m4review.skills import SKILL_FILE
from m4review.textfile import read_text
from m4review.workspace import Scope, Workspace

Command = TypeVar("Command", bound=Callable[..., Any])


def ballot_options(command: Command) -> Command:
    """The options of a verdict, openly given or sealed."""
    for option in reversed(
        (
            click.argument("skill"),
            click.option("--definition", type=click.Choice(DECISIONS), help="Decision on the clinical definition."),
            click.option(
                "--schema", type=click.Choice(DECISIONS), help="Decision on sources, windows and derived inputs."
            ),
            click.option(
                "--output", type=click.Choice(DECISIONS), help="Decision on output, missing data and edge cases."
            ),
            click.option("--approve-all", is_flag=True, help="Approve every scope that is not named otherwise."),
            click.option("--notes", default="", help="Your notes; they enter git and are linted."),
            click.option("--notes-file", type=click.Path(path_type=Path), help="The same from a UTF-8 file."),
            click.option(
                "--finding",
                "findings",
                multiple=True,
                metavar="TEXT",
                help="'SEVERITY SCOPE: TEXT', or 'SEVERITY SCOPE \"QUOTE\": TEXT' about a passage.",
            ),
            click.option(
                "--answer",
                "answers",
                multiple=True,
                metavar="NUMBER=yes|no",
                help="Answer to a question of the checklist: its number in the packet, or how it begins.",
            ),
            click.option(
                "--looked-at",
                type=click.Choice(["text", "diff", "rendered", "trial"]),
                multiple=True,
                default=("text",),
            ),
            click.option("--conflict", default="none", show_default=True, help="Your conflict of interest, one line."),
            YES_OPTION,
            AS_OPTION,
            JSON_OPTION,
        )
    ):
        command = option(command)
    return command


@click.command()
@ballot_options
@click.option("--replace", is_flag=True, help="Replace your own verdict on this very text.")
@click.pass_context
def verdict(
    context: click.Context, /, skill: str, reviewer: str | None, yes: bool, as_json: bool, **ballot: Any
) -> int:
    """Give your verdict on the recorded text of SKILL, one decision per scope."""
    workspace = Workspace.find()
    person = required_identity(context, workspace, reviewer)
    said = _said(workspace, skill, **ballot)
    meaning = prepare_verdict(
        workspace,
        Ledger.load(workspace),
        skill,
        person.id,
        said.decisions,
        conflict_of_interest=said.conflict_of_interest,
        findings=said.findings,
        replace=said.replace,
        read=said.read,
    )
    click.echo(meaning, err=as_json)
    if not yes:
        confirm_statement("Give this verdict?")
    path = record_verdict(
        workspace,
        skill,
        person.id,
        said.decisions,
        said.notes,
        looked_at=said.looked_at,
        conflict_of_interest=said.conflict_of_interest,
        findings=said.findings,
        answers=said.answers,
        replace=said.replace,
        read=said.read,
    )
    return say_recorded(workspace, skill, person.id, path, as_json)


@click.command()
@ballot_options
@click.pass_context
def seal(context: click.Context, /, skill: str, reviewer: str | None, yes: bool, as_json: bool, **ballot: Any) -> int:
    """Give your verdict sealed: nobody sees it before the others have sealed theirs and you reveal it."""
    workspace = Workspace.find()
    person = required_identity(context, workspace, reviewer)
    said = _said(workspace, skill, replace=False, **ballot)
    meaning = prepare_verdict(
        workspace,
        Ledger.load(workspace),
        skill,
        person.id,
        said.decisions,
        conflict_of_interest=said.conflict_of_interest,
        findings=said.findings,
        read=said.read,
        sealed=True,
    )
    click.echo(f"{seal_meaning(person.id, skill)}\nWhat it says, kept on this computer: {meaning}", err=as_json)
    if not yes:
        confirm_statement("Seal this verdict?")
    return say_recorded(workspace, skill, person.id, seal_verdict(workspace, skill, person.id, said), as_json)


@click.command()
@click.argument("skill")
@act_options
@click.pass_context
def reveal(context: click.Context, skill: str, reviewer: str | None, yes: bool, as_json: bool) -> int:
    """Show the verdict you sealed on SKILL, once enough reviewers have sealed theirs."""
    workspace = Workspace.find()
    person = required_identity(context, workspace, reviewer)
    require_skill(Ledger.load(workspace), skill)
    click.echo(f"As {person.id} I show the verdict on {skill} that I sealed before I saw any other.", err=as_json)
    if not yes:
        confirm_statement("Show it?")
    return say_recorded(workspace, skill, person.id, reveal_verdict(workspace, skill, person.id), as_json)


def chosen_decisions(
    given: Mapping[Scope, Decision | None], scopes: tuple[Scope, ...], approve_all: bool
) -> dict[Scope, Decision]:
    """The decisions of the options; ``approve_all`` fills those of ``scopes`` that were not named.

    Raises:
        LedgerError: one of ``scopes`` has no decision.
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


def _said(
    workspace: Workspace,
    skill: str,
    *,
    definition: Decision | None,
    schema: Decision | None,
    output: Decision | None,
    approve_all: bool,
    notes: str,
    notes_file: Path | None,
    findings: tuple[str, ...],
    answers: tuple[str, ...],
    looked_at: tuple[LookedAt, ...],
    conflict: str,
    replace: bool,
) -> Said:
    ledger = Ledger.load(workspace)
    given: dict[Scope, Decision | None] = {"definition": definition, "schema": schema, "output": output}
    named = any(given.values()) or not approve_all
    require_skill(ledger, skill)
    changed = changed_scopes(workspace, ledger, skill) if named else None
    decisions = chosen_decisions(given, changed or ledger.policy.scopes, approve_all)
    if notes_file is not None:
        if notes:
            raise LedgerError("both --notes and --notes-file are given", fix="give one of them")
        notes = read_text(notes_file).text
    found: list[Finding] = []
    if findings:
        text = ledger.snapshot.skills[skill][SKILL_FILE].decode("utf-8")
        found = [parse_finding(typed, number, text) for number, typed in enumerate(findings, start=1)]
    read = pair_now(workspace, ledger, skill)
    return Said(decisions, notes, tuple(looked_at), conflict, tuple(found), _answers(answers), replace, read)


def _answers(typed: tuple[str, ...]) -> dict[str, Answer]:
    known: dict[str, Answer] = {"yes": "yes", "no": "no", "not applicable": "not applicable", "n/a": "not applicable"}
    found: dict[str, Answer] = {}
    for text in typed:
        item, equals, answer = text.partition("=")
        if not equals or answer.strip().lower() not in known or not item.strip():
            raise LedgerError(f"{text!r} is not an answer", expected="ITEM=yes, ITEM=no or ITEM=n/a")
        found[item.strip()] = known[answer.strip().lower()]
    return found
