"""``m4review version``, ``log`` and ``diff``: the recorded versions of a skill."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import PurePosixPath

import click

from m4review.cli.identity import identity, required_identity
from m4review.errors import HistoryError, LedgerError, SkillError, one_of
from m4review.history import FileChange, Identity, Repository, Version, compare_folders, render_unified
from m4review.workspace import SKILLS, Workspace

WORKING = "working"
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


@click.command()
@click.argument("skill")
@click.argument("old", required=False, metavar="[A]")
@click.argument("new", required=False, metavar="[B]")
@click.option("--since-my-review", is_flag=True, help="Start from the text of your own last verdict.")
@AS_OPTION
@click.option(
    "--word/--no-word", "words", default=True, help="Mark changed words inside lines (default), or plain lines."
)
@click.option(
    "--context", "around", type=click.IntRange(min=0), default=3, show_default=True, help="Equal lines shown."
)
@click.pass_context
def diff(
    context: click.Context,
    skill: str,
    old: str | None,
    new: str | None,
    since_my_review: bool,
    reviewer: str | None,
    words: bool,
    around: int,
) -> int:
    """Show what changed in SKILL from A to B, word by word.

    A and B are version numbers, commits, branches, tags, or 'working' for the working copy. Without B the working copy
    is meant, without A the last version.
    """
    workspace = Workspace.find()
    folder = folder_of(workspace, skill)
    repository = Repository.open(workspace.root)
    if since_my_review:
        if new is not None:
            raise click.UsageError("--since-my-review takes the place of A; give at most one more version")
        new = old
        name, before = _last_judged(workspace, skill, required_identity(context, workspace, reviewer).id)
    else:
        name, before = _state(repository, folder, old or _last_version(repository, folder))
    name_of_new, after = _state(repository, folder, new or WORKING)
    changes = compare_folders(before, after)
    colour = _colour()
    if not changes:
        click.echo(f"{skill}: no difference between {name} and {name_of_new}")
    for change in changes:
        click.echo(_rendered(change, folder, name, name_of_new, words, around, colour), nl=False, color=colour)
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


def _last_version(repository: Repository, folder: str) -> str:
    versions = repository.versions(folder)
    if not versions:
        raise HistoryError(
            "no version is recorded yet", where=folder, fix="record one: m4review version SKILL -m 'what it is'"
        )
    return versions[0].commit


def _state(repository: Repository, folder: str, name: str) -> tuple[str, dict[str, bytes]]:
    """What to call a state of the folder, and its files."""
    if name == WORKING:
        return "working copy", repository.working_files(folder)
    found = repository.version(folder, name)
    label = f"version {found.number}" if isinstance(found, Version) else f"commit {found.commit[:12]}"
    return label, repository.files(found.commit, folder)


def _last_judged(workspace: Workspace, skill: str, reviewer: str) -> tuple[str, dict[str, bytes]]:
    from m4review.reviews import last_reviewed_content

    files = last_reviewed_content(workspace, skill, reviewer)
    if files is None:
        raise LedgerError(
            f"{reviewer} has given no verdict on {skill} yet",
            expected="an own earlier verdict to compare with",
            fix=f"read the whole text (m4review show {skill}), or compare versions: m4review diff {skill} 1",
        )
    return f"last verdict of {reviewer}", files


def _rendered(change: FileChange, folder: str, old: str, new: str, words: bool, around: int, colour: bool) -> str:
    path = f"{folder}/{change.path}"
    before = f"{path} ({old})" if change.old is not None else f"{path} (not in {old})"
    after = f"{path} ({new})" if change.new is not None else f"{path} (not in {new})"
    if change.comparison is None:
        return f"--- {before}\n+++ {after}\nnot text; the bytes differ\n"
    rendered = render_unified(change.comparison, before, after, context=around, words=words, colour=colour)
    return rendered or f"--- {before}\n+++ {after}\nan empty file\n"


def _colour() -> bool:
    return _is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _is_terminal() -> bool:
    return sys.stdout.isatty()
