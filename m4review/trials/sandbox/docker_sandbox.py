"""The Docker sandbox: one hardened container for the agent, and one idle container that holds its work folder.

The work folder is a tmpfs volume, because that is the one size cap every engine enforces (a bind mount has none, and
quotas of the image store need a special file system). Such a volume lives only while a container uses it, so an idle
*keeper* container of the same image uses it too: the agent's container is stopped first, with everything it started,
and only then is the folder read through the keeper.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from docker.errors import NotFound
from docker.types import LogConfig, Mount, Ulimit

from m4review.errors import TrialError
from m4review.trials.sandbox.agent_process import (
    ENGINE_ERRORS,
    KILL_AFTER_SECONDS,
    AgentProcess,
    Connect,
    engine_failed,
)
from m4review.trials.sandbox.engine import connect
from m4review.trials.sandbox.job import (
    DATABASE,
    MEBIBYTE,
    WORK,
    Limits,
    SandboxFailure,
    SandboxJob,
    SandboxResult,
    Watch,
)
from m4review.trials.sandbox.left import read_left, read_output
from m4review.trials.sandbox.ownership import Owner

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container

UID = 10001
HOME = "/home/agent"
READ_SECONDS = 600
REMOVE_ATTEMPTS = 5
KEEPER_LIMITS = Limits(memory_mib=64, cpus=0.5, pids=8, temporary_mib=1)
MOST_FILES = 20_000
"""Inodes of the work folder."""


@dataclass(frozen=True)
class Names:
    """What a run's parts are called in the engine; the run id makes them unique."""

    agent: str
    keeper: str
    volume: str

    @classmethod
    def of(cls, run_id: str) -> Names:
        stem = f"m4review-{run_id.lower()}"
        return cls(stem, f"{stem}-keeper", f"{stem}-work")


class DockerSandbox:
    """Runs jobs in Docker. ``client`` is the engine; it stays the caller's to close."""

    isolated = True

    def __init__(self, client: DockerClient, owner: Owner, *, reconnect: Connect = connect) -> None:
        self._client = client
        self._owner = owner
        self._reconnect = reconnect
        self._cpus = float(client.info()["NCPU"])

    def run(self, job: SandboxJob, watch: Watch) -> SandboxResult:
        """See :class:`m4review.trials.sandbox.job.Sandbox`."""
        names = Names.of(job.run_id)
        try:
            result = self._run(job, watch, names)
        except BaseException as error:
            left = self._remove(names)
            if left:
                error.add_note(_leftover(left))
            if isinstance(error, ENGINE_ERRORS) and not isinstance(error, TrialError):
                raise SandboxFailure(engine_failed(error), where=names.agent) from error
            raise
        left = self._remove(names)
        if left:
            raise SandboxFailure(_leftover(left), fix="m4review trial clean")
        return result

    def _run(self, job: SandboxJob, watch: Watch, names: Names) -> SandboxResult:
        with watch.phase("create"):
            keeper, agent = self._create(job, names)
        with AgentProcess(self._reconnect, agent, job, watch) as process:
            with watch.phase("start"):
                keeper.start()
                process.attach()
                agent.start()
            with watch.phase("agent"):
                ending = process.follow()
            with watch.phase("stop"):
                state = process.stop()
        exit_code = int(state["ExitCode"])
        if ending == "exited" and process.ran_out(exit_code):
            ending = "deadline"
        with watch.phase("read"):
            deadline = time.monotonic() + READ_SECONDS
            limit = job.limits.work_mib * MEBIBYTE
            output = read_output(keeper, job.record, limit, deadline, watch.screen)
            complete = read_left(keeper, watch.visit, 2 * limit, deadline)
        return SandboxResult(
            ending=ending,
            exit_code=None if ending == "cancelled" else exit_code,
            out_of_memory=bool(state.get("OOMKilled")),
            output=output,
            trace_bytes=process.trace.received,
            trace_truncated=process.trace.truncated,
            stderr_truncated=process.stderr.truncated,
            left_complete=complete,
            notes=tuple(process.notes),
        )

    def _create(self, job: SandboxJob, names: Names) -> tuple[Container, Container]:
        if job.image is None:
            raise SandboxFailure("the job names no image", where=job.run_id)
        labels = self._owner.labels(job.run_id)
        limits = job.limits
        self._client.volumes.create(
            name=names.volume,
            driver="local",
            driver_opts={
                "type": "tmpfs",
                "device": "tmpfs",
                "o": f"size={limits.work_mib}m,nr_inodes={MOST_FILES},uid={UID},gid={UID},mode=0700,nosuid,nodev",
            },
            labels=labels,
        )
        work = Mount(WORK, names.volume, type="volume", no_copy=True)
        kept = Mount(WORK, names.volume, type="volume", no_copy=True, read_only=True)
        given = [
            Mount(DATABASE, str(job.database), type="bind", read_only=True),
            Mount("/task", str(job.materials), type="bind", read_only=True),
            *(Mount(mount.target, str(mount.source), type="bind", read_only=True) for mount in job.mounts),
        ]
        keeper = self._client.containers.create(
            job.image,
            ["sleep", "infinity"],
            name=names.keeper,
            mounts=[kept],
            environment={},
            **_hardening(KEEPER_LIMITS, labels, self._cpus),
        )
        agent = self._client.containers.create(
            job.image,
            ["timeout", f"--kill-after={KILL_AFTER_SECONDS}", str(limits.seconds), *job.argv],
            name=names.agent,
            mounts=[work, *given],
            environment={"HOME": HOME, "TMPDIR": "/tmp", "LANG": "C.UTF-8", **job.environment},
            working_dir=WORK,
            ulimits=[
                Ulimit(name="fsize", soft=limits.work_mib * MEBIBYTE, hard=limits.work_mib * MEBIBYTE),
                Ulimit(name="core", soft=0, hard=0),
            ],
            **_hardening(limits, labels, self._cpus),
        )
        return keeper, agent

    def _remove(self, names: Names) -> list[str]:
        """Remove everything of the run; returns what could not be removed."""
        return [
            name
            for kind, name in (("container", names.agent), ("container", names.keeper), ("volume", names.volume))
            if not remove_part(self._client, kind, name)
        ]


def remove_part(client: DockerClient, kind: str, name: str) -> bool:
    """Remove a container (running or not) or a volume by name; true when it is gone, also when it never was."""
    for attempt in range(REMOVE_ATTEMPTS):
        try:
            if kind == "container":
                client.api.remove_container(name, force=True, v=True)
            else:
                client.api.remove_volume(name, force=True)
        except NotFound:
            return True
        except ENGINE_ERRORS:
            # A removal already under way and a volume not yet let go both answer 409 for a moment.
            time.sleep(0.1 * 2**attempt)
    try:
        (client.api.inspect_container if kind == "container" else client.api.inspect_volume)(name)
    except NotFound:
        return True
    except ENGINE_ERRORS:
        return False
    return False


def _hardening(limits: Limits, labels: dict[str, str], cpus: float) -> dict[str, Any]:
    """What every container of a run gets, whatever runs in it."""
    size = f"size={limits.temporary_mib}m,noexec,nosuid,nodev"
    return {
        "labels": labels,
        "user": f"{UID}:{UID}",
        "init": True,
        "network_mode": "none",
        "read_only": True,
        "tmpfs": {"/tmp": f"{size},mode=1777", HOME: f"{size},uid={UID},gid={UID},mode=0700"},
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "privileged": False,
        "ipc_mode": "private",
        "mem_limit": limits.memory_mib * MEBIBYTE,
        "memswap_limit": limits.memory_mib * MEBIBYTE,
        "nano_cpus": int(min(limits.cpus, cpus) * 1e9),
        "pids_limit": limits.pids,
        "shm_size": 16 * MEBIBYTE,
        # Standard output is captured by the host; kept by the engine too it could fill the engine's disk.
        "log_config": LogConfig(type="none"),
        # The engine's client configuration may hold a proxy address with a password.
        "use_config_proxy": False,
    }


def _leftover(names: list[str]) -> str:
    return "could not be removed from the engine: " + ", ".join(names)
