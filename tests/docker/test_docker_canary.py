"""The canary: it passes in the sandbox as it is; each wall that is taken down is missed by exactly its own probes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from sandbox_bench import Unproved, disobedient_sandbox, nothing, shown, writable
from trials_bench import DATASET, TASK, make_workspace

from m4review.cli.canary import canary as canary_command
from m4review.errors import TrialError
from m4review.trials import TrialRequest, load_runs, run_trial
from m4review.trials.canary.canary import proved_by, run_canary
from m4review.trials.canary.probes import ALL
from m4review.trials.canary.proofs import keep_report
from m4review.trials.canary.report import CanaryReport, ProbeResult
from m4review.trials.canary.surroundings import planted_secret
from m4review.trials.sandbox import runnetwork
from m4review.trials.sandbox.images import build_image
from m4review.trials.sandbox.ownership import RUN_LABEL, Owner
from m4review.trials.sandbox.removal import parts_with

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def image_id(engine):
    build_image(engine, "sidecars", print)
    return build_image(engine, "reader", print).id


@pytest.fixture
def let_loose(engine, image_id, tmp_path):
    """A canary in a sandbox whose engine disobeys, and which does not prove the container first."""
    owner = Owner.of_this_process()

    def run(change=nothing, after=nothing) -> dict[str, str]:
        sandbox = disobedient_sandbox(engine, owner, change, after, Unproved())
        report = run_canary(
            engine, sandbox, image=image_id, owner=owner, scratch=tmp_path, clock=lambda: datetime.now(UTC)
        )
        assert [result.probe for result in report.probes] == [probe.name for probe in ALL]
        return {result.probe: result.happened for result in report.breaches}

    return run


def test_every_probe_holds_and_the_report_is_kept(engine, image_id, tmp_path, monkeypatch):
    workspace = make_workspace(tmp_path / "workspace")
    monkeypatch.chdir(workspace.root)
    monkeypatch.setenv("M4REVIEW_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("OPENAI_API_KEY", planted_secret())
    done = CliRunner().invoke(canary_command, ["--json"])
    report = CanaryReport.model_validate_json(done.stdout)
    assert report.breaches == ()
    assert done.exit_code == 0
    assert len(report.probes) == len(ALL)
    assert report.proved.image == image_id
    assert json.loads((tmp_path / "data" / ".canary.json").read_text())["reports"][0]["proved"]["image"] == image_id
    mine = [part for part in parts_with(engine, "m4review.run") if str(Path(tmp_path)) in str(part.labels)]
    assert mine == []
    assert list((workspace.local_dir / "canary").iterdir()) == []


def test_what_is_shown_to_the_agent_beyond_its_promise_is_noticed(let_loose, tmp_path):
    secret = tmp_path / "shown" / "answers.csv"
    secret.parent.mkdir()
    secret.write_text(planted_secret())
    secret.parent.chmod(0o755)

    def change(client, ordered):
        shown(ordered, secret.parent, "/usr/share/answers")
        shown(ordered, "/var/run/docker.sock", "/var/run/docker.sock")
        ordered["environment"]["OPENAI_API_KEY"] = planted_secret()

    breaches = let_loose(change)
    assert set(breaches) == {
        "secret-by-path",
        "secret-by-environment",
        "secret-by-mounts",
        "secret-by-proc",
        "docker-socket",
    }
    assert "/usr/share/answers/answers.csv holds a planted secret" in breaches["secret-by-path"]
    assert breaches["secret-by-environment"] == "the variable OPENAI_API_KEY"
    assert "/usr/share/answers is mounted" in breaches["secret-by-mounts"]
    assert "environ holds a planted secret" in breaches["secret-by-proc"]
    assert "docker.sock is here" in breaches["docker-socket"]


def test_rights_limits_and_writable_files_that_nobody_ordered_are_noticed(let_loose):
    def change(client, ordered):
        writable(ordered, "/data/task.duckdb", "/task")
        ordered.update(user="0:0", pids_limit=None, cap_drop=[], security_opt=[])
        ordered["tmpfs"]["/tmp"] = ordered["tmpfs"]["/tmp"].replace("size=16m", "size=96m")

    breaches = let_loose(change)
    assert set(breaches) == {
        "secret-by-mounts",
        "rights",
        "write-database",
        "write-skills",
        "fill-disk",
        "fill-processes",
        "host-side",
    }
    assert "new privileges can be had" in breaches["rights"]
    assert "/data/task.duckdb can be written" in breaches["write-database"]
    assert "/task" in breaches["write-skills"]
    assert breaches["fill-disk"].startswith("/tmp took ")
    assert "the limit is 64" in breaches["fill-processes"]
    assert "was changed" in breaches["host-side"]


def test_a_second_network_is_noticed(let_loose):
    def change(client, ordered):
        outside = f"{ordered['name'].removesuffix('a')}-outside"
        members = client.api.inspect_network(outside)["Containers"].values()
        ordered["dns"] = [entry["IPv4Address"].partition("/")[0] for entry in members]

    def join(client, container):
        if container.name.endswith("a"):
            client.api.connect_container_to_network(container.id, f"{container.name.removesuffix('a')}-outside")

    def only_the_intruder(client, ordered):
        if ordered["name"].endswith("a"):
            change(client, ordered)

    breaches = let_loose(only_the_intruder, join)
    assert set(breaches) == {"dns", "direct-connection", "host-gateway", "host-side"}
    assert "asked somebody about" in breaches["dns"]
    assert "is reached" in breaches["direct-connection"]
    assert "a machine answers" in breaches["host-gateway"] or "is reached" in breaches["host-gateway"]
    assert "called" in breaches["host-side"]


def test_sidecars_that_let_everything_through_and_a_neighbour_are_noticed(let_loose, monkeypatch):
    proxy_files, model_files = runnetwork.proxy_files, runnetwork.model_files

    def open_proxy(hosts, address):
        files = proxy_files(hosts, address)
        lines = files["tinyproxy.conf"].decode().split("\n")
        kept = [line for line in lines if not line.startswith(("Filter", "ConnectPort"))]
        return {**files, "tinyproxy.conf": "\n".join(kept).encode()}

    def telling(model, address):
        files = model_files(model, address)
        return {**files, "key.conf": files["key.conf"].replace(b'sub_filter "', b'sub_filter "never ')}

    def join(client, container):
        if container.name.endswith("a"):
            neighbour = f"{container.name.removesuffix('a')}-neighbour"
            client.api.connect_container_to_network(neighbour, f"{container.name}-inner")

    monkeypatch.setattr(runnetwork, "proxy_files", open_proxy)
    monkeypatch.setattr(runnetwork, "model_files", telling)
    breaches = let_loose(nothing, join)
    assert set(breaches) == {
        "other-name",
        "suffix-trick",
        "address-literal",
        "other-port",
        "plain-http",
        "model-key",
        "neighbours",
        "egress-evidence",
    }
    assert "200 instead of 403" in breaches["other-name"]
    assert breaches["model-key"] == "the key came back in an answer"
    assert "neighbour:8000 is reached" in breaches["neighbours"]
    assert breaches["egress-evidence"] == "nothing of refused forbidden.test"


def test_the_sandbox_refuses_by_itself_what_the_canary_would_notice(engine, image_id, tmp_path):
    """Without believing: no agent starts, and the canary says so of every probe."""
    owner = Owner.of_this_process()

    def change(client, ordered):
        ordered["cap_drop"] = []

    sandbox = disobedient_sandbox(engine, owner, change)
    report = run_canary(engine, sandbox, image=image_id, owner=owner, scratch=tmp_path, clock=lambda: datetime.now(UTC))
    held = {result.probe for result in report.probes if result.held}
    assert held == {"host-side", "leftovers"}
    assert "all capabilities dropped" in report.breaches[0].happened


def test_a_known_breach_refuses_a_trial_and_the_reader_is_no_exception(engine, image_id, tmp_path, data_home):
    now = datetime.now(UTC)
    breach = ProbeResult(probe="dns", expectation="no question leaves", happened="one left", held=False)
    keep_report(tmp_path, CanaryReport(proved=proved_by(engine, image_id), started=now, finished=now, probes=(breach,)))
    for dataset in data_home.iterdir():
        if not dataset.name.startswith("."):
            (tmp_path / dataset.name).symlink_to(dataset)
    workspace = make_workspace(tmp_path / "workspace")
    request = TrialRequest(task=TASK, dataset=DATASET)
    with pytest.raises(TrialError, match=r"no trial runs: dns \(one left\)"):
        run_trial(workspace, request, environment={"M4REVIEW_DATA": str(tmp_path)})
    assert load_runs(workspace) == []


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_canary_that_is_stopped_leaves_nothing_and_proves_nothing(engine, image_id, tmp_path, sent, code):
    workspace = make_workspace(tmp_path / "workspace")
    environment = {**os.environ, "M4REVIEW_DATA": str(tmp_path / "data")}
    process = subprocess.Popen(
        [sys.executable, "-m", "m4review", "canary"],
        cwd=workspace.root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )

    def mine():
        return [part.name for part in parts_with(engine, RUN_LABEL) if f'"pid":{process.pid},' in str(part.labels)]

    while not [name for name in mine() if name.endswith("-inner")]:
        assert process.poll() is None, process.stderr.read()
    process.send_signal(sent)
    _, said = process.communicate(timeout=120)
    assert process.returncode == code, said
    assert "the canary was stopped" in said
    assert mine() == []
    assert not (tmp_path / "data" / ".canary.json").exists()
