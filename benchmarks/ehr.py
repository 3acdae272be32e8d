"""How the EHR layer grows: synthesis, import, build and task database at several sizes, and how they grow.

    python benchmarks/ehr.py [--layout mimic-iv] [--memory 3GB] [2000 20000 100000]

Sizes are ICU stays. Each phase of each size runs in a process of its own, so that its peak memory is its own. The last
columns say how many times larger a figure is than at the size before: with ten times the stays, 10 x is linear and 1 x
is flat. The slowest derivations follow, with the seconds they take one at a time, and then those that grow faster than
the stays. The build is measured both as it is, with derivations side by side, and with one at a time.
"""

from __future__ import annotations

import argparse
import itertools
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from m4review.ehr import build, build_task_database, import_dataset, open_dataset, synthesise
from m4review.ehr.engine import bytes_of
from m4review.tasks import Task, load_task

ROOT = Path(__file__).parents[1]
REPEATS = 5
SLOWEST = 8
NOTICEABLE_SECONDS, STEEPER = 0.5, 1.25
"""A derivation that takes longer, and grows so many times more than the stays, is named."""

PEAK_UNIT = 1024**2 if sys.platform == "darwin" else 1024

Figures = dict[str, float]


def cards(layout: str) -> list[Task]:
    """The project's own task cards of the layout."""
    found = [load_task(path.parent) for path in sorted(ROOT.glob("tasks/*/*/task.toml"))]
    return [task for task in found if task.database == layout]


def synthesis(home: Path, layout: str, stays: int, memory: int | None) -> Figures:
    dataset = synthesise(home, "bench", layout=layout, stays=stays, seed=1, memory=memory)
    rows = sum(table.rows for table in dataset.tables)
    return {"source rows": rows, "source tables, MB": dataset.size / 1e6}


def reimport(home: Path, layout: str, stays: int, memory: int | None) -> Figures:
    dataset = open_dataset(home, "bench")
    folders = {table.schema_name: table.folder for table in dataset.layout.tables}
    source = home / "source"
    for table in dataset.tables:
        target = source / folders[table.schema_name] / f"{table.name}.parquet"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(dataset.table_path(table))
    import_dataset(home, "again", layout=layout, source=source, memory=memory)
    return {}


def building(home: Path, layout: str, stays: int, memory: int | None) -> Figures:
    build(open_dataset(home, "bench"), cards(layout), memory=memory)
    return {}


def building_singly(home: Path, layout: str, stays: int, memory: int | None) -> Figures:
    dataset = open_dataset(home, "bench")
    for folder in ("concepts", "references"):
        shutil.rmtree(dataset.path / folder, ignore_errors=True)
    report = build(dataset, cards(layout), memory=memory, at_once=1)
    return {f"{table.kind} {table.name}": table.seconds for table in report.made}


def rebuilding(home: Path, layout: str, stays: int, memory: int | None) -> Figures:
    build(open_dataset(home, "bench"), cards(layout), memory=memory)
    return {}


def task_database(home: Path, layout: str, stays: int, memory: int | None) -> Figures:
    dataset = open_dataset(home, "bench")
    task = max(cards(layout), key=lambda card: card.mode == "standard")
    seconds = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        build_task_database(dataset, task, home / "run")
        seconds.append(time.perf_counter() - started)
    return {
        f"task database, best of {REPEATS}, ms": 1000 * min(seconds),
        "task database, bytes": (home / "run" / "task.duckdb").stat().st_size,
    }


PHASES: dict[str, Callable[[Path, str, int, int | None], Figures]] = {
    "synthesis": synthesis,
    "import of Parquet": reimport,
    "build": building,
    "build, one at a time": building_singly,
    "build, nothing to do": rebuilding,
    "task database": task_database,
}


def run_phase(name: str, home: Path, layout: str, stays: int, memory: int | None) -> Figures:
    """The figures of one phase in this process: what it returns, seconds, CPU seconds and peak memory."""
    wall, cpu = time.perf_counter(), time.process_time()
    figures = PHASES[name](home, layout, stays, memory)
    return {
        f"{name}, s": time.perf_counter() - wall,
        f"{name}, CPU s": time.process_time() - cpu,
        f"{name}, peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / PEAK_UNIT,
        **figures,
    }


def measured(layout: str, stays: int, memory: str | None) -> Figures:
    """All figures at one size, each phase in a fresh process."""
    figures: Figures = {}
    with tempfile.TemporaryDirectory(prefix="m4review-bench-") as home:
        for name in PHASES:
            command = [sys.executable, __file__, "--phase", name, "--home", home, "--layout", layout, str(stays)]
            command += ["--memory", memory] if memory else []
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise SystemExit(f"{name} at {stays} stays failed:\n{done.stderr}")
            figures |= json.loads(done.stdout)
            print(f"{stays:,} stays: {name} done", file=sys.stderr)
    return figures


def print_table(sizes: list[int], columns: list[Figures]) -> None:
    """One line per figure, one column per size, then the growth from size to size."""
    derivations = [name for name in columns[-1] if name.startswith(("concept ", "reference "))]
    slowest = sorted(derivations, key=lambda name: -columns[-1][name])[:SLOWEST]
    names = [name for name in columns[0] if name not in derivations] + [name for name in slowest if name in columns[0]]
    growth = [f"x at {size / before:.0f} x" for before, size in itertools.pairwise(sizes)]
    print(f"{'ICU stays':<34}" + "".join(f"{size:>14,}" for size in sizes) + "".join(f"{text:>12}" for text in growth))
    for name in names:
        values = [column[name] for column in columns]
        ratios = [after / before if before else float("nan") for before, after in itertools.pairwise(values)]
        print(f"{name:<34}" + "".join(f"{v:>14,.2f}" for v in values) + "".join(f"{ratio:>11.1f}x" for ratio in ratios))
    for (small, before), (large, after) in itertools.pairwise(zip(sizes, columns, strict=True)):
        steep = [
            f"{name} {after[name] / before[name]:.1f}x"
            for name in derivations
            if after[name] > NOTICEABLE_SECONDS and after[name] > STEEPER * large / small * before[name] > 0
        ]
        print(f"steeper than {STEEPER} x linear from {small:,} to {large:,} stays: {', '.join(steep) or 'none'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sizes", nargs="*", type=int, default=[2000, 20000], metavar="STAYS")
    parser.add_argument("--layout", default="mimic-iv")
    parser.add_argument("--memory", help="what the engine may use, for example 3GB")
    parser.add_argument("--phase", choices=list(PHASES), help=argparse.SUPPRESS)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.phase:
        memory = bytes_of(asked.memory) if asked.memory else None
        print(json.dumps(run_phase(asked.phase, asked.home, asked.layout, asked.sizes[0], memory)))
        return
    print_table(asked.sizes, [measured(asked.layout, size, asked.memory) for size in asked.sizes])


if __name__ == "__main__":
    main()
