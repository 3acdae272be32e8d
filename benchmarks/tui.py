"""How long a key takes to the screen in the editor, and the program to its first screen, against a bare text area.

The programs run as a user runs them, each in a pseudo-terminal of its own: a key is the bytes a terminal sends, and it
is on the screen when the bytes that draw it have arrived. 500 lines are open, with lint, completeness, marks and drafts
at work, and the pauses between the keys are those of somebody who types, thinks and types on, so that the checks fall
between keys as often as into them.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
SKILL = "apsiii-score"
LINES, AT_LINE = 500, 250
SIZES = ((80, 24), (160, 45))
KEYS, PER_LINE = 200, 25
STARTS = 5
LETTERS = "bcdfghjklmnpqrstvwxz"
"""Without vowels, so that what was typed stands nowhere else on the screen."""
ESCAPE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_]|P[^\x1b]*\x1b\\)")
PATIENCE = 60.0


@dataclass
class Terminal:
    """A program in a pseudo-terminal; ``seen`` is what it has drawn, without escape sequences."""

    pid: int
    master: int
    seen: bytes = b""
    raw: bytes = field(default=b"", repr=False)

    def sends(self, keys: bytes) -> None:
        """Write what a terminal sends for some keys."""
        os.write(self.master, keys)

    def draws(self, words: str, patience: float = PATIENCE) -> float:
        """Wait until the program draws these words; the moment at which they arrived."""
        deadline = time.perf_counter() + patience
        while words.encode() not in self.seen:
            if time.perf_counter() > deadline:
                raise SystemExit(f"{words!r} never came to the screen; the last of it: {self.seen[-2000:].decode()!r}")
            self.reads(0.5)
        return time.perf_counter()

    def rests(self, seconds: float) -> None:
        """Let the program draw for a while."""
        until = time.perf_counter() + seconds
        while (left := until - time.perf_counter()) > 0:
            self.reads(left)

    def reads(self, seconds: float) -> None:
        """Take what arrives within that time, at most once."""
        if select.select([self.master], [], [], seconds)[0]:
            with contextlib.suppress(OSError):  # the program has closed its side
                self.raw += os.read(self.master, 1 << 16)
            self.seen = ESCAPE.sub(b"", self.raw)

    def forgets(self) -> None:
        """Look only at what is drawn from now on."""
        self.seen = self.raw = b""


@contextlib.contextmanager
def terminal(command: Sequence[str], size: tuple[int, int], folder: Path) -> Iterator[Terminal]:
    """Run a command in a pseudo-terminal of ``size`` columns and rows; it is ended afterwards."""
    import fcntl
    import pty
    import struct
    import termios

    environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    environment["M4REVIEW_DATA"] = str(folder / "no-data")
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execvpe(command[0], list(command), environment)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    try:
        yield Terminal(pid, master)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(master)


def workspace(root: Path) -> Path:
    """A copy of this workspace in a repository of its own, with one skill of 500 lines."""
    for name in ("skills", "tasks"):
        shutil.copytree(ROOT / name, root / name)
    (root / "reviews").mkdir()
    for file in ("roster.toml", "policy.toml"):
        shutil.copy(ROOT / "reviews" / file, root / "reviews" / file)
    skill = root / "skills" / SKILL / "SKILL.md"
    lines = skill.read_text(encoding="utf-8").rstrip("\n").split("\n")
    skill.write_text("\n".join((lines + ["Another remark."] * LINES)[:LINES]) + "\n", encoding="utf-8")
    person = ("-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false")
    for words in (("init", "-q"), ("add", "."), (*person, "commit", "-q", "--no-verify", "-m", "Begin")):
        subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)
    return root


@dataclass(frozen=True)
class Typing:
    """Milliseconds from each key to its drawing, and of processor time per key with all that follows it."""

    times: list[float]
    processor: float | None


def typing(program: str, size: tuple[int, int], folder: Path) -> Typing:
    """Type into a program that has the skill open and the cursor on ``AT_LINE``."""
    chance = random.Random(7)
    times: list[float] = []
    with terminal([sys.executable, __file__, "--run", program], size, folder) as screen:
        screen.draws("ready to type")
        screen.rests(3.0)
        typed, spent = "", processor_seconds(screen.pid)
        for number in range(KEYS):
            if number % PER_LINE == 0:
                screen.sends(b"\r")
                screen.rests(0.6)
                typed = ""
            letter = chance.choice(LETTERS)
            typed += letter
            screen.forgets()
            started = time.perf_counter()
            screen.sends(letter.encode())
            times.append((screen.draws(typed[-6:]) - started) * 1000)
            screen.rests(chance.uniform(0.05, 0.35))
        after = processor_seconds(screen.pid)
    return Typing(times, None if spent is None or after is None else (after - spent) * 1000 / KEYS)


def processor_seconds(pid: int) -> float | None:
    """The processor time that a process has used, where the system tells it in ``/proc``."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start_times(command: Sequence[str], words: str, size: tuple[int, int], folder: Path) -> list[float]:
    """Seconds from starting a command to its first screen with these words."""
    times = []
    for _ in range(STARTS):
        started = time.perf_counter()
        with terminal(command, size, folder) as screen:
            times.append(screen.draws(words) - started)
    return times


def run_program(program: str) -> None:
    """What runs in the pseudo-terminal: the workbench, or nothing but a text area with the same text."""
    from textual.app import App, ComposeResult
    from textual.widgets import TextArea

    text = Path("skills", SKILL, "SKILL.md").read_text(encoding="utf-8")

    class Bare(App[None]):
        def compose(self) -> ComposeResult:
            yield TextArea(text, soft_wrap=True, show_line_numbers=True)

        def on_ready(self) -> None:
            self.query_one(TextArea).focus()
            if program == "bare":
                begin(self, self.query_one(TextArea))

    def begin(app: App[object], area: TextArea) -> None:
        area.move_cursor((AT_LINE - 1, 0), center=True)
        area.insert("ready to type\n")

    if program != "workbench":
        Bare().run()
        return
    from m4review.tui.app import WorkbenchApp
    from m4review.tui.screens.workbench import WorkbenchScreen
    from m4review.workspace import Workspace

    class Opened(WorkbenchApp):
        def on_ready(self) -> None:
            self.open_skill(SKILL)
            self.set_timer(2.0, self.begin_typing)

        def begin_typing(self) -> None:
            assert isinstance(self.screen, WorkbenchScreen)
            begin(self, self.screen.editor)

    Opened(Workspace(Path.cwd()), "C2").run()


def percentile(times: Sequence[float], share: float) -> float:
    """The value below which that share of the times lies."""
    return statistics.quantiles(times, n=100, method="inclusive")[round(share * 100) - 1]


def told(name: str, typed: Typing, against: Typing) -> str:
    """A line of the table."""
    p50, p95 = (percentile(typed.times, share) for share in (0.5, 0.95))
    ratio = f"{p50 / percentile(against.times, 0.5):.1f} / {p95 / percentile(against.times, 0.95):.1f}"
    processor = "–" if typed.processor is None else f"{typed.processor:.1f}"
    return f"{name:<26} {p50:8.1f} {p95:8.1f} {max(typed.times):8.1f} {ratio:>12} {processor:>12}"


def main() -> None:
    """Print the table of keys and the table of starts."""
    choices = argparse.ArgumentParser(description=__doc__)
    choices.add_argument("--run", choices=("workbench", "bare", "first-paint"))
    program = choices.parse_args().run
    if program:
        run_program(program)
        return
    print(f"load of the machine: {', '.join(f'{load:.1f}' for load in os.getloadavg())}; processors: {os.cpu_count()}")
    with tempfile.TemporaryDirectory(prefix="m4review-bench-") as name:
        folder = workspace(Path(name))
        print(
            f"key to screen: {KEYS} keys in {LINES} lines; ratio to the bare text area; processor time per key in all"
        )
        print(f"{'':<26} {'p50 ms':>8} {'p95 ms':>8} {'max ms':>8} {'p50 / p95':>12} {'processor ms':>12}")
        for size in SIZES:
            bare = typing("bare", size, folder)
            print(told(f"bare text area, {size[0]}x{size[1]}", bare, bare), flush=True)
            print(told(f"editor, {size[0]}x{size[1]}", typing("workbench", size, folder), bare), flush=True)
        print(f"whole process to its first screen, median of {STARTS}, 80x24")
        bare_start = statistics.median(
            start_times([sys.executable, __file__, "--run", "first-paint"], "description:", SIZES[0], folder)
        )
        print(f"{'bare text area':<26} {bare_start:8.2f} s")
        command = [sys.executable, "-m", "m4review"]
        spent = statistics.median(start_times(command, "Who are you?", SIZES[0], folder))
        print(f"{'m4review, first question':<26} {spent:8.2f} s {spent / bare_start:8.1f} times")
    print(f"load of the machine: {', '.join(f'{load:.1f}' for load in os.getloadavg())}")


if __name__ == "__main__":
    main()
