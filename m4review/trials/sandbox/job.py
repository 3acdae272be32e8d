"""What a sandbox is asked to do, and what comes back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, PositiveInt

from m4review.errors import TrialError
from m4review.trials.secrets import SecretScreen

OUTPUT_NAME = "output.csv"
TRACE_NAME, STDERR_NAME, EGRESS_NAME = "trace.jsonl", "stderr.txt", "egress.jsonl"

WORK, INSTRUCTION, SKILLS, DATABASE = "/work", "/task/instruction.md", "/task/skills", "/data/task.duckdb"
"""Where the agent finds things in the container."""

HOME = "/home/agent"
MODEL_URL, PROXY_URL = "http://model:8080", "http://proxy:8888"
"""Where an agent with a network finds its model, and the proxy to the hosts it may name."""

DUMMY_KEY = "m4review-no-key"
"""What an agent holds instead of a key; the real one is added outside its container."""

Phase = Literal["prepare", "create", "start", "agent", "stop", "read", "audit", "score"]
Ending = Literal["exited", "deadline", "cancelled"]
OutputState = Literal["present", "absent", "too large", "not a regular file"]

MEBIBYTE = 1 << 20


class Limits(BaseModel):
    """What a run may use. Sizes are in MiB; ``seconds`` is the agent's own time."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    memory_mib: PositiveInt = 4096
    """Memory of the container, its work folder included."""
    cpus: float = Field(default=2.0, gt=0, strict=False)
    pids: PositiveInt = 256
    work_mib: PositiveInt = 1024
    """Size of the work folder, and of the largest file in it."""
    temporary_mib: PositiveInt = 256
    seconds: PositiveInt = 1800
    trace_mib: PositiveInt = 64
    stderr_mib: PositiveInt = 8


class SandboxFailure(TrialError):  # noqa: N818 - a failure of the sandbox, never of the agent
    """The sandbox itself failed; the agent is not to blame and the run does not count."""


@dataclass(frozen=True, slots=True)
class BindMount:
    """A host file or folder and where the agent sees it, read-only."""

    source: Path
    target: str


@dataclass(frozen=True, slots=True, repr=False)
class Secret:
    """A value that is never shown: not by ``print``, a log or a traceback."""

    _value: str

    def reveal(self) -> str:
        """The value, for the one place that needs it."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(hidden)"

    __str__ = __repr__


@dataclass(frozen=True, slots=True)
class ModelServer:
    """The server that answers as the model. The agent sees it as :data:`MODEL_URL` and never holds its key."""

    upstream: str
    """``https://host[:port][/path]``, or ``http://`` for a server of one's own."""
    header: str = "authorization"
    """The header that carries the key: ``authorization``, ``x-api-key`` or ``x-goog-api-key``."""
    prefix: str = "Bearer "
    key: Secret | None = None
    certificates: Path | None = None
    """A PEM file of authorities to trust besides the public ones, for a server of one's own."""


@dataclass(frozen=True, slots=True)
class NetworkNeed:
    """What an agent must reach. Everything else stays out of reach."""

    model: ModelServer | None = None
    allowed_hosts: tuple[str, ...] = ()
    """Exact names, reached on port 443 only and through the proxy."""
    attach: tuple[str, ...] = ()
    """Containers that take the place of outside hosts: ``name``, or ``name:alias,alias`` to be found under other names.
    With one of them nothing beyond them is reachable."""


class Egress(BaseModel):
    """One attempt of the agent to reach something outside, as the sidecars saw it. ``bytes`` went to the agent."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    time: datetime
    kind: Literal["model", "connect", "refused"]
    host: str
    port: int | None
    status: int | None = None
    bytes: int | None = None
    request: str = ""
    """Method and path, without query."""


@dataclass(frozen=True, slots=True)
class SandboxJob:
    """One agent run. ``materials`` is a host folder that becomes ``/task``; ``record`` receives trace and output."""

    run_id: str
    argv: tuple[str, ...]
    environment: Mapping[str, str]
    limits: Limits
    database: Path
    mounts: tuple[BindMount, ...]
    materials: Path
    record: Path
    image: str | None = None
    network: NetworkNeed | None = None
    """``None``: no network at all."""
    seeds: Path | None = None
    """A host folder that is copied to the agent's HOME before it starts; the copy is the agent's own."""
    skill_folders: tuple[str, ...] = ()
    """Where the skills of the materials are shown besides ``/task/skills``, read-only; ``~`` is HOME."""
    stdin: str | None = None
    """A file in the container that becomes the agent's standard input."""
    extra_outputs: tuple[str, ...] = ()
    """Files under ``/work`` kept in the record besides the output, each at most as large as an output may be."""


@dataclass(frozen=True, slots=True)
class LeftFile:
    """A file the agent left in its work folder. ``chunks`` is empty for anything but a regular file."""

    path: str
    kind: Literal["file", "folder", "link", "special"]
    size: int
    chunks: Iterator[bytes]


Visitor = Callable[[LeftFile], None]


@dataclass(frozen=True, slots=True)
class SandboxResult:
    """How the agent ended and what it left. ``left_complete`` is false when there was too much to look at."""

    ending: Ending
    exit_code: int | None
    out_of_memory: bool
    output: OutputState
    trace_bytes: int
    trace_truncated: bool
    stderr_truncated: bool
    left_complete: bool
    notes: tuple[str, ...] = ()
    egress: tuple[Egress, ...] = ()
    egress_complete: bool = True
    """False when there was more than is kept; then what is missing may be what was hidden."""


@dataclass(frozen=True)
class Watch:
    """How a sandbox reports while it works: phases, trace lines, and the wish to stop.

    Everything a sandbox stores passes ``screen`` first.
    """

    phase: Callable[[Phase], AbstractContextManager[None]]
    visit: Visitor
    trace_line: Callable[[bytes], None]
    cancel: threading.Event = field(default_factory=threading.Event)
    screen: SecretScreen = field(default_factory=SecretScreen)


class Sandbox(Protocol):
    """A room in which an agent runs."""

    @property
    def isolated(self) -> bool:
        """Whether what the agent could see and reach was limited by more than good manners."""
        ...

    def run(self, job: SandboxJob, watch: Watch) -> SandboxResult:
        """Run the job to its end, its deadline or the wish to stop; leaves nothing running.

        Raises:
            SandboxFailure: the sandbox failed, not the agent.
            TrialError: the record folder cannot be written.
        """
        ...
