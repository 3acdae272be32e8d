"""The installed program, killed without a word while somebody types: the next start offers what was typed."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from m4review.workspace import Workspace

SKILL, TITLE = "sofa-score", "SOFA score of the first ICU day"
PATIENCE = 120.0
ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


class Program:
    """The program in a pseudo-terminal; what it drew is searched without the escape sequences."""

    def __init__(self, pid: int, terminal: int) -> None:
        self.pid, self.terminal, self.drawn = pid, terminal, b""

    def sends(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def draws(self, words: str) -> None:
        self.until(lambda: words in ESCAPE.sub("", self.drawn.decode("utf-8", "replace")), repr(words))

    def until(self, condition: Callable[[], bool], what: str) -> None:
        """Take what arrives until the condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, f"waited for {what}; drawn: {self.drawn[-1500:]!r}"
            if select.select([self.terminal], [], [], 0.05)[0]:
                with contextlib.suppress(OSError):  # the program has closed its side
                    self.drawn += os.read(self.terminal, 1 << 16)


@contextlib.contextmanager
def program(folder: Path) -> Iterator[Program]:
    import pty

    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execve(sys.executable, [sys.executable, "-m", "m4review"], {**environment, "TERM": "xterm-256color"})
    try:
        yield Program(pid, terminal)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
async def test_what_was_typed_before_a_kill_is_offered_at_the_next_start(workspace: Workspace, bench) -> None:
    workspace.save_identity("C2")
    before = workspace.skill_file(SKILL).read_bytes()
    with program(workspace.root) as killed:
        killed.draws("mimic-sirs-24h-raw")
        killed.sends("/")
        killed.draws("words to look for")
        killed.sends("sofa-score\r")
        killed.draws(TITLE)
        killed.sends("\r")
        killed.draws(f"{SKILL} · saved")
        killed.sends("Typed just before the end. ")
        killed.until(
            lambda: any("the end. " in file.read_text() for file in workspace.drafts_dir.glob("*.draft.json")),
            "the draft",
        )
        os.kill(killed.pid, signal.SIGKILL)
    assert workspace.skill_file(SKILL).read_bytes() == before
    async with bench(workspace) as person:
        await person.sees("Unsaved text was found", SKILL, "Typed just before the end.")
        await person.presses("k")
        await person.sees("* not saved")
        assert person.app.screen.editor.text.startswith("Typed just before the end. ---")
