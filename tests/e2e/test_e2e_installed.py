"""The installed program, outside of any checkout, in a terminal of its own: edit, save, record, give a verdict."""

from __future__ import annotations

import importlib.util
import os
import select
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SKILL = "sirs-criteria"
PATIENCE = 60.0
"""Seconds after which a look at the terminal gives up: far more than anything takes, even on a loaded machine."""

LONGEST_SILENCE = 1.0
"""Seconds after which a look is taken although nothing was drawn: a file may be written without a word."""

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``m4review`` from a wheel in an environment of its own, beside the packages of this one."""
    folder = tmp_path_factory.mktemp("installed")
    here = ["--no-build-isolation"] if importlib.util.find_spec("hatchling") else []
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "wheel", "--no-deps", *here, "-w", str(folder), str(REPOSITORY)], check=True)
    home = folder / "environment"
    venv.create(home, with_pip=False)
    wheel = next(folder.glob("m4review-*.whl"))
    subprocess.run([*pip, "--python", str(home), "install", "--no-deps", str(wheel)], check=True)
    packages = next(home.glob("lib/python*/site-packages"))
    (packages / "beside.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    where = subprocess.run(
        [home / "bin" / "python", "-c", "import m4review; print(m4review.__file__)"],
        check=True, capture_output=True, text=True, cwd=folder,
    ).stdout  # fmt: skip
    assert Path(where.strip()).is_relative_to(packages), "the checkout was imported, not the wheel"
    return home / "bin" / "m4review"


class Terminal:
    """A tmux session of its own server, and what a person sees and presses in it."""

    def __init__(self, socket: Path, folder: Path, pipe: Path) -> None:
        self._socket = socket
        self._folder = str(folder)
        os.mkfifo(pipe)
        self._news = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        """What the program writes to the terminal comes here as well, so that a wait ends when something changes."""
        self._tmux("-f", "/dev/null", "new-session", "-d", "-s", "ward", "-x", "80", "-y", "24",
                   "-c", self._folder, "sh")  # fmt: skip
        self._tmux("set-option", "-t", "ward", "remain-on-exit", "on")
        self._tmux("pipe-pane", "-t", "ward", f"cat > '{pipe}'")
        self._pipe = pipe

    @property
    def process(self) -> int:
        """The process of whatever runs in the terminal."""
        return int(self._tmux("display-message", "-t", "ward", "-p", "#{pane_pid}"))

    def opens_again(self) -> None:
        """A new shell in the place of what ran here."""
        self._tmux("respawn-pane", "-k", "-t", "ward", "-c", self._folder, "sh")
        self._tmux("pipe-pane", "-t", "ward", f"cat > '{self._pipe}'")

    def types(self, text: str) -> None:
        self._tmux("send-keys", "-t", "ward", "-l", "--", text)

    def presses(self, *keys: str) -> None:
        for key in keys:
            self._tmux("send-keys", "-t", "ward", key)

    @property
    def screen(self) -> str:
        return self._tmux("capture-pane", "-t", "ward", "-p")

    def sees(self, *words: str) -> None:
        for word in words:
            self.waits_for(lambda word=word: word in self.screen, word)

    def sees_no(self, word: str) -> None:
        self.waits_for(lambda: word not in self.screen, f"{word!r} to be gone")

    def waits_for(self, holds: Callable[[], bool], what: str) -> None:
        """Until ``holds``: looked at whenever the program has drawn something."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            left = deadline - time.monotonic()
            assert left > 0, f"waited for {what!r}; the terminal shows:\n{self.screen}"
            if select.select([self._news], [], [], min(left, LONGEST_SILENCE))[0]:
                os.read(self._news, 1 << 16)

    def insists(self, key: str, word: str) -> None:
        """Press a key again until it is answered: one pressed while the focus still moves reaches the old place."""
        deadline = time.monotonic() + PATIENCE
        while word not in self.screen:
            assert time.monotonic() < deadline, f"{key} never gave {word!r}; the terminal shows:\n{self.screen}"
            self.types(key)
            silent = time.monotonic() + LONGEST_SILENCE
            while word not in self.screen and (left := silent - time.monotonic()) > 0:
                if select.select([self._news], [], [], left)[0]:
                    os.read(self._news, 1 << 16)

    def closes(self) -> None:
        """The window is closed, with whatever runs in it."""
        subprocess.run(["tmux", "-S", self._socket, "kill-server"], check=False, capture_output=True)

    def _tmux(self, *words: str) -> str:
        command = ["tmux", "-S", str(self._socket), *words]
        environment = {**os.environ, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
        return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """A workspace as a new user has it, and a terminal in it."""
    root = tmp_path / "ward"
    for name in ("skills", "tasks"):
        shutil.copytree(REPOSITORY / name, root / name)
    for folder in (*(root / "skills").iterdir(), *(root / "tasks").iterdir()):
        if folder.is_dir() and not folder.name.startswith("sirs"):
            shutil.rmtree(folder)
    (root / "reviews").mkdir()
    for file in ("roster.toml", "policy.toml"):
        shutil.copy(REPOSITORY / "reviews" / file, root / "reviews")
    (root / ".gitignore").write_text(".m4review/\n")
    for words in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "Ward Office"),
        ("config", "user.email", "ward@office.invalid"),
        ("add", "-A"),
        ("commit", "-qm", "Begin"),
    ):
        subprocess.run(["git", *words], cwd=root, check=True)
    found = Terminal(tmp_path / "s", root, tmp_path / "news")
    yield found
    found.closes()


def test_a_clinician_edits_saves_records_and_judges_with_the_installed_program(
    program: Path, terminal: Terminal, tmp_path: Path
) -> None:
    root = tmp_path / "ward"
    terminal.types(f"M4REVIEW_DATA={tmp_path}/data '{program}'; echo ended with $?")
    terminal.presses("Enter")
    terminal.sees("Who are you?")
    terminal.types("2")
    terminal.sees("Set up ·", "Enter Put right")
    terminal.presses("Escape")
    terminal.sees("My queue", SKILL)
    terminal.presses("Enter")
    terminal.sees(f"{SKILL} · saved", "line 1, column 1 · no findings")
    terminal.presses("C-End")
    terminal.sees_no("line 1, column 1 ")
    terminal.presses("Enter")
    terminal.types("Read on the ward round.")
    terminal.sees("Read on the ward round.", "* not saved")
    terminal.presses("C-s")
    terminal.sees(f"{SKILL} · saved")
    assert "Read on the ward round." in (root / "skills" / SKILL / "SKILL.md").read_text("utf-8")
    terminal.presses("F2")
    terminal.sees("Record a version of")
    terminal.types("ward round")
    terminal.presses("Tab", "Left")
    terminal.sees("[C1]")
    terminal.presses("F3")
    terminal.sees("Version 2 of sirs-criteria")
    terminal.presses("F3")
    terminal.sees("C2 · ○ draft", "definition [ ] not decided")
    terminal.presses("Tab")
    terminal.insists("a", "definition [a] approve")
    terminal.insists("a", "schema     [a] approve")
    terminal.insists("a", "output     [a] approve")
    terminal.presses("F3")
    terminal.sees("This is what your verdict says:")
    terminal.types("y")
    terminal.sees("in review (1 of 2)")
    terminal.presses("C-q")
    terminal.sees("ended with 0")
    log = subprocess.run(["git", "log", "--format=%an %s"], cwd=root, check=True, capture_output=True, text=True).stdout
    assert log.splitlines() == [f"C2 Verdict of C2 on {SKILL}", "C1 ward round", "Ward Office Begin"]


def test_a_killed_program_offers_the_text_again(program: Path, terminal: Terminal, tmp_path: Path) -> None:
    root = tmp_path / "ward"
    terminal.types(f"exec '{program}' --as C2")
    terminal.presses("Enter")
    terminal.sees("My queue", SKILL)
    terminal.presses("Enter")
    terminal.sees(f"{SKILL} · saved")
    terminal.types("Typed a moment ago. ")
    drafts = root / ".m4review" / "drafts"
    terminal.waits_for(
        lambda: any("a moment ago. " in file.read_text() for file in drafts.glob("*.draft.json")), "the draft on disk"
    )
    os.kill(terminal.process, signal.SIGKILL)
    terminal.sees("Pane is dead")
    terminal.opens_again()
    terminal.types(f"exec '{program}' --as C2")
    terminal.presses("Enter")
    terminal.sees("Unsaved text was found", "Typed a moment ago.")
    terminal.types("k")
    terminal.sees(f"{SKILL} · * not saved", "Typed a moment ago.")
    watched = os.pidfd_open(terminal.process)
    terminal.closes()
    assert select.select([watched], [], [], PATIENCE)[0], "the program outlived its terminal"
    os.close(watched)
