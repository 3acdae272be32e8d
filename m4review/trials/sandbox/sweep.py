"""Containers and volumes whose owner is dead: found by label, removed, and named to the user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from m4review.trials.sandbox.docker_sandbox import remove_part
from m4review.trials.sandbox.ownership import RUN_LABEL, owner_of

if TYPE_CHECKING:
    from docker import DockerClient


def sweep_orphans(client: DockerClient) -> list[str]:
    """Remove what runs of dead processes left in the engine; returns one line per removed or stuck part.

    Parts of living processes, of other hosts that share the engine, and of unknown owners are left alone.
    """
    removed = []
    for kind, name, run in _orphans(client):
        done = remove_part(client, kind, name)
        removed.append(f"{kind} {name} of run {run}" if done else f"{kind} {name} of run {run}: could not be removed")
    return removed


def _orphans(client: DockerClient) -> list[tuple[str, str, str]]:
    wanted = {"label": RUN_LABEL}
    found: list[tuple[str, str, dict[str, Any]]] = [
        ("container", str(entry["Names"][0]).lstrip("/") if entry["Names"] else str(entry["Id"]), entry["Labels"] or {})
        for entry in client.api.containers(all=True, filters=wanted)
    ]
    found += [
        ("volume", str(entry["Name"]), entry["Labels"] or {})
        for entry in client.api.volumes(filters=wanted)["Volumes"] or []
    ]
    orphans = []
    for kind, name, labels in found:
        owner = owner_of(labels)
        if owner is not None and owner.gone:
            orphans.append((kind, name, str(labels.get(RUN_LABEL, "?"))))
    return orphans
