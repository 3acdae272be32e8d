"""What changed between two states of a folder: every file of both, compared as text where it is text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from m4review.history.comparison import Comparison, compare


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file that differs. ``comparison`` is ``None`` where a side is not UTF-8 text."""

    path: str
    """Relative to the folder."""
    old: bytes | None
    """``None`` when the file is new."""
    new: bytes | None
    """``None`` when the file is gone."""
    comparison: Comparison | None


def compare_folders(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> tuple[FileChange, ...]:
    """The files that differ between two contents of a folder (path → bytes), sorted by path."""
    changes = []
    for path in sorted({*old, *new}):
        before, after = old.get(path), new.get(path)
        if before != after:
            changes.append(FileChange(path, before, after, _compared(before or b"", after or b"")))
    return tuple(changes)


def _compared(before: bytes, after: bytes) -> Comparison | None:
    try:
        return compare(before.decode("utf-8"), after.decode("utf-8"))
    except UnicodeDecodeError:
        return None
