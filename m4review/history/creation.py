"""A new repository for a new workspace."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from m4review.errors import HistoryError
from m4review.history.git import Git
from m4review.history.repository import Repository


def create_repository(root: Path, *, environment: Mapping[str, str] | None = None) -> Repository:
    """Make ``root`` a git repository on branch ``main`` and open it.

    Raises:
        HistoryError: ``root`` is no folder, holds a repository already, or git is not installed.
    """
    if (root / ".git").exists():
        raise HistoryError("this folder keeps versions already", where=root, expected="a folder without .git")
    git = Git(root.resolve(), environment=environment)
    git.run("init", "--quiet")
    # `git init -b` needs git 2.28; this works with every git.
    git.run("symbolic-ref", "HEAD", "refs/heads/main")
    return Repository.open(root, environment=environment)
