"""The Docker engine: whether one answers, and how to talk to it.

The engine is the one the ``docker`` command would use: ``DOCKER_HOST``, else the current Docker context, else the
default socket.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from m4review.errors import EngineUnavailableError

if TYPE_CHECKING:
    from docker import DockerClient

CONTROL_SECONDS = 120
"""Longest wait for one answer of the engine (create, start, remove); a run's own deadline is separate."""

STATUS_SECONDS = 5
"""Longest wait when only asking whether an engine is there."""


NO_ENGINE = "start Docker; or run the reader with '--sandbox local', which is not isolated"

BY_TUNNEL = (
    "ssh -nNT -L /tmp/engine.sock:/var/run/docker.sock HOST, then DOCKER_HOST=unix:///tmp/engine.sock "
    "and M4REVIEW_ENGINE=elsewhere"
)


class EngineStatus(BaseModel):
    """Whether an engine answers. ``reason`` is one line for a person when it does not."""

    model_config = ConfigDict(frozen=True)

    available: bool
    version: str | None = None
    reason: str | None = None


class ImageStatus(BaseModel):
    """Whether the image of an agent is there and built from the present recipe. ``detail`` is one line."""

    model_config = ConfigDict(frozen=True)

    available: bool
    detail: str


def connect(
    *, timeout: float = CONTROL_SECONDS, environment: Mapping[str, str] = os.environ, version: str | None = "auto"
) -> DockerClient:
    """A client of the engine. The caller closes it.

    Raises:
        EngineUnavailableError: no engine answers, with the reason and what to do.
    """
    import docker
    from docker.context import ContextAPI
    from docker.context.config import get_current_context_name
    from docker.errors import DockerException
    from docker.utils import kwargs_from_env

    try:
        address: dict[str, Any] = {**kwargs_from_env(environment=dict(environment))}
        if "base_url" not in address:
            wanted = environment.get("DOCKER_CONTEXT") or get_current_context_name()
            context = ContextAPI.get_context(wanted)
            if context is None and wanted != "default":
                raise EngineUnavailableError(
                    f"there is no Docker context {wanted!r}", fix="docker context ls shows them"
                )
            if context is not None and context.Host is not None:
                address = {"base_url": context.Host, "tls": context.TLSConfig or False}
        if str(address.get("base_url", "")).startswith("ssh://"):
            raise EngineUnavailableError(
                "engines are not reached over ssh://", where=address["base_url"], fix=BY_TUNNEL
            )
        return docker.DockerClient(timeout=int(timeout), version=version, **address)
    except (DockerException, OSError, ValueError) as error:
        raise EngineUnavailableError(
            f"no Docker engine answers ({_short(error)})",
            where=environment.get("DOCKER_HOST") or None,
            fix=NO_ENGINE,
        ) from None


def engine_status(environment: Mapping[str, str] = os.environ) -> EngineStatus:
    """Ask the engine for its version; never raises and never waits longer than :data:`STATUS_SECONDS`."""
    try:
        client = connect(timeout=STATUS_SECONDS, environment=environment)
    except EngineUnavailableError as error:
        return EngineStatus(available=False, reason=error.what)
    try:
        version = str(client.version()["Version"])
    except _engine_errors() as error:
        return EngineStatus(available=False, reason=f"the Docker engine does not answer ({_short(error)})")
    finally:
        client.close()
    return EngineStatus(available=True, version=version)


def image_status(recipe: str = "reader", environment: Mapping[str, str] = os.environ) -> ImageStatus:
    """Look for the image of ``recipe``; never raises."""
    from m4review.trials.sandbox.recipe import find_image

    try:
        client = connect(timeout=STATUS_SECONDS, environment=environment)
    except EngineUnavailableError as error:
        return ImageStatus(available=False, detail=error.what)
    try:
        image = find_image(client, recipe)
    except _engine_errors() as error:
        return ImageStatus(available=False, detail=f"the Docker engine does not answer ({_short(error)})")
    finally:
        client.close()
    if image is None:
        return ImageStatus(available=False, detail=f"the image of the {recipe} is not built, or from other source")
    return ImageStatus(available=True, detail=f"{image.tag} ({image.id[:19]})")


def _engine_errors() -> tuple[type[Exception], ...]:
    from docker.errors import DockerException
    from requests.exceptions import RequestException

    return (DockerException, RequestException, OSError)


engine_errors: Callable[[], tuple[type[Exception], ...]] = _engine_errors
"""The exceptions by which docker-py reports that the engine failed; a function so that docker is loaded late."""


def _short(error: Exception) -> str:
    """The end of a nested docker-py message, which is where the cause stands."""
    text = " ".join(str(error).split())
    for marker in ("FileNotFoundError", "ConnectionRefusedError", "PermissionError"):
        if marker in text:
            return {
                "FileNotFoundError": "its socket does not exist",
                "ConnectionRefusedError": "connection refused",
                "PermissionError": "no permission to use its socket",
            }[marker]
    return text[-160:]
