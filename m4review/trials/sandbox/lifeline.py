"""Run a command for as long as the program that started this one lives.

``python lifeline.py COMMAND…``: standard input is a pipe whose other end that program holds. When it closes, even
because the program was killed, everything in this process group ends. Otherwise the command's exit code is handed on.
It is run by its path, alone, so that it starts at once.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading


def _end_with_the_other_side() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.killpg(0, signal.SIGKILL)


def main(command: list[str]) -> int:
    """Run ``command`` to its end; its exit code, or the signal that ended it."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    # The whole group is asked to end: this process only after it saw the command go, so that nothing is left unreaped.
    signal.signal(signal.SIGTERM, lambda *_: None)
    threading.Thread(target=_end_with_the_other_side, daemon=True).start()
    code = process.wait()
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
