"""An agent's output stream, kept on the host with a size cap.

Past the cap bytes are counted and dropped, never left unread: an agent must not be able to block itself on a full pipe
or fill the host's disk.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from m4review.errors import TrialError
from m4review.trials.secrets import SecretStream

LONGEST_LINE = 1 << 20
"""A longer line is not handed on; it is kept in the file all the same."""

MOST_LINES = 100_000
"""Lines handed on; what comes after them is kept in the file only, so that a flood cannot hold up the host."""


class LineQueue:
    """Lines on their way from the thread that reads a stream to the thread that runs the trial."""

    def __init__(self) -> None:
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def put(self, line: bytes) -> None:
        """Add a line; never waits."""
        self._lines.put(line)

    def hand_on(self, take: Callable[[bytes], None], *, seconds: float = float("inf")) -> None:
        """Give waiting lines to ``take``, for at most about ``seconds``."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                take(self._lines.get_nowait())
            except queue.Empty:
                return


class StreamCapture:
    """Writes a stream to a file up to ``limit`` bytes and hands complete lines to ``on_line``, both without secrets."""

    def __init__(
        self, path: Path, limit: int, screen: SecretStream, on_line: Callable[[bytes], None] | None = None
    ) -> None:
        self.path = path
        self.limit = limit
        self.received = 0
        self.lines = 0
        self.error: OSError | None = None
        self._screen = screen
        self._on_line = on_line
        self._pending = b""
        self._file = path.open("wb")

    @property
    def truncated(self) -> bool:
        """Whether more came than was kept or handed on."""
        return self.received > self.limit or self.lines > MOST_LINES

    def feed(self, data: bytes) -> None:
        """Take the next bytes. A full disk is remembered and raised by :meth:`check`, so that reading goes on."""
        room = self.limit - self.received
        self.received += len(data)
        if room <= 0:
            return
        self._keep(self._screen.feed(data[:room]))

    def _keep(self, kept: bytes) -> None:
        if self.error is None:
            try:
                self._file.write(kept)
                self._file.flush()
            except OSError as error:
                self.error = error
        if self._on_line is not None and self.lines < MOST_LINES:
            *lines, self._pending = (self._pending + kept).split(b"\n")
            for line in lines[: MOST_LINES - self.lines]:
                self._on_line(line)
            self.lines += len(lines)
            if len(self._pending) > LONGEST_LINE:
                self._pending = b""

    def check(self) -> None:
        """Raise what happened while writing.

        Raises:
            TrialError: the disk of the run folder is full or not writable.
        """
        if self.error is not None:
            raise run_folder_error(self.path, self.error)

    def close(self) -> None:
        """Write what is pending and close the file."""
        if not self._file.closed:
            self._keep(self._screen.finish())
        if self._on_line is not None and self._pending and self.lines < MOST_LINES:
            self._on_line(self._pending)
            self._pending = b""
        try:
            self._file.close()
        except OSError as error:
            self.error = self.error or error

    def __enter__(self) -> StreamCapture:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def run_folder_error(path: Path, error: OSError) -> TrialError:
    """What to say when a run's records cannot be written."""
    return TrialError(
        f"the run folder cannot be written ({error.strerror or error})",
        where=path,
        fix="free disk space or move the workspace to a larger disk, then run the trial again",
    )
