"""The folder names of a workspace, and how to find its root. Imports nothing heavy, so that a hook starts fast."""

from __future__ import annotations

from pathlib import Path

SKILLS, TASKS, REVIEWS, LOCAL = "skills", "tasks", "reviews", ".m4review"
SKILL_FILE = "SKILL.md"
DEMONSTRATION_FILE = "DEMONSTRATION.md"
"""Its presence at the root says that nothing in the workspace counts; it is recorded, so that every clone says it."""


def find_root(start: Path) -> Path | None:
    """The nearest folder from ``start`` upwards that has ``skills/`` and ``tasks/``, or ``None``."""
    here = start.resolve()
    for folder in (here, *here.parents):
        if (folder / SKILLS).is_dir() and (folder / TASKS).is_dir():
            return folder
    return None
