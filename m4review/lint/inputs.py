"""What to lint: files and folders on disk, the index, or the change between two commits. Same bytes, same findings."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from m4review.errors import LintFailure
from m4review.lint.aggregates import read_figures
from m4review.lint.context import TaskIndex
from m4review.lint.engine import SourceFile, lint_files
from m4review.lint.finding import LintReport
from m4review.lint.structure import DATA_FILE, MAX_BYTES
from m4review.lint.waivers import WAIVERS_FILE, Waiver, apply_waivers, parse_waivers, read_waivers
from m4review.places import REVIEWS, SKILL_FILE, SKILLS, TASKS, find_root
from m4review.tasks.values import TASK_FILE

if TYPE_CHECKING:
    from datetime import date

    from m4review.history.objects import Blob, Entry
    from m4review.history.repository import Repository

Reading = Callable[["Repository"], "tuple[Sequence[Entry], Sequence[str]]"]
"""All entries of an index or commit, and the paths that differ from what was there before."""

READ_BYTES = 4 * MAX_BYTES
"""Larger files are not read at all: they are refused for their size."""
TEXT = frozenset((".md", ".markdown", ".txt", ".mdx", ".rst", ""))


def lint_paths(
    start: Path, paths: Sequence[Path], *, profile: str | None = None, today: date | None = None
) -> LintReport:
    """Lint files and folders as they are on disk. A folder means every skill and text below it.

    Relative paths count from ``start``; ``today`` (the local date if not given) decides which waivers still hold.

    Raises:
        LintFailure: a path does not exist or cannot be read, or nothing to lint lies there.
    """
    here = start.resolve()
    files: list[SourceFile] = []
    roots: set[Path | None] = set()
    for path in paths:
        full = path if path.is_absolute() else here / path
        root = find_root(full if full.is_dir() and not full.is_symlink() else full.parent)
        roots.add(root)
        found = list(_on_disk(full, root or here))
        if not found:
            raise LintFailure(
                "nothing to lint here", where=path, expected=f"a {SKILL_FILE}, a skill folder, or Markdown files"
            )
        files += found
    unique = {file.path: file for file in files}
    root = next((item for item in roots if item is not None), None) or find_root(here)
    tasks = TaskIndex.read(root / TASKS) if root is not None else TaskIndex()
    figures = read_figures(root) if root is not None else ()
    report = lint_files(unique.values(), tasks, profile=profile, figures=figures)
    return _waived(report, read_waivers(root) if root is not None else (), unique, today)


def lint_all(start: Path | None = None, *, profile: str | None = None, today: date | None = None) -> LintReport:
    """Lint every skill, task card and review note of the workspace, as they are on disk.

    Raises:
        LintFailure: no workspace here, or it has neither skills nor task cards.
    """
    here = (start or Path.cwd()).resolve()
    root = find_root(here)
    if root is None:
        raise LintFailure(
            "no workspace here", where=here, expected=f"a folder with {SKILLS}/ and {TASKS}/ here or above",
            fix="change to your workspace folder, or name the files to lint",
        )  # fmt: skip
    folders = [root / name for name in (SKILLS, TASKS, REVIEWS) if (root / name).exists()]
    files = [file for folder in folders for file in _on_disk(folder, root)]
    if not files:
        raise LintFailure("nothing to lint: the workspace has no skills and no task cards", where=root)
    report = lint_files(files, TaskIndex.read(root / TASKS), profile=profile, figures=read_figures(root))
    return _waived(report, read_waivers(root), [file.path for file in files], today, whole=True)


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


def skill_files(folder: Path, root: Path) -> list[SourceFile]:
    """Every file of one skill folder on disk, links not followed."""
    return list(_walk(folder, root, _shown(folder, root)))


def is_skill_text(path: str) -> bool:
    """Whether a file outside of skills is linted: the texts of task cards and reviews, and data files there."""
    if path == WAIVERS_FILE:
        return True
    parts = PurePosixPath(path).parts
    if parts[0] not in {TASKS, REVIEWS}:
        return False
    return PurePosixPath(path).suffix.lower() in {".md", ".markdown"} or DATA_FILE.search(path) is not None


# -- git --------------------------------------------------------------------------------------------------------------


def _waived(
    report: LintReport, waivers: Sequence[Waiver], paths: Iterable[str], today: date | None, *, whole: bool = False
) -> LintReport:
    if not waivers:
        return report
    from datetime import date

    return apply_waivers(report, waivers, tuple(paths), today=today or date.today(), whole=whole)


def _in_each_workspace(start: Path | None, read: Reading, profile: str | None, today: date | None) -> LintReport:
    """Lint the workspace that holds ``start``; from outside of one (a hook of a larger repository) each one in it."""
    from m4review.history.repository import Repository

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
        tuple(replace(item, path=prefix + item.path) for prefix, report in reports for item in report.findings),
        sum(report.files for _, report in reports),
        sum(report.bytes for _, report in reports),
        tuple(prefix + path for prefix, report in reports for path in report.not_checked),
        tuple(
            replace(item, finding=replace(item.finding, path=prefix + item.finding.path))
            for prefix, report in reports
            for item in report.waived
        ),
        tuple(replace(note, path=prefix + note.path) for prefix, report in reports for note in report.waiver_notes),
    )


def workspace_roots(paths: Iterable[str]) -> tuple[str, ...]:
    """The folders (below the top) that hold both ``skills/`` and ``tasks/``, sorted."""
    holders: dict[str, set[str]] = {SKILLS: set(), TASKS: set()}
    for path in paths:
        parts = PurePosixPath(path).parts
        for depth in range(1, len(parts) - 1):
            if parts[depth] in holders:
                holders[parts[depth]].add("/".join(parts[:depth]))
    return tuple(sorted(holders[SKILLS] & holders[TASKS]))


def _lint_entries(
    repository: Repository, entries: Sequence[Entry], changes: Sequence[str], profile: str | None, today: date | None
) -> LintReport:
    from m4review.history.objects import read_entries

    folders = skill_folders(entry.path for entry in entries)
    cards = [entry for entry in entries if _is_task_card(entry.path) and entry.is_file]
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
            "/".join(PurePosixPath(card.path).parts[-3:-1]): data
            for card in cards
            if (data := blobs[card].data) is not None and len(data) <= MAX_BYTES
        }
    )
    changed_tasks = {PurePosixPath(path).parts[2] for path in changes if _is_task_card(path)}
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
    report = _waived(report, recorded, [file.path for file in files], today)
    return replace(report, not_checked=tuple(entry.path for entry in wanted if entry.intent_to_add))


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
    from m4review.history.objects import read_entries

    mine = [entry for entry in entries if entry.path == WAIVERS_FILE and not entry.intent_to_add]
    if not all(entry.is_file for entry in mine):
        raise LintFailure("the waivers are a link to another place", where=WAIVERS_FILE, expected="the file itself")
    if not mine:
        return ()
    blob = (known or {}).get(mine[0])
    if blob is None or blob.data is None:
        (blob,) = read_entries(repository.git, mine[:1])
    return parse_waivers(blob.data or b"")


def committed_waivers(repository: Repository) -> tuple[Waiver, ...]:
    """The waivers of the last commit; none before the first one.

    Raises:
        LintFailure: the file cannot be understood.
    """
    head = repository.head()
    return _recorded_waivers(repository, repository.entries(head)) if head is not None else ()


def skill_folders(paths: Iterable[str]) -> frozenset[str]:
    """The outermost folders that hold a SKILL.md, and every folder directly under ``skills/``."""
    found = set()
    for path in paths:
        parts = PurePosixPath(path).parts
        if len(parts) > 2 and parts[0] == SKILLS:
            found.add("/".join(parts[:2]))
        elif len(parts) > 1 and parts[-1] == SKILL_FILE:
            found.add("/".join(parts[:-1]))
    return frozenset(
        folder for folder in found if not any(folder.startswith(other + "/") for other in found if other != folder)
    )


def folder_of(path: str, folders: frozenset[str]) -> str | None:
    """The skill folder among ``folders`` that holds ``path``."""
    parts = PurePosixPath(path).parts
    if len(parts) > 2 and parts[0] == SKILLS:
        return "/".join(parts[:2])
    return next((folder for depth in range(1, len(parts)) if (folder := "/".join(parts[:depth])) in folders), None)


def _stands_for_skills(entry: Entry) -> bool:
    """Whether a link or another repository takes the place of a skill's folder, or of all of them."""
    parts = PurePosixPath(entry.path).parts
    return parts[0] == SKILLS and len(parts) < 3 and not entry.is_file


def _is_task_card(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return len(parts) == 4 and parts[0] == TASKS and parts[3] == TASK_FILE


# -- disk -------------------------------------------------------------------------------------------------------------


def _on_disk(path: Path, root: Path) -> Iterator[SourceFile]:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        raise LintFailure("no such file or folder", where=path, fix="check the path") from None
    except OSError as error:
        raise LintFailure(f"cannot be read ({error.strerror})", where=path) from None
    skill = _skill_above(path, root)
    if not stat.S_ISDIR(mode):
        yield _file(path, root, skill)
        return
    yield from _walk(path, root, skill)


def _walk(folder: Path, root: Path, skill: str | None) -> Iterator[SourceFile]:
    """Every file below ``folder``: all of a skill, and outside of skills the texts."""
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        raise LintFailure(f"cannot be read ({error.strerror})", where=folder) from None
    if skill is None and (any(entry.name == SKILL_FILE for entry in entries) or folder.parent == root / SKILLS):
        skill = _shown(folder, root)
    for entry in entries:
        if entry.name in {".git", ".m4review"}:
            continue
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(path, root, skill)
        elif skill is not None or entry.is_symlink() or _is_loose_text(path, root):
            yield _file(path, root, skill)


def _is_loose_text(path: Path, root: Path) -> bool:
    shown = _shown(path, root)
    if PurePosixPath(shown).parts[0] in {TASKS, REVIEWS}:
        return is_skill_text(shown)
    return path.suffix.lower() in TEXT


def _file(path: Path, root: Path, skill: str | None) -> SourceFile:
    shown = _shown(path, root)
    try:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            return SourceFile(shown, None, 0, "120000", skill)
        if not stat.S_ISREG(status.st_mode):
            raise LintFailure("not a regular file", where=shown)
        mode = "100755" if os.name != "nt" and status.st_mode & stat.S_IXUSR else "100644"
        data = path.read_bytes() if status.st_size <= READ_BYTES else None
    except OSError as error:
        raise LintFailure(f"cannot be read ({error.strerror})", where=shown) from None
    return SourceFile(shown, data, status.st_size, mode, skill)


def _skill_above(path: Path, root: Path) -> str | None:
    """The outermost folder above ``path`` (within ``root``) that is a skill."""
    found = None
    for folder in path.parents:
        if folder.parent == root / SKILLS or (folder / SKILL_FILE).is_file():
            found = folder
        if folder == root:
            break
    return _shown(found, root) if found is not None and found != root else "." if found is not None else None


def _shown(path: Path, root: Path) -> str:
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return path.as_posix()


def lint_bytes(data: bytes, *, profile: str | None = None, start: Path | None = None) -> LintReport:
    """Lint exact bytes that belong to no file, as from standard input; a front matter is checked when there is one."""
    root = find_root(start or Path.cwd())
    tasks = TaskIndex.read(root / TASKS) if root is not None else TaskIndex()
    figures = read_figures(root) if root is not None else ()
    return lint_files([SourceFile("<stdin>", data, len(data))], tasks, profile=profile, figures=figures)
