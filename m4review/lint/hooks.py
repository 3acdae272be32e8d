"""Plain git hooks: the index is linted whenever git is about to commit it, and so is the message.

``pre-commit`` covers commits, ``pre-merge-commit`` merges that git completes itself, ``pre-applypatch`` patches taken
with ``git am``. Cherry-picks, reverts and rebases run none of these, only ``prepare-commit-msg``.

Python runs with ``-P``: nothing that lies in the repository, whatever its name, is taken for a module of the program.
Each hook is a few portable lines for the shell that git itself brings along, and starts the console program with the
interpreter it was installed from. A hook that was there before is kept beside it, called first, and put back on
removal.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from m4review.errors import HistoryError, LintFailure

MARK = "# m4review hook"
HOOKS = {
    "pre-commit": "lint --staged",
    "pre-merge-commit": "lint --staged",
    "pre-applypatch": "lint --staged",
    "prepare-commit-msg": "lint --staged",
    "commit-msg": 'lint --message "$1"',
}
ONLY_IF = {
    "prepare-commit-msg": (
        '[ -n "$GIT_REFLOG_ACTION" ] || [ -e "$(git rev-parse --git-path CHERRY_PICK_HEAD)" ] || '
        'grep -q -E \'^(Revert|Reapply) "\' "$1" || exit 0\n'
    )
}
"""An ordinary commit has passed ``pre-commit`` by then and is not checked twice."""
KEPT = ".before-m4review"


def install_hooks(start: Path) -> list[str]:
    """Install both hooks into the hooks folder that git uses here; say what was done, line by line.

    Raises:
        HistoryError: not a git repository.
        LintFailure: the hooks folder cannot be written.
    """
    folder = hooks_folder(start)
    said = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, words in HOOKS.items():
            hook, kept = folder / name, folder / (name + KEPT)
            if (hook.exists() or hook.is_symlink()) and not _is_ours(hook):
                if kept.exists() or kept.is_symlink():
                    raise LintFailure(
                        "two earlier hooks: one was kept already", where=hook,
                        fix=f"merge {kept.name} and {name} by hand, then install again",
                    )  # fmt: skip
                hook.rename(kept)
            hook.write_bytes(_script(name, words, sys.executable).encode("utf-8"))
            hook.chmod(0o755)
            said.append(f"installed {hook}" + (f" (the earlier hook runs first: {kept.name})" if kept.exists() else ""))
    except OSError as error:
        raise LintFailure(f"the hooks folder cannot be written ({error.strerror})", where=folder) from None
    return said


def remove_hooks(start: Path) -> list[str]:
    """Remove both hooks and put back what was there before; say what was done, line by line.

    Raises:
        HistoryError: not a git repository.
        LintFailure: the hooks folder cannot be written.
    """
    folder = hooks_folder(start)
    said = []
    try:
        for name in HOOKS:
            hook, kept = folder / name, folder / (name + KEPT)
            if not hook.exists():
                continue
            if not _is_ours(hook):
                said.append(f"left alone {hook}: it is not m4review's")
                continue
            hook.unlink()
            if kept.exists() or kept.is_symlink():
                kept.rename(hook)
                said.append(f"removed {hook}; the earlier hook is back")
            else:
                said.append(f"removed {hook}")
    except OSError as error:
        raise LintFailure(f"the hooks folder cannot be written ({error.strerror})", where=folder) from None
    return said or [f"no m4review hooks in {folder}"]


def hooks_installed(start: Path) -> bool:
    """Whether both hooks are in place here."""
    try:
        folder = hooks_folder(start)
    except HistoryError:
        return False
    return all(_is_ours(folder / name) for name in HOOKS)


def hooks_folder(start: Path) -> Path:
    """The folder git runs hooks from: ``core.hooksPath`` if set, else that of the (main) repository.

    Raises:
        HistoryError: not a git repository.
    """
    from m4review.history.repository import Repository

    repository = Repository.open(start)
    answer = repository.git.run("rev-parse", "--git-path", "hooks").text.rstrip("\n")
    if not answer:
        raise HistoryError("git does not say where its hooks lie", where=repository.top)
    return (repository.root / answer).resolve()


def _is_ours(hook: Path) -> bool:
    try:
        return MARK in hook.read_text(encoding="utf-8", errors="replace")[:400]
    except OSError:
        return False


def _script(name: str, words: str, interpreter: str) -> str:
    python = shlex.quote(Path(interpreter).as_posix())
    return f"""#!/bin/sh
{MARK}: made by 'm4review hooks install', removed by 'm4review hooks remove'
before="$(dirname "$0")/{name}{KEPT}"
if [ -x "$before" ]; then "$before" "$@" || exit $?; fi
{ONLY_IF.get(name, "")}if [ -x {python} ]; then exec {python} -P -m m4review {words}; fi
if command -v m4review >/dev/null 2>&1; then exec m4review {words}; fi
echo "m4review: the check of this commit cannot run: neither {Path(interpreter).as_posix()} nor m4review is found." >&2
echo "  to fix: install m4review again and run 'm4review hooks install'" >&2
exit 2
"""
