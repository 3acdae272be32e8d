"""Files that are written once: which commit added each, and whether any was ever changed or removed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from m4review.history.gitlog import log_fields
from m4review.history.objects import Entry, read_blobs
from m4review.history.repository import Repository
from m4review.history.versions import CO_AUTHOR

FIELDS = ("%H", "%P", "%ae", "%aI", "%ce", "%cI", "%B")
MODIFIED = "M"
"""Status of a file whose bytes or mode changed while it stayed a file."""


@dataclass(frozen=True, slots=True)
class Added:
    """The commit that brought a file in."""

    commit: str
    parents: tuple[str, ...]
    people: frozenset[str]
    """Addresses (lower case) of author, committer and co-authors."""
    authored: datetime
    """The author's time, which a rebase keeps."""
    committed: datetime


@dataclass(frozen=True)
class FileHistory:
    """The history of a set of files. Paths are relative to the workspace."""

    added: Mapping[str, Added]
    violations: tuple[str, ...]
    """Sentences: which commit changed or removed which file."""
    order: Mapping[str, int]
    """Commit → position along the first-parent history, oldest first."""
    reached: Mapping[str, int]
    """Path → first-parent position at which it came in, itself or through a merge."""
    committed: Mapping[str, datetime]
    """Commit → committer's time, for the parents of adding commits."""

    def after(self, path: str) -> datetime | None:
        """A time before which the file cannot have been recorded: the latest of the commits it was put on top of."""
        added = self.added.get(path)
        times = (
            [] if added is None else [self.committed[parent] for parent in added.parents if parent in self.committed]
        )
        return max(times, default=None)


def read_file_history(repository: Repository, revision: str, folders: tuple[str, ...]) -> FileHistory:
    """The history of every file below ``folders`` up to ``revision``, side branches included."""
    every = _changes(repository, ("-m", "--full-history", "--topo-order", "--reverse", revision), folders)
    commits = _commits(repository, list(dict.fromkeys(commit for commit, _, _ in every)))
    added: dict[str, Added] = {}
    violations: dict[str, None] = {}
    in_merge: dict[tuple[str, str], int] = {}
    for commit, status, path in every:
        found = commits[commit]
        if status != "A":
            violations[f"{path} was {'removed' if status == 'D' else 'changed'} by commit {commit[:12]}"] = None
        elif len(found.parents) < 2:
            added.setdefault(path, found)
        else:
            in_merge[commit, path] = in_merge.get((commit, path), 0) + 1
            if in_merge[commit, path] == len(found.parents):
                added.setdefault(path, found)
    order = {commit: position for position, commit in enumerate(first_parent_line(repository, revision))}
    reached: dict[str, int] = {}
    for commit, status, path in _changes(repository, ("-m", "--first-parent", "--reverse", revision), folders):
        if status == "A":
            reached.setdefault(path, order[commit])
    parents = list(dict.fromkeys(parent for entry in added.values() for parent in entry.parents))
    times = {commit: found.committed for commit, found in _commits(repository, parents).items()}
    return FileHistory(added, tuple(violations), order, reached, times)


def first_parent_line(repository: Repository, revision: str) -> list[str]:
    """The commits of the first-parent history, oldest first."""
    return repository.git.run("rev-list", "--first-parent", "--reverse", revision).text.split()


def left_line_at(repository: Repository, commit: str, order: Mapping[str, int]) -> int | None:
    """The first-parent position that ``commit`` stands on: its own, or that of the newest commit of the line which it
    had seen; ``None`` where it had seen none. ``order`` gives the positions."""
    if commit in order:
        return order[commit]
    seen = repository.git.run("rev-list", commit).text.split()
    return max((order[one] for one in seen if one in order), default=None)


def line_changing(repository: Repository, revision: str, paths: tuple[str, ...]) -> list[str]:
    """The commits of the first-parent history that changed any of ``paths``, oldest first."""
    words = ("rev-list", "--first-parent", "--reverse", revision, "--")
    return repository.git.run(*words, *paths).text.split()


def files_at(repository: Repository, commit: str, paths: tuple[str, ...]) -> dict[str, bytes]:
    """The bytes of the plain files among and below ``paths`` at a commit; what is not there is left out."""
    entries = []
    for line in repository.git.run("ls-tree", "-r", "-z", commit, "--", *paths).records():
        head, _, path = line.partition("\t")
        mode, _, oid = head.split(" ")
        entries.append(Entry(path, mode, oid))
    blobs = read_blobs(repository.git, dict.fromkeys(entry.oid for entry in entries if entry.is_file))
    return {entry.path: blobs[entry.oid] for entry in entries if entry.is_file}


def _changes(repository: Repository, options: tuple[str, ...], folders: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """Commit, status letter and path of every change of bytes or type; a merge says so once per parent.

    Only ids, letters and paths are read, each ended by a NUL, so that no message or file name can hide a change. A file
    that became executable or no longer is holds the same bytes.
    """
    words = ("log", "--no-renames", "--raw", "--no-abbrev", "--relative", "-z", "--format=tformat:%H", *options, "--")
    output = repository.git.run("-c", "log.showSignature=false", *words, *folders).text
    found: list[tuple[str, str, str]] = []
    commit, status = "", ""
    is_same = False
    for word in output.split("\0"):
        if status:
            if not is_same:
                found.append((commit, status, word))
            status = ""
        elif (line := word.strip("\n")).startswith(":"):
            _, _, before, after, status = line.split(" ")
            is_same = status == MODIFIED and before == after
        elif line:
            commit = line
    return found


def _commits(repository: Repository, commits: list[str]) -> dict[str, Added]:
    """Who made each of ``commits``, of those that this clone holds."""
    if not commits:
        return {}
    asked = "".join(f"{commit}\n" for commit in commits).encode()
    found = {}
    for values in log_fields(repository.git, FIELDS, "--no-walk=unsorted", "--stdin", "--ignore-missing", stdin=asked):
        commit, parents, author, authored, committer, time, body = values
        people = [author, committer, *(match["email"] for match in CO_AUTHOR.finditer(body))]
        addresses = frozenset(email.strip().lower() for email in people if email.strip())
        times = datetime.fromisoformat(authored), datetime.fromisoformat(time)
        found[commit] = Added(commit, tuple(parents.split()), addresses, *times)
    return found
