"""The workbench of one browser window: a process of its own, in a process group that ends with it.

``_open_app_process`` and ``_build_environment`` are underscore names of textual-serve 1.1.3 (its own start a shell and
the stock driver); only this module knows them, and a contract test watches them.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from dataclasses import dataclass
from pathlib import Path

from textual_serve.app_service import AppService

DRIVER = "m4review.tui.browser:BrowserDriver"
PROGRAM = "m4review.tui.browser"
PATIENCE = 10.0
"""Seconds in which a workbench that was asked to end may keep its texts and stop a trial."""
LARGEST_SIDE = 1000
"""Cells; no window is wider or higher, and a made-up size must not fill the memory."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What every window of a server shows: one workspace, as one reviewer or as somebody who is just looking."""

    root: Path
    reviewer: str | None

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-m", PROGRAM, str(self.root), *([self.reviewer] if self.reviewer else [])]


class BrowserSession(AppService):
    """Starts the workbench, carries keys and screen, and leaves no process behind."""

    bound: Bound

    def _build_environment(self, width: int = 80, height: int = 24) -> dict[str, str]:
        return {**super()._build_environment(width, height), "TEXTUAL_DRIVER": DRIVER}

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        process = await asyncio.create_subprocess_exec(
            *self.bound.command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=self._build_environment(width, height),
            start_new_session=os.name != "nt",
        )
        self._process, self._stdin = process, process.stdin
        return process

    async def stop(self) -> None:
        """Ask the workbench to keep its texts and end; end it and what it started if it does not."""
        try:
            await asyncio.wait_for(super().stop(), PATIENCE)
        except TimeoutError:
            self._task = None
        if self._process is not None:
            await _end(self._process)


async def _end(process: Process) -> None:
    try:
        await asyncio.wait_for(process.wait(), PATIENCE)
    except TimeoutError:
        process.kill()
    if os.name != "nt":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def within_reason(cells: object, otherwise: int) -> int:
    """A side of the window in cells as a browser told it: a whole number, at least 1 and at most ``LARGEST_SIDE``."""
    try:
        return min(max(int(str(cells)), 1), LARGEST_SIDE)
    except ValueError:
        return otherwise
