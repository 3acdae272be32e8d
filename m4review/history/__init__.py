"""History: the only room that calls git. Versions, contents, commits, and what changed between two texts.

Parts are loaded on first use: a hook reads the index, and needs neither comparisons nor the recording of versions.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from m4review.history.blanks import visible_spans
    from m4review.history.comparison import Comparison, Hunk, Line, Span, compare
    from m4review.history.errors import HookRefusedError, NothingChangedError
    from m4review.history.folders import FileChange, compare_folders
    from m4review.history.git import GitCall, Listener
    from m4review.history.gituser import git_user, name_git_user
    from m4review.history.objects import Blob, Entry
    from m4review.history.recording import Identity
    from m4review.history.rendering import render_line, render_unified
    from m4review.history.repository import Repository, WorkingState, touched_folders
    from m4review.history.versions import Commit, Version

__all__ = [
    "Blob",
    "Commit",
    "Comparison",
    "Entry",
    "FileChange",
    "GitCall",
    "HookRefusedError",
    "Hunk",
    "Identity",
    "Line",
    "Listener",
    "NothingChangedError",
    "Repository",
    "Span",
    "Version",
    "WorkingState",
    "compare",
    "compare_folders",
    "git_user",
    "name_git_user",
    "render_line",
    "render_unified",
    "touched_folders",
    "visible_spans",
]

_PARTS = {
    "blanks": ("visible_spans",),
    "comparison": ("Comparison", "Hunk", "Line", "Span", "compare"),
    "errors": ("HookRefusedError", "NothingChangedError"),
    "folders": ("FileChange", "compare_folders"),
    "git": ("GitCall", "Listener"),
    "gituser": ("git_user", "name_git_user"),
    "objects": ("Blob", "Entry"),
    "recording": ("Identity",),
    "rendering": ("render_line", "render_unified"),
    "repository": ("Repository", "WorkingState", "touched_folders"),
    "versions": ("Commit", "Version"),
}
_HOMES = {name: part for part, names in _PARTS.items() for name in names}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(importlib.import_module(f"m4review.history.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
