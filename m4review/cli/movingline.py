"""Live progress on standard error: one moving line on a terminal, and lines that stay."""

from __future__ import annotations

import contextlib
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.status import Status

NARROWEST = 20
"""Characters that the moving text keeps beside a long head."""


class MovingLine:
    """A moving line, where ``stream`` is a terminal, above which lines are said that stay."""

    def __init__(self, stream: TextIO) -> None:
        self._console = Console(file=stream, highlight=False, soft_wrap=True)
        self._status = Status("preparing", console=self._console) if self._console.is_terminal else None

    def __enter__(self) -> Self:
        if self._status:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status:
            self._status.stop()

    @property
    def moves(self) -> bool:
        """Whether there is a moving line at all."""
        return self._status is not None

    def say(self, line: str) -> None:
        """A line that stays. A terminal that is gone must not keep what was made from being recorded."""
        with contextlib.suppress(OSError):
            self._console.print(line, markup=False)

    def move(self, head: str, text: str) -> None:
        """Show ``text`` on the moving line, cut to what is left beside ``head``."""
        if self._status:
            room = max(NARROWEST, self._console.width - len(head) - 8)
            self._status.update(f"{head}{' '.join(text.split())[:room]}".replace("[", "\\["))
