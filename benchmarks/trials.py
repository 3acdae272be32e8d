"""What a trial costs beside its agent: time to the agent's first instruction, and disk per run.

    python benchmarks/trials.py [--rounds 5] [--stays 100 1000]

*Time*: from the call (or the command, with Python's start) until the agent's first line arrives, against a bare
``docker run`` of the same image that prints a line, in turns within this run. Wall time depends on what else the
machine does, so the ratio and the load are printed beside it.

*Disk*: what one run keeps, and what is prepared for it beyond hard links, for synthetic datasets of several sizes. The
agent leaves the same small output each time, so whatever grows with the dataset would be ours.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from m4review.ehr import build, synthesise
from m4review.trials import TrialRequest, run_trial
from m4review.trials.events import PhaseStarted, TraceLine, TrialEvent
from m4review.trials.sandbox.engine import connect
from m4review.trials.sandbox.images import BUILD_SECONDS, build_image
from m4review.workspace import Workspace

ROOT = Path(__file__).parents[1]
TASK = "mimic-sirs-24h-raw"
FIRST = json.dumps({"event": "message", "text": "first"})
SCRIPT = f"echo '{FIRST}'; printf 'stay_id,sirs\\n' > /work/output.csv"


def main() -> None:
    """Measure and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--stays", type=int, nargs="+", default=[100, 1000])
    options = parser.parse_args()
    client = connect(timeout=BUILD_SECONDS)
    build_image(client, "reader", lambda line: print(line, file=sys.stderr))
    client.close()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        workspace, home = prepare(folder, options.stays)
        agent = write_agent(folder)
        time_table(workspace, home, agent, options)
        disk_table(workspace, home, agent, options.stays)


def prepare(folder: Path, stays: list[int]) -> tuple[Workspace, Path]:
    """The task and its skill in a workspace, and a built dataset per size, named by its stays."""
    for part in (Path("skills"), Path("tasks") / "sirs", Path("reviews")):
        shutil.copytree(ROOT / part, folder / "workspace" / part)
    workspace, home = Workspace(folder / "workspace"), folder / "data"
    for count in stays:
        dataset = synthesise(home, f"stays-{count}", layout="mimic-iv", stays=count, seed=1)
        build(dataset, [workspace.task(TASK)])
        print(f"built {dataset.name}", file=sys.stderr)
    return workspace, home


def write_agent(folder: Path) -> Path:
    """An agent whose first instruction is a line of its trace."""
    path = folder / "first.toml"
    path.write_text(
        'name = "first"\nversion = "1"\ntitle = "Says that it is there."\nimage = "reader"\n'
        f'parser = "m4review-events"\nargv = ["sh", "-c", {json.dumps(SCRIPT)}]\n',
        encoding="utf-8",
    )
    return path


def time_table(workspace: Workspace, home: Path, agent: Path, options: argparse.Namespace) -> None:
    """Seconds to the agent's first instruction, three ways in turns."""
    dataset = f"stays-{options.stays[0]}"
    image, _ = called(workspace, home, agent, dataset)
    seconds: dict[str, list[float]] = {"bare docker run": [], "run_trial": [], "m4review trial": []}
    for _ in range(options.rounds):
        seconds["bare docker run"].append(bare(image))
        seconds["run_trial"].append(called(workspace, home, agent, dataset)[1])
        seconds["m4review trial"].append(commanded(workspace, home, agent, dataset))
    base = median(seconds["bare docker run"])
    load = os.getloadavg()[0]
    print(f"seconds to the agent's first instruction, median of {options.rounds} (load {load:.1f})")
    for name, values in seconds.items():
        print(f"  {name:<18} {median(values):7.2f}   {median(values) / base:5.2f} x   +{median(values) - base:.2f} s")


def bare(image: str) -> float:
    """Seconds until a container that is not hardened, mounts nothing and is not watched prints its first line."""
    began = time.perf_counter()
    command = ["docker", "run", "--rm", "--network", "none", image, "sh", "-c", "echo first"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        return time.perf_counter() - began


def called(workspace: Workspace, home: Path, agent: Path, dataset: str) -> tuple[str, float]:
    """The image's id, and the seconds from the call until the agent's first line is heard."""
    arrived: list[float] = []

    def listen(event: TrialEvent) -> None:
        if isinstance(event, TraceLine) and not arrived:
            arrived.append(time.perf_counter())

    began = time.perf_counter()
    request = TrialRequest(task=TASK, agent=str(agent), dataset=dataset, conditions=("no-skill",))
    summary = run_trial(workspace, request, listener=listen, environment={**os.environ, "M4REVIEW_DATA": str(home)})
    record = json.loads((workspace.runs_dir / summary.order[0] / "run.json").read_text(encoding="utf-8"))
    return record["inputs"]["image"], arrived[0] - began


def commanded(workspace: Workspace, home: Path, agent: Path, dataset: str) -> float:
    """Seconds from the start of the command until the first line lies in the run's trace."""
    before = set(workspace.runs_dir.iterdir())
    began = time.perf_counter()
    words = ["trial", "run", TASK, "--agent", str(agent), "--dataset", dataset, "--condition", "no-skill"]
    process = subprocess.Popen(
        [sys.executable, "-m", "m4review", *words],
        cwd=workspace.root,
        env={**os.environ, "M4REVIEW_DATA": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None:
        traces = [path / "trace.jsonl" for path in set(workspace.runs_dir.iterdir()) - before]
        if any(path.is_file() and path.stat().st_size for path in traces):
            break
        time.sleep(0.005)
    seconds = time.perf_counter() - began
    process.wait()
    return seconds


def disk_table(workspace: Workspace, home: Path, agent: Path, stays: list[int]) -> None:
    """Bytes per run by dataset size."""
    print(f"\n{'disk':<16}{'dataset':>14}{'prepared':>12}{'kept per run':>14}   bytes")
    for count in stays:
        name = f"stays-{count}"
        prepared: list[int] = []

        def look(event: TrialEvent, prepared: list[int] = prepared) -> None:
            if isinstance(event, PhaseStarted) and event.phase == "agent":
                prepared.append(size_of(workspace.local_dir / "staging"))

        request = TrialRequest(task=TASK, agent=str(agent), dataset=name, conditions=("no-skill",))
        environment = {**os.environ, "M4REVIEW_DATA": str(home)}
        summary = run_trial(workspace, request, listener=look, environment=environment)
        kept = size_of(workspace.runs_dir / summary.order[0])
        print(f"{name:<16}{size_of(home / name):>14,}{max(prepared):>12,}{kept:>14,}")


def size_of(folder: Path) -> int:
    """Bytes of the files under ``folder`` that have no other name: a hard link costs nothing."""
    found = (path.stat() for path in folder.rglob("*") if path.is_file())
    return sum(status.st_size for status in found if status.st_nlink == 1)


if __name__ == "__main__":
    main()
