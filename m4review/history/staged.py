"""What the next commit would hold: the index, read as a hook must read it.

A commit may use another index than ``.git/index``: ``commit -a`` and ``commit <path>`` prepare a temporary one and
name it to their hooks in ``GIT_INDEX_FILE``. That variable, dropped everywhere else, is honoured here.
"""

from __future__ import annotations

from pathlib import Path

from m4review.history.git import Git
from m4review.history.objects import Entry

INDEX_VARIABLE = "GIT_INDEX_FILE"
HASH_BY_LENGTH = {40: "sha1", 64: "sha256"}
"""Git's hashes by the hexadecimal digits of an object id."""
EMPTY_BLOBS = {
    40: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    64: "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
}
"""Object id of the empty file, by its length. Written down, because nearly no commit holds one."""
NO_SUCH_REVISION = 128
"""Exit code of a git that could not make sense of a name, among other failures."""


def index_environment(git: Git, top: Path) -> dict[str, str]:
    """The variable that makes a child git read the index of the commit under way; empty outside a hook.

    Git writes a relative name relative to the top folder of the working tree.
    """
    named = git.environment.get(INDEX_VARIABLE)
    return {INDEX_VARIABLE: str(top / named)} if named else {}


def staged_entries(git: Git, top: Path, folder: str) -> tuple[Entry, ...]:
    """Every index entry under ``folder`` (relative to the workspace; ``"."`` for all), sorted by path.

    Entries made with ``git add -N`` have ``intent_to_add`` set; an open merge conflict shows as stages 1 to 3.
    """
    index = index_environment(git, top)
    entries = []
    for record in git.run("ls-files", "--stage", "-z", "--", folder, extra=index).records():
        head, _, path = record.partition("\t")
        mode, oid, stage = head.split(" ")
        entries.append(Entry(path, mode, oid, int(stage)))
    return _mark_intent_to_add(git, index, folder, entries)


def staged_changes(git: Git, top: Path) -> tuple[str, ...]:
    """Paths (relative to the workspace) that the index adds, changes or deletes against ``HEAD``."""
    arguments = ("--cached", "--name-only", "--no-renames", "--ita-invisible-in-index", "--relative", "-z")
    index = index_environment(git, top)
    result = git.run("diff-index", *arguments, "HEAD", extra=index, accept=(0, NO_SUCH_REVISION))
    if result.exit_code:
        # Before the first commit everything is new. Asked only now: nearly every repository has a commit.
        first = git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}", accept=(0, 1)).exit_code
        base = empty_object(git, "tree") if first else "HEAD"
        result = git.run("diff-index", *arguments, base, extra=index)
    return tuple(result.records())


def empty_object(git: Git, kind: str, like: str = "") -> str:
    """The object id of the empty ``tree`` or ``blob`` under the repository's hash.

    ``like`` is any object id of the repository, when one is known: its length tells the hash, and saves a process.
    """
    hash_name = HASH_BY_LENGTH.get(len(like)) or git.run("rev-parse", "--show-object-format").text.strip()
    import hashlib  # here: it loads a library of ciphers, which most commits do not need

    return hashlib.new(hash_name, f"{kind} 0\0".encode()).hexdigest()


def _mark_intent_to_add(git: Git, index: dict[str, str], folder: str, entries: list[Entry]) -> tuple[Entry, ...]:
    """``ls-files`` shows an announced entry as an empty file; a comparison with the empty tree leaves it out."""
    if not entries:
        return ()
    some = entries[0].oid
    empty_blob = EMPTY_BLOBS.get(len(some)) or empty_object(git, "blob", some)
    if not any(entry.oid == empty_blob for entry in entries):
        return tuple(entries)
    arguments = ("--cached", "--name-only", "--no-renames", "--ita-invisible-in-index", "--relative", "-z")
    result = git.run("diff-index", *arguments, empty_object(git, "tree", some), "--", folder, extra=index)
    real = set(result.records())
    return tuple(
        entry._replace(intent_to_add=True) if entry.oid == empty_blob and entry.path not in real else entry
        for entry in entries
    )
