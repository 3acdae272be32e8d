"""What a sandbox is asked to do, and what comes back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, PositiveInt

from m4review.errors import TrialError

OUTPUT_NAME = "output.csv"
TRACE_NAME, STDERR_NAME = "trace.jsonl", "stderr.txt"

WORK, INSTRUCTION, SKILLS, DATABASE = "/work", "/task/instruction.md", "/task/skills", "/data/task.duckdb"
"""Where the agent finds things in the container."""

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


@dataclass(frozen=True)
class Watch:
    """How a sandbox reports while it works: phases, trace lines, and the wish to stop."""

    phase: Callable[[Phase], AbstractContextManager[None]]
    visit: Visitor
    trace_line: Callable[[bytes], None]
    cancel: threading.Event = field(default_factory=threading.Event)


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
