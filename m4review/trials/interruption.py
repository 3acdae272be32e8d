"""Ctrl-C and its relatives, turned into the wish to stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
"""What ends a program politely: Ctrl-C, a scheduler, a closed terminal."""


@dataclass
class Stop:
    """The wish to stop, and the signal that brought it."""

    event: threading.Event
    signal: int | None = None

    @property
    def exit_code(self) -> int:
        """What a shell expects of a program that a signal ended."""
        return 130 if self.signal is None else 128 + self.signal


@contextmanager
def stop_on_signals() -> Iterator[Stop]:
    """Within the block a signal sets ``event`` instead of ending the program, so that containers are removed first.

    Further signals change nothing: what is still to do has its own deadlines. In a thread other than the main one
    signals are left as they are.
    """
    stop = Stop(threading.Event())
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def remember(number: int, frame: FrameType | None) -> None:
        stop.signal = stop.signal or number
        stop.event.set()

    before = {}
    for name in NAMES:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, remember)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
