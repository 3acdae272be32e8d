"""Whose a container or run folder is, and whether that process still lives.

A process id alone is no proof: ids are reused, and a container may have been started before a reboot or from another
machine that shares the engine. The owner is therefore the host, its boot, the process and the process's start time.
"""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

RUN_LABEL = "m4review.run"
OWNER_LABEL = "m4review.owner"


class Owner(BaseModel):
    """One process of one boot of one host."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str
    boot: str
    pid: int
    started: str

    @classmethod
    def of_this_process(cls) -> Owner:
        """The owner that this process is."""
        pid = os.getpid()
        return cls(host=platform.node(), boot=_boot(), pid=pid, started=_started(pid) or "")

    @property
    def gone(self) -> bool:
        """Whether the process is known to have ended. A process of another host is never known to."""
        if self.host != platform.node():
            return False
        return self.boot != _boot() or _started(self.pid) != self.started

    def labels(self, run_id: str) -> dict[str, str]:
        """The labels by which a container or volume of a run is found again."""
        return {RUN_LABEL: run_id, OWNER_LABEL: self.model_dump_json()}


def owner_of(labels: Mapping[str, str]) -> Owner | None:
    """The owner written in labels, or ``None`` when they hold none that can be read."""
    try:
        return Owner.model_validate_json(labels.get(OWNER_LABEL, ""))
    except ValidationError:
        return None


def _boot() -> str:
    """A name for the present boot of this host."""
    linux = Path("/proc/sys/kernel/random/boot_id")
    if linux.is_file():
        return linux.read_text(encoding="ascii").strip()
    return _printed("sysctl", "-n", "kern.boottime") or "unknown"


def _started(pid: int) -> str | None:
    """When the process started, in whatever unit the host has; ``None`` when there is no such process."""
    linux = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").is_file():
        try:
            # The command name may hold spaces and brackets; the fields follow its last bracket. Field 22 is the start.
            fields = linux.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        return None if fields[0] == "Z" else fields[19]
    return _printed("ps", "-o", "lstart=", "-p", str(pid)) or None


def _printed(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=10, stdin=subprocess.DEVNULL)
    return done.stdout.strip() if done.returncode == 0 else ""
