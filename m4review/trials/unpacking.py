"""What is inside the files an agent left: archives unpacked, columns of Parquet and databases read as text.

Names say nothing here; the first bytes of a file do. Nothing is written but a private spool that is gone afterwards,
nothing is extracted under its own name, and bytes, time and nesting are bounded, because an agent may leave a bomb.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from m4review.trials.printable import printable

CHUNK = 1 << 20
HEAD = 512
"""Bytes by which the form of a file is told."""

DEEPEST = 3
"""Archives in archives that are opened."""

MOST_BYTES = 2 << 30
MOST_SECONDS = 300.0
MOST_MEMBERS = 10_000
LONGEST_NAME = 300

Form = Literal["gzip", "bzip2", "xz", "zip", "tar", "parquet", "duckdb", "zstd"]
COLUMNS = ("parquet", "duckdb", "zstd")
"""Forms that a process of its own reads with DuckDB."""

DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError, ValueError, KeyError)


class LockedError(Exception):
    """The content is locked with a password."""


class TooMuchError(Exception):
    """There is more inside than is looked at."""


@dataclass(frozen=True, slots=True)
class Inside:
    """One thing inside a file: its name there, and its bytes, which must be read before the next one is asked for."""

    name: str
    chunks: Iterator[bytes]


class Budget:
    """How much may still be unpacked for one run."""

    def __init__(
        self, *, size: int = MOST_BYTES, seconds: float = MOST_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._size = size
        self._clock = clock
        self._until = clock() + seconds
        self._members = MOST_MEMBERS

    @property
    def seconds(self) -> float:
        """Seconds that are left."""
        return max(0.0, self._until - self._clock())

    def take(self, size: int) -> None:
        """Use ``size`` bytes.

        Raises:
            TooMuchError: they are not there.
        """
        self._size -= size
        if self._size < 0 or self._clock() > self._until:
            raise TooMuchError

    def member(self) -> None:
        """Use one member of an archive.

        Raises:
            TooMuchError: there were too many.
        """
        self._members -= 1
        if self._members < 0:
            raise TooMuchError


def form_of(head: bytes) -> Form | None:
    """What the first bytes of a file say it is, if it is something that hides its text."""
    if head[:2] == b"\x1f\x8b":
        return "gzip"
    if head[:3] == b"BZh":
        return "bzip2"
    if head[:6] == b"\xfd7zXZ\0":
        return "xz"
    if head[:4] in {b"PK\x03\x04", b"PK\x05\x06"}:
        return "zip"
    if head[257:262] == b"ustar":
        return "tar"
    if head[:4] == b"PAR1":
        return "parquet"
    if head[8:12] == b"DUCK":
        return "duckdb"
    if head[:4] == b"\x28\xb5\x2f\xfd":
        return "zstd"
    return None


def unpacked(path: Path, form: Form, budget: Budget) -> Iterator[Inside]:
    """What is inside the file at ``path``, one after the other.

    Raises:
        LockedError: it is locked with a password.
        TooMuchError: there is more than the budget allows.
        ValueError, OSError and the like (:data:`DAMAGED`): it is not what its first bytes say.
    """
    if form == "zip":
        yield from _zip(path, budget)
    elif form == "tar":
        yield from _tar(path, budget)
    elif form in COLUMNS:
        yield from _columns(path, form, budget)
    else:
        with _unpacker(path, form) as stream:
            yield Inside("unpacked", _read(stream, budget))


def _unpacker(path: Path, form: Form) -> IO[bytes]:
    if form == "gzip":
        return gzip.GzipFile(path, "rb")  # type: ignore[return-value]  # an IO[bytes] in all but name
    return bz2.BZ2File(path, "rb") if form == "bzip2" else lzma.LZMAFile(path, "rb")


def _zip(path: Path, budget: Budget) -> Iterator[Inside]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            budget.member()
            if member.is_dir():
                continue
            if member.flag_bits & 1:
                raise LockedError
            try:
                stream = archive.open(member)
            except NotImplementedError as error:
                raise ValueError(str(error)) from None
            with stream:
                yield Inside(printable(member.filename, LONGEST_NAME), _read(stream, budget))


def _tar(path: Path, budget: Budget) -> Iterator[Inside]:
    with tarfile.open(path, "r:") as archive:
        for member in archive:
            budget.member()
            stream = archive.extractfile(member) if member.isreg() else None
            if stream is not None:
                yield Inside(printable(member.name, LONGEST_NAME), _read(stream, budget))


def _columns(path: Path, form: Form, budget: Budget) -> Iterator[Inside]:
    with _column_reader(path, form, budget.seconds) as stream:
        yield Inside("columns", _read(stream, budget))


@contextmanager
def _column_reader(path: Path, form: Form, seconds: float) -> Iterator[IO[bytes]]:
    """A process that prints the text in a file of columns; ended when its time is over or nobody reads any more."""
    process = subprocess.Popen(
        [sys.executable, "-m", "m4review.trials.columntext", form, str(path)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    timer = threading.Timer(seconds, process.kill)
    timer.daemon = True
    timer.start()
    assert process.stdout is not None
    complete = False
    try:
        yield process.stdout
        complete = True
    finally:
        timer.cancel()
        with suppress(ProcessLookupError):
            if not complete:
                process.kill()
        process.stdout.close()
        process.wait()
    if process.returncode < 0:
        raise TooMuchError
    if process.returncode:
        raise ValueError(f"its columns cannot be read (exit code {process.returncode})")


def _read(stream: IO[bytes], budget: Budget) -> Iterator[bytes]:
    while chunk := stream.read(CHUNK):
        budget.take(len(chunk))
        yield chunk
