"""The working copy as git would record it: bytes after git's own line-end conversion, read without writing anything.

What git knows to be unchanged is read from its store; only what differs or is new is converted, in a scratch store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from m4review.errors import HistoryError
from m4review.history.git import Git
from m4review.history.objects import SUBMODULE, SYMLINK, read_blobs

KNOWN = "H"
"""How ``ls-files -v`` marks a file of the index that it compares with the disk."""
NEW = "? "


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file as git would store it: object id and bytes."""

    oid: str
    data: bytes


@dataclass(frozen=True, slots=True)
class WorkingCopy:
    """Some folders of the working copy. Paths are relative to the workspace."""

    files: dict[str, StoredFile]
    links: tuple[str, ...]
    """Links and submodules, which are no content."""

    def below(self, folder: str) -> dict[str, bytes]:
        """Path relative to ``folder`` → bytes.

        Raises:
            HistoryError: the folder holds a link or a submodule.
        """
        files, links = self.plain_below(folder)
        for path in links:
            where = path if folder in {"", "."} else f"{folder.rstrip('/')}/{path}"
            raise HistoryError("a link, which is no content", where=where, fix="replace it with a regular file")
        return files

    def plain_below(self, folder: str) -> tuple[dict[str, bytes], tuple[str, ...]]:
        """The same of the plain files alone, and the paths of the links and submodules beside them."""
        start = "" if folder in {"", "."} else folder.rstrip("/") + "/"
        files = {path.removeprefix(start): file.data for path, file in self.files.items() if path.startswith(start)}
        return files, tuple(path.removeprefix(start) for path in self.links if path.startswith(start))


def read_working_copy(git: Git, root: Path, top: Path, folders: Sequence[str]) -> WorkingCopy:
    """The files of ``folders``, ignored ones left out; ``root`` is the workspace, ``top`` the repository's top folder.

    Raises:
        HistoryError: git failed, or a file name holds a line break.
    """
    unchanged, differing, links = _listed(git, root, folders)
    if not differing:
        contents = read_blobs(git, dict.fromkeys(unchanged.values()))
        return WorkingCopy(_stored(unchanged, contents), links)
    if any("\n" in path for path in differing):
        raise HistoryError("a line break in a file name", where=", ".join(folders), fix="rename the file")
    objects = git.run("rev-parse", "--git-path", "objects").text.strip("\n")
    with TemporaryDirectory(prefix="m4review-git-") as scratch:
        extra = {
            "GIT_OBJECT_DIRECTORY": scratch,
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str((root / objects).resolve()),
        }
        # git reads these names relative to the top folder, so it runs there.
        names = "".join(f"{(root / path).relative_to(top).as_posix()}\n" for path in differing)
        at_top = Git(top, environment=git.environment, listener=git.listener)
        request = names.encode("utf-8", "surrogateescape")
        oids = at_top.run("hash-object", "-w", "--stdin-paths", stdin=request, extra=extra).text.split()
        found = unchanged | dict(zip(differing, oids, strict=True))
        contents = read_blobs(git, dict.fromkeys(found.values()), extra=extra)
    return WorkingCopy(_stored(found, contents), links)


def _listed(git: Git, root: Path, folders: Sequence[str]) -> tuple[dict[str, str], list[str], tuple[str, ...]]:
    """Path → object id of what is on disk as in the index; paths that differ or are new; links.

    A file that git was told to take for unchanged is looked at all the same.
    """
    words = ("ls-files", "-z", "-v", "--stage", "--cached", "--others", "--modified", "--exclude-standard")
    unchanged: dict[str, str] = {}
    differing: dict[str, None] = {}
    links: dict[str, None] = {}
    for record in git.run(*words, "--", *folders).records():
        if record.startswith(NEW):
            differing[record.removeprefix(NEW)] = None
            continue
        head, _, path = record.partition("\t")
        mark, mode, oid, stage = head.split(" ")
        if mode == SUBMODULE or (mode == SYMLINK and mark == KNOWN):
            links[path] = None
        elif mark == KNOWN and stage == "0":
            unchanged[path] = oid
        else:
            differing[path] = None
    for path in differing:
        unchanged.pop(path, None)
        links.pop(path, None)
        if (root / path).is_symlink():
            links[path] = None
    changed = [path for path in differing if path not in links and (root / path).is_file()]
    return unchanged, changed, tuple(sorted(links))


def _stored(oids: dict[str, str], contents: dict[str, bytes]) -> dict[str, StoredFile]:
    return {path: StoredFile(oids[path], contents[oids[path]]) for path in sorted(oids)}
