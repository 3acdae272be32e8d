"""The workspace's git repository: versions, contents and commits of its folders.

All paths, given and returned, are relative to the workspace folder, which may be a subfolder of the repository. What
lists versions and records them is imported where it is used: a hook only reads the index, and must start fast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from m4review.errors import HistoryError
from m4review.history.git import Git, Listener
from m4review.history.objects import Blob, Entry, read_entries
from m4review.history.staged import staged_changes, staged_entries

if TYPE_CHECKING:
    from m4review.history.recording import Identity
    from m4review.history.versions import Commit, Version
    from m4review.history.workingcopy import WorkingCopy


class WorkingState(NamedTuple):
    """What of a folder is not recorded yet. Paths are relative to the workspace."""

    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    @property
    def is_recorded(self) -> bool:
        """Whether the working copy equals the last recorded version."""
        return not (self.changed or self.added or self.deleted)


class Repository:
    """Made with :meth:`open`. Cheap to make and without state of its own: every answer is read from git."""

    def __init__(self, root: Path, top: Path, git_folder: Path, is_shallow: bool, git: Git) -> None:
        self.root = root
        self.top = top
        """Top folder of the working tree; ``root`` or a folder above it."""
        self.git_folder = git_folder
        """Where this working tree's ``HEAD`` and index lie."""
        self.is_shallow = is_shallow
        """Whether old commits are missing from this clone, so that version numbers start at its edge."""
        self.git = git

    @classmethod
    def open(
        cls, root: Path, *, environment: Mapping[str, str] | None = None, listener: Listener | None = None
    ) -> Repository:
        """The repository that holds ``root``. ``listener`` is told of every git command that runs.

        Raises:
            HistoryError: git is not installed, or the folder is not inside a working tree.
        """
        root = root.resolve()
        git = Git(root, environment=environment, listener=listener)
        answers = ("--is-inside-work-tree", "--is-shallow-repository", "--absolute-git-dir", "--show-toplevel")
        result = git.run("rev-parse", *answers, accept=(0, 128))
        if result.exit_code:
            git.run("rev-parse", "--git-dir")
            raise HistoryError(
                "no working copy here: this is the inside of a git repository or a bare one",
                where=root,
                expected="a checked-out workspace",
            )
        _, shallow, git_folder, top = result.text.rstrip("\n").split("\n")
        return cls(root, Path(top), Path(git_folder), shallow == "true", git)

    # -- versions -------------------------------------------------------------------------------------------------

    def head(self) -> str | None:
        """The commit id of ``HEAD``, or ``None`` before the first commit."""
        result = self.git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}", accept=(0, 1))
        return result.text.strip() or None

    def branch(self) -> str | None:
        """The branch in use, or ``None`` when an old state is checked out."""
        return self.git.run("symbolic-ref", "--quiet", "--short", "HEAD", accept=(0, 1)).text.strip() or None

    def resolve(self, revision: str) -> str:
        """The commit id that a revision names.

        Raises:
            HistoryError: there is no such revision.
        """
        bad = not revision or revision.startswith("-") or "\0" in revision
        arguments = ("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        found = "" if bad else self.git.run(*arguments, accept=(0, 1, 128)).text.strip()
        if not found:
            raise HistoryError(
                f"there is no recorded state {revision!r}",
                where=self.root,
                expected="a version number, a commit, a branch or a tag",
                fix="'git fetch --unshallow' brings the missing history of this shallow clone"
                if self.is_shallow
                else None,
            )
        return found

    def versions(self, folder: str) -> tuple[Version, ...]:
        """The commits that changed ``folder``, newest first; the oldest is number 1. Empty before the first commit."""
        from m4review.history.versions import read_versions

        return read_versions(self.git, folder) if self.head() else ()

    def version(self, folder: str, name: str) -> Version | Commit:
        """The version that ``name`` means: its number (``3`` or ``v3``), or any revision.

        Raises:
            HistoryError: no such version or revision.
        """
        versions = self.versions(folder)
        number = name[1:] if name[:1] in {"v", "V"} else name
        if number.isascii() and number.isdigit():
            for version in versions:
                if version.number == int(number):
                    return version
        try:
            commit = self.resolve(name)
        except HistoryError:
            known = f"1 to {len(versions)}" if versions else "none: nothing is recorded yet"
            raise HistoryError(
                f"there is no version {name!r}", where=folder, expected=f"a version number ({known}) or a commit"
            ) from None
        for version in versions:
            if version.commit == commit:
                return version
        from m4review.history.versions import read_commits

        return read_commits(self.git, (commit,), ".", "--max-count=1")[0]

    def contributors_between(self, base: str | None, head: str, folder: str) -> frozenset[str]:
        """Mail addresses (lower case) of the authors, committers and co-authors of every change to ``folder`` after
        ``base`` up to ``head``. Without ``base``: since the beginning. Side branches of merges count.

        Raises:
            HistoryError: a revision is unknown, or old commits are missing (shallow clone).
        """
        tip = self.resolve(head)
        revisions = [tip] if base is None else [tip, "^" + self.resolve(base)]
        if self.is_shallow:
            raise HistoryError(
                "this clone is shallow: commits are missing, so who contributed cannot be told",
                where=self.root,
                fix="git fetch --unshallow",
            )
        from m4review.history.versions import read_commits

        commits = read_commits(self.git, revisions, folder, "--full-history")
        return frozenset(person for commit in commits for person in commit.people)

    # -- contents -------------------------------------------------------------------------------------------------

    def entries(self, revision: str, folder: str = ".") -> tuple[Entry, ...]:
        """Every file under ``folder`` at a revision, links and submodules included, sorted by path."""
        commit = self.resolve(revision)
        entries = []
        for line in self.git.run("ls-tree", "-r", "-z", commit, "--", _inside(folder)).records():
            head, _, path = line.partition("\t")
            mode, _, oid = head.split(" ")
            entries.append(Entry(path, mode, oid))
        return tuple(entries)

    def blobs(self, revision: str, folder: str = ".", *, max_bytes: int | None = None) -> tuple[Blob, ...]:
        """The same with the exact bytes; blobs above ``max_bytes`` come without ``data``."""
        return read_entries(self.git, self.entries(revision, folder), max_bytes=max_bytes)

    def files(self, revision: str, folder: str) -> dict[str, bytes]:
        """The exact bytes of every file of ``folder`` at a revision, by path relative to ``folder``.

        Empty when the folder did not exist then.

        Raises:
            HistoryError: no such revision, or the folder holds a link or a submodule, which is no content.
        """
        return _as_files(self.blobs(revision, folder), folder)

    def plain_files(self, revision: str, folder: str) -> tuple[dict[str, bytes], tuple[str, ...]]:
        """The same of the plain files alone, and the paths of the links and submodules beside them."""
        entries = self.entries(revision, folder)
        blobs = read_entries(self.git, [entry for entry in entries if entry.is_file])
        links = tuple(_relative(entry.path, folder) for entry in entries if not entry.is_file)
        return _as_files(blobs, folder), links

    def working_files(self, folder: str) -> dict[str, bytes]:
        """The bytes that git would record for ``folder`` now, by path relative to it: the working copy after git's own
        line-end conversion, ignored files left out. Nothing is written to the repository.

        Raises:
            HistoryError: the folder holds a link or a submodule.
        """
        return self.working_copy((folder,)).below(folder)

    def working_copy(self, folders: Sequence[str]) -> WorkingCopy:
        """The same of several folders at once, with object ids."""
        from m4review.history.workingcopy import read_working_copy

        return read_working_copy(self.git, self.root, self.top, folders)

    def working_state(self, folder: str) -> WorkingState:
        """Which files of ``folder`` differ from the last recorded version, new ones included."""
        if self.head() is None:
            arguments = ("ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", folder)
            return WorkingState(added=tuple(sorted(set(self.git.run(*arguments).records()))))
        diff = ("diff", "--name-status", "--no-renames", "--no-ext-diff", "--relative", "-z", "HEAD", "--", folder)
        records = self.git.run(*diff).records()
        found: dict[str, list[str]] = {"A": [], "D": [], "M": []}
        for status, path in zip(records[::2], records[1::2], strict=True):
            found[status if status in "AD" else "M"].append(path)
        found["A"] += self.git.run("ls-files", "--others", "--exclude-standard", "-z", "--", folder).records()
        return WorkingState(*(tuple(sorted(set(found[kind]))) for kind in "MAD"))

    # -- the next commit, for hooks -------------------------------------------------------------------------------

    def staged_entries(self, folder: str = ".") -> tuple[Entry, ...]:
        """What the next commit would hold under ``folder``, from the index that ``GIT_INDEX_FILE`` names."""
        return staged_entries(self.git, self.top, folder)

    def staged(self, folder: str = ".", *, max_bytes: int | None = None) -> tuple[Blob, ...]:
        """The same with the exact bytes. ``git add -N`` entries carry ``intent_to_add`` and no data."""
        return read_entries(self.git, self.staged_entries(folder), max_bytes=max_bytes)

    def staged_changes(self) -> tuple[str, ...]:
        """Paths that the next commit would add, change or delete."""
        return staged_changes(self.git, self.top)

    def changed_between(self, base: str, head: str) -> tuple[str, ...]:
        """Paths that differ between two revisions (deleted ones included)."""
        pair = (self.resolve(base), self.resolve(head))
        return tuple(
            self.git.run("diff-tree", "-r", "--name-only", "--no-renames", "--relative", "-z", *pair).records()
        )

    # -- recording ------------------------------------------------------------------------------------------------

    def author(self, author: Identity | None = None) -> Identity:
        """Name and address that a commit would carry: ``author``, else git's own configuration.

        Raises:
            HistoryError: nobody is named anywhere.
        """
        from m4review.history.recording import require_identity

        return author or require_identity(self.git, {})

    def commit(self, paths: Sequence[str | Path], message: str, author: Identity | None = None) -> str:
        """Commit the working copy of exactly these files or folders, hooks running, and return the commit id.

        New files are taken along, deleted ones deleted; whatever else is staged stays staged. ``author`` becomes author
        and committer; without it git's configuration decides.

        Raises:
            NothingChangedError: nothing differs from the last version.
            HookRefusedError: a hook refused; it carries the hook's output. Files and index are as before.
            HistoryError: no message, nobody named, no branch, a merge under way, or git failed.
        """
        from m4review.history.errors import NothingChangedError
        from m4review.history.recording import record

        names = [self._name(path) for path in paths]
        try:
            return record(self.git, self.git_folder, names, message, author)
        except NothingChangedError as error:
            last = len(self.versions(names[0]))
            if not last:
                raise
            raise NothingChangedError(
                f"nothing changed since version {last}", where=error.where, fix="save your changes first"
            ) from None

    def _name(self, path: str | Path) -> str:
        given = Path(path)
        full = given if given.is_absolute() else self.root / given
        try:
            return full.relative_to(self.root).as_posix()
        except ValueError:
            raise HistoryError("outside the workspace", where=given, expected=f"a path inside {self.root}") from None


def touched_folders(paths: Sequence[str], parent: str) -> tuple[str, ...]:
    """The direct subfolders of ``parent`` (say ``skills``) that hold any of ``paths``, sorted."""
    depth = len(Path(parent).parts)
    parts = [Path(path).parts for path in paths]
    found = {item[: depth + 1] for item in parts if item[:depth] == Path(parent).parts and len(item) > depth + 1}
    return tuple(sorted("/".join(item) for item in found))


def _inside(folder: str) -> str:
    """``git ls-tree`` needs a trailing slash to list what a folder holds, also when it is the current one."""
    return folder if folder in {"", "."} else folder.rstrip("/") + "/"


def _relative(path: str, folder: str) -> str:
    return path if folder in {"", "."} else path.removeprefix(folder.rstrip("/") + "/")


def _as_files(blobs: Sequence[Blob], folder: str) -> dict[str, bytes]:
    files = {}
    for blob in blobs:
        if not blob.entry.is_file or blob.data is None:
            kind = "a submodule" if blob.data is None else "a link"
            raise HistoryError(
                f"{kind}, which is no content", where=blob.entry.path, fix="replace it with a regular file"
            )
        files[_relative(blob.entry.path, folder)] = blob.data
    return files
