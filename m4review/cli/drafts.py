"""``m4review drafts``: unsaved texts that a session of the workbench left, without the screen."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from m4review.cli.wayback import program, unsaved_in
from m4review.demonstrations import remembered
from m4review.errors import WorkspaceError
from m4review.textfile import read_text, write_text
from m4review.tui.render.difference import show_difference
from m4review.tui.session import Draft, Journal, new_session_name
from m4review.workspace import Workspace

SCHEMA = "m4review.drafts.v1"


@click.group()
def drafts() -> None:
    """Texts that were not saved when the workbench ended, crashed or was closed."""


@drafts.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def list_drafts(as_json: bool) -> None:
    """List them, the newest first."""
    workspace = Workspace.find()
    with _claimed(workspace) as (_, found):
        if as_json:
            listed = [{"skill": draft.skill, "written": draft.at} for draft in found]
            click.echo(json.dumps({"schema": SCHEMA, "drafts": listed}, ensure_ascii=False, indent=1))
        elif not found:
            click.echo(f"No drafts here, in {workspace.root}: every text was saved or given up.")
            _tell_of_demonstrations(workspace.root)
        else:
            for draft in found:
                click.echo(f"{draft.skill}  written {draft.at}")


def _tell_of_demonstrations(here: Path) -> None:
    """Say which demonstrations hold unsaved text: whoever lost a window looks for it where the program is."""
    for one in remembered(os.environ):
        if (texts := unsaved_in(one)) and one.root != here.resolve():
            click.echo(
                f"A demonstration holds unsaved text of {', '.join(texts)}. To open it:\n"
                f"  cd {shlex.quote(str(one.root))}\n  {program()}"
            )


@drafts.command()
@click.argument("skill")
def show(skill: str) -> None:
    """What the newest draft of SKILL changes in its file."""
    workspace = Workspace.find()
    with _claimed(workspace) as (_, found):
        draft = _newest(found, skill)
        click.echo(show_difference(read_text(workspace.skill_file(skill)).text, draft.text).text.plain)


@drafts.command()
@click.argument("skill")
def keep(skill: str) -> None:
    """Save the newest draft of SKILL to its file, if that is still the file it was typed upon."""
    workspace = Workspace.find()
    with _claimed(workspace) as (journal, found):
        draft = _newest(found, skill)
        file = workspace.skill_file(skill)
        write_text(file, draft.text, newline=read_text(file).newline, expect_digest=draft.base_digest)
        journal.discard(draft)
    click.echo(f"saved to {workspace.relative(file)}")


@drafts.command()
@click.argument("skill")
@click.option("--yes", is_flag=True, help="Do not ask.")
def drop(skill: str, yes: bool) -> None:
    """Delete the newest draft of SKILL."""
    with _claimed(Workspace.find()) as (journal, found):
        draft = _newest(found, skill)
        if not yes:
            click.confirm(f"Delete the draft of {skill} written {draft.at}?", abort=True)
        journal.discard(draft)
    click.echo("deleted")


@contextlib.contextmanager
def _claimed(workspace: Workspace) -> Iterator[tuple[Journal, list[Draft]]]:
    """The drafts of sessions that are over; what is not discarded lies there again afterwards."""
    journal = Journal(workspace.drafts_dir, new_session_name())
    try:
        yield journal, journal.claim_orphans()
    finally:
        journal.close()


def _newest(found: list[Draft], skill: str) -> Draft:
    for draft in found:
        if draft.skill == skill:
            return draft
    raise WorkspaceError(f"there is no draft of {skill!r}", fix="m4review drafts list says of which there are")
