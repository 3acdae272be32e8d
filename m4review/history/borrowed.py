"""A repository of our own in a temporary folder, for looking at another one without writing to it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from m4review.errors import HistoryError
from m4review.history.git import Git

EXPORT_IDENTITY = {
    "GIT_AUTHOR_NAME": "export",
    "GIT_AUTHOR_EMAIL": "",
    "GIT_COMMITTER_NAME": "export",
    "GIT_COMMITTER_EMAIL": "",
    "GIT_AUTHOR_DATE": "1970-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "1970-01-01T00:00:00Z",
}


@dataclass(frozen=True, slots=True)
class Borrowed:
    """A temporary repository and the commit to look at."""

    root: Path
    """The folder that stands for the one that was given; it holds no files of the commit."""
    commit: str
    is_bare: bool
    is_shallow: bool


def is_in_repository(folder: Path) -> bool:
    """Whether git keeps versions here, in a working copy or a bare repository.

    Raises:
        HistoryError: git is missing or refuses the folder.
    """
    git = Git(folder)
    found = git.run("rev-parse", "--git-dir", accept=(0, 128))
    if found.exit_code and "not a git repository" not in found.error:
        git.run("rev-parse", "--git-dir")
    return found.exit_code == 0


def borrow(folder: Path, revision: str, scratch: Path) -> Borrowed:
    """A repository below ``scratch`` that reads the objects of the one ``folder`` lies in.

    Raises:
        HistoryError: there is no such revision, or git failed.
    """
    git = Git(folder)
    bad = not revision or revision.startswith("-") or "\0" in revision
    words = ("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    commit = "" if bad else git.run(*words, accept=(0, 1, 128)).text.strip()
    if not commit:
        raise HistoryError(
            f"there is no recorded state {revision!r}",
            where=folder,
            expected="a commit, a branch or a tag",
            fix="in a shallow clone: git fetch --unshallow",
        )
    answers = ("--is-bare-repository", "--show-object-format", "--is-shallow-repository")
    bare, form, shallow = git.run("rev-parse", *answers).text.split()
    objects = (folder / git.run("rev-parse", "--git-path", "objects").text.strip("\n")).resolve()
    prefix = git.run("rev-parse", "--show-prefix").text.strip("\n")
    if "\n" in str(objects) or str(objects).startswith('"'):
        raise HistoryError("the name of the repository's folder cannot be passed on to git", where=objects)
    root = scratch / "repository"
    root.mkdir()
    Git(root).run("init", "-q", "--template=", f"--object-format={form}")
    info = root / ".git" / "objects" / "info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "alternates").write_text(f"{objects}\n", encoding="utf-8", errors="surrogateescape")
    if shallow == "true":
        edge = folder / git.run("rev-parse", "--git-path", "shallow").text.strip("\n")
        shutil.copyfile(edge, root / ".git" / "shallow")
    (root / prefix).mkdir(parents=True, exist_ok=True)
    return Borrowed(root / prefix, commit, bare == "true", shallow == "true")


def from_folders(folder: Path, parts: Sequence[str], scratch: Path) -> Borrowed:
    """A repository below ``scratch`` whose only commit holds ``parts`` of an exported folder, byte for byte.

    It counts as shallow: what came before is not in an export.

    Raises:
        HistoryError: git failed.
    """
    root = scratch / "repository"
    root.mkdir()
    for part in parts:
        if (folder / part).is_dir():
            shutil.copytree(folder / part, root / part, symlinks=True, ignore=shutil.ignore_patterns(".git*"))
    git = Git(root)
    git.run("init", "-q", "--template=")
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "attributes").write_text("* -text -filter -ident\n", encoding="utf-8")
    git.run("-c", "core.autocrlf=false", "add", "-f", "--", ".")
    tree = git.run("write-tree").text.strip()
    commit = git.run("commit-tree", tree, "-m", "export", extra=EXPORT_IDENTITY).text.strip()
    (root / ".git" / "shallow").write_text(f"{commit}\n", encoding="ascii")
    for part in parts:
        shutil.rmtree(root / part, ignore_errors=True)
    return Borrowed(root, commit, is_bare=False, is_shallow=True)
