"""Which demonstrations were made on this computer, so that one is found again after its window was closed.

One line of JSON per demonstration in the user's state folder. Nothing is ever taken out: what was deleted since is not
told, and that is seen when the list is read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from m4review.errors import WorkspaceError
from m4review.places import DEMONSTRATION_FILE

FILE = "demonstrations.jsonl"


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A demonstration's workspace and when it was made (UTC)."""

    root: Path
    made: datetime


def demonstrations_file(environment: Mapping[str, str]) -> Path | None:
    """The list in the user's state folder (``XDG_STATE_HOME``); ``None`` where the environment names no home."""
    if environment.get("XDG_STATE_HOME"):
        return Path(environment["XDG_STATE_HOME"]) / "m4review" / FILE
    if environment.get("HOME"):
        return Path(environment["HOME"]) / ".local" / "state" / "m4review" / FILE
    return None


def remember(environment: Mapping[str, str], made: Demonstration) -> None:
    """Add a demonstration to the list; nothing is kept where the environment names no home.

    Raises:
        WorkspaceError: the list cannot be written.
    """
    file = demonstrations_file(environment)
    if file is None:
        return
    line = json.dumps({"folder": str(made.root.resolve()), "made": made.made.isoformat(timespec="seconds")})
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="ascii") as stream:
            stream.write(f"{line}\n")
    except OSError as error:
        raise WorkspaceError(
            f"where this demonstration lies cannot be remembered ({error.strerror})",
            where=file,
            fix="note the folder, or make the file writable",
        ) from None


def remembered(environment: Mapping[str, str]) -> list[Demonstration]:
    """The demonstrations that still exist, the newest first. A line that was cut off while it was written is no entry.

    Raises:
        WorkspaceError: the list is there and cannot be read.
    """
    file = demonstrations_file(environment)
    if file is None or not file.exists():
        return []
    try:
        lines = file.read_bytes().splitlines()
    except OSError as error:
        raise WorkspaceError(
            f"the list of demonstrations cannot be read ({error.strerror})", where=file, fix="make it readable"
        ) from None
    found = {one.root: one for line in lines if (one := _entry(line)) is not None}
    there = [one for one in found.values() if (one.root / DEMONSTRATION_FILE).is_file()]
    return sorted(there, key=lambda one: one.made, reverse=True)


def _entry(line: bytes) -> Demonstration | None:
    try:
        values = json.loads(line)
        made = datetime.fromisoformat(values["made"])
        return Demonstration(Path(values["folder"]), made if made.tzinfo else made.replace(tzinfo=UTC))
    except (ValueError, KeyError, TypeError):
        return None
