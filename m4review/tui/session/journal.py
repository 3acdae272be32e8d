"""The journal: unsaved text on disk, so that neither a crash nor a closed terminal loses a keystroke.

Every session (one running workbench) writes under its own name and holds a lock as long as it lives; the operating
system drops the lock when the process ends, however it ends. Drafts whose session is gone are orphans: the next
session claims them by renaming them to its own name before it shows them, so that two sessions never offer, keep or
delete the same draft.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from m4review.errors import TextFileError
from m4review.textfile import write_bytes

SCHEMA = "m4review.draft.v1"
DRAFT_SUFFIX, LOCK_SUFFIX = ".draft.json", ".lock"


@dataclass(frozen=True, slots=True)
class Draft:
    """Unsaved text of one skill. ``base_digest`` names the file content the text was typed upon."""

    skill: str
    text: str
    base_digest: str
    at: str
    """Wall time of the last edit kept (ISO 8601, UTC)."""
    file: Path | None = None
    """Where the draft lies; ``None`` before it is written."""


class Journal:
    """The drafts of this session. Writing is safe from any thread; a late older text never replaces a newer one."""

    def __init__(self, folder: Path, session: str, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._folder = folder
        self._session = session
        self._clock = clock
        self._writing = threading.Lock()
        self._newest: dict[str, int] = {}
        self._lock_file: IO[bytes] | None = None

    def keep(self, skill: str, text: str, base_digest: str, version: int) -> None:
        """Write the unsaved text of a skill; ignored when ``version`` is older than what was kept or dropped.

        Raises:
            TextFileError: the disk is full or the folder is not writable.
        """
        with self._writing:
            if version < self._newest.get(skill, 0):
                return
            self._hold_lock()
            draft = Draft(skill, text, base_digest, self._clock().isoformat(timespec="seconds"))
            _write_draft(self._file(skill), draft)
            self._newest[skill] = version

    def drop(self, skill: str, version: int) -> None:
        """Forget the kept text of a skill up to ``version``: it was saved or given up."""
        with self._writing:
            self._newest[skill] = version + 1
            self._file(skill).unlink(missing_ok=True)

    def claim_orphans(self) -> list[Draft]:
        """Take over the drafts of sessions that ended, newest first. A file that is no draft is left alone."""
        claimed: list[Draft] = []
        with self._writing:
            self._hold_lock()
            for session, files in self._drafts_by_session().items():
                if session == self._session:
                    continue
                with _session_is_over(self._folder / f"{session}{LOCK_SUFFIX}") as over:
                    if over:
                        claimed.extend(draft for file in files if (draft := self._claim(file, len(claimed))))
        return sorted(claimed, key=lambda draft: draft.at, reverse=True)

    def discard(self, draft: Draft) -> None:
        """Delete a claimed draft."""
        if draft.file is not None:
            draft.file.unlink(missing_ok=True)

    def close(self) -> None:
        """End the session: drafts that are still there become orphans for the next one."""
        with self._writing:
            if self._lock_file is not None:
                name = Path(self._lock_file.name)
                self._lock_file.close()
                self._lock_file = None
                if not any(session == self._session for session in self._drafts_by_session()):
                    name.unlink(missing_ok=True)

    def _file(self, skill: str, serial: int = 0) -> Path:
        return self._folder / f"{self._session}--{serial}--{skill}{DRAFT_SUFFIX}"

    def _drafts_by_session(self) -> dict[str, list[Path]]:
        grouped: dict[str, list[Path]] = {}
        for file in sorted(self._folder.glob(f"*{DRAFT_SUFFIX}")):
            grouped.setdefault(file.name.partition("--")[0], []).append(file)
        return grouped

    def _claim(self, file: Path, taken: int) -> Draft | None:
        draft = read_draft(file)
        if draft is None:
            return None
        serial = taken + 1
        while (target := self._file(draft.skill, serial)).exists():
            serial += 1
        try:
            file.rename(target)
        except FileNotFoundError:
            return None
        return replace(draft, file=target)

    def _hold_lock(self) -> None:
        if self._lock_file is None:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                stream = (self._folder / f"{self._session}{LOCK_SUFFIX}").open("ab")
            except OSError as error:
                raise TextFileError(
                    f"drafts cannot be kept ({error.strerror})",
                    where=self._folder,
                    fix="check the folder's permissions and the free disk space; save often until then",
                ) from None
            _try_lock(stream)
            self._lock_file = stream


def drafts_in(folder: Path) -> list[Draft]:
    """Every draft that lies in a folder, whosever it is; nothing is claimed. Newest first."""
    found = (read_draft(file) for file in folder.glob(f"*{DRAFT_SUFFIX}"))
    return sorted((draft for draft in found if draft is not None), key=lambda draft: draft.at, reverse=True)


def read_draft(file: Path) -> Draft | None:
    """The draft in ``file``, or ``None`` when the file is gone or not a draft."""
    try:
        values = json.loads(file.read_bytes())
        if values.pop("schema") != SCHEMA:
            return None
        return Draft(**values, file=file)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _write_draft(file: Path, draft: Draft) -> None:
    values = {key: value for key, value in asdict(draft).items() if key != "file"}
    write_bytes(file, json.dumps({"schema": SCHEMA} | values).encode("ascii"))


@contextlib.contextmanager
def _session_is_over(lock: Path) -> Iterator[bool]:
    """Hold a dead session's lock while its drafts are claimed; ``False`` when the session lives."""
    with lock.open("ab") as stream:
        if not _try_lock(stream):
            yield False
            return
        yield True
        lock.unlink(missing_ok=True)


if sys.platform == "win32":
    import msvcrt

    def _try_lock(stream: IO[bytes]) -> bool:
        try:
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(stream: IO[bytes]) -> bool:
        try:
            fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


def new_session_name() -> str:
    """A name no other session on this workspace has: process id and a few random letters."""
    return f"{os.getpid()}-{os.urandom(3).hex()}"
