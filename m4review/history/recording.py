"""Recording a version: ``git commit`` of exactly the given files, with every hook running."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from m4review.errors import HistoryError
from m4review.history.errors import HookRefusedError, NothingChangedError
from m4review.history.git import Git, GitResult, failure

Identity = tuple[str, str]
"""Name and mail address of a person, as git writes them."""

UNDER_WAY = {
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
}
"""Entries of the git folder that show an unfinished operation."""


def record(git: Git, git_folder: Path, paths: Sequence[str], message: str, author: Identity | None) -> str:
    """Commit the working copy of ``paths`` (relative to the workspace) and return the new commit id.

    Only these paths enter the commit; whatever else is staged stays staged. New files are taken along.

    Raises:
        NothingChangedError: the files equal the last version.
        HookRefusedError: a hook refused; nothing was recorded and the files are untouched.
        HistoryError: no message, no identity, not on a branch, a merge under way, or git failed.
    """
    if not message.strip():
        raise HistoryError("a version needs a message", fix="say in one line what changed and why")
    if not paths:
        raise HistoryError("no files to record")
    refuse_unfinished(git_folder)
    require_branch(git)
    identity = _identity_environment(author)
    require_identity(git, identity)
    with _announced(git, paths) as new:
        if not new and not changed_since_head(git, paths):
            raise NothingChangedError(
                "nothing changed since the last version", where=", ".join(paths), fix="save your changes first"
            )
        _commit(git, paths, message, identity)
    return git.run("rev-parse", "HEAD").text.strip()


def refuse_unfinished(git_folder: Path) -> None:
    """Raise :class:`HistoryError` while a merge, rebase, cherry-pick or revert is under way."""
    for name, operation in UNDER_WAY.items():
        if (git_folder / name).exists():
            raise HistoryError(
                f"{operation} is under way in this repository, so no version can be recorded",
                fix=f"finish or abort {operation} with git, then record the version",
            )


def require_branch(git: Git) -> str:
    """The name of the branch that versions are recorded on (it may have no commit yet).

    Raises:
        HistoryError: ``HEAD`` is detached: an old version is checked out.
    """
    result = git.run("symbolic-ref", "--quiet", "--short", "HEAD", accept=(0, 1))
    if result.exit_code:
        raise HistoryError(
            "an old state is checked out (detached HEAD): a version recorded here would belong to no branch "
            "and could be lost",
            where=git.folder,
            expected="a branch",
            fix="go back to your branch (git switch main), or name a new one (git switch -c NAME); "
            "your text stays as it is",
        )
    return result.text.strip()


def require_identity(git: Git, extra: dict[str, str]) -> Identity:
    """The author that a commit would carry.

    Raises:
        HistoryError: neither the call nor git's configuration says who it is.
    """
    result = git.run("-c", "user.useConfigOnly=true", "var", "GIT_AUTHOR_IDENT", extra=extra, accept=(0, 128))
    committer = git.run("-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT", extra=extra, accept=(0, 128))
    if result.exit_code or committer.exit_code:
        raise HistoryError(
            "git does not know who you are, and every version carries its author",
            expected="a name and a mail address",
            fix="say who you are with --as C1 (or --author 'Name <mail>'), or set git's user.name and user.email",
        )
    name, _, rest = result.text.partition(" <")
    return name, rest.partition(">")[0]


def changed_since_head(git: Git, paths: Sequence[str]) -> list[str]:
    """Known files under ``paths`` whose working copy differs from ``HEAD``."""
    if not _head(git):
        return git.run("ls-files", "-z", "--", *paths).records()
    return git.run("diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", "HEAD", "--", *paths).records()


@contextmanager
def _announced(git: Git, paths: Sequence[str]) -> Iterator[list[str]]:
    """Make new files known to git for a partial commit; forget them again when the commit fails."""
    unknown = git.run("ls-files", "--others", "--exclude-standard", "-z", "--", *paths).records()
    for path in paths:
        full = git.folder / path
        if full.is_file() and not unknown and not git.run("ls-files", "-z", "--", path).output:
            raise HistoryError(
                "git is told to ignore this file", where=path, fix="change .gitignore, or move the file elsewhere"
            )
    head = _head(git)
    if unknown:
        git.run("add", "--intent-to-add", "--", *unknown)
    try:
        yield unknown
    except BaseException:
        if unknown and _head(git) == head:
            names = "".join(f"{path}\0" for path in unknown).encode("utf-8", "surrogateescape")
            git.run("update-index", "--force-remove", "-z", "--stdin", stdin=names)
        raise


def _head(git: Git) -> str:
    return git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}", accept=(0, 1)).text.strip()


def _commit(git: Git, paths: Sequence[str], message: str, identity: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory(prefix="m4review-git-") as folder:
        events = Path(folder) / "events"
        result = git.run(
            "commit",
            "--quiet",
            "--only",
            "--cleanup=whitespace",
            "--file=-",
            "--",
            *(f":(literal){path}" for path in paths),
            stdin=message.encode("utf-8"),
            # Hooks inherit this environment, so the literal reading of paths is asked for path by path.
            extra={**identity, "GIT_TRACE2_EVENT": str(events), "GIT_LITERAL_PATHSPECS": "0"},
            accept=range(256),
        )
        if result.exit_code:
            hook = refusing_hook(events)
            if hook is not None:
                raise HookRefusedError(hook, _said(result))
            raise failure(("commit",), result, git.folder)


def refusing_hook(events: Path) -> str | None:
    """The name of the hook that failed, from git's own event log of one command."""
    if not events.exists():
        return None
    started: dict[int, str] = {}
    for line in events.read_text(encoding="utf-8", errors="replace").splitlines():
        event = json.loads(line)
        if "/" in str(event.get("sid")):
            continue  # a git command that a hook ran itself
        if event.get("event") == "child_start" and event.get("child_class") == "hook":
            started[event["child_id"]] = str(event.get("hook_name", "hook"))
        elif event.get("event") == "child_exit" and event.get("child_id") in started and event.get("code"):
            return started[event["child_id"]]
    return None


def _said(result: GitResult) -> str:
    return "\n".join(text for text in (result.text.strip(), result.error.strip()) if text)


def _identity_environment(author: Identity | None) -> dict[str, str]:
    if author is None:
        return {}
    name, email = author
    for text in author:
        if not text.strip() or any(character in text for character in "<>\n\0"):
            raise HistoryError(
                f"{name!r} <{email}> is not a usable author", expected="a name and a mail address: 'Name <mail>'"
            )
    return {
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": email,
        "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": email,
    }
