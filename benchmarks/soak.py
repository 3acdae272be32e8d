"""Drive the workbench through all its screens with seeded random keys, and show that nothing grows.

``make soak SECONDS=600 SEED=1`` prints a table: resident memory, live Python blocks, threads, open files, child
processes, tasks of the event loop, screens that were left and are still in memory, and temporary files. The first keys
(``--warm-up``) load modules and fill caches; then it is judged for so many seconds. Exit code 1 when a memory
grows by more than the limits below, when anything else is more at the end than after the warm-up, or when something is
left after the workbench has ended. ``--trace`` also prints which lines of code hold more memory than after the warm-up.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import ctypes
import gc
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc
from collections import Counter
from dataclasses import dataclass, fields
from pathlib import Path
from weakref import WeakSet

from textual.events import Key
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.screen import Screen

from m4review.demo.starter import copy_starter
from m4review.history.creation import create_repository
from m4review.tui.app import WorkbenchApp
from m4review.tui.screens.dialogs import Question
from m4review.tui.screens.home import HomeScreen
from m4review.workspace import Workspace

WAYS = (("enter",), ("f3",), ("f5",), ("f6",), ("f7",), ("f8",), ("f1",), ("slash",), ("down", "enter"), ("down", "f3"))
"""From the first screen to another; each is taken as often as the others."""
KEYS = (
    *("f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "ctrl+t", "ctrl+f", "ctrl+g", "ctrl+o", "ctrl+k"),
    *("up", "down", "left", "right", "pageup", "pagedown", "tab", "shift+tab", "home", "end", "ctrl+p", "ctrl+z"),
    *("enter", "slash", "n", "p", "a", "c", "1", "2", "3", "4", "5", "6", "7", "b", "k", "space", "backspace"),
    *("escape",) * 4,
)
"""What is pressed; ``ctrl+q`` is left out, and F4 has no editor to open. Trials need a dataset, and there is none."""
TOUR = (
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    *("ctrl+t",) * 6,
    "space",
    "ctrl+z",
    "tab",
    "enter",
    "escape",
    "f4",
    "f10",
    "escape",
)
"""What is pressed once, without haste, on each of them."""
VISIT = 25
"""Keys between two starts from the first screen."""
PAUSES = (0.0, 0.0, 0.1, 0.5)
"""Seconds between opening a screen and the next key: before, while and after it is filled."""
RESIZED = 6
"""In each of so many visits the window is another for half of the keys."""
SIZES = ((120, 40), (80, 24), (160, 45), (40, 10), (30, 8))
KEPT = ("sirs", "sofa")
SLICES = 12
WARM_UP = 6000
"""Keys before anything is judged: by then every screen was opened often, modules are loaded and caches are full."""
LIMITS = {"rss": 300.0, "blocks": 3.0}
"""How much may grow in a minute after the warm-up: KiB of resident memory, thousands of Python's memory blocks."""
ALLOWED = {"threads": 1 + min(32, (os.cpu_count() or 1) + 4), "left": 2}
"""What may be there at the end, however little was there after the warm-up: the pool of threads, which are made when
they are first needed and then kept, and screens that the last message of another part names as its sender."""
PATIENCE = 120.0
"""Seconds within which everything that was begun must have come to its end, on a loaded machine too."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What is held at one moment."""

    at: float
    keys: int
    rss: float
    """KiB, after what the C library holds back was returned."""
    blocks: float
    """Thousands."""
    threads: int
    files: int
    children: int
    tasks: int
    left: int
    """Screens in memory that are not open any more."""
    temporary: int

    def row(self) -> str:
        """One line of the table."""
        counts = (getattr(self, name) for name in COUNTED)
        return f"{self.at:>6.0f} {self.keys:>7} {self.rss / 1024:>8.1f} {self.blocks:>9.1f}" + "".join(
            f"{count:>10}" for count in counts
        )


COUNTED = tuple(field.name for field in fields(Reading))[4:]
"""What must not be more at the end than after the warm-up."""
HEAD = f"{'s':>6} {'keys':>7} {'RSS MiB':>8} {'k blocks':>9}" + "".join(f"{name:>10}" for name in COUNTED)


def open_files() -> list[str]:
    """What the open descriptors of this process lead to."""
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # the one that lists this folder
            found.append(str(entry.readlink()))
    return sorted(found)


def children() -> list[str]:
    """The processes that this one started and that are not gone, ended or not."""
    return [one for task in Path("/proc/self/task").iterdir() for one in (task / "children").read_text().split()]


def read(started: float, keys: int, app: WorkbenchApp, met: WeakSet[Screen[object]], temporary: Path) -> Reading:
    """Take a reading after collecting what is not held. ``met`` are the screens that were seen open."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return Reading(
        at=time.monotonic() - started,
        keys=keys,
        rss=int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024,
        blocks=sys.getallocatedblocks() / 1000,
        threads=threading.active_count(),
        files=len(open_files()),
        children=len(children()),
        tasks=len(asyncio.all_tasks()),
        left=len(set(met) - set(app.screen_stack)),
        temporary=sum(1 for _ in temporary.iterdir()),
    )


def slope(readings: list[Reading], what: str) -> float:
    """Growth per minute over the readings (Theil and Sen: the median of the slopes of all pairs)."""
    pairs = [
        (getattr(later, what) - getattr(earlier, what)) / (later.at - earlier.at) * 60
        for position, earlier in enumerate(readings)
        for later in readings[position + 1 :]
    ]
    return statistics.median(pairs)


async def press(app: WorkbenchApp, key: str) -> None:
    """One key, and a few turns of the loop in which it is handled."""
    name = _character_to_key(key) if len(key) == 1 and not key.isalnum() else key
    app.post_message(Key(name, key if len(key) == 1 else " " if key == "space" else None))
    for _ in range(6):
        await asyncio.sleep(0)
    await asyncio.sleep(0.01)


async def back_home(app: WorkbenchApp) -> None:
    """Esc and the answers that change nothing, until the first screen is reached."""
    deadline = time.monotonic() + PATIENCE
    while not isinstance(before := app.screen, HomeScreen):
        if time.monotonic() > deadline:
            raise AssertionError(f"no way back from {app.screen!r}")
        letters = {choice.key for choice in before._choices} if isinstance(before, Question) else set()
        await press(app, next((letter for letter in "dlb" if letter in letters), "escape"))
        asked = time.monotonic()
        while app.screen is before and time.monotonic() < asked + 0.3:  # a question may follow before the screen goes
            await asyncio.sleep(0.01)


async def all_done(app: WorkbenchApp) -> None:
    """Until nothing is under way but what waits for an answer."""
    deadline = time.monotonic() + PATIENCE
    while working := [worker for worker in app.workers if not worker.is_finished and worker.node is app.screen]:
        if time.monotonic() > deadline:
            raise AssertionError(f"still under way on {app.screen!r}: {working}")
        await asyncio.sleep(0.05)


async def come_to_rest(app: WorkbenchApp) -> None:
    """Back on the first screen, with everything read and nothing under way."""
    await back_home(app)
    app.clear_notifications()
    for key in ("f1", "escape"):  # a screen clears away what its messages left when it is shown again
        await press(app, key)
        await asyncio.sleep(0.5)
    for part in (app, *(part for screen in app.screen_stack for part in screen.walk_children(with_self=True))):
        part.call_later(lambda: None)  # each part remembers its last message, which names a screen as its sender
    quiet, deadline = 0, time.monotonic() + PATIENCE
    while quiet < 5:  # what a worker left to a thread goes on after the worker was replaced
        if time.monotonic() > deadline:
            raise AssertionError(f"never at rest: {children()}, {list(app.workers)}")
        await all_done(app)
        await asyncio.sleep(0.1)
        quiet = 0 if children() else quiet + 1


class KeptOpen(WorkbenchApp):
    """The workbench that is there again when it was left: the palette offers to quit."""

    def exit(self, *_arguments: object, **_options: object) -> None:
        self.notify("Left, and here again.")


@dataclass
class Walk:
    """Random keys, and what was read on the way."""

    app: WorkbenchApp
    pilot: Pilot[None]
    chance: random.Random
    keys: int = 0

    def __post_init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.met: WeakSet[Screen[object]] = WeakSet()
        self.visits = 0

    async def visit(self) -> None:
        """From the first screen to another, and on from there wherever the keys lead."""
        way = WAYS[self.visits % len(WAYS)]
        self.visits += 1
        await back_home(self.app)
        for key in way:
            await self.press(key)
        await asyncio.sleep(self.chance.choice(PAUSES))
        for number in range(VISIT):
            if self.visits % RESIZED == 0 and number % (VISIT // 2) == 0:
                size = SIZES[self.visits // RESIZED % len(SIZES)] if number == 0 else SIZES[0]
                await self.pilot.resize_terminal(*size)
            before = self.app.screen
            await self.press(self.chance.choice(KEYS))
            if self.app.screen is not before:
                await asyncio.sleep(self.chance.choice(PAUSES))

    async def tour(self) -> None:
        """Each way from the first screen with all of its views, so that whatever is loaded once is loaded now."""
        for way in WAYS:
            await back_home(self.app)
            for key in (*way, *TOUR):
                await self.press(key)
                await all_done(self.app)

    async def press(self, key: str) -> None:
        await press(self.app, key)
        self.keys += 1
        self.met.update(self.app.screen_stack)
        self.seen[type(self.app.screen).__name__] += 1
        if not self.app.is_running:
            raise AssertionError(f"the workbench ended after {self.keys} keys")


async def walk(root: Path, seconds: float, warm_up: int, seed: int, temporary: Path) -> list[Reading]:
    """Press so many random keys as a warm-up, and then random keys for so many seconds; the readings of the latter."""
    readings: list[Reading] = []
    app = KeptOpen(Workspace(root), "C2", environment={})
    async with app.run_test(size=SIZES[0], notifications=True) as pilot:
        walked, started, warm = Walk(app, pilot, random.Random(seed)), time.monotonic(), None
        await come_to_rest(app)
        await walked.tour()
        while walked.keys < warm_up:
            reached = walked.keys + max(1, warm_up // 4)
            while walked.keys < min(reached, warm_up):
                await walked.visit()
            await come_to_rest(app)
            print(read(started, walked.keys, app, walked.met, temporary).row(), "  (warm-up)", flush=True)
        begun = time.monotonic()
        for number in range(SLICES + 1):
            while time.monotonic() - begun < seconds * number / SLICES:
                await walked.visit()
            await come_to_rest(app)
            readings.append(read(started, walked.keys, app, walked.met, temporary))
            print(readings[-1].row(), flush=True)
            if warm is None and tracemalloc.is_tracing():
                warm = tracemalloc.take_snapshot()
        if warm is not None:
            show_growth(warm)
    print("screens seen:", ", ".join(f"{name} {count}" for name, count in sorted(walked.seen.items())))
    return readings


def show_growth(warm: tracemalloc.Snapshot) -> None:
    """Which lines of code hold more than at that time."""
    print("more held than after the warm-up, by the line of code that asked for it:")
    for difference in tracemalloc.take_snapshot().compare_to(warm, "lineno")[:25]:
        print("  ", difference)


def make_workspace(root: Path) -> None:
    """Two of the shipped skills with their task cards in a repository of their own: many keys, little reading."""
    copy_starter(root)
    for folder in (*(root / "skills").iterdir(), *(root / "tasks").iterdir()):
        if folder.is_dir() and not folder.name.startswith(KEPT):
            shutil.rmtree(folder)
    create_repository(root)
    (root / ".gitignore").write_text(".m4review/\n")
    for words in (
        ("config", "user.name", "Soak"),
        ("config", "user.email", "soak@demo.invalid"),
        ("add", "-A"),
        ("commit", "-q", "-m", "Begin"),
    ):
        subprocess.run(["git", *words], cwd=root, check=True)


def judge(readings: list[Reading]) -> list[str]:
    """What grows, and what is more at the end than after the warm-up."""
    first, last = readings[0], readings[-1]
    minutes, keys = (last.at - first.at) / 60, last.keys - first.keys
    print(f"after the warm-up, over {minutes:.1f} minutes and {keys} keys:")
    faults = []
    for what, limit in LIMITS.items():
        grown, unit = slope(readings, what), {"rss": "KiB", "blocks": "thousand"}[what]
        print(f"  {what:<10} {grown:+.1f} {unit} a minute (limit {limit:.1f})")
        if grown > limit:
            faults.append(f"{what} grows by {grown:.1f} {unit} a minute")
    for what in COUNTED:
        before, after = getattr(first, what), getattr(last, what)
        print(f"  {what:<10} {before} -> {after}")
        if after > max(before, ALLOWED.get(what, 0)):
            faults.append(f"{what}: {before} after the warm-up, {after} at the end")
    return faults


def left_after_the_end(files_before: list[str]) -> list[str]:
    """Threads, processes and files that outlive the workbench."""
    threads = [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()]
    files = list((Counter(open_files()) - Counter(files_before)).elements())
    found = {"threads": threads, "processes": children(), "files": files}
    return [f"{what} left after the end: {', '.join(names)}" for what, names in found.items() if names]


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--seconds", type=float, default=600.0, help="how long it is judged, after the warm-up")
    words.add_argument("--warm-up", type=int, default=WARM_UP, metavar="KEYS")
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--trace", action="store_true", help="which lines of code hold more; about twice as slow")
    chosen = words.parse_args()
    temporary = Path(tempfile.mkdtemp(prefix="m4review-soak-"))
    root, own = temporary / "workspace", temporary / "tmp"
    root.mkdir()
    own.mkdir()
    files_before = open_files()
    try:
        make_workspace(root)
        tempfile.tempdir = str(own)
        if chosen.trace:
            tracemalloc.start()
        print(HEAD)
        readings = asyncio.run(walk(root, chosen.seconds, chosen.warm_up, chosen.seed, own))
        faults = judge(readings) + left_after_the_end(files_before)
    finally:
        shutil.rmtree(temporary)
    print("\n".join(f"FAULT {fault}" for fault in faults) or "nothing is left over, nothing grows")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
