"""What the tests of trials share: a workspace on the oracle's rows, and agents whose program is a shell script."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from pathlib import Path

from m4review.ehr import build, import_dataset
from m4review.tasks import load_task
from m4review.trials import RunRecord, TrialEvent, load_run
from m4review.trials.summary import TrialSummary
from m4review.workspace import Workspace

ROOT = Path(__file__).parents[1]
ORACLE = ROOT / "tests" / "oracle" / "data"
TASK, SKILL, DATASET = "mimic-sirs-24h-raw", "sirs-criteria", "oracle"


def make_data_home(folder: Path) -> Path:
    """A data home with the oracle imported, and built for the SIRS task."""
    dataset = import_dataset(folder, DATASET, layout="mimic-iv", source=ORACLE / "mimic-iv")
    build(dataset, [load_task(ROOT / "tasks" / "sirs" / TASK)])
    return folder


def make_workspace(folder: Path) -> Workspace:
    """A workspace under version control with the SIRS task card and its skill."""
    for part in (Path("skills") / SKILL, Path("tasks") / "sirs", Path("reviews")):
        shutil.copytree(ROOT / part, folder / part)
    (folder / ".gitignore").write_text(".m4review/\n", encoding="utf-8")
    commands = (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "Begin"))
    who = ("-c", "user.name=C1", "-c", "user.email=c1@reviewers.invalid")
    for command in commands:
        subprocess.run(["git", *who, *command], cwd=folder, check=True, capture_output=True)
    return Workspace(folder)


def expected_output() -> str:
    """The right answer of the SIRS task on the oracle, as CSV."""
    return gzip.decompress((ORACLE / "expected" / f"{TASK}.csv.gz").read_bytes()).decode()


def write_agent(folder: Path, script: str, *, seconds: int = 60, **limits: int) -> str:
    """An agent that runs ``script`` in ``sh``, with and without a container; returns the path of its file."""
    lines = [
        'name = "stand-in"',
        'version = "1"',
        'title = "A script."',
        'image = "reader"',
        'parser = "m4review-events"',
        f'argv = ["sh", "-c", {json.dumps(script)}]',
        f'local_argv = ["sh", "-c", {json.dumps(script)}]',
        "[limits]",
        f"seconds = {seconds}",
        *(f"{name} = {value}" for name, value in limits.items()),
    ]
    path = folder / "stand-in.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def run_of(workspace: Workspace, summary: TrialSummary, condition: str) -> RunRecord:
    """The record of a condition's last run."""
    found = [load_run(workspace, run_id) for run_id in summary.order]
    return [record for record in found if record.inputs.condition == condition][-1]


def kinds(events: list[TrialEvent]) -> list[str]:
    """The kinds of events in order."""
    return [event.kind for event in events]
