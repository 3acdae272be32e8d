"""Running git: one place that knows the environment, the options and how a failure reads.

Every command runs in the workspace folder, without pager, prompt or colour, with messages in English and literal
pathspecs, and without the ``GIT_*`` variables that a surrounding hook would otherwise leak into it.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from m4review.errors import HistoryError

PASSED_ON = frozenset(
    {
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_COUNT",
        "GIT_CEILING_DIRECTORIES",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM",
        "GIT_EXEC_PATH",
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_AUTHOR_DATE",
        "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL",
        "GIT_COMMITTER_DATE",
    }
)
"""The only ``GIT_*`` variables a child inherits: who the person is and where the configuration lies."""

PASSED_ON_PREFIXES = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")


class GitCall(NamedTuple):
    """One git command that ran, for the log a user can look at."""

    arguments: tuple[str, ...]
    exit_code: int
    milliseconds: float


class GitResult(NamedTuple):
    """What a git command gave back."""

    exit_code: int
    output: bytes
    error: str

    @property
    def text(self) -> str:
        """Standard output as text; bytes that are not UTF-8 survive a round trip to a path."""
        return self.output.decode("utf-8", "surrogateescape")

    def records(self) -> list[str]:
        """The NUL-terminated records of a ``-z`` command."""
        return self.text.split("\0")[:-1] if self.output else []


Listener = Callable[[GitCall], None]


def git_environment(environment: Mapping[str, str], extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a child git process, made from ``environment`` of this one."""
    clean = {
        name: value
        for name, value in environment.items()
        if not name.startswith("GIT_") or name in PASSED_ON or name.startswith(PASSED_ON_PREFIXES)
    }
    # English messages, for reading them here; the user's characters stay, for the hooks that git starts.
    everything = clean.pop("LC_ALL", "")
    if everything:
        clean |= {"LANG": everything, "LC_CTYPE": everything}
    clean |= {
        "LC_MESSAGES": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_PAGER": "cat",
        "GIT_EDITOR": "true",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
    }
    return clean | dict(extra or {})


class Git:
    """Runs git in one folder. ``environment`` is the caller's (default: this process's)."""

    def __init__(
        self, folder: Path, *, environment: Mapping[str, str] | None = None, listener: Listener | None = None
    ) -> None:
        self.folder = folder
        self.environment = dict(os.environ if environment is None else environment)
        self.listener = listener

    def run(
        self,
        *arguments: str,
        stdin: bytes | None = None,
        extra: Mapping[str, str] | None = None,
        accept: Sequence[int] = (0,),
    ) -> GitResult:
        """Run ``git ARGUMENTS``; ``extra`` variables are added to the clean environment.

        Raises:
            HistoryError: git is not installed, the folder is gone, or the exit code is not in ``accept``.
        """
        command = ["git", "-c", "core.quotepath=off", "-c", "color.ui=false", *arguments]
        started = time.perf_counter()
        try:
            process = subprocess.run(
                command,
                cwd=self.folder,
                env=git_environment(self.environment, extra),
                input=b"" if stdin is None else stdin,
                capture_output=True,
                check=False,
            )
        except NotADirectoryError:
            raise HistoryError("not a folder", where=self.folder) from None
        except FileNotFoundError:
            if not self.folder.is_dir():
                raise HistoryError("no such folder", where=self.folder) from None
            raise HistoryError(
                "git is not installed, and versions are kept with it",
                expected="a 'git' command on the PATH",
                fix="install git (on Debian or Ubuntu: sudo apt-get install git) and try again",
            ) from None
        if self.listener is not None:
            elapsed = (time.perf_counter() - started) * 1000
            self.listener(GitCall(tuple(arguments), process.returncode, elapsed))
        result = GitResult(process.returncode, process.stdout, process.stderr.decode("utf-8", "replace"))
        if result.exit_code not in accept:
            raise failure(arguments, result, self.folder)
        return result


def failure(arguments: Sequence[str], result: GitResult, folder: Path) -> HistoryError:
    """The error a user reads when ``git ARGUMENTS`` failed."""
    said = result.error.strip() or result.text.strip()
    if "not a git repository" in said:
        return HistoryError(
            "this folder keeps no versions yet: it is not a git repository",
            where=folder,
            expected="a workspace inside a git repository",
            fix="run 'git init' in the workspace folder, once",
        )
    if "dubious ownership" in said:
        return HistoryError(
            "git refuses this folder because it belongs to another user of this computer",
            where=folder,
            fix=f"if you trust it: git config --global --add safe.directory {folder}",
        )
    if ".lock': File exists" in said:
        return HistoryError(
            "another program is recording a version at this moment",
            where=folder,
            fix="try again; if no other program runs, delete the lock file that git names:\n" + said,
        )
    if re.search(r"no space left|out of disk ?space", said, re.IGNORECASE):
        return HistoryError(
            f"the disk is full: {said}",
            where=folder,
            fix="free disk space and run the same command again; the files you edited are untouched",
        )
    name = next((word for word in arguments if not word.startswith("-")), "")
    return HistoryError(f"git {name} failed (exit {result.exit_code}): {said or 'it gave no reason'}", where=folder)
