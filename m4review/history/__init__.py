"""History: the only room that calls git. Versions, contents, commits, and what changed between two texts."""

from m4review.history.blanks import visible_spans
from m4review.history.comparison import Comparison, Hunk, Line, Span, compare
from m4review.history.errors import HookRefusedError, NothingChangedError
from m4review.history.folders import FileChange, compare_folders
from m4review.history.git import GitCall, Listener
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
    "render_line",
    "render_unified",
    "touched_folders",
    "visible_spans",
]
