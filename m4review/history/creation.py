"""A new repository for a new workspace."""

from __future__ import annotations

from pathlib import Path

from m4review.errors import HistoryError
from m4review.history.repository import Repository


def create_repository(root: Path) -> Repository:
    """Make ``root`` a git repository on branch ``main`` and open it.

    Raises:
        HistoryError: ``root`` is no folder, holds a repository already, or git is not installed or refuses.
    """
    if not root.is_dir():
        raise HistoryError("no such folder", where=root)
    if (root / ".git").exists():
        raise HistoryError("this folder keeps versions already", where=root, expected="a folder without .git")
    try:
        # GitPython looks for the git program when it is imported, and fails there when it finds none.
        import git
    except ImportError:
        raise HistoryError("git is not installed", fix="install git (Debian: apt-get install git)") from None
    try:
        git.Repo.init(root, mkdir=False, expand_vars=False, initial_branch="main").close()
    except git.GitError as error:
        raise HistoryError(f"git could not make a repository here ({type(error).__name__})", where=root) from None
    return Repository.open(root)
