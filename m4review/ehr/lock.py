"""One writer at a time: a lock that the operating system releases when its holder dies."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from m4review.errors import DatasetError

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
        if not _try_lock(descriptor):
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


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            os.lseek(descriptor, 1 << 20, os.SEEK_SET)  # beyond the text, so that the other side can read it
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        os.lseek(descriptor, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
