"""Drive the workbench through all its screens with seeded random keys, and show that nothing grows.

``make soak SECONDS=600 SEED=1`` prints a table: resident memory, Python's own memory, threads, open files, timers and
temporary files in ten slices of the run, and the slope of both memories over its second half. Exit code 1 when
threads, files or temporary files are left over, or memory grows by more than the limits below.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
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
from dataclasses import dataclass
from pathlib import Path

from textual.events import Key
from textual.keys import _character_to_key

from m4review.demo.starter import copy_starter
from m4review.history.creation import create_repository
from m4review.tui.app import WorkbenchApp
from m4review.tui.screens.home import HomeScreen
from m4review.workspace import Workspace

KEYS = (
    *("f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "ctrl+t", "ctrl+f", "ctrl+g", "ctrl+p"),
    *("up", "down", "left", "right", "pageup", "pagedown", "tab", "shift+tab", "home", "end"),
    *("enter", "slash", "n", "p", "a", "c", "1", "2", "3", "4", "5", "6", "7", "b", "k", "space", "backspace"),
    *("escape",) * 8,
)
"""What is pressed; ``ctrl+q`` is left out, and F4 has no editor to open. Trials need a dataset, and there is none."""
SIZES = ((80, 24), (120, 40), (160, 45), (40, 10), (30, 8))
KEPT = ("sirs", "sofa")
SLICES = 10
RSS_LIMIT, HEAP_LIMIT = 200.0, 100.0
"""KiB per minute that the resident and Python's own memory may grow in the second half."""
THREADS_LIMIT, FILES_LIMIT = 2, 3
"""Threads and open files that may be there at the end beyond those after the first slice: an idle pool's."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What is held at one moment."""

    at: float
    keys: int
    rss: float
    """KiB."""
    heap: float
    """KiB."""
    threads: int
    files: int
    timers: int
    temporary: int


def read(started: float, keys: int, temporary: Path) -> Reading:
    """Take a reading after collecting what is not held."""
    gc.collect()
    rss = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024
    timers = sum(1 for task in asyncio.all_tasks() if "timer" in repr(task.get_coro()).casefold())
    return Reading(
        time.monotonic() - started,
        keys,
        rss,
        tracemalloc.get_traced_memory()[0] / 1024,
        threading.active_count(),
        sum(1 for _ in Path("/proc/self/fd").iterdir()),
        timers,
        len(list(temporary.iterdir())),
    )


def slope(readings: list[Reading], what: str) -> float:
    """KiB per minute over the readings (Theil and Sen: the median of the slopes of all pairs)."""
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
    for _ in range(60):
        if isinstance(app.screen, HomeScreen):
            return
        await press(app, "escape")
        if type(app.screen).__name__ == "Question":
            letters = {choice.key for choice in app.screen._choices}  # type: ignore[attr-defined]
            await press(app, "d" if "d" in letters else "l" if "l" in letters else "b")
    raise AssertionError(f"no way back from {app.screen!r}")


async def walk(root: Path, seconds: float, seed: int, temporary: Path) -> tuple[list[Reading], dict[str, int]]:
    """Press random keys for so many seconds; the readings, and how often each screen was seen."""
    chance = random.Random(seed)
    seen: dict[str, int] = {}
    readings: list[Reading] = []
    app = WorkbenchApp(Workspace(root), "C2", environment={})
    async with app.run_test(size=SIZES[0], notifications=True) as pilot:
        await pilot.pause(1)
        started, keys, slice_number = time.monotonic(), 0, 1
        while (elapsed := time.monotonic() - started) < seconds:
            if keys % 150 == 0:
                await pilot.resize_terminal(*chance.choice(SIZES))
            if keys % 60 == 0:
                await pilot.resize_terminal(*SIZES[0])
                await back_home(app)
                for key in chance.choice((("enter",), ("f3",), ("f5",), ("f6",), ("f8",), ("slash",), ("f7",))):
                    await press(app, key)
            await press(app, chance.choice(KEYS))
            keys += 1
            seen[type(app.screen).__name__] = seen.get(type(app.screen).__name__, 0) + 1
            if not app.is_running:
                raise AssertionError(f"the workbench ended after {keys} keys")
            if elapsed > seconds * slice_number / SLICES:
                await pilot.resize_terminal(*SIZES[0])
                await back_home(app)
                await asyncio.sleep(1)
                readings.append(read(started, keys, temporary))
                slice_number += 1
                print(row(readings[-1]), flush=True)
        await back_home(app)
        await asyncio.sleep(1)
        readings.append(read(started, keys, temporary))
        print(row(readings[-1]), flush=True)
    return readings, seen


HEAD = f"{'s':>6} {'keys':>7} {'RSS MiB':>8} {'heap MiB':>9} {'threads':>8} {'files':>6} {'timers':>7} {'temp':>5}"


def row(reading: Reading) -> str:
    """One line of the table."""
    return (
        f"{reading.at:>6.0f} {reading.keys:>7} {reading.rss / 1024:>8.1f} {reading.heap / 1024:>9.2f} "
        f"{reading.threads:>8} {reading.files:>6} {reading.timers:>7} {reading.temporary:>5}"
    )


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
    """What is left over or grows."""
    first, last, half = readings[0], readings[-1], readings[len(readings) // 2 :]
    faults = []
    if len(half) > 1:
        for what, limit in (("rss", RSS_LIMIT), ("heap", HEAP_LIMIT)):
            grown = slope(half, what)
            print(f"{what} grows by {grown:+.1f} KiB per minute in the second half (limit {limit:.0f})")
            if grown > limit:
                faults.append(f"{what} grows")
    for what, limit in (("threads", THREADS_LIMIT), ("files", FILES_LIMIT), ("temporary", 0)):
        if getattr(last, what) - getattr(first, what) > limit:
            faults.append(f"{what}: {getattr(first, what)} after the first slice, {getattr(last, what)} at the end")
    return faults


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--seconds", type=float, default=600.0)
    words.add_argument("--seed", type=int, default=1)
    chosen = words.parse_args()
    temporary = Path(tempfile.mkdtemp(prefix="m4review-soak-"))
    root = temporary / "workspace"
    root.mkdir()
    make_workspace(root)
    own = temporary / "tmp"
    own.mkdir()
    tempfile.tempdir = str(own)
    tracemalloc.start()
    print(HEAD)
    try:
        readings, seen = asyncio.run(walk(root, chosen.seconds, chosen.seed, own))
    finally:
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(temporary)
    print("screens seen:", ", ".join(f"{name} {count}" for name, count in sorted(seen.items())))
    faults = judge(readings)
    left = [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()]
    faults += [f"threads left after the end: {', '.join(left)}"] if left else []
    print("\n".join(f"FAULT {fault}" for fault in faults) or "nothing is left over, nothing grows")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
