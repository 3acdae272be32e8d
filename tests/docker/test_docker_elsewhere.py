"""An engine on another machine: it sees nothing of this disk, gets its data once, and may die."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from docker.errors import APIError
from sandbox_bench import Bench
from second_engine import second_engine
from trials_bench import DATASET, TASK, make_workspace

from m4review.trials import TrialRequest, run_trial
from m4review.trials.canary.canary import run_canary
from m4review.trials.cleaning import clean_up
from m4review.trials.sandbox.docker_sandbox import DockerSandbox
from m4review.trials.sandbox.images import build_image
from m4review.trials.sandbox.job import BindMount, NetworkNeed, SandboxFailure
from m4review.trials.sandbox.ownership import RUN_LABEL, Owner
from m4review.trials.sandbox.recipe import require_image
from m4review.trials.sandbox.removal import parts_with
from m4review.trials.sandbox.sentfiles import DATA_LABEL, volume_of
from m4review.trials.sandbox.sweep import sweep_orphans, sweep_sent_data

pytestmark = pytest.mark.docker

MEBIBYTE = 1 << 20
PLACE = "/data/tables/measured/values.parquet"
LOOK = f"""
import hashlib
print("HAS", hashlib.sha256(open({PLACE!r}, "rb").read()).hexdigest())
print("AND", open("/data/task.duckdb").read().strip(), open("/task/skills/sirs/SKILL.md").read().strip())
for path in ({PLACE!r}, "/data/task.duckdb", "/task/instruction.md", "/data/new"):
    try:
        open(path, "ab").close()
        print("WROTE", path)
    except OSError:
        pass
"""


@pytest.fixture(scope="module")
def elsewhere(engine):
    """A second engine with the images of the first."""
    with second_engine(Path(tempfile.mkdtemp(prefix="m4review-engine-"))) as second:
        client = second.connect()
        for recipe in ("reader", "sidecars"):
            built = build_image(engine, recipe, print)
            client.images.load(engine.images.get(built.tag).save(named=True))
            assert require_image(client, recipe).id == built.id
        yield second


@pytest.fixture
def bench(elsewhere, tmp_path):
    """Jobs for the second engine; their owner is a process that has ended, so that what is left can be swept."""
    client = elsewhere.connect()
    dead = Owner.of_this_process().model_copy(update={"started": "1"})
    sandbox = DockerSandbox(client, dead, reconnect=elsewhere.connect)
    made = Bench(tmp_path, require_image(client, "reader").id, sandbox)
    yield made
    sweep_sent_data(elsewhere.connect())


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "values.parquet"
    path.write_bytes(os.urandom(8 * MEBIBYTE))
    return path


def test_a_trial_runs_on_an_engine_elsewhere_and_leaves_only_data_that_clean_removes(elsewhere, data_home, tmp_path):
    workspace = make_workspace(tmp_path / "workspace")
    environment = {**elsewhere.environment, "M4REVIEW_DATA": str(data_home)}
    request = TrialRequest(task=TASK, dataset=DATASET)
    summary = run_trial(workspace, request, environment=environment)
    assert summary.isolated
    assert summary.delta > 0.3
    client = elsewhere.connect()
    assert parts_with(client, RUN_LABEL) == []
    sent = {part.name for part in parts_with(client, DATA_LABEL)}
    assert sent
    run_trial(workspace, request, environment=environment)
    assert {part.name for part in parts_with(client, DATA_LABEL)} == sent
    cleaned = clean_up(workspace, environment)
    assert {line.removeprefix("sent data ") for line in cleaned} == sent
    assert parts_with(client, DATA_LABEL) == []


def test_data_goes_there_once_and_is_read_only(elsewhere, bench, table):
    digest = hashlib.sha256(table.read_bytes()).hexdigest()
    sent = []
    for number in range(3):
        # The third is another program's: it knows nothing, compares, and still need not send.
        sandbox = DockerSandbox(elsewhere.connect(), Owner.of_this_process(), reconnect=elsewhere.connect)
        before = elsewhere.sent
        job = bench.job(LOOK, mounts=(BindMount(table, PLACE),))
        bench.run(job, sandbox if number == 2 else None)
        sent.append(elsewhere.sent - before)
        assert bench.trace(job) == f"HAS {digest}\nAND the database the skill\n", (
            job.record / "stderr.txt"
        ).read_text()
    assert sent[0] > 8 * MEBIBYTE
    assert max(sent[1:]) < MEBIBYTE
    assert parts_with(elsewhere.connect(), RUN_LABEL) == []


def test_data_that_was_damaged_there_is_noticed_and_sent_again(elsewhere, bench, table):
    digest = hashlib.sha256(table.read_bytes()).hexdigest()
    bench.run(bench.job(LOOK, mounts=(BindMount(table, PLACE),)))
    client = elsewhere.connect()
    volumes = {volume_of(digest): {"bind": "/damaged", "mode": "rw"}}
    client.containers.run(
        bench.image,
        ["sh", "-c", "rm /damaged/content; echo x >/damaged/content"],
        volumes=volumes,
        user="0",
        remove=True,
    )
    fresh = DockerSandbox(client, Owner.of_this_process(), reconnect=elsewhere.connect)
    job = bench.job(LOOK, mounts=(BindMount(table, PLACE),))
    bench.run(job, fresh)
    assert f"HAS {digest}" in bench.trace(job)


def test_the_canary_passes_there_too(elsewhere, bench, tmp_path):
    client = elsewhere.connect()
    report = run_canary(
        client,
        bench.sandbox,
        image=bench.image,
        owner=Owner.of_this_process(),
        scratch=tmp_path,
        clock=lambda: datetime.now(UTC),
    )
    assert report.breaches == ()


def test_an_engine_without_addresses_for_another_network_says_so(elsewhere, bench):
    client = elsewhere.connect()
    taken = []
    try:
        with contextlib.suppress(APIError):
            while len(taken) < 20:
                taken.append(client.networks.create(f"taken{len(taken)}"))
        assert len(taken) < 20
        with pytest.raises(SandboxFailure, match="no addresses left for another network"):
            bench.run(bench.job("print(1)", network=NetworkNeed(allowed_hosts=("allowed.test",))))
    finally:
        for network in taken:
            network.remove()
    assert parts_with(client, RUN_LABEL) == []


def test_an_engine_that_dies_is_an_error_in_words_and_is_swept_when_it_is_back(elsewhere, bench, table):
    job = bench.job("import time; print('AT WORK', flush=True); time.sleep(300)", mounts=(BindMount(table, PLACE),))

    def kill(line: bytes) -> None:
        elsewhere.die()

    with pytest.raises(SandboxFailure) as failed:
        bench.run(job, trace_line=kill)
    assert "Docker engine" in str(failed.value) or "did not" in str(failed.value), failed.value
    assert any("could not be removed" in note for note in failed.value.__notes__)
    with pytest.raises(SandboxFailure, match="engine"):
        bench.run(bench.job("print(1)"))
    elsewhere.start()
    client = elsewhere.connect()
    assert parts_with(client, f"{RUN_LABEL}={job.run_id}")
    assert sweep_orphans(client)
    assert parts_with(client, RUN_LABEL) == []
    again = bench.job("print('WELL')")
    bench.run(again)
    assert bench.trace(again) == "WELL\n"
