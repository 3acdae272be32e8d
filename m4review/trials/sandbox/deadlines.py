"""A deadline for each phase of a run, kept whatever the engine does.

docker-py bounds single answers of the engine at best. Here every request of a connection gets what is left of the
present phase's time, so that a phase made of many requests ends too.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from docker.errors import DockerException
from requests.exceptions import RequestException, Timeout

from m4review.errors import EngineUnavailableError
from m4review.trials.sandbox.job import SandboxFailure

if TYPE_CHECKING:
    from docker import DockerClient

ENGINE_ERRORS = (DockerException, RequestException, OSError)
"""By what docker-py reports that the engine failed."""


class PhaseDeadline:
    """The deadlines of one connection's phases."""

    def __init__(self, client: DockerClient) -> None:
        self._until = float("inf")
        self._send = client.api.send
        # Every request of a session passes its ``send``; there is no other place that they share.
        setattr(client.api, "send", self._send_in_time)  # noqa: B010 - mypy refuses the plain assignment

    @contextmanager
    def within(self, seconds: float, doing: str) -> Iterator[None]:
        """Bound everything in the block together.

        Raises:
            SandboxFailure: the engine did not answer in time; the message says what it should have been ``doing``.
        """
        self._until = time.monotonic() + seconds
        try:
            yield
        except ENGINE_ERRORS as error:
            if isinstance(error, Timeout) or time.monotonic() >= self._until:
                raise SandboxFailure(f"the engine needed more than {seconds:.0f} s for {doing}") from error
            raise
        finally:
            self._until = float("inf")

    def _send_in_time(self, request: Any, **options: Any) -> Any:
        left = self._until - time.monotonic()
        if left <= 0:
            raise Timeout("the phase's time is over")
        asked = options.get("timeout")
        if left != float("inf"):
            options["timeout"] = left if asked is None else min(float(asked), left)
        return self._send(request, **options)


def engine_failed(error: Exception) -> str:
    """One line on how the engine failed."""
    if isinstance(error, EngineUnavailableError):
        return error.what
    return f"the Docker engine failed: {' '.join(str(error).split())[-300:]}"
