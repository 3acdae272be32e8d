"""One writer of a ledger at a time, across windows. The lock ends with the process, however it ends."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from m4review.errors import LedgerError
from m4review.filelock import try_lock

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
        while not try_lock(stream.fileno()):
            if time.monotonic() > deadline:
                raise LedgerError(
                    "another window is recording a review at this moment",
                    where=folder,
                    fix="wait for it to finish and try again",
                )
            time.sleep(PAUSE_SECONDS)
        yield
