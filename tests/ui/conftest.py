"""A real workspace in a real repository, and a person at the keyboard of the workbench."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import subprocess
import time
import tomllib
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from textual.events import Key, MouseDown, MouseMove, MouseScrollDown, MouseScrollUp, MouseUp, Paste
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import OptionList, Tree
from textual.widgets.tree import TreeNode
from textual.worker import NoActiveWorker, get_current_worker

from m4review.tui.app import WorkbenchApp
from m4review.tui.screens.home import Row
from m4review.workspace import Workspace

REPOSITORY = Path(__file__).resolve().parents[2]
GLANCE = 0.01
"""Seconds between two looks at the screen: enough for what is waited for to be worked on."""
QUIET_TURNS = 8
"""Turns of the event loop without a waiting message after which a key is taken for handled."""
PATIENCE = 120.0
"""Seconds after which a look gives up: far more than anything takes, even on a loaded machine."""


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


WARD = ("sirs-criteria", "sofa-score")
"""The skills of the small workspace in which most tests happen: one with a single task, one with several."""


@pytest.fixture(scope="session")
def shelves(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two prepared repositories without any verdict, built once and copied by each test: ``ward`` and ``library``."""
    built = {}
    for name, skills in (("ward", WARD), ("library", None)):
        root = tmp_path_factory.mktemp(name) / "workspace"
        for folder in ("skills", "tasks"):
            shutil.copytree(REPOSITORY / folder, root / folder)
        if skills is not None:
            keep_only(root, skills)
        (root / "reviews").mkdir()
        for file in ("roster.toml", "policy.toml"):
            shutil.copy(REPOSITORY / "reviews" / file, root / "reviews" / file)
        (root / ".gitignore").write_text(".m4review/\n")
        git(root, "init", "-q", "-b", "main")
        git(root, "config", "user.name", "Ward Office")
        git(root, "config", "user.email", "ward@office.invalid")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "Begin")
        git(root, "gc", "-q")
        built[name] = root
    return built


def keep_only(root: Path, skills: Sequence[str]) -> None:
    """Remove every other skill, and every task card that names another one."""
    for folder in (root / "skills").iterdir():
        if folder.name not in skills:
            shutil.rmtree(folder)
    for card in (root / "tasks").glob("*/*/task.toml"):
        named = tomllib.loads(card.read_text(encoding="utf-8"))["skills"]
        if not named or not set(named) <= set(skills):
            shutil.rmtree(card.parent)
    for family in (root / "tasks").iterdir():
        if family.is_dir() and not list(family.glob("*/task.toml")):
            shutil.rmtree(family)


@pytest.fixture
def workspace(shelves: dict[str, Path], tmp_path: Path) -> Workspace:
    """Two of the shipped skills with their task cards, in a repository of their own."""
    return Workspace(shutil.copytree(shelves["ward"], tmp_path / "workspace"))


@pytest.fixture
def library(shelves: dict[str, Path], tmp_path: Path) -> Workspace:
    """Every shipped skill and task card, in a repository of their own."""
    return Workspace(shutil.copytree(shelves["library"], tmp_path / "workspace"))


class Threads:
    """The work that the workbench has handed to threads and waits for: reading files, asking git, checking a text."""

    def __init__(self) -> None:
        self.lasting = {"trial"}
        """The groups of workers whose work lasts longer than anybody waits after a key."""
        self._under_way: dict[asyncio.Future[object], str | None] = {}

    def watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take note of everything that is handed over from now on."""
        hand_over = loop.run_in_executor

        def noted(*work: object) -> asyncio.Future[object]:
            answer: asyncio.Future[object] = hand_over(*work)  # type: ignore[arg-type]
            self._under_way[answer] = _group()
            answer.add_done_callback(self._under_way.pop)
            return answer

        loop.run_in_executor = noted  # type: ignore[assignment,method-assign]

    @property
    def busy(self) -> list[asyncio.Future[object]]:
        """The answers that are waited for after a key."""
        return [answer for answer, group in self._under_way.items() if group not in self.lasting]

    async def next_answer(self) -> None:
        """Wait for one of them, or a little."""
        await asyncio.wait(self.busy, timeout=GLANCE, return_when=asyncio.FIRST_COMPLETED)


def _group() -> str | None:
    """Which of the app's workers runs here."""
    try:
        return get_current_worker().group
    except NoActiveWorker:
        return None


class Person:
    """Someone who presses keys and looks at the screen; every look waits until it sees, and fails with the screen."""

    def __init__(self, app: WorkbenchApp, pilot: Pilot[None], threads: Threads, told: list[str]) -> None:
        self.app = app
        self.pilot = pilot
        self._threads = threads
        self._told = told
        self._listens_from = 0

    @property
    def screen(self) -> str:
        """What is on the screen now, as text."""
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())

    async def presses(self, *keys: str) -> None:
        """Press keys, each when everything that the one before began is done."""
        for key in keys:
            self.rushes(key)
            await self.settles()

    def rushes(self, *keys: str) -> None:
        """Press keys faster than any of them is handled, as a slow connection delivers them."""
        for key in keys:
            name = _character_to_key(key) if len(key) == 1 and not key.isalnum() else key
            character = key if len(key) == 1 else " " if key == "space" else None
            self.app.post_message(Key(name, character))

    def leaves_be(self, group: str) -> None:
        """From now on, go on although a worker of that group is still at work."""
        self._threads.lasting.add(group)

    async def types(self, text: str) -> None:
        await self.presses(*("space" if letter == " " else letter for letter in text))

    async def pastes(self, text: str) -> None:
        self.app.post_message(Paste(text))
        await self.settles()

    async def clicks(self, words: str, *, skip: int = 0) -> None:
        """Press and release the left button on these words of the screen, after ``skip`` other such places."""
        x, y = await self._place_of(words, skip)
        for event in (MouseMove, MouseDown, MouseUp):
            self.app.post_message(event(None, x, y, 0, 0, int(event is not MouseMove), False, False, False))
            await self.settles()

    async def turns_the_wheel(self, words: str, turns: int) -> None:
        """Turn the wheel with the pointer on these words: down, or up where ``turns`` is negative."""
        x, y = await self._place_of(words, 0)
        event = MouseScrollDown if turns > 0 else MouseScrollUp
        for _ in range(abs(turns)):
            self.app.post_message(event(None, x, y, 0, 0, 0, False, False, False))
            await self.settles()

    async def _place_of(self, words: str, skip: int) -> tuple[int, int]:
        def found() -> list[tuple[int, int]]:
            rows = self.screen.split("\n")
            return [(hit.start(), y) for y, row in enumerate(rows) for hit in re.finditer(re.escape(words), row)]

        await self.until(lambda: len(found()) > skip, repr(words))
        return found()[skip]

    async def settles(self) -> None:
        """Wait until everything that was sent to the app or to what is on the screen is handled, and everything that
        was handed to a thread is answered.

        A pilot waits for an idle processor instead, which takes its full second whenever something is read meanwhile.
        """
        deadline = time.monotonic() + PATIENCE
        await self._are_read(deadline)
        while self._threads.busy and self.app.is_running:
            if time.monotonic() > deadline:
                raise AssertionError(f"waited for the work in threads; the screen shows:\n{self.screen}")
            await self._threads.next_answer()
            await self._are_read(deadline)

    async def _are_read(self, deadline: float) -> None:
        """Wait until no message waits for the app or for what is on the screen."""
        quiet = 0
        while quiet < QUIET_TURNS and self.app.is_running:
            await asyncio.sleep(0)
            pumps = (self.app, *self.app.screen.walk_children(with_self=True))
            behind = [pump for pump in pumps if pump.message_queue_size]
            behind += [self.app] if self.app.is_handling_keys else []
            quiet = 0 if behind else quiet + 1
            if time.monotonic() > deadline:
                raise AssertionError(f"waited for {behind} to handle their messages; the screen shows:\n{self.screen}")

    async def until(self, condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"waited for {what}; the screen shows:\n{self.screen}")
            await self.pilot.pause(GLANCE)

    async def sees(self, *words: str) -> None:
        for word in words:
            await self.until(lambda word=word: word in self.screen, repr(word))  # type: ignore[misc]

    async def reads(self, *words: str) -> None:
        """The screen or its dialog says these words, wherever its lines are broken."""
        for word in words:
            await self.until(
                lambda word=word: word in self.screen or " ".join(word.split()) in self.said,  # type: ignore[misc]
                repr(word),
            )

    @property
    def said(self) -> str:
        """Every text and every answer that the screen or dialog offers now, in one line."""
        console = Console(width=2000, no_color=True, highlight=False)
        with console.capture() as capture:
            for widget in self.app.screen.query("Static, OptionList"):
                if not all(node.display for node in widget.ancestors_with_self if isinstance(node, Widget)):
                    continue
                for part in (
                    [one.prompt for one in widget.options] if isinstance(widget, OptionList) else [widget.content]
                ):
                    console.print(part)
        return " ".join(capture.get().split())

    async def is_told(self, words: str) -> None:
        """A message popped up that holds these words: the last one that was waited for, or one after it.

        What popped up is remembered, for on a loaded machine it may be gone again before anybody looks.
        """

        def heard() -> int | None:
            return next((at for at in range(self._listens_from, len(self._told)) if words in self._told[at]), None)

        await self.until(
            lambda: heard() is not None or any(words in note.message for note in self.app._notifications),
            f"a message {words!r}",
        )
        self._listens_from = heard() or self._listens_from

    async def sees_no(self, word: str) -> None:
        await self.until(lambda: word not in self.screen, f"{word!r} to be gone")

    async def chooses_skill(self, name: str) -> None:
        """Put the cursor of the first screen on a skill."""
        await self.until(lambda: bool(self.app.screen.query("#tree")), "the shelf")
        tree = self.app.screen.query_one("#tree", Tree)
        await self.until(lambda: row_named(tree.root, name) is not None, f"{name} on the shelf")
        await self.until(lambda: getattr(self.app.screen, "is_filled", False), "the shelf to be filled")
        row = row_named(tree.root, name)
        assert row is not None
        tree.focus()
        tree.move_cursor(row)
        await self.settles()

    async def opens_skill(self, name: str) -> None:
        await self.chooses_skill(name)
        await self.presses("enter")
        await self.sees(f"{name} · saved")

    async def leaves(self) -> None:
        await self.presses("ctrl+q")


def listened_to(app: WorkbenchApp) -> list[str]:
    """Every message that pops up in the app from now on."""
    told: list[str] = []
    notify = app.notify

    def noted(message: str, **how: Any) -> None:
        told.append(message)
        notify(message, **how)

    app.notify = noted  # type: ignore[method-assign,assignment]
    return told


def row_named(node: TreeNode[Row], name: str) -> TreeNode[Row] | None:
    """The row of the shelf with that name, in sight or not."""
    if node.data is not None and node.data.name == name:
        return node
    return next((found for child in node.children if (found := row_named(child, name)) is not None), None)


OpenBench = Callable[..., contextlib.AbstractAsyncContextManager[Person]]


@pytest.fixture
def bench() -> OpenBench:
    """Opens the workbench on a workspace: ``async with bench(workspace, "C2") as person``."""
    threads: list[Threads] = []

    @contextlib.asynccontextmanager
    async def open_bench(
        workspace: Workspace, identity: str | None = "C2", size: tuple[int, int] = (80, 24), **environment: str
    ) -> AsyncIterator[Person]:
        app = WorkbenchApp(Workspace(workspace.root), identity, environment=environment)
        if not threads:
            threads.append(Threads())
            threads[0].watch(asyncio.get_running_loop())
        told = listened_to(app)
        async with app.run_test(size=size, notifications=True) as pilot:
            person = Person(app, pilot, threads[0], told)
            await person.until(lambda: "Reading the workspace" not in person.screen, "the first screen")
            await person.settles()
            yield person

    return open_bench
