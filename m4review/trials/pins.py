"""The files a trial's runs start from, and whether they still are what they were when the trial began.

They are copies and hard links of the trial's own, so a dataset that is rebuilt or removed meanwhile changes nothing.
What could change them is a program that writes into a file instead of replacing it; a run that starts from or ends
with such a file is no run of this dataset.
"""

from __future__ import annotations

from pathlib import Path

from m4review.trials.claims import OWNER_FILE

Look = tuple[int, int, int]


class Pins:
    """How every file under ``folder`` looked when this was made: size, time of change, identity."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = dict(_looks(folder))

    def changed(self) -> str | None:
        """The first file, relative to the folder, that is not what it was; ``None`` while all are."""
        now = dict(_looks(self._folder))
        differing = sorted(self._files.items() ^ now.items())
        return differing[0][0] if differing else None


def _looks(folder: Path) -> list[tuple[str, Look]]:
    looks = []
    for path in folder.rglob("*"):
        if path.name != OWNER_FILE and path.is_file():
            status = path.stat()
            looks.append((path.relative_to(folder).as_posix(), (status.st_size, status.st_mtime_ns, status.st_ino)))
    return looks
