"""One writer of a ledger at a time, across windows. The lock ends with the process, however it ends."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from m4review.errors import LedgerError

LOCK_FILE = "m4review-ledger.lock"
PAUSE_SECONDS = 0.05


@contextmanager
def ledger_lock(folder: Path, *, patience_seconds: float = 10.0) -> Iterator[None]:
    """Hold the lock file in ``folder`` (git's own folder, which is never versioned).

    Raises:
        LedgerError: the folder is not writable, or another process kept it for longer than ``patience_seconds``.
    """
    try:
        stream = (folder / LOCK_FILE).open("a+b")
    except OSError as error:
        raise LedgerError(
            f"nothing can be recorded here ({error.strerror})", where=folder, fix="check the folder's permissions"
        ) from None
    with stream:
        deadline = time.monotonic() + patience_seconds
        while not _try_lock(stream.fileno()):
            if time.monotonic() > deadline:
                raise LedgerError(
                    "another window is recording a review at this moment",
                    where=folder,
                    fix="wait for it to finish and try again",
                )
            time.sleep(PAUSE_SECONDS)
        yield


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
