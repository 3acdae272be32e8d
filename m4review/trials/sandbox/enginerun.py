"""One run in the engine, step by step: made, proved, started, stopped, read.

The work folder is a tmpfs volume, because that is the one size cap every engine enforces (a bind mount has none, and
quotas of the image store need a special file system). Such a volume lives only while a container uses it, so an idle
*keeper* container of the same image uses it too: the agent's container is stopped first, with everything it started,
and only then is the folder read through the keeper.
"""

from __future__ import annotations

import io
import tarfile
import time
from datetime import datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from docker.types import Mount

from m4review.trials.sandbox.agent_process import KILL_AFTER_SECONDS, AgentProcess, Connect
from m4review.trials.sandbox.deadlines import PhaseDeadline
from m4review.trials.sandbox.egress import EgressLog, egress_lines, engine_time, since
from m4review.trials.sandbox.givenfiles import SEEDS, GivenFiles, extra_outputs, folders_above, skill_places
from m4review.trials.sandbox.hardening import KEEPER_LIMITS, UID, file_limits, hardening, networked, owned, temporary
from m4review.trials.sandbox.job import (
    EGRESS_NAME,
    HOME,
    MEBIBYTE,
    OUTPUT_NAME,
    PROXY_URL,
    SKILLS,
    WORK,
    SandboxFailure,
    SandboxJob,
    SandboxResult,
    Watch,
)
from m4review.trials.sandbox.left import read_file, read_left, write_record
from m4review.trials.sandbox.names import Names
from m4review.trials.sandbox.recipe import require_image
from m4review.trials.sandbox.runnetwork import RECIPE, RunNetwork
from m4review.trials.sandbox.sealed import Prover

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container

CREATE_SECONDS, START_SECONDS, STOP_SECONDS, READ_SECONDS = 300, 120, 90, 600
"""Longest time of each phase but the agent's own, whose limit is the job's."""

MOST_FILES = 20_000
"""Inodes of the work folder."""

ENTER = f"""if [ -d {SEEDS} ]; then cp -R --no-preserve=mode,ownership {SEEDS}/. "$HOME"/ || exit 125; fi
if [ -n "$0" ]; then exec "$@" <"$0"; fi
exec "$@"
"""
"""What stands before an agent with seeds or an input: a copy of the seeds goes to its HOME, its input is opened."""

NO_PROXY = "model,localhost,127.0.0.1"


class EngineRun:
    """A run's parts in the engine. Whoever makes it removes what carries the run's label, however the run ended."""

    def __init__(
        self,
        client: DockerClient,
        deadline: PhaseDeadline,
        names: Names,
        labels: dict[str, str],
        job: SandboxJob,
        cpus: float,
        files: GivenFiles,
        prover: Prover,
        reconnect: Connect,
    ) -> None:
        if job.image is None:
            raise SandboxFailure("the job names no image", where=job.run_id)
        self._client = client
        self._deadline = deadline
        self._names = names
        self._labels = labels
        self._job = job
        self._image = job.image
        self._cpus = cpus
        self._files = files
        self._prover = prover
        self._reconnect = reconnect
        self._extra = tuple(extra_outputs(job))
        self._skills = job.materials / PurePosixPath(SKILLS).name
        self._skill_places = skill_places(job)
        self._network: RunNetwork | None = None

    def to_its_end(self, watch: Watch) -> SandboxResult:
        """Take the run from nothing to its result; removes nothing.

        Raises:
            SandboxFailure: the engine failed, a phase took too long, or the sandbox could not be proved closed.
            TrialError: the job asks for what cannot be given; the record cannot be written.
        """
        job = self._job
        with watch.phase("create"), self._deadline.within(CREATE_SECONDS, "making the containers"):
            keeper, agent = self._create()
        with AgentProcess(self._reconnect, agent, job, watch) as process:
            with watch.phase("start"), self._deadline.within(START_SECONDS, "starting the agent"):
                keeper.start()
                self._own_work_folders(agent)
                if self._network is not None:
                    self._prover.prove_network(
                        self._client, self._names, self._network, self._image, self._labels, self._cpus
                    )
                self._prover.prove_container(self._client, agent, self._names, self._network)
                process.attach()
                agent.start()
            with watch.phase("agent"):
                ending = process.follow()
            with watch.phase("stop"), self._deadline.within(STOP_SECONDS, "stopping the agent"):
                state = process.stop()
                self._prover.prove_container(self._client, agent, self._names, self._network)
        exit_code = int(state["ExitCode"])
        if ending == "exited" and process.ran_out(exit_code):
            ending = "deadline"
        with watch.phase("read"), self._deadline.within(READ_SECONDS, "reading what the agent left"):
            until = time.monotonic() + READ_SECONDS
            limit = job.limits.work_mib * MEBIBYTE
            egress = self._egress(watch, engine_time(state["StartedAt"]))
            output = read_file(keeper, OUTPUT_NAME, job.record / OUTPUT_NAME, limit, until, watch.screen)
            for path, name in self._extra:
                read_file(keeper, path, job.record / name, limit, until, watch.screen)
            complete = read_left(keeper, watch.visit, 2 * limit, until)
            agent.reload()  # still there, so that nobody else ended and removed it
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
            egress=egress.events,
            egress_complete=egress.complete,
        )

    def _create(self) -> tuple[Container, Container]:
        job, limits = self._job, self._job.limits
        self._client.volumes.create(
            name=self._names.volume,
            driver="local",
            driver_opts={
                "type": "tmpfs",
                "device": "tmpfs",
                "o": f"size={limits.work_mib}m,nr_inodes={MOST_FILES},{owned()},nosuid,nodev",
            },
            labels=self._labels,
        )
        work = Mount(WORK, self._names.volume, type="volume", no_copy=True)
        kept = Mount(WORK, self._names.volume, type="volume", no_copy=True, read_only=True)
        given = self._files.mounts(job)
        if job.network is not None:
            image = require_image(self._client, RECIPE).id
            self._network = RunNetwork(
                self._client, self._names, self._labels, job.network, image=image, cpus=self._cpus
            )
            self._network.open()
        keeper = self._client.containers.create(
            self._image,
            ["sleep", "infinity"],
            name=self._names.keeper,
            mounts=[kept],
            environment={},
            **hardening(KEEPER_LIMITS, self._labels, self._cpus),
        )
        settings = hardening(limits, self._labels, self._cpus)
        for folder in folders_above(self._skill_places, HOME):
            # The engine makes the way to a mount as root; a folder in memory of its own stays the agent's.
            settings["tmpfs"][folder] = temporary(limits, owned())
        if job.network is not None:
            settings |= networked(self._names.inner)
        agent = self._client.containers.create(
            self._image,
            ["timeout", f"--kill-after={KILL_AFTER_SECONDS}", str(limits.seconds), *self._argv()],
            name=self._names.agent,
            mounts=[work, *given],
            environment={"HOME": HOME, "TMPDIR": "/tmp", "LANG": "C.UTF-8", **self._proxies(), **job.environment},
            working_dir=WORK,
            ulimits=file_limits(limits),
            **settings,
        )
        return keeper, agent

    def _argv(self) -> tuple[str, ...]:
        job = self._job
        if job.seeds is None and job.stdin is None:
            return job.argv
        return ("sh", "-c", ENTER, job.stdin or "", *job.argv)

    def _proxies(self) -> dict[str, str]:
        need = self._job.network
        if need is None:
            return {}
        names = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy") if need.allowed_hosts else ()
        return {**dict.fromkeys(names, PROXY_URL), "NO_PROXY": NO_PROXY, "no_proxy": NO_PROXY}

    def _own_work_folders(self, agent: Container) -> None:
        """Give the folders above the skills in the work folder to the agent, so that it can write beside them."""
        folders = folders_above(self._skill_places, WORK) if self._skills.is_dir() else []
        if not folders:
            return
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w") as archive:
            for folder in folders:
                entry = tarfile.TarInfo(folder.removeprefix(f"{WORK}/"))
                entry.type, entry.mode, entry.uid, entry.gid = tarfile.DIRTYPE, 0o755, UID, UID
                archive.addfile(entry)
        if not agent.put_archive(WORK, stream.getvalue()):
            raise SandboxFailure("the engine did not prepare the work folder", where=self._names.agent)

    def _egress(self, watch: Watch, start: datetime) -> EgressLog:
        if self._network is None:
            return EgressLog((), complete=True)
        log = since(self._network.log(), start)
        lines = iter([egress_lines(log)])
        write_record(self._job.record / EGRESS_NAME, watch.screen.chunks(EGRESS_NAME, lines))
        return log
