"""The agent's container while it runs: its streams, its end, its deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, Any

from docker.errors import APIError

from m4review.trials.sandbox.capture import LineQueue, StreamCapture
from m4review.trials.sandbox.deadlines import ENGINE_ERRORS, engine_failed
from m4review.trials.sandbox.job import MEBIBYTE, STDERR_NAME, TRACE_NAME, Ending, SandboxFailure, SandboxJob, Watch

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container

KILL_AFTER_SECONDS = 5
"""Between the polite signal at the deadline and the one that cannot be refused, inside the container."""

HOST_MARGIN_SECONDS = 5
"""How long after that the host ends a container whose own deadline did not work."""

ATTACH_SECONDS, STOP_SECONDS, DRAIN_SECONDS = 30, 60, 10
POLL_SECONDS = 0.05

Connect = Callable[[], "DockerClient"]


class AgentProcess(AbstractContextManager["AgentProcess"]):
    """One agent's container, from before its start until after its end.

    docker-py's attach and wait have no deadline of their own and may hang when a container ends at once, so both run
    in threads with connections of their own, and nothing ever waits for them without a bound.
    """

    def __init__(self, connect_again: Connect, agent: Container, job: SandboxJob, watch: Watch) -> None:
        self._agent = agent
        self._job = job
        self._watch = watch
        self._clients = [connect_again(), connect_again()]
        self._lines = LineQueue()
        limits = job.limits
        screen = watch.screen.stream
        self.trace = StreamCapture(
            job.record / TRACE_NAME, limits.trace_mib * MEBIBYTE, screen(TRACE_NAME), self._lines.put
        )
        self.stderr = StreamCapture(job.record / STDERR_NAME, limits.stderr_mib * MEBIBYTE, screen(STDERR_NAME))
        self.notes: list[str] = []
        self._stream: Any = None
        self._attached = threading.Event()
        self._ended = threading.Event()
        self._failure: Exception | None = None
        self._began = 0.0
        self._finished = 0.0
        self._reader = threading.Thread(target=self._read, name=f"trace-{job.run_id}", daemon=True)

    def attach(self) -> None:
        """Listen before the agent starts, so that its first line is not lost."""
        self._reader.start()
        if not self._attached.wait(ATTACH_SECONDS):
            raise SandboxFailure("the engine did not let the agent's output be read", where=self._agent.name)
        if self._failure is not None:
            raise SandboxFailure(engine_failed(self._failure), where=self._agent.name)

    def follow(self) -> Ending:
        """Wait for the agent to end, handing on its trace; ends early on the host's deadline or the wish to stop."""
        self._began = time.monotonic()
        threading.Thread(target=self._wait, name=f"wait-{self._job.run_id}", daemon=True).start()
        limit = self._began + self._job.limits.seconds + KILL_AFTER_SECONDS + HOST_MARGIN_SECONDS
        ending: Ending = "exited"
        while not self._ended.wait(POLL_SECONDS):
            self._lines.hand_on(self._watch.trace_line, seconds=POLL_SECONDS)
            self.trace.check()
            self.stderr.check()
            if self._watch.cancel.is_set():
                ending = "cancelled"
                break
            if time.monotonic() > limit:
                ending = "deadline"
                break
        if self._failure is not None:
            raise SandboxFailure(engine_failed(self._failure), where=self._agent.name)
        return ending

    def stop(self) -> dict[str, Any]:
        """Make sure that nothing runs any more, take in the last output, and return the container's state."""
        if not self._ended.is_set():
            with suppress(APIError):  # it may have ended by itself a moment ago
                self._agent.kill()
            if not self._ended.wait(STOP_SECONDS):
                raise SandboxFailure("the engine could not stop the agent's container", where=self._agent.name)
        self._reader.join(DRAIN_SECONDS)
        if self._reader.is_alive():
            self.notes.append("the engine did not close the agent's output stream; the trace may lack its end")
            if self._stream is not None:
                self._stream.close()
        self._agent.reload()
        state: dict[str, Any] = self._agent.attrs["State"]
        if state["Running"]:
            raise SandboxFailure("the agent's container still runs after it was stopped", where=self._agent.name)
        self.trace.close()
        self.stderr.close()
        self._lines.hand_on(self._watch.trace_line)
        self.trace.check()
        self.stderr.check()
        return state

    def ran_out(self, exit_code: int) -> bool:
        """Whether an exit by itself was the container's own deadline: ``timeout`` says 124, or 137 after a kill."""
        return exit_code in {124, 137} and self._finished - self._began >= self._job.limits.seconds - 1

    def __exit__(self, *_: object) -> None:
        if self._stream is not None:
            with suppress(Exception):
                self._stream.close()
        self.trace.close()
        self.stderr.close()
        for client in self._clients:
            client.close()

    def _read(self) -> None:
        try:
            self._stream = self._clients[0].api.attach(
                str(self._agent.id), stdout=True, stderr=True, stream=True, logs=False, demux=True
            )
            self._attached.set()
            for out, err in self._stream:
                if out:
                    self.trace.feed(out)
                if err:
                    self.stderr.feed(err)
        except (*ENGINE_ERRORS, ValueError) as error:
            if not self._attached.is_set():
                self._failure = error
                self._attached.set()

    def _wait(self) -> None:
        try:
            self._clients[1].api.wait(str(self._agent.id), timeout=None, condition="not-running")
        except ENGINE_ERRORS as error:
            self._failure = error
        self._finished = time.monotonic()
        self._ended.set()
