"""What to lint as git holds it: the index, or what differs between two commits. Never the working copy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import TYPE_CHECKING

from m4review.errors import LintFailure
from m4review.history.objects import read_entries
from m4review.history.repository import Repository
from m4review.lint.context import TaskIndex
from m4review.lint.engine import SourceFile, lint_files
from m4review.lint.figurefiles import read_figures
from m4review.lint.finding import LintReport
from m4review.lint.scope import (
    READ_BYTES,
    WAIVERS_FILE,
    folder_of,
    is_skill_text,
    is_task_card,
    skill_folders,
    workspace_roots,
)
from m4review.lint.structure import MAX_BYTES
from m4review.places import SKILLS, find_root

if TYPE_CHECKING:
    from datetime import date

    from m4review.history.objects import Blob, Entry
    from m4review.lint.waivers import Waiver

Reading = Callable[[Repository], "tuple[Sequence[Entry], Sequence[str]]"]
"""All entries of an index or commit, and the paths that differ from what was there before."""


def lint_staged(start: Path | None = None, *, profile: str | None = None, today: date | None = None) -> LintReport:
    """Lint what the next commit would hold: every file of each touched skill, from the index, never from disk.

    Raises:
        HistoryError: not a git repository, or git failed.
        LintFailure: files were expected in the index and none could be read.
    """
    return _in_each_workspace(
        start, lambda repository: (repository.staged_entries("."), repository.staged_changes()), profile, today
    )


def lint_between(
    base: str, head: str, start: Path | None = None, *, profile: str | None = None, today: date | None = None
) -> LintReport:
    """Lint every file of each skill that differs between two revisions, as it is in ``head``.

    Raises:
        HistoryError: not a git repository, or a revision is unknown.
    """
    return _in_each_workspace(
        start, lambda repository: (repository.entries(head), repository.changed_between(base, head)), profile, today
    )


def _in_each_workspace(start: Path | None, read: Reading, profile: str | None, today: date | None) -> LintReport:
    """Lint the workspace that holds ``start``; from outside of one (a hook of a larger repository) each one in it."""
    here = (start or Path.cwd()).resolve()
    root = find_root(here)
    repository = Repository.open(root or here)
    if root is not None:
        return _lint_entries(repository, *read(repository), profile, today)
    whole = Repository.open(repository.top)
    entries, changes = read(whole)
    roots = workspace_roots(entry.path for entry in entries)
    rest = [entry for entry in entries if not any(entry.path.startswith(f"{name}/") for name in roots)]
    reports = [("", _lint_entries(whole, rest, changes, profile, today))]
    for name in roots:
        inner = Repository.open(whole.top / name)
        reports.append((f"{name}/", _lint_entries(inner, *read(inner), profile, today)))
    return LintReport(
        tuple(item._replace(path=prefix + item.path) for prefix, report in reports for item in report.findings),
        sum(report.files for _, report in reports),
        sum(report.bytes for _, report in reports),
        tuple(prefix + path for prefix, report in reports for path in report.not_checked),
        tuple(
            item._replace(finding=item.finding._replace(path=prefix + item.finding.path))
            for prefix, report in reports
            for item in report.waived
        ),
        tuple(note._replace(path=prefix + note.path) for prefix, report in reports for note in report.waiver_notes),
    )


def _lint_entries(
    repository: Repository, entries: Sequence[Entry], changes: Sequence[str], profile: str | None, today: date | None
) -> LintReport:
    folders = skill_folders(entry.path for entry in entries)
    cards = [entry for entry in entries if is_task_card(entry.path) and entry.is_file]
    waivers = [entry for entry in entries if entry.path == WAIVERS_FILE and entry.is_file and not entry.intent_to_add]
    touched = {folder for path in changes if (folder := folder_of(path, folders)) is not None}
    if WAIVERS_FILE in changes:
        touched |= folders
    wanted = _wanted(entries, folders, touched, changes)
    # One question to git for everything that is known to be needed; a changed card may ask for the skills it names.
    blobs = {
        blob.entry: blob for blob in read_entries(repository.git, (*cards, *wanted, *waivers), max_bytes=READ_BYTES)
    }
    tasks = TaskIndex.from_bytes(
        {
            "/".join(card.path.split("/")[-3:-1]): data
            for card in cards
            if (data := blobs[card].data) is not None and len(data) <= MAX_BYTES
        }
    )
    changed_tasks = {path.split("/")[2] for path in changes if is_task_card(path)}
    named = {f"{SKILLS}/{name}" for task in tasks.tasks if task.name in changed_tasks for name in task.skills}
    if not named <= touched:
        wanted = _wanted(entries, folders, touched | named, changes)
        more = [entry for entry in wanted if entry not in blobs]
        blobs |= {blob.entry: blob for blob in read_entries(repository.git, more, max_bytes=READ_BYTES)}
    files = [
        SourceFile(
            entry.path,
            blobs[entry].data if entry.is_file else None,
            blobs[entry].size,
            entry.mode,
            folder_of(entry.path, folders),
        )
        for entry in wanted
        if not entry.intent_to_add
    ]
    report = lint_files(files, tasks, profile=profile, figures=read_figures(repository.root))
    recorded = _recorded_waivers(repository, entries, blobs)
    if recorded:
        from m4review.lint.waivers import apply_waivers

        report = apply_waivers(report, recorded, [file.path for file in files], today=today)
    return report._replace(not_checked=tuple(entry.path for entry in wanted if entry.intent_to_add))


def _wanted(
    entries: Sequence[Entry], folders: frozenset[str], touched: AbstractSet[str], changes: Sequence[str]
) -> list[Entry]:
    """The files of the touched skills, and what else changed and is linted."""
    changed = set(changes)
    return [
        entry
        for entry in entries
        if (folder := folder_of(entry.path, folders)) in touched
        or (folder is None and entry.path in changed and (is_skill_text(entry.path) or _stands_for_skills(entry)))
    ]


def _recorded_waivers(
    repository: Repository, entries: Sequence[Entry], known: Mapping[Entry, Blob] | None = None
) -> tuple[Waiver, ...]:
    """The waivers as git holds them in this index or commit; ``known`` are blobs that were read already."""
    mine = [entry for entry in entries if entry.path == WAIVERS_FILE and not entry.intent_to_add]
    if not all(entry.is_file for entry in mine):
        raise LintFailure("the waivers are a link to another place", where=WAIVERS_FILE, expected="the file itself")
    if not mine:
        return ()
    blob = (known or {}).get(mine[0])
    if blob is None or blob.data is None:
        (blob,) = read_entries(repository.git, mine[:1])
    from m4review.lint.waivers import parse_waivers

    return parse_waivers(blob.data or b"")


def committed_waivers(repository: Repository) -> tuple[Waiver, ...]:
    """The waivers of the last commit; none before the first one.

    Raises:
        LintFailure: the file cannot be understood.
    """
    head = repository.head()
    return _recorded_waivers(repository, repository.entries(head)) if head is not None else ()


def _stands_for_skills(entry: Entry) -> bool:
    """Whether a link or another repository takes the place of a skill's folder, or of all of them."""
    parts = entry.path.split("/")
    return parts[0] == SKILLS and len(parts) < 3 and not entry.is_file
