"""``m4review version`` and ``log``: the recorded versions of a skill."""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath

import click

from m4review.cli.identity import identity
from m4review.errors import HistoryError, SkillError, one_of
from m4review.history import Identity, Repository, Version
from m4review.workspace import SKILLS, Workspace

AUTHOR = re.compile(r"\s*(?P<name>[^<>]+?)\s*<(?P<email>[^<>\s]+)>\s*")
AS_OPTION = click.option("--as", "reviewer", metavar="C1", help="Who you are, for this call only.")


@click.command()
@click.argument("skill")
@click.option("-m", "--message", required=True, help="What changed, and why.")
@click.option("--author", metavar="'NAME <MAIL>'", help="Who wrote it, when that is not you.")
@AS_OPTION
@click.pass_context
def version(context: click.Context, skill: str, message: str, author: str | None, reviewer: str | None) -> int:
    """Record a version of SKILL: the lint checks the exact text, then git commits it with its hooks.

    The version carries the person given with --author, else the reviewer (--as, or the one kept in this workspace),
    else git's own user. Exit code 0 recorded, 1 the lint refused, 2 not possible.
    """
    from m4review.lint import LintRefusal, record_version
    from m4review.lint.output import as_text

    workspace = Workspace.find()
    folder_of(workspace, skill)
    if author is not None:
        person: Identity | None = parse_author(author)
    else:
        known = identity(context, workspace, reviewer)
        person = None if known is None else known.git_identity
    try:
        recorded = record_version(workspace, skill, message, person)
    except LintRefusal as refusal:
        click.echo(as_text(refusal.report).rstrip())
        click.echo(f"m4review: {refusal.what}\n  nothing was recorded", err=True)
        return refusal.exit_code
    click.echo(f"{skill}: version {recorded.number} recorded ({recorded.commit[:12]}) by {recorded.author_name}")
    return 0


@click.command()
@click.argument("skill")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a list.")
def log(skill: str, as_json: bool) -> int:
    """List the versions of SKILL, newest first, and say whether the working copy is recorded."""
    workspace = Workspace.find()
    folder = folder_of(workspace, skill)
    repository = Repository.open(workspace.root)
    versions = repository.versions(folder)
    recorded = repository.working_state(folder).is_recorded
    if as_json:
        answer = {
            "schema": "m4review.log.v1",
            "skill": skill,
            "working_copy_recorded": recorded,
            "history_complete": not repository.is_shallow,
            "versions": [_version_json(item) for item in versions],
        }
        click.echo(json.dumps(answer, indent=2, ensure_ascii=False))
        return 0
    if repository.is_shallow:
        click.echo("note: this clone is shallow; versions before its edge are missing and not counted", err=True)
    if not recorded:
        click.echo("     *  working copy differs from the last version" if versions else "     *  nothing recorded yet")
    for item in versions:
        day = item.time.strftime("%Y-%m-%d %H:%M")
        click.echo(f"{item.number:>6}  {day}  {item.commit[:12]}  {item.author_name}: {item.subject}")
    return 0


def folder_of(workspace: Workspace, skill: str) -> str:
    """The skill's folder relative to the workspace.

    Raises:
        SkillError: no such skill, now or in any version.
    """
    names = workspace.skill_names()
    folder = f"{SKILLS}/{skill}"
    if skill in names:
        return folder
    is_name = PurePosixPath(skill).parts == (skill,) and skill not in {".", ".."}
    if not is_name or not Repository.open(workspace.root).versions(folder):
        raise SkillError(
            f"no skill {skill!r}",
            where=workspace.skills_dir,
            expected=one_of(skill, names),
        )
    return folder


def parse_author(text: str) -> Identity:
    """Name and address from ``Name <mail>``.

    Raises:
        HistoryError: written another way.
    """
    match = AUTHOR.fullmatch(text)
    if match is None:
        raise HistoryError(f"the author {text!r} cannot be read", expected="'Name <mail>', with the quotation marks")
    return match["name"], match["email"]


def _version_json(item: Version) -> dict[str, object]:
    return {
        "number": item.number,
        "commit": item.commit,
        "time": item.time.isoformat(),
        "author": {"name": item.author_name, "email": item.author_email},
        "committer": {"name": item.committer_name, "email": item.committer_email},
        "co_authors": list(item.co_author_emails),
        "subject": item.subject,
        "body": item.body,
    }
