"""Taking a run's parts out of the engine."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from docker.errors import NotFound

from m4review.trials.sandbox.deadlines import ENGINE_ERRORS
from m4review.trials.sandbox.ownership import RUN_LABEL

if TYPE_CHECKING:
    from docker import DockerClient

Kind = Literal["container", "network", "volume"]
REMOVE_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Part:
    """A container, network or volume with the labels it was made with."""

    kind: Kind
    name: str
    labels: dict[str, str]


def parts_with(client: DockerClient, label: str) -> list[Part]:
    """Everything in the engine that carries a label, in the order in which it can be removed."""
    wanted: dict[str, Any] = {"label": label}
    found = [
        Part("container", str((entry["Names"] or [entry["Id"]])[0]).lstrip("/"), entry["Labels"] or {})
        for entry in client.api.containers(all=True, filters=wanted)
    ]
    found += [
        Part("network", str(entry["Name"]), entry["Labels"] or {}) for entry in client.api.networks(filters=wanted)
    ]
    found += [
        Part("volume", str(entry["Name"]), entry["Labels"] or {})
        for entry in client.api.volumes(filters=wanted)["Volumes"] or []
    ]
    return found


def remove_run(client: DockerClient, run_id: str) -> list[str]:
    """Remove everything of a run; returns one line per part that could not be removed."""
    parts = parts_with(client, f"{RUN_LABEL}={run_id}")
    return [f"{part.kind} {part.name}" for part in parts if not remove_part(client, part.kind, part.name)]


def remove_part(client: DockerClient, kind: Kind, name: str) -> bool:
    """Remove a container (running or not), network or volume by name; true when it is gone, also when it never was."""
    for attempt in range(REMOVE_ATTEMPTS):
        try:
            match kind:
                case "container":
                    client.api.remove_container(name, force=True, v=True)
                case "network":
                    _let_go(client, name)
                    client.api.remove_network(name)
                case "volume":
                    client.api.remove_volume(name, force=True)
        except NotFound:
            return True
        except ENGINE_ERRORS:
            # A removal already under way and a volume not yet let go both answer 409 for a moment.
            time.sleep(0.1 * 2**attempt)
    try:
        match kind:
            case "container":
                client.api.inspect_container(name)
            case "network":
                client.api.inspect_network(name)
            case "volume":
                client.api.inspect_volume(name)
    except NotFound:
        return True
    except ENGINE_ERRORS:
        return False
    return False


def _let_go(client: DockerClient, network: str) -> None:
    """Disconnect what is still on a network: containers of others that a test attached to it."""
    for container in client.api.inspect_network(network)["Containers"] or {}:
        client.api.disconnect_container_from_network(container, network, force=True)
