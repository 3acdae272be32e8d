"""The oracle: synthetic source tables with the results that the public reference queries give on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from m4review.ehr import Dataset, build, import_dataset
from m4review.tasks import Task, load_task

DATA = Path(__file__).parent / "data"
ROOT = Path(__file__).parents[2]
LAYOUTS = ("mimic-iv", "eicu")


@pytest.fixture(scope="session")
def oracle_tasks() -> tuple[Task, ...]:
    """The project's own task cards that the oracle has an expected output for."""
    names = sorted(path.name.removesuffix(".csv.gz") for path in (DATA / "expected").iterdir())
    folders = {folder.name: folder for folder in (ROOT / "tasks").glob("*/*")}
    return tuple(load_task(folders[name]) for name in names)


@pytest.fixture(scope="session")
def oracle_datasets(tmp_path_factory: pytest.TempPathFactory, oracle_tasks: tuple[Task, ...]) -> dict[str, Dataset]:
    """The oracle's source folder of each layout, imported and built."""
    datasets = {}
    for layout in LAYOUTS:
        dataset = import_dataset(tmp_path_factory.mktemp("oracle"), layout, layout=layout, source=DATA / layout)
        build(dataset, [task for task in oracle_tasks if task.database == layout])
        datasets[layout] = dataset
    return datasets


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What was compared with the oracle, one line each, whichever process compared it."""
    lines = [
        str(value)
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        for name, value in getattr(report, "user_properties", [])
        if name == "oracle"
    ]
    if lines:
        terminalreporter.section("compared with the oracle")
        terminalreporter.write_line(f"{'':<42} {'rows':>6} {'columns':>8} {'cells off':>10} {'last digit':>11}")
        for line in sorted(lines):
            terminalreporter.write_line(line)
