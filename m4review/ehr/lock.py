"""One writer at a time: a lock that the operating system releases when its holder dies."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from m4review.errors import DatasetError
from m4review.filelock import try_lock

LOCK_FILE = ".lock"


@contextmanager
def writing_lock(folder: Path, what: str) -> Iterator[None]:
    """Hold the folder for writing. ``what`` says in the other's message what is going on ("a build").

    Raises:
        DatasetError: somebody else holds it, or the folder is not writable.
    """
    path = folder / LOCK_FILE
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise _unwritable(folder, error) from None
    try:
        if not try_lock(descriptor):
            holder = path.read_text(encoding="utf-8", errors="replace").strip() or "another process"
            raise DatasetError(
                f"busy: {holder} is at work here",
                where=folder,
                fix="wait until it has finished, or stop that process, and try again",
            )
        try:
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"{what} (process {os.getpid()})".encode())
        except OSError as error:
            raise _unwritable(folder, error) from None
        yield
    finally:
        os.close(descriptor)


def _unwritable(folder: Path, error: OSError) -> DatasetError:
    fix = "free disk space and try again" if error.errno == errno.ENOSPC else "check the folder's permissions"
    return DatasetError(f"cannot be written ({error.strerror})", where=folder, fix=fix)
