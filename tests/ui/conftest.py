"""A real workspace in a real repository, and a person at the keyboard of the workbench."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from m4review.tui.app import WorkbenchApp
from m4review.tui.screens.home import Row
from m4review.workspace import Workspace

REPOSITORY = Path(__file__).resolve().parents[2]
PATIENCE = 60.0
"""Seconds after which a look gives up: far more than anything takes, even on a loaded machine."""


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """The shipped skills, task cards and review rules in a repository of their own, without any verdict."""
    root = tmp_path / "workspace"
    for name in ("skills", "tasks"):
        shutil.copytree(REPOSITORY / name, root / name)
    (root / "reviews").mkdir()
    for name in ("roster.toml", "policy.toml"):
        shutil.copy(REPOSITORY / "reviews" / name, root / "reviews" / name)
    (root / ".gitignore").write_text(".m4review/\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "Ward Office")
    git(root, "config", "user.email", "ward@office.invalid")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Begin")
    return Workspace(root)


class Person:
    """Someone who presses keys and looks at the screen; every look waits until it sees, and fails with the screen."""

    def __init__(self, app: WorkbenchApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def screen(self) -> str:
        """What is on the screen now, as text."""
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())

    async def presses(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def types(self, text: str) -> None:
        await self.presses(*("space" if letter == " " else letter for letter in text))

    async def pastes(self, text: str) -> None:
        self.app.post_message(Paste(text))
        await self.pilot.pause()

    async def until(self, condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"waited for {what}; the screen shows:\n{self.screen}")
            await self.pilot.pause()
            await asyncio.sleep(0)

    async def sees(self, *words: str) -> None:
        for word in words:
            await self.until(lambda word=word: word in self.screen, repr(word))  # type: ignore[misc]

    async def is_told(self, words: str) -> None:
        """A message pops up that holds these words."""
        await self.until(lambda: any(words in note.message for note in self.app._notifications), f"a message {words!r}")

    async def sees_no(self, word: str) -> None:
        await self.until(lambda: word not in self.screen, f"{word!r} to be gone")

    async def chooses_skill(self, name: str) -> None:
        """Put the cursor of the first screen on a skill."""
        await self.until(lambda: bool(self.app.screen.query("#tree")), "the shelf")
        tree = self.app.screen.query_one("#tree", Tree)
        await self.until(lambda: name in names_below(tree.root), f"{name} on the shelf")
        for _ in range(2):
            await self.presses("home")
            for _ in range(tree.last_line + 1):
                here = tree.cursor_node
                if here is not None and here.data is not None and here.data.name == name:
                    return
                await self.presses("down")
        raise AssertionError(f"no skill {name} on the shelf:\n{self.screen}")

    async def opens_skill(self, name: str) -> None:
        await self.chooses_skill(name)
        await self.presses("enter")
        await self.sees(f"{name} · saved")

    async def leaves(self) -> None:
        await self.presses("ctrl+q")


def names_below(node: TreeNode[Row]) -> set[str]:
    """Names of everything on the shelf under a node."""
    found = {node.data.name} if node.data is not None else set()
    return found.union(*(names_below(child) for child in node.children))


OpenBench = Callable[..., contextlib.AbstractAsyncContextManager[Person]]


@pytest.fixture
def bench() -> OpenBench:
    """Opens the workbench on a workspace: ``async with bench(workspace, "C2") as person``."""

    @contextlib.asynccontextmanager
    async def open_bench(
        workspace: Workspace, identity: str | None = "C2", size: tuple[int, int] = (80, 24), **environment: str
    ) -> AsyncIterator[Person]:
        app = WorkbenchApp(Workspace(workspace.root), identity, environment=environment)
        async with app.run_test(size=size, notifications=True) as pilot:
            person = Person(app, pilot)
            await person.until(lambda: "Reading the workspace" not in person.screen, "the first screen")
            yield person

    return open_bench
