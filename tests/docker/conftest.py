"""Real containers. Where no engine answers the tests here are skipped with that reason."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import docker
import pytest
from trials_bench import DATASET, TASK, make_data_home, make_workspace, write_agent

from m4review.trials import TrialRequest, TrialSummary, run_trial
from m4review.trials.sandbox.debianbase import BUILD_SECONDS
from m4review.trials.sandbox.engine import connect, engine_status
from m4review.trials.sandbox.images import build_image
from m4review.trials.sandbox.ownership import RUN_LABEL
from m4review.trials.sandbox.removal import parts_with
from m4review.workspace import Workspace

Try = Callable[..., TrialSummary]


@pytest.fixture(scope="session")
def engine() -> Iterator[docker.DockerClient]:
    """The engine."""
    status = engine_status()
    if not status.available:
        pytest.skip(f"no Docker engine: {status.reason}")
    client = connect(timeout=BUILD_SECONDS)
    yield client
    client.close()


@pytest.fixture
def image(engine: docker.DockerClient) -> None:
    """The reader's image is built from the present source."""
    build_image(engine, "reader", lambda line: print(line, file=sys.stderr))


@pytest.fixture(scope="session")
def data_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_data_home(tmp_path_factory.mktemp("data"))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_workspace(tmp_path / "workspace")


@pytest.fixture
def leftovers(engine: docker.DockerClient, workspace: Workspace) -> Callable[[], list[str]]:
    """What the runs of the test's workspace still have in the engine."""

    def look() -> list[str]:
        runs = {path.name for path in workspace.runs_dir.glob("*")}
        return [part.name for part in parts_with(engine, RUN_LABEL) if part.labels[RUN_LABEL] in runs]

    return look


@pytest.fixture
def try_docker(image: None, workspace: Workspace, data_home: Path) -> Try:
    """A trial in containers."""

    def run(**wishes: object) -> TrialSummary:
        keep = {name: wishes.pop(name) for name in ("listener", "cancel") if name in wishes}
        request = TrialRequest(task=TASK, dataset=DATASET, **wishes)
        return run_trial(Workspace(workspace.root), request, environment={"M4REVIEW_DATA": str(data_home)}, **keep)

    return run


@pytest.fixture
def try_script(try_docker: Try, tmp_path: Path) -> Try:
    """A trial, without skill by default, of an agent that is a shell script in the reader's image."""

    def run(script: str, *, seconds: int = 60, limits: dict[str, int] | None = None, **wishes: object) -> TrialSummary:
        wishes.setdefault("conditions", ("no-skill",))
        return try_docker(agent=write_agent(tmp_path, script, seconds=seconds, **(limits or {})), **wishes)

    return run
