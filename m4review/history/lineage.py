"""How folders came to be: every commit that changed them, who had a hand in it, and what they then held.

Read in a handful of git processes, however many folders and commits there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from m4review.errors import HistoryError
from m4review.history.git import Git
from m4review.history.gitlog import log_fields
from m4review.history.objects import EXECUTABLE, REGULAR, read_blobs
from m4review.history.versions import CO_AUTHOR

FIELDS = ("%H", "%P", "%ae", "%ce", "%cI", "%B")
TREE_MODE = "40000"
REGULAR_MODES = frozenset({REGULAR, EXECUTABLE})


@dataclass(frozen=True, slots=True)
class Step:
    """One commit that changed any of the folders."""

    commit: str
    parents: tuple[int, ...]
    """Positions of the nearest earlier steps in :attr:`Lineage.steps`."""
    authors: frozenset[str]
    """Addresses (lower case) of the author and every co-author."""
    committer: str
    committed: datetime
    trees: dict[str, str]
    """Folder → object id of its tree; a folder that did not exist is missing."""


@dataclass(frozen=True)
class Lineage:
    """Steps, parents before children, and the trees and blobs they refer to."""

    steps: tuple[Step, ...]
    tip: int | None
    """Position of the step that holds the folders as they are at the revision asked for."""
    is_complete: bool
    """False in a shallow clone, where older steps are missing."""
    _trees: dict[str, dict[str, tuple[str, str]]] = field(repr=False)
    _blobs: dict[str, bytes] = field(repr=False)

    def subfolders(self, tree: str) -> dict[str, str]:
        """Name → tree id of the folders directly inside a tree."""
        return {name: oid for name, (mode, oid) in self._trees[tree].items() if mode == TREE_MODE}

    def direct_files(self, tree: str) -> dict[str, bytes]:
        """The exact bytes of the plain files directly inside a tree, by name."""
        return {name: self._blobs[oid] for name, (mode, oid) in self._trees[tree].items() if mode in REGULAR_MODES}

    def files(self, tree: str) -> dict[str, bytes]:
        """The exact bytes of every file below a tree, by path relative to it.

        Raises:
            HistoryError: it holds a link or a submodule, which is no content.
        """
        found: dict[str, bytes] = {}
        for name, (mode, oid) in self._trees[tree].items():
            if mode == TREE_MODE:
                found |= {f"{name}/{path}": data for path, data in self.files(oid).items()}
            elif mode in REGULAR_MODES:
                found[name] = self._blobs[oid]
            else:
                raise HistoryError("a link or submodule, which is no content", where=name)
        return found


def read_lineage(
    git: Git,
    revision: str,
    folders: Sequence[str],
    *,
    is_complete: bool = True,
    known: Mapping[str, bytes] | None = None,
) -> Lineage:
    """The lineage of ``folders`` (relative to the workspace) up to ``revision``.

    ``known`` holds blobs that were read already (object id → bytes).
    """
    commits = _log(git, revision, folders)
    position = {values[0]: number for number, values in enumerate(commits)}
    trees = _folder_trees(git, [values[0] for values in commits], folders)
    steps = tuple(
        Step(
            commit=commit,
            parents=tuple(position[parent] for parent in parents.split() if parent in position),
            authors=frozenset(
                email.strip().lower()
                for email in (author, *(match["email"] for match in CO_AUTHOR.finditer(body)))
                if email.strip()
            ),
            committer=committer.strip().lower(),
            committed=datetime.fromisoformat(time),
            trees=trees.get(commit, {}),
        )
        for commit, parents, author, committer, time, body in commits
    )
    objects = _all_trees(git, {oid for step in steps for oid in step.trees.values()})
    blobs = {oid for tree in objects.values() for mode, oid in tree.values() if mode in REGULAR_MODES}
    read = dict(known or {})
    read |= read_blobs(git, sorted(blobs - read.keys()))
    return Lineage(steps, len(steps) - 1 if steps else None, is_complete, objects, read)


def _log(git: Git, revision: str, folders: Sequence[str]) -> list[list[str]]:
    """Fields of each commit, parents first. ``--parents`` rewrites ``%P`` to the nearest listed ancestors."""
    return log_fields(git, FIELDS, "--topo-order", "--reverse", "--full-history", "--parents", revision, "--", *folders)


def _folder_trees(git: Git, commits: Sequence[str], folders: Sequence[str]) -> dict[str, dict[str, str]]:
    """Commit → folder → tree id, through one ``git cat-file``."""
    asked = [(commit, folder) for commit in commits for folder in folders]
    if not asked:
        return {}
    request = "".join(f"{commit}:./{folder}\n" for commit, folder in asked)
    lines = git.run("cat-file", "--batch-check", stdin=request.encode()).text.splitlines()
    found: dict[str, dict[str, str]] = {}
    for (commit, folder), line in zip(asked, lines, strict=True):
        words = line.split(" ")
        if len(words) == 3 and words[1] == "tree":
            found.setdefault(commit, {})[folder] = words[0]
    return found


def _all_trees(git: Git, oids: Iterable[str]) -> dict[str, dict[str, tuple[str, str]]]:
    """Every tree reachable from ``oids``, one ``git cat-file`` per depth."""
    known: dict[str, dict[str, tuple[str, str]]] = {}
    wanted = set(oids)
    while wanted:
        for oid, data in read_blobs(git, sorted(wanted)).items():
            known[oid] = _parse_tree(data, len(oid) // 2)
        wanted = {oid for tree in known.values() for mode, oid in tree.values() if mode == TREE_MODE} - set(known)
    return known


def _parse_tree(data: bytes, hash_bytes: int) -> dict[str, tuple[str, str]]:
    """Name → (mode, object id) of a raw tree object: ``<mode> <name>NUL<binary id>``, repeated."""
    entries = {}
    position = 0
    while position < len(data):
        space = data.index(b" ", position)
        end = data.index(b"\0", space)
        oid = data[end + 1 : end + 1 + hash_bytes].hex()
        name = data[space + 1 : end].decode("utf-8", "surrogateescape")
        entries[name] = (data[position:space].decode("ascii"), oid)
        position = end + 1 + hash_bytes
    return entries
