"""What to lint as it lies on disk: files, folders, a whole workspace, or bytes from standard input."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from m4review.errors import LintFailure
from m4review.lint.context import TaskIndex
from m4review.lint.engine import SourceFile, lint_files
from m4review.lint.figurefiles import read_figures
from m4review.lint.finding import LintReport
from m4review.lint.scope import READ_BYTES, is_skill_text
from m4review.lint.sharing import lint_shared
from m4review.lint.waivers import apply_waivers, read_waivers
from m4review.places import REVIEWS, SKILL_FILE, SKILLS, TASKS, find_root

if TYPE_CHECKING:
    from datetime import date

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
    return report if root is None else apply_waivers(report, read_waivers(root), unique, today=today)


def lint_all(
    start: Path | None = None, *, profile: str | None = None, today: date | None = None, processes: int = 1
) -> LintReport:
    """Lint every skill, task card and review note of the workspace, as they are on disk.

    ``processes`` share the work (:func:`~m4review.lint.sharing.processes_here`); only for a caller without threads.

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
    tasks, figures = TaskIndex.read(root / TASKS), read_figures(root)
    report = lint_shared(files, tasks, profile=profile, figures=figures, processes=processes)
    return apply_waivers(report, read_waivers(root), [file.path for file in files], today=today, whole=True)


def lint_bytes(data: bytes, *, profile: str | None = None, start: Path | None = None) -> LintReport:
    """Lint exact bytes that belong to no file, as from standard input; a front matter is checked when there is one."""
    root = find_root(start or Path.cwd())
    tasks = TaskIndex.read(root / TASKS) if root is not None else TaskIndex()
    figures = read_figures(root) if root is not None else ()
    return lint_files([SourceFile("<stdin>", data, len(data))], tasks, profile=profile, figures=figures)


def skill_files(folder: Path, root: Path) -> list[SourceFile]:
    """Every file of one skill folder on disk, links not followed."""
    return list(_walk(folder, root, _shown(folder, root)))


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
    if shown.split("/")[0] in {TASKS, REVIEWS}:
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
