"""``m4review diff``: any two versions of a skill, two skills, or a skill against an operational spec."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

import click

from m4review.cli.identity import identity, required_identity
from m4review.cli.versions import AS_OPTION, folder_of
from m4review.errors import HistoryError, LedgerError
from m4review.history import FileChange, Repository, Version, compare_folders, render_unified
from m4review.workspace import SKILLS, Workspace

WORKING = "working"
SPECIFICATION = "spec:"


class State(NamedTuple):
    """One side: what to call it, where its files lie, and the files. ``number`` is that of a recorded version."""

    name: str
    folder: str
    files: dict[str, bytes]
    owner: str
    number: int | None = None
    is_specification: bool = False


@click.command()
@click.argument("skill")
@click.argument("old", required=False, metavar="[A]")
@click.argument("new", required=False, metavar="[B]")
@click.option("--since-my-review", is_flag=True, help="Start from the text of your own last verdict.")
@AS_OPTION
@click.option("--who", is_flag=True, help="Say also who wrote each side, when and why, and who approved it.")
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
    who: bool,
    words: bool,
    around: int,
) -> int:
    """Show what changed in SKILL from A to B, word by word.

    A and B are version numbers, commits, branches, tags, or 'working' for the text on disk. Another skill is its name
    (sofa-score), with @ and a version where not its text on disk is meant (sofa-score@2); an operational spec is
    spec:TASK. Without B the text on disk is meant, without A the last version.
    """
    workspace = Workspace.find()
    folder_of(workspace, skill)
    repository = Repository.open(workspace.root)
    if since_my_review:
        if new is not None:
            raise click.UsageError("--since-my-review takes the place of A; give at most one more version")
        new = old
        before = _last_judged(workspace, skill, required_identity(context, workspace, reviewer).id)
    else:
        before = _state(workspace, repository, skill, old or _last_version(repository, f"{SKILLS}/{skill}"))
    after = _state(workspace, repository, skill, new or WORKING)
    if who:
        viewer = identity(context, workspace, reviewer)
        for sign, state in (("-", before), ("+", after)):
            click.echo(f"{sign} {state.name}: {_said(workspace, state, viewer.id if viewer else None)}")
    if before.is_specification or after.is_specification:
        before, after = _text_only(before), _text_only(after)
    changes = compare_folders(before.files, after.files)
    colour = _is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    if not changes:
        click.echo(f"{skill}: no difference between {before.name} and {after.name}")
    for change in changes:
        click.echo(_rendered(change, before, after, words, around, colour), nl=False, color=colour)
    return 0


def _last_version(repository: Repository, folder: str) -> str:
    versions = repository.versions(folder)
    if not versions:
        raise HistoryError(
            "no version is recorded yet", where=folder, fix="record one: m4review version SKILL -m 'what it is'"
        )
    return versions[0].commit


def _state(workspace: Workspace, repository: Repository, skill: str, name: str) -> State:
    """What ``name`` means beside ``skill``."""
    if name.startswith(SPECIFICATION):
        return _specification(workspace, name.removeprefix(SPECIFICATION))
    other, _, version = name.partition("@")
    if other != skill and other in workspace.skill_names():
        skill, name, prefix = other, version or WORKING, f"{other} "
    else:
        prefix = ""
    folder = f"{SKILLS}/{skill}"
    if name == WORKING:
        return State(f"{prefix}working copy", folder, repository.working_files(folder), skill)
    found = repository.version(folder, name)
    files = repository.files(found.commit, folder)
    if isinstance(found, Version):
        return State(f"{prefix}version {found.number}", folder, files, skill, found.number)
    return State(f"{prefix}commit {found.commit[:12]}", folder, files, skill)


def _specification(workspace: Workspace, task: str) -> State:
    from m4review.reviews.sides import specification_side
    from m4review.skills import SKILL_FILE

    side = specification_side(workspace, task)
    folder = f"operational spec of {task}"
    return State(side.name, folder, {SKILL_FILE: side.text.encode("utf-8")}, task, is_specification=True)


def _text_only(state: State) -> State:
    """The side without the files that only a skill has."""
    from m4review.skills import SKILL_FILE

    return state._replace(files={name: data for name, data in state.files.items() if name == SKILL_FILE})


def _last_judged(workspace: Workspace, skill: str, reviewer: str) -> State:
    from m4review.reviews import last_reviewed_content

    files = last_reviewed_content(workspace, skill, reviewer)
    if files is None:
        raise LedgerError(
            f"{reviewer} has given no verdict on {skill} yet",
            expected="an own earlier verdict to compare with",
            fix=f"read the whole text (m4review show {skill}), or compare versions: m4review diff {skill} 1",
        )
    return State(f"last verdict of {reviewer}", f"{SKILLS}/{skill}", files, skill)


def _said(workspace: Workspace, state: State, viewer: str | None) -> str:
    """Who wrote a side and who approved it, as far as ``viewer`` may see it."""
    from m4review.reviews.sides import load_sides, specification_side

    if state.is_specification:
        return specification_side(workspace, state.owner).said
    sides = load_sides(workspace, state.owner, viewer)
    return next((side.said for side in sides if side.number == state.number), "not recorded as a version")


def _rendered(change: FileChange, old: State, new: State, words: bool, around: int, colour: bool) -> str:
    before, after = _path(change.path, old, change.old is None), _path(change.path, new, change.new is None)
    if change.comparison is None:
        return f"--- {before}\n+++ {after}\nnot text; the bytes differ\n"
    rendered = render_unified(change.comparison, before, after, context=around, words=words, colour=colour)
    return rendered or f"--- {before}\n+++ {after}\nan empty file\n"


def _path(path: str, state: State, is_missing: bool) -> str:
    if state.is_specification:
        return state.name
    return f"{state.folder}/{path} ({'not in ' if is_missing else ''}{state.name})"


def _is_terminal() -> bool:
    return sys.stdout.isatty()
