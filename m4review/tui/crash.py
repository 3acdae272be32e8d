"""What happens on an error nobody expected: texts are kept, and the report names code, never content.

``_handle_exception`` is an underscore name of Textual 8.2.8: its own version prints the values of local variables,
which may hold clinical text. This is the only module that knows it; a contract test watches the name.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import traceback
from pathlib import Path

from textual.app import App
from textual.worker import WorkerFailed

from m4review.errors import M4ReviewError

SIGNALS = tuple(getattr(signal, name) for name in ("SIGHUP", "SIGTERM", "SIGINT") if hasattr(signal, name))

END_SECONDS = 10.0
"""How long the screen may take to end after a signal."""


class CrashSafeApp(App[None]):
    """An app that keeps its texts when it fails, and whose report shows no values."""

    def keep_all_texts(self) -> list[str]:
        """Write every unsaved text to the journal; returns a line for each that was kept, or why it was not."""
        return []

    def stop_background_work(self) -> None:
        """Ask whatever runs beside the screen to stop, so that the end does not wait for it."""

    def end_for_signals(self) -> None:
        """A closed terminal or a polite kill keeps every text; the exit code names the signal as shells do."""
        if threading.current_thread() is not threading.main_thread() or os.name == "nt":
            return
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self._stop_for, number)

    def _stop_for(self, number: int) -> None:
        self.stop_background_work()
        kept = self.keep_all_texts()
        # Everything is kept by now. A terminal that is gone can hold up the screen's own end for ever.
        deadline = threading.Timer(END_SECONDS, os._exit, [128 + number])
        deadline.daemon = True
        deadline.start()
        self.exit(return_code=128 + number, message="\n".join(["m4review was stopped.", *kept]))

    def end_for_error(self, error: Exception) -> None:
        """End as for an error of a handler, where something else than the message loop has met it."""
        self._handle_exception(error)

    def _handle_exception(self, error: Exception) -> None:
        self.stop_background_work()
        kept = self.keep_all_texts()
        self._return_code = 1
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
        self.panic("\n".join([crash_report(error), *kept]))


def crash_report(error: BaseException) -> str:
    """The kind of error and where in the code it happened: no message, no local values, no source text."""
    if isinstance(error, WorkerFailed):
        error = error.error
    if isinstance(error, M4ReviewError):
        return f"m4review stopped: {error}"
    lines = ["m4review stopped on an error of its own. Please report these lines; they hold no text of yours:"]
    lines += [
        f"  {_short(frame.filename)}:{frame.lineno} in {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    ]
    lines.append(f"  {type(error).__module__}.{type(error).__qualname__}")
    return "\n".join(lines)


def _short(filename: str) -> str:
    parts = Path(filename).parts
    for package in ("m4review", "textual"):
        if package in parts:
            return "/".join(parts[len(parts) - 1 - parts[::-1].index(package) :])
    return parts[-1]
