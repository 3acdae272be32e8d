"""A lock on an open file that the operating system releases when its holder dies, however it dies."""

from __future__ import annotations

import os
import sys

if sys.platform == "win32":
    import msvcrt

    BEYOND_TEXT = 1 << 20
    """Where the locked byte lies: Windows keeps others from reading what is locked."""

    def try_lock(descriptor: int) -> bool:
        """Take the lock if nobody holds it; whether it was taken. The file's position is at its start afterwards."""
        os.lseek(descriptor, BEYOND_TEXT, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """Take the lock if nobody holds it; whether it was taken. The file's position is at its start afterwards."""
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
