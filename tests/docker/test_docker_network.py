"""An agent with a network: it reaches its model and nothing else, holds no key, and what it tried is on record."""

from __future__ import annotations

import http.server
import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from sandbox_bench import ENDPOINT, Bench, disobedient_sandbox, nothing, writable
from ulid import ULID

from m4review.errors import TrialError
from m4review.trials.sandbox.docker_sandbox import DockerSandbox, Names
from m4review.trials.sandbox.images import build_image
from m4review.trials.sandbox.job import Limits, ModelServer, NetworkNeed, SandboxFailure, Secret
from m4review.trials.sandbox.ownership import RUN_LABEL, Owner
from m4review.trials.sandbox.removal import parts_with
from m4review.trials.sandbox.sweep import sweep_orphans

pytestmark = pytest.mark.docker

KEY = "sk-test-0123456789abcdef"
ASK = """
import json, threading, urllib.error, urllib.request
def ask(path, **headers):
    request = urllib.request.Request("http://model:8080" + path, headers=headers)
    try:
        return urllib.request.urlopen(request, timeout=20)
    except urllib.error.HTTPError as error:
        return error
"""


@pytest.fixture(scope="module")
def bench(engine, tmp_path_factory):
    build_image(engine, "sidecars", print)
    image = build_image(engine, "reader", print).id
    folder = tmp_path_factory.mktemp("bench")
    folder.chmod(0o755)
    made = Bench(folder, image, DockerSandbox(engine, Owner.of_this_process()))
    yield made
    left = [part for run in made.runs for part in parts_with(engine, f"{RUN_LABEL}={run}")]
    assert left == [], "a run of these tests left something in the engine"


@pytest.fixture(scope="module")
def endpoint(engine, bench):
    """A server that streams and repeats the headers it got."""
    box = engine.containers.run(
        bench.image, ["python3", "-c", ENDPOINT], name=f"m4review-test-{ULID()}".lower(), detach=True, init=True
    )
    next(line for line in box.logs(stream=True, follow=True) if b"ready" in line)
    yield f"{box.name}:endpoint.test"
    box.remove(force=True)


def model_at(endpoint: str, upstream: str = "http://endpoint.test:8000/base", **wishes) -> NetworkNeed:
    """The endpoint as the model."""
    return NetworkNeed(model=ModelServer(upstream, key=Secret(KEY), **wishes), attach=(endpoint,))


def test_the_model_streams_and_the_key_stays_outside(engine, bench, endpoint):
    script = (
        ASK
        + """
stream = ask("/slow", **{"authorization": "Bearer mine", "x-api-key": "mine"})
print("FIRST", stream.readline().decode().strip(), flush=True)
stream.readline()
ask("/go").read()
print("REST", stream.read().decode())
import glob
seen = [open(path, "rb").read() for path in glob.glob("/proc/[0-9]*/environ")]
print("KEY SEEN", any(b"sk-test" in data for data in seen))
"""
    )
    looked = {}
    job = bench.job(script, network=model_at(endpoint))

    def look(line):
        if line.startswith(b"FIRST"):
            names = Names.of(job.run_id)
            looked["sidecar"] = json.dumps(engine.api.inspect_container(names.sidecar("model")))
            looked["agent"] = json.dumps(engine.api.inspect_container(names.agent))
            looked["logs"] = engine.api.logs(names.sidecar("model")).decode()

    result = bench.run(job, trace_line=look)
    said = bench.trace(job)
    assert result.exit_code == 0, (job.record / "stderr.txt").read_text()
    assert "FIRST data: first" in said, "a word arrived before the answer was whole"
    assert "data: second True" in said
    told = json.loads(said.partition("REST")[2].split("\n")[2])
    assert told["path"] == "/base/slow"
    assert told["headers"]["authorization"] == "Bearer [key]", "the real key went out, and did not come back"
    assert "x-api-key" not in told["headers"]
    assert "KEY SEEN False" in said
    for place, text in looked.items():
        assert KEY not in text, place
    assert not [path for path in job.record.iterdir() if KEY in path.read_text()]
    assert [(event.kind, event.host, event.status) for event in result.egress] == [("model", "endpoint.test", 200)] * 2
    lines = [json.loads(line) for line in (job.record / "egress.jsonl").read_text().splitlines()]
    assert {line["request"] for line in lines} == {"GET /slow", "GET /go"}
    assert result.egress_complete


def test_a_server_with_its_own_certificate_is_trusted_only_if_told(engine, bench, endpoint, tmp_path):
    names = "-subj /CN=safe.test -addext subjectAltName=DNS:safe.test"
    make = f"openssl req -x509 -newkey rsa:2048 -nodes -keyout - -out - {names}"
    sidecars = build_image(engine, "sidecars", print).id
    pem = engine.containers.run(sidecars, ["sh", "-c", f"{make} 2>/dev/null"], entrypoint="", remove=True).decode()
    certificate = tmp_path / "authority.pem"
    certificate.write_text(pem[pem.index("-----BEGIN CERTIFICATE") :])
    serve = ENDPOINT.replace(
        'print("ready"',
        f"import ssl; open('/tmp/pem', 'w').write('''{pem}'''); wrap = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); "
        "wrap.load_cert_chain('/tmp/pem'); server.socket = wrap.wrap_socket(server.socket, server_side=True)\n"
        'print("ready"',
    )
    box = engine.containers.run(
        bench.image, ["python3", "-c", serve], name=f"m4review-test-{ULID()}".lower(), detach=True, init=True
    )
    try:
        next(line for line in box.logs(stream=True, follow=True) if b"ready" in line)
        attached = f"{box.name}:safe.test"
        script = ASK + 'print("STATUS", ask("/echo").status)'
        statuses = {}
        for trusted in (certificate, None):
            job = bench.job(script, network=model_at(attached, "https://safe.test:8000", certificates=trusted))
            bench.run(job)
            statuses[trusted] = bench.trace(job).strip()
        assert statuses == {certificate: "STATUS 200", None: "STATUS 502"}
    finally:
        box.remove(force=True)


def test_seeds_skills_input_and_extra_outputs_are_where_the_agent_looks(bench, endpoint, tmp_path):
    seed = tmp_path / "seeds" / ".agent" / "config.toml"
    seed.parent.mkdir(parents=True)
    seed.write_text("seeded")
    (tmp_path / "seeds").chmod(0o755)
    script = """
import os, pathlib, sys
home = pathlib.Path.home()
print("INPUT", sys.stdin.read())
print("SEED", (home / ".agent" / "config.toml").read_text())
(home / ".agent" / "config.toml").write_text("changed")
(home / ".agent" / "state").write_text("its own")
for place in (home / ".agent" / "skills", pathlib.Path("/work/.agent/skills")):
    print("SKILL", (place / "sirs" / "SKILL.md").read_text().strip())
    try:
        (place / "sirs" / "SKILL.md").write_text("changed")
    except OSError as error:
        print("KEPT", error.errno)
pathlib.Path("/work/.agent/note").write_text("beside the skills")
pathlib.Path("/work/steps.json").write_text("{}")
os.symlink("/etc/passwd", "/work/linked.json")
"""
    job = bench.job(
        script,
        seeds=tmp_path / "seeds",
        skill_folders=("~/.agent/skills", "/work/.agent/skills"),
        stdin="/task/instruction.md",
        extra_outputs=("steps.json", "linked.json", "missing.json"),
    )
    left = []
    result = bench.run(job, visit=lambda found: left.append(found.path))
    said = bench.trace(job)
    assert result.exit_code == 0, (job.record / "stderr.txt").read_text()
    assert "INPUT the instruction" in said
    assert "SEED seeded" in said
    assert said.count("SKILL the skill") == said.count("KEPT 30") == 2
    assert seed.read_text() == "seeded"
    assert (job.record / "steps.json").read_text() == "{}"
    assert not (job.record / "linked.json").exists()
    assert ".agent/note" in left


def test_runs_side_by_side_keep_apart(bench, endpoint):
    script = ASK + 'print("STATUS", ask("/echo").status)'
    jobs = [bench.job(script, network=model_at(endpoint)) for _ in range(2)]
    with pytest.raises(SandboxFailure, match="no such container to attach"):
        bench.run(replace(jobs[0], network=model_at("nobody-of-this-name")))
    plain = [bench.job("print('STATUS 200')") for _ in range(2)]
    with ThreadPoolExecutor(3) as pool:
        results = list(pool.map(bench.run, [jobs[1], *plain]))
    assert [result.exit_code for result in results] == [0, 0, 0]
    assert [bench.trace(job).strip() for job in (jobs[1], *plain)] == ["STATUS 200"] * 3
    assert [len(result.egress) for result in results] == [1, 0, 0]


def test_a_server_that_nobody_knows_is_said_before_the_agent_starts(bench, endpoint):
    job = bench.job("print('STARTED')", network=model_at(endpoint, "http://unknown.test:8000"))
    with pytest.raises(SandboxFailure, match=r"the sidecar model does not answer: .*unknown\.test"):
        bench.run(job)
    assert not (job.record / "trace.jsonl").exists() or bench.trace(job) == ""


def test_a_server_on_the_engine_s_own_machine_is_reached_by_the_sidecar_alone(bench):
    """How a hospital uses a model that runs beside the engine, and no data leaves the machine."""

    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"local " + self.headers["x-api-key"].encode())

        def log_message(self, *_: object) -> None:
            return

    with http.server.ThreadingHTTPServer(("0.0.0.0", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        script = (
            ASK
            + f"""
print(ask("/v1/models").read())
import socket
for line in open("/proc/net/route").read().splitlines()[1:]:
    gateway = socket.inet_ntoa(bytes.fromhex(line.split()[2])[::-1])
    for host in (gateway, "host.docker.internal", "172.17.0.1"):
        try:
            socket.create_connection((host, {server.server_port}), 2)
            print("REACHED", host)
        except OSError:
            pass
"""
        )
        need = ModelServer(f"http://host.docker.internal:{server.server_port}", "x-api-key", "", Secret(KEY))
        job = bench.job(script, network=NetworkNeed(model=need))
        bench.run(job)
        server.shutdown()
    assert bench.trace(job) == "b'local [key]'\n", (job.record / "stderr.txt").read_text()


@pytest.mark.parametrize(
    ("need", "words"),
    [
        (NetworkNeed(model=ModelServer("http://localhost:11434")), "would be the sidecar itself"),
        (NetworkNeed(model=ModelServer("ftp://server.test")), "not an address of a model server"),
        (NetworkNeed(model=ModelServer("https://me:pass@server.test")), "holds a user or password"),
        (NetworkNeed(model=ModelServer("https://server.test", key=Secret('k"; evil'))), "characters that no key has"),
        (NetworkNeed(model=ModelServer("https://server.test", header="cookie")), "keys do not travel"),
        (NetworkNeed(allowed_hosts=("*.test",)), "not a host's exact name"),
        (NetworkNeed(allowed_hosts=("192.0.2.1",)), "not a host's exact name"),
        (NetworkNeed(allowed_hosts=("0xC0000201",)), "not a host's exact name"),
    ],
)
def test_a_need_that_cannot_be_served_is_refused_in_words_and_without_the_key(bench, need, words):
    with pytest.raises(TrialError) as refused:
        bench.run(bench.job("print(1)", network=need))
    assert words in str(refused.value)
    assert "evil" not in str(refused.value)


@pytest.mark.parametrize(
    ("weaken", "words"),
    [
        (lambda client, ordered: ordered.update(privileged=True), "no privileged mode"),
        (lambda client, ordered: ordered.update(read_only=False), "a read-only root"),
        (lambda client, ordered: ordered.update(pids_limit=None), "limits of memory, processes and time"),
        (lambda client, ordered: writable(ordered, "/data/task.duckdb"), "only the work folder writable"),
        (lambda client, ordered: ordered.update(network_mode="bridge"), "its network"),
    ],
)
def test_an_engine_that_weakens_the_container_gets_no_agent(engine, bench, weaken, words):
    sandbox = disobedient_sandbox(engine, Owner.of_this_process(), weaken)
    job = bench.job("print('STARTED')")
    with pytest.raises(SandboxFailure, match="the sandbox is not closed") as refused:
        bench.run(job, sandbox)
    assert words in str(refused.value)
    assert bench.trace(job) == ""


def test_a_second_network_or_a_stranger_on_the_first_gets_no_agent(engine, bench, endpoint):
    stranger = endpoint.partition(":")[0]

    def join(client, container):
        client.api.connect_container_to_network(container.id, f"{container.name}-outer")
        client.api.connect_container_to_network(stranger, f"{container.name}-inner")

    sandbox = disobedient_sandbox(engine, Owner.of_this_process(), nothing, join)
    job = bench.job("print('STARTED')", network=model_at(endpoint))
    with pytest.raises(SandboxFailure, match="the sandbox is not closed") as refused:
        bench.run(job, sandbox)
    assert "the networks ordered" in str(refused.value)
    assert f"strangers are on the agent's network: {stranger}" in str(refused.value)


def test_what_a_killed_process_left_of_a_network_is_swept(engine, bench, endpoint):
    job = bench.job("", network=None)
    program = f"""
import sys
from pathlib import Path
from sandbox_bench import *
from m4review.trials.sandbox.job import ModelServer, NetworkNeed
bench = Bench(Path({str(bench.folder)!r}), {bench.image!r}, DockerSandbox(connect(), Owner.of_this_process()))
need = NetworkNeed(model=ModelServer("http://endpoint.test:8000"), allowed_hosts=("a.test",), attach=({endpoint!r},))
job = bench.job("print('AT WORK', flush=True); import time; time.sleep(300)", network=need)
print(job.run_id, flush=True)
bench.run(job, trace_line=lambda line: print(line.decode(), flush=True))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment)
    run = process.stdout.readline().strip()
    assert "AT WORK" in process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    parts = parts_with(engine, f"{RUN_LABEL}={run}")
    assert sorted({part.kind for part in parts}) == ["container", "network", "volume"]
    assert len(parts) == 10
    swept = "\n".join(sweep_orphans(engine))
    assert all(f"{part.kind} {part.name} of run" in swept for part in parts)
    assert parts_with(engine, f"{RUN_LABEL}={run}") == []
    engine.containers.get(endpoint.partition(":")[0]).reload()
    assert job.run_id not in swept


def test_stopping_ends_a_run_with_a_network_at_once(engine, bench, endpoint):
    cancel = threading.Event()
    job = bench.job(
        ASK + "print(ask('/echo').status, flush=True); import time; time.sleep(300)", network=model_at(endpoint)
    )
    result = bench.run(job, trace_line=lambda line: cancel.set(), cancel=cancel)
    assert result.ending == "cancelled"
    assert [event.kind for event in result.egress] == ["model"]


def test_an_agent_s_flood_of_requests_cannot_push_its_first_ones_out_of_the_log(engine, bench, monkeypatch):
    monkeypatch.setattr("m4review.trials.sandbox.hardening.SIDECAR_LOG_MIB", 1)
    script = """
import socket
def ask(host):
    with socket.create_connection(("proxy", 8888)) as stream:
        stream.sendall(f"CONNECT {host}:443 HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n".encode())
        return stream.recv(99)
print(ask("forbidden.test"))
for number in range(1200):
    ask("x" * 900 + str(number))
"""
    limits = Limits(memory_mib=128, cpus=1.0, pids=32, work_mib=8, temporary_mib=8, seconds=60)
    need = NetworkNeed(allowed_hosts=("allowed.test",))
    result = bench.run(bench.job(script, network=need, limits=limits))
    assert result.exit_code == 0
    assert not result.egress_complete, "a log that ran over says so, and holds the run"


def test_a_full_disk_under_the_record_is_said_and_nothing_is_left(bench, endpoint, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("a small disk of its own needs root")
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", small], check=True)
    try:
        job = bench.job("print('x' * 1000000)", network=model_at(endpoint))
        with pytest.raises(TrialError, match="the run folder cannot be written") as failed:
            bench.run(replace(job, record=small))
        assert not isinstance(failed.value, SandboxFailure), "no fault of the sandbox: trying again would not help"
    finally:
        subprocess.run(["umount", small], check=True)


def test_an_image_that_is_not_there_is_an_error_in_words(bench):
    job = bench.job("print(1)", image="sha256:" + "0" * 64)
    with pytest.raises(SandboxFailure, match="No such image"):
        bench.run(job)
