"""How the EHR layer grows: synthesis, build and task database at two sizes, and the ratio between them.

``python benchmarks/ehr.py [SMALL LARGE]`` (ICU stays; default 2000 and 20000). Each size runs in a process of its own,
so that the peak memory is its own. A task database should cost the same at both sizes; the rest should grow no faster
than the data.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from m4review.ehr import build, build_task_database, synthesise
from m4review.tasks import Task, load_task

ROOT = Path(__file__).parents[1]
REPEATS = 5


def tasks() -> list[Task]:
    """The project's own SIRS and SOFA cards."""
    return [load_task(path.parent) for path in sorted(ROOT.glob("tasks/*/*/task.toml"))]


def measured(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU seconds of one piece of work."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def measure(stays: int) -> dict[str, float]:
    """All figures at one size: seconds, bytes, megabytes of memory."""
    figures: dict[str, float] = {}
    cards = [task for task in tasks() if task.database == "mimic-iv"]
    standard = next(task for task in cards if task.mode == "standard")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        made = []
        wall, cpu = measured(lambda: made.append(synthesise(home, "bench", layout="mimic-iv", stays=stays, seed=1)))
        (dataset,) = made
        figures |= {"synthesis, s": wall, "synthesis, CPU s": cpu, "source rows": sum(t.rows for t in dataset.tables)}
        figures["source tables, MB"] = dataset.size / 1e6
        wall, cpu = measured(lambda: build(dataset, cards))
        figures |= {"build, s": wall, "build, CPU s": cpu}
        wall, cpu = measured(lambda: build(dataset, cards))
        figures["build again (nothing to do), s"] = wall
        runs = [measured(lambda: build_task_database(dataset, standard, home / "run")) for _ in range(REPEATS)]
        figures["task database, best of 5, ms"] = 1000 * min(wall for wall, _ in runs)
        figures["task database, bytes"] = (home / "run" / "task.duckdb").stat().st_size
    figures["peak memory, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return figures


def main(arguments: list[str]) -> None:
    """Print a table of both sizes."""
    if arguments[:1] == ["--measure"]:
        print(json.dumps(measure(int(arguments[1]))))
        return
    sizes = [int(word) for word in arguments] or [2000, 20000]
    columns = []
    for stays in sizes:
        command = [sys.executable, __file__, "--measure", str(stays)]
        columns.append(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    print(f"{'ICU stays':<32}" + "".join(f"{stays:>14,}" for stays in sizes) + f"{'ratio':>10}")
    for name in columns[0]:
        values = [column[name] for column in columns]
        ratio = values[-1] / values[0] if values[0] else float("nan")
        print(f"{name:<32}" + "".join(f"{value:>14,.2f}" for value in values) + f"{ratio:>9.2f}x")


if __name__ == "__main__":
    main(sys.argv[1:])
