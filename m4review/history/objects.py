"""Entries of a git tree or index, and the exact bytes of their blobs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from m4review.errors import HistoryError
from m4review.history.git import Git

REGULAR, EXECUTABLE, SYMLINK, SUBMODULE = "100644", "100755", "120000", "160000"


class Entry(NamedTuple):
    """One file as git holds it. ``path`` is relative to the workspace, with ``/``."""

    path: str
    mode: str
    """``100644`` file, ``100755`` executable file, ``120000`` link, ``160000`` submodule."""
    oid: str
    """Object id of the blob (of the commit, for a submodule)."""
    stage: int = 0
    """0, or 1 to 3 while a merge conflict is open."""
    intent_to_add: bool = False
    """Announced with ``git add -N``: the index holds no content for it yet."""

    @property
    def is_file(self) -> bool:
        """Whether this is a plain file, executable or not."""
        return self.mode in {REGULAR, EXECUTABLE}

    @property
    def has_content(self) -> bool:
        """Whether git holds bytes for it (a link's bytes are its target)."""
        return self.mode != SUBMODULE and not self.intent_to_add


class Blob(NamedTuple):
    """An entry with its bytes. ``data`` is ``None`` without content or above the caller's size limit."""

    entry: Entry
    size: int
    data: bytes | None


def read_entries(git: Git, entries: Iterable[Entry], *, max_bytes: int | None = None) -> tuple[Blob, ...]:
    """The entries with their bytes, in the same order, through one ``git cat-file`` process (two with a limit)."""
    wanted = list(entries)
    oids = list(dict.fromkeys(entry.oid for entry in wanted if entry.has_content))
    if max_bytes is None:
        contents = read_blobs(git, oids)
        sizes = {oid: len(data) for oid, data in contents.items()}
    else:
        sizes = blob_sizes(git, oids)
        contents = read_blobs(git, [oid for oid in oids if sizes[oid] <= max_bytes])
    return tuple(
        Blob(entry, sizes[entry.oid], contents.get(entry.oid)) if entry.has_content else Blob(entry, 0, None)
        for entry in wanted
    )


def read_blobs(git: Git, oids: Iterable[str], *, extra: Mapping[str, str] | None = None) -> dict[str, bytes]:
    """The bytes of each object id.

    Raises:
        HistoryError: an object is missing, as in a damaged or partial clone.
    """
    request = _request(oids)
    if not request:
        return {}
    output = git.run("cat-file", "--batch", "--buffer", stdin=request, extra=extra).output
    contents: dict[str, bytes] = {}
    position = 0
    while position < len(output):
        end = output.index(b"\n", position)
        oid, size = _header(output[position:end])
        contents[oid] = output[end + 1 : end + 1 + size]
        position = end + 1 + size + 1
    return contents


def blob_sizes(git: Git, oids: Iterable[str]) -> dict[str, int]:
    """The size in bytes of each object id, without reading it."""
    request = _request(oids)
    if not request:
        return {}
    output = git.run("cat-file", "--batch-check", "--buffer", stdin=request).output
    return dict(_header(line) for line in output.splitlines())


def _request(oids: Iterable[str]) -> bytes:
    return "".join(f"{oid}\n" for oid in oids).encode("ascii")


def _header(line: bytes) -> tuple[str, int]:
    words = line.decode("ascii", "replace").split(" ")
    if len(words) != 3:
        raise HistoryError(
            f"git does not hold the content {words[0]}",
            expected="a complete clone",
            fix="run 'git fsck', or clone the repository again without --filter",
        )
    return words[0], int(words[2])
