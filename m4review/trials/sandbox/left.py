"""What an agent left in its work folder, read without trusting it.

From a stopped container it comes as a tar stream that is never unpacked: only regular files are read, links are never
followed, and both bytes and time are bounded (a sparse file may claim any size).
"""

from __future__ import annotations

import os
import stat
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from m4review.trials.printable import printable
from m4review.trials.sandbox.capture import run_folder_error
from m4review.trials.sandbox.job import OUTPUT_NAME, WORK, LeftFile, OutputState, SandboxFailure, Visitor
from m4review.trials.secrets import SecretScreen

if TYPE_CHECKING:
    from docker.models.containers import Container

CHUNK = 1 << 20
LONGEST_NAME = 300


def read_file(
    keeper: Container, path: str, target: Path, limit: int, deadline: float, screen: SecretScreen
) -> OutputState:
    """Copy a file of the work folder to ``target`` if it is a regular file of at most ``limit`` bytes."""
    from docker.errors import NotFound

    try:
        archive = _archive(keeper, f"{WORK}/{path}", deadline)
    except NotFound:
        return "absent"
    with archive:
        member = archive.next()
        if member is None:
            return "absent"
        if not member.isreg():
            return "not a regular file"
        if member.size > limit:
            return "too large"
        stream = archive.extractfile(member)
        assert stream is not None
        write_record(target, screen.chunks(target.name, _chunks(stream)))
    return "present"


def read_left(keeper: Container, visit: Visitor, limit: int, deadline: float) -> bool:
    """Show every file of the work folder to ``visit``; false when it stopped at ``limit`` bytes in all."""
    seen = 0
    with _archive(keeper, WORK, deadline) as archive:
        for member in archive:
            path = printable(member.name.partition("/")[2], LONGEST_NAME)
            if not path:
                continue
            if member.isreg():
                if seen + member.size > limit:
                    return False
                seen += member.size
                stream = archive.extractfile(member)
                assert stream is not None
                visit(LeftFile(path, "file", member.size, _chunks(stream)))
            else:
                visit(LeftFile(path, _kind(member), 0, iter(())))
    return True


def read_local_output(work: Path, record: Path, limit: int, screen: SecretScreen) -> OutputState:
    """The same from a folder on this host."""
    path = work / OUTPUT_NAME
    try:
        found = path.lstat()
    except FileNotFoundError:
        return "absent"
    if not stat.S_ISREG(found.st_mode):
        return "not a regular file"
    if found.st_size > limit:
        return "too large"
    with _open_plain(path) as stream:
        write_record(record / OUTPUT_NAME, screen.chunks(OUTPUT_NAME, _chunks(stream)))
    return "present"


def read_local_left(work: Path, visit: Visitor, limit: int) -> bool:
    """The same from a folder on this host; links are shown, never followed."""
    seen = 0
    for folder, folders, files in os.walk(work, followlinks=False):
        for name in sorted((*folders, *files)):
            path = Path(folder) / name
            found = path.lstat()
            shown = printable(path.relative_to(work).as_posix(), LONGEST_NAME)
            if stat.S_ISREG(found.st_mode):
                if seen + found.st_size > limit:
                    return False
                seen += found.st_size
                with _open_plain(path) as stream:
                    visit(LeftFile(shown, "file", found.st_size, _chunks(stream)))
            elif stat.S_ISLNK(found.st_mode):
                visit(LeftFile(shown, "link", 0, iter(())))
            elif not stat.S_ISDIR(found.st_mode):
                visit(LeftFile(shown, "special", 0, iter(())))
    return True


class _TarStream:
    """The engine's chunks as the ``read`` that tarfile wants, with a deadline."""

    def __init__(self, chunks: Iterator[bytes], where: str, deadline: float) -> None:
        self._chunks = chunks
        self._where = where
        self._deadline = deadline
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        parts = [self._rest]
        have = len(self._rest)
        while size < 0 or have < size:
            if time.monotonic() > self._deadline:
                raise SandboxFailure("reading what the agent left took too long", where=self._where)
            chunk = next(self._chunks, None)
            if chunk is None:
                break
            parts.append(chunk)
            have += len(chunk)
        data = b"".join(parts)
        cut = have if size < 0 else size
        self._rest = data[cut:]
        return data[:cut]


def _archive(keeper: Container, path: str, deadline: float) -> tarfile.TarFile:
    chunks, _ = keeper.get_archive(path, chunk_size=CHUNK)
    stream: Any = _TarStream(iter(chunks), path, deadline)
    try:
        return tarfile.open(fileobj=stream, mode="r|", bufsize=CHUNK)
    except tarfile.TarError as error:
        raise SandboxFailure(f"the engine's archive cannot be read ({error})", where=path) from None


def _kind(member: tarfile.TarInfo) -> Any:
    if member.isdir():
        return "folder"
    return "link" if member.issym() or member.islnk() else "special"


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    while chunk := stream.read(CHUNK):
        yield chunk


def _open_plain(path: Path) -> IO[bytes]:
    """Open a file that must not have become a link since it was looked at."""
    return os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb")


def write_record(path: Path, chunks: Iterator[bytes]) -> None:
    """Write a file of a run's record, whole or not at all.

    Raises:
        TrialError: the disk is full or not writable.
    """
    try:
        with path.open("wb") as target:
            for chunk in chunks:
                target.write(chunk)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise run_folder_error(path, error) from None
