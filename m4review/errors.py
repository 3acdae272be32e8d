"""The error tree: every message says what is wrong, where, what was expected and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

CLOSE_ENOUGH = 0.6
"""The similarity (0 to 1, of ``difflib``) from which a known name is offered for a misspelled one."""


def one_of(given: str, known: Iterable[str], *, more: str = "") -> str:
    """What was expected instead of an unknown name: the known ones, ``more``, and the nearest one if it is near."""
    from difflib import get_close_matches  # only where something went wrong, so that a hook starts fast

    names = {name.lower(): name for name in known}
    nearest = get_close_matches(given.lower(), names, n=1, cutoff=CLOSE_ENOUGH)
    text = "one of " + (", ".join(names.values()) or "(there are none)") + more
    return f"{text}; did you mean {names[nearest[0]]}?" if nearest else text


class M4ReviewError(Exception):
    """A failure the user can act on. The command line prints it without a traceback.

    ``what`` is one sentence. ``where`` names the file (and line) or the object. ``expected`` says what would
    have been right, ``fix`` what to do now. ``exit_code`` is the code of the process that stops on it.
    """

    exit_code = 2

    def __init__(
        self,
        what: str,
        *,
        where: str | Path | None = None,
        line: int | None = None,
        expected: str | None = None,
        fix: str | None = None,
    ) -> None:
        self.what = what
        self.where = None if where is None else str(where)
        self.line = line
        self.expected = expected
        self.fix = fix
        super().__init__(self.render())

    @property
    def place(self) -> str | None:
        """``file:line``, ``file`` or ``None``."""
        if self.where is None:
            return None
        return self.where if self.line is None else f"{self.where}:{self.line}"

    def render(self) -> str:
        """The message as printed: one line, then ``expected`` and ``to fix`` lines where known."""
        head = self.what if self.place is None else f"{self.place}: {self.what}"
        lines = [head]
        if self.expected:
            lines.append(f"  expected: {self.expected}")
        if self.fix:
            lines.append(f"  to fix:   {self.fix}")
        return "\n".join(lines)


class TextFileError(M4ReviewError):
    """A text file that cannot be read or written as promised."""


class ChangedOnDiskError(TextFileError):
    """The file on disk is no longer the one that was opened; nothing was written."""


class SkillError(M4ReviewError):
    """A SKILL.md that cannot be understood."""


class TaskError(M4ReviewError):
    """A task card that cannot be understood."""


class WorkspaceError(M4ReviewError):
    """The folder is not a usable workspace, or a workspace file is wrong."""


class DatasetError(M4ReviewError):
    """A dataset that is missing, incomplete or of the wrong layout."""


class ScoringError(M4ReviewError):
    """An output or reference that cannot be scored at all."""


class HistoryError(M4ReviewError):
    """Git refused, or the workspace is not in a usable git state."""


class LintFailure(M4ReviewError):  # noqa: N818 - a failure of the lint, not a finding
    """The lint could not read what it was asked to check; a hook treats that as a refusal."""


class LedgerError(M4ReviewError):
    """A review event that may not be recorded, or a ledger that cannot be read."""


class ReadAnotherTextError(LedgerError):
    """What somebody read and decided on is not the present text any more."""


class TrialError(M4ReviewError):
    """A trial that cannot start or whose sandbox cannot be proved."""


class EngineUnavailableError(TrialError):
    """No Docker engine answers."""


class CampaignError(M4ReviewError):
    """A campaign that cannot be planned, frozen or run, or whose folder was changed."""
