"""The shipped skills, task cards and review rules, wherever this installation keeps them."""

from __future__ import annotations

import shutil
from pathlib import Path

from m4review.errors import WorkspaceError
from m4review.places import REVIEWS, SKILLS, TASKS

PACKAGE = Path(__file__).resolve().parents[1]


def starter_root() -> Path:
    """The folder that holds the shipped ``skills/``, ``tasks/`` and ``reviews/``: in a wheel inside the package, in a
    checkout beside it.

    Raises:
        WorkspaceError: this installation lacks them.
    """
    for folder in (PACKAGE / "starter", PACKAGE.parent):
        if all((folder / name).is_dir() for name in (SKILLS, TASKS, REVIEWS)):
            return folder
    raise WorkspaceError(
        "this installation lacks the shipped skills and task cards",
        where=PACKAGE,
        fix="install m4review again from its repository or wheel",
    )


def copy_starter(target: Path) -> None:
    """Copy the shipped skills, task cards and review rules into ``target``; no review event is copied.

    Raises:
        WorkspaceError: ``target`` holds files already.
    """
    if target.exists() and any(target.iterdir()):
        raise WorkspaceError(
            "the folder is not empty", where=target, expected="a new or empty folder", fix="name another with --dir"
        )
    source = starter_root()
    for name in (SKILLS, TASKS, REVIEWS):
        shutil.copytree(source / name, target / name, ignore=shutil.ignore_patterns("events", ".*"))
