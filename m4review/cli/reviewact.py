"""What all commands of the ledger share: the meaning is repeated back, confirmed, and only then recorded."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from m4review.cli.identity import required_identity
from m4review.errors import LedgerError, one_of
from m4review.reviews import Ledger, SkillStatus, skill_status
from m4review.reviews.acts import Plan, Scene, prepare, record
from m4review.reviews.overview import full_status
from m4review.reviews.report import RECORDED_SCHEMA, status_values
from m4review.workspace import Workspace

Command = TypeVar("Command", bound=Callable[..., Any])

AS_OPTION = click.option("--as", "reviewer", metavar="C1", help="Who you are, for this call only.")
JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
YES_OPTION = click.option("--yes", is_flag=True, help="You confirm the statement; without a terminal it must be given.")
REASON_OPTION = click.option("--reason", required=True, help="Why, in one line.")


def act_options(command: Command) -> Command:
    """Who acts, how it is confirmed, how it is printed."""
    return AS_OPTION(YES_OPTION(JSON_OPTION(command)))


def give(context: click.Context, skill: str, plan: Plan, reviewer: str | None, yes: bool, as_json: bool) -> int:
    """Repeat back what the event would mean, ask unless ``yes``, record it and say what the state is now."""
    workspace = Workspace.find()
    person = required_identity(context, workspace, reviewer)
    require_skill(Ledger.load(workspace), skill)
    meaning = prepare(workspace, skill, person.id, plan).meaning
    click.echo(meaning, err=as_json)
    if not yes:
        confirm_statement()
    path = record(workspace, skill, person.id, plan, confirmed=meaning)
    return say_recorded(workspace, skill, person.id, path, as_json)


def scene_of(context: click.Context, skill: str, reviewer: str | None, nothing: str) -> Scene:
    """What the person at the command line has before them.

    Raises:
        LedgerError: no such skill, or no recorded text that could be judged; ``nothing`` says what is then missing.
    """
    workspace = Workspace.find()
    person = required_identity(context, workspace, reviewer)
    ledger = Ledger.load(workspace)
    require_skill(ledger, skill)
    status = full_status(workspace, ledger, skill)
    if status.subject is None or status.judgement is None:
        raise LedgerError(nothing, where=skill, expected="\n".join(status.because))
    return Scene(workspace, ledger, status, person, datetime.now(UTC))


def confirm_statement(question: str = "Record this?") -> None:
    """Ask the person at the terminal whether the statement above is theirs.

    Raises:
        LedgerError: there is no terminal to ask on.
        click.Abort: the answer was not yes.
    """
    if not sys.stdin.isatty():
        raise LedgerError(
            "the statement was not confirmed: there is no terminal to ask on; nothing was recorded",
            expected="a person who read the statement above",
            fix="add --yes to confirm the statement",
        )
    click.confirm(question, abort=True, err=True)


def require_skill(ledger: Ledger, skill: str) -> None:
    """Raise :class:`LedgerError` when there is no such skill."""
    known = sorted({*ledger.snapshot.skills, *ledger.snapshot.unreadable})
    if skill not in known:
        raise LedgerError(f"no skill {skill!r}", expected=one_of(skill, known))


def say_recorded(workspace: Workspace, skill: str, reviewer: str, path: Path, as_json: bool) -> int:
    """Print the recorded event and the state that follows, as the reviewer may see it."""
    state = skill_status(workspace, Ledger.load(workspace), skill, reviewer)
    if as_json:
        values = {"schema": RECORDED_SCHEMA, "event": workspace.relative(path), "status": status_values(state)}
        click.echo(json.dumps(values, indent=2, ensure_ascii=False))
    else:
        click.echo(f"recorded {workspace.relative(path)}\n{skill}: {state_words(state)}")
    return 0


def state_words(status: SkillStatus) -> str:
    """The state with its version, and whether the disk differs from it."""
    words = status.label
    if status.version is not None:
        words += f" · version {status.version}"
    if not status.is_recorded and status.state != "not recorded":
        words += " · the text on disk is not recorded"
    return words
