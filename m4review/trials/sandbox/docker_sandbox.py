"""The Docker sandbox: each run gets containers, a work folder and, where needed, a network of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from m4review.errors import EngineUnavailableError
from m4review.trials.sandbox.agent_process import Connect
from m4review.trials.sandbox.deadlines import ENGINE_ERRORS, PhaseDeadline, engine_failed
from m4review.trials.sandbox.engine import connect
from m4review.trials.sandbox.enginerun import EngineRun
from m4review.trials.sandbox.givenfiles import ShownFiles
from m4review.trials.sandbox.hardening import UID
from m4review.trials.sandbox.job import SandboxFailure, SandboxJob, SandboxResult, Watch
from m4review.trials.sandbox.names import Names
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.sandbox.removal import remove_run
from m4review.trials.sandbox.sealed import Prover
from m4review.trials.sandbox.sentfiles import DataStore, SentFiles, is_elsewhere

if TYPE_CHECKING:
    from docker import DockerClient

__all__ = ["UID", "DockerSandbox", "Names"]

REMOVE_SECONDS = 120


class DockerSandbox:
    """Runs jobs in Docker; several at once, if several threads ask. ``client`` stays the caller's to close.

    ``elsewhere`` says whether the engine sees another machine's disk than this program; without it the engine's address
    decides. ``prover`` is asked before each agent starts, and raises unless the container and its network are closed.
    """

    isolated = True

    def __init__(
        self,
        client: DockerClient,
        owner: Owner,
        *,
        reconnect: Connect = connect,
        elsewhere: bool | None = None,
        prover: Prover | None = None,
    ) -> None:
        self._owner = owner
        self._reconnect = reconnect
        self._prover = prover or Prover()
        self._cpus = float(client.info()["NCPU"])
        self._store = DataStore() if (is_elsewhere(client) if elsewhere is None else elsewhere) else None

    def run(self, job: SandboxJob, watch: Watch) -> SandboxResult:
        """See :class:`m4review.trials.sandbox.job.Sandbox`."""
        names, labels = Names.of(job.run_id), self._owner.labels(job.run_id)
        try:
            # A connection of its own, so that its deadlines are this run's alone.
            client = self._reconnect()
        except EngineUnavailableError as error:
            raise SandboxFailure(error.what, where=names.agent, fix=error.fix) from None
        try:
            deadline = PhaseDeadline(client)
            files = ShownFiles() if self._store is None else SentFiles(client, names, labels, self._store, watch.cancel)
            run = EngineRun(client, deadline, names, labels, job, self._cpus, files, self._prover, self._reconnect)
            try:
                result = run.to_its_end(watch)
            except BaseException as error:
                left = _remove(client, deadline, job.run_id)
                if left:
                    error.add_note(_leftover(left))
                if isinstance(error, (*ENGINE_ERRORS, EngineUnavailableError)):
                    failure = SandboxFailure(engine_failed(error), where=names.agent)
                    for note in getattr(error, "__notes__", ()):
                        failure.add_note(note)
                    raise failure from error
                raise
            left = _remove(client, deadline, job.run_id)
        finally:
            client.close()
        if left:
            raise SandboxFailure(_leftover(left), fix="m4review trial clean")
        return result


def _remove(client: DockerClient, deadline: PhaseDeadline, run_id: str) -> list[str]:
    """Remove everything of the run; returns what is still there, as far as the engine lets us know."""
    try:
        with deadline.within(REMOVE_SECONDS, "removing what a run made"):
            return remove_run(client, run_id)
    except (SandboxFailure, *ENGINE_ERRORS):
        return [f"everything of run {run_id} that the engine still has"]


def _leftover(names: list[str]) -> str:
    return "could not be removed from the engine: " + ", ".join(names)
