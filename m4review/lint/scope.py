"""Which files of a workspace are linted, and which skill each belongs to. Paths are relative to the workspace."""

from __future__ import annotations

from collections.abc import Iterable

from m4review.lint.structure import DATA_FILE, MAX_BYTES
from m4review.places import REVIEWS, SKILL_FILE, SKILLS, TASKS
from m4review.tasks.values import TASK_FILE

WAIVERS_FILE = f"{REVIEWS}/lint-waivers.toml"
SPECIFICATION_FILE = "operational-spec.md"
READ_BYTES = 4 * MAX_BYTES
"""Larger files are not read at all: they are refused for their size."""


def is_skill_text(path: str) -> bool:
    """Whether a file outside of skills is linted: the texts of task cards and reviews, and data files there."""
    if path == WAIVERS_FILE:
        return True
    parts = path.split("/")
    if parts[0] not in {TASKS, REVIEWS}:
        return False
    return path.lower().endswith((".md", ".markdown")) or DATA_FILE.search(path) is not None


def skill_folders(paths: Iterable[str]) -> frozenset[str]:
    """The outermost folders that hold a SKILL.md, and every folder directly under ``skills/``."""
    found = set()
    for path in paths:
        parts = path.split("/")
        if len(parts) > 2 and parts[0] == SKILLS:
            found.add("/".join(parts[:2]))
        elif len(parts) > 1 and parts[-1] == SKILL_FILE:
            found.add("/".join(parts[:-1]))
    return frozenset(
        folder for folder in found if not any(folder.startswith(other + "/") for other in found if other != folder)
    )


def folder_of(path: str, folders: frozenset[str]) -> str | None:
    """The skill folder among ``folders`` that holds ``path``."""
    parts = path.split("/")
    if len(parts) > 2 and parts[0] == SKILLS:
        return "/".join(parts[:2])
    return next((folder for depth in range(1, len(parts)) if (folder := "/".join(parts[:depth])) in folders), None)


def is_task_card(path: str) -> bool:
    """Whether this is the card of a task."""
    parts = path.split("/")
    return len(parts) == 4 and parts[0] == TASKS and parts[3] == TASK_FILE


def workspace_roots(paths: Iterable[str]) -> tuple[str, ...]:
    """The folders (below the top) that hold both ``skills/`` and ``tasks/``, sorted."""
    holders: dict[str, set[str]] = {SKILLS: set(), TASKS: set()}
    for path in paths:
        parts = path.split("/")
        for depth in range(1, len(parts) - 1):
            if parts[depth] in holders:
                holders[parts[depth]].add("/".join(parts[:depth]))
    return tuple(sorted(holders[SKILLS] & holders[TASKS]))
