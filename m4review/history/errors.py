"""Failures of git that a caller may want to tell apart."""

from __future__ import annotations

from m4review.errors import HistoryError


class NothingChangedError(HistoryError):
    """There is nothing to record: the files equal the last recorded version."""


class HookRefusedError(HistoryError):
    """A git hook refused the commit. ``output`` is everything the hook printed."""

    def __init__(self, hook: str, output: str) -> None:
        self.hook = hook
        self.output = output
        super().__init__(
            f"the version was not recorded: the {hook} check refused it\n{output.rstrip()}".rstrip(),
            fix="correct what the check names and record the version again; your text is untouched",
        )
