"""What the tests of the sandbox share: jobs without a task, an endpoint in a container, an engine that disobeys."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from docker.types import Mount
from ulid import ULID

from m4review.trials.sandbox.docker_sandbox import DockerSandbox
from m4review.trials.sandbox.engine import connect
from m4review.trials.sandbox.job import Limits, SandboxJob, SandboxResult, Watch
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.sandbox.sealed import Prover

LIMITS = Limits(memory_mib=256, cpus=1.0, pids=64, work_mib=8, temporary_mib=8, seconds=60)

ENDPOINT = """
import http.server, json, threading
go = threading.Event()
class Endpoint(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *words): pass
    def piece(self, text):
        data = text.encode()
        self.wfile.write(b"%x\\r\\n%s\\r\\n" % (len(data), data))
        self.wfile.flush()
    def do_GET(self):
        if self.path == "/base/go":
            go.set()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if self.path == "/base/slow":
            self.piece("data: first\\n\\n")
            go.wait(20)
            self.piece("data: second %s\\n\\n" % go.is_set())
        self.piece(json.dumps({"path": self.path, "headers": {k.lower(): v for k, v in self.headers.items()}}) + "\\n")
        self.piece("")
server = http.server.ThreadingHTTPServer(("0.0.0.0", 8000), Endpoint)
print("ready", flush=True)
server.serve_forever()
"""


@dataclass
class Bench:
    """A place to run jobs from, each with files of its own."""

    folder: Path
    image: str
    sandbox: DockerSandbox
    runs: list[str] = field(default_factory=list)

    def job(self, script: str, **wishes: Any) -> SandboxJob:
        """A Python script in a sandbox with one skill and no data."""
        run = str(ULID())
        self.runs.append(run)
        root = self.folder / run
        skill = root / "materials" / "skills" / "sirs" / "SKILL.md"
        skill.parent.mkdir(parents=True)
        (root / "record").mkdir()
        skill.write_text("the skill\n")
        (root / "materials" / "instruction.md").write_text("the instruction\n")
        (root / "database").write_text("the database\n")
        (root / "materials").chmod(0o755)
        job = SandboxJob(
            run_id=run,
            argv=("python3", "-c", script),
            environment={},
            limits=LIMITS,
            database=root / "database",
            mounts=(),
            materials=root / "materials",
            record=root / "record",
            image=self.image,
        )
        return replace(job, **wishes)

    def run(self, job: SandboxJob, sandbox: DockerSandbox | None = None, **watch: Any) -> SandboxResult:
        """Run it to its end."""
        return (sandbox or self.sandbox).run(job, Watch(**{**SILENT, **watch}))

    def trace(self, job: SandboxJob) -> str:
        """What the script printed."""
        return (job.record / "trace.jsonl").read_text()


@contextlib.contextmanager
def no_phase(phase: str) -> Iterator[None]:
    yield


SILENT: dict[str, Any] = {"phase": no_phase, "visit": lambda left: list(left.chunks), "trace_line": lambda line: None}


class Disobedient:
    """An engine that does not do with the agent's container as it is told; ``change`` gets what was ordered."""

    def __init__(self, client: Any, change: Callable[[Any, dict[str, Any]], None], after: Callable[..., None]) -> None:
        self._client, self._change, self._after = client, change, after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    @property
    def containers(self) -> Any:
        return _DisobedientContainers(self._client, self._change, self._after)


class _DisobedientContainers:
    def __init__(self, client: Any, change: Callable[..., None], after: Callable[..., None]) -> None:
        self._client, self._change, self._after = client, change, after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client.containers, name)

    def create(self, image: str, command: list[str], **ordered: Any) -> Any:
        agent = command[0] == "timeout"
        if agent:
            self._change(self._client, ordered)
        container = self._client.containers.create(image, command, **ordered)
        if agent:
            self._after(self._client, container)
        return container


class Unproved(Prover):
    """Believes everything, so that the canary alone has to notice."""

    def prove_container(self, *_: object) -> None:
        return

    def prove_network(self, *_: object) -> None:
        return


def nothing(*_: object) -> None:
    """No change."""


def disobedient_sandbox(
    client: Any,
    owner: Owner,
    change: Callable[[Any, dict[str, Any]], None] = nothing,
    after: Callable[..., None] = nothing,
    prover: Prover | None = None,
) -> DockerSandbox:
    """A sandbox whose engine weakens the agent's container."""
    return DockerSandbox(client, owner, reconnect=lambda: Disobedient(connect(), change, after), prover=prover)  # type: ignore[arg-type]


def writable(ordered: dict[str, Any], *targets: str) -> None:
    """Show these mounts without the order that they be read-only."""
    for mount in ordered["mounts"]:
        if mount["Target"] in targets:
            mount["ReadOnly"] = False


def shown(ordered: dict[str, Any], source: Path | str, target: str) -> None:
    """Mount something that nobody ordered."""
    ordered["mounts"].append(Mount(target, str(source), type="bind", read_only=True))
