"""Git's own user of a working copy: whose name a version carries when nobody on the roster wrote it."""

from __future__ import annotations

from pathlib import Path

from m4review.errors import HistoryError
from m4review.history.git import Git
from m4review.history.recording import Identity, require_identity


def git_user(folder: Path) -> Identity | None:
    """Name and address that git would write into a version recorded in ``folder``; ``None`` where it knows none.

    Raises:
        HistoryError: git is not installed, or the folder is gone.
    """
    git = Git(folder)
    asked = ("-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT")
    return None if git.run(*asked, accept=(0, 128)).exit_code else require_identity(git, {})


def name_git_user(folder: Path, name: str, email: str) -> None:
    """Keep name and address as git's user of this working copy only.

    Raises:
        HistoryError: one of them is empty or cannot stand in a version, or git refused.
    """
    for value, what in ((name, "name"), (email, "mail address")):
        if not value.strip() or any(character in value for character in "<>\n\0"):
            raise HistoryError(f"{value!r} is no usable {what}", expected="a name, and an address such as me@ward.org")
    git = Git(folder)
    git.run("config", "--local", "user.name", name.strip())
    git.run("config", "--local", "user.email", email.strip())
