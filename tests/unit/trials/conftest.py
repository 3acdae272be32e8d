"""One imported oracle for all tests here; every test gets a workspace of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from trials_bench import DATASET, TASK, make_data_home, make_workspace, write_agent

from m4review.trials import TrialRequest, TrialSummary, run_trial
from m4review.workspace import Workspace

Try = Callable[..., TrialSummary]


@pytest.fixture(scope="session")
def data_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_data_home(tmp_path_factory.mktemp("data"))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_workspace(tmp_path / "workspace")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory, data_home: Path) -> tuple[Workspace, TrialSummary]:
    """A workspace with one finished trial of the reader, for tests that only look at it."""
    workspace = make_workspace(tmp_path_factory.mktemp("shown") / "workspace")
    request = TrialRequest(task=TASK, dataset=DATASET, sandbox="local")
    return workspace, run_trial(workspace, request, environment={"M4REVIEW_DATA": str(data_home)})


@pytest.fixture
def try_reader(workspace: Workspace, data_home: Path) -> Try:
    """A trial of the reader without a container."""

    def run(**wishes: object) -> TrialSummary:
        keep = {name: wishes.pop(name) for name in ("listener", "cancel") if name in wishes}
        request = TrialRequest(task=TASK, dataset=DATASET, sandbox="local", **wishes)
        return run_trial(Workspace(workspace.root), request, environment={"M4REVIEW_DATA": str(data_home)}, **keep)

    return run


@pytest.fixture
def try_script(try_reader: Try, tmp_path: Path) -> Try:
    """A trial, one condition by default, of an agent that is a shell script."""

    def run(script: str, *, limits: dict[str, int] | None = None, **wishes: object) -> TrialSummary:
        wishes.setdefault("conditions", ("no-skill",))
        return try_reader(agent=write_agent(tmp_path, script, **(limits or {})), **wishes)

    return run
