"""Containers, networks and volumes whose owner is dead, and data that was sent: found by label, removed, and named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from m4review.trials.sandbox.ownership import RUN_LABEL, owner_of
from m4review.trials.sandbox.removal import parts_with, remove_part
from m4review.trials.sandbox.sentfiles import DATA_LABEL

if TYPE_CHECKING:
    from docker import DockerClient


def sweep_orphans(client: DockerClient) -> list[str]:
    """Remove what runs of dead processes left in the engine; returns one line per removed or stuck part.

    Parts of living processes, of other hosts that share the engine, and of unknown owners are left alone.
    """
    lines = []
    for part in parts_with(client, RUN_LABEL):
        owner = owner_of(part.labels)
        if owner is not None and owner.gone:
            line = f"{part.kind} {part.name} of run {part.labels.get(RUN_LABEL, '?')}"
            lines.append(line if remove_part(client, part.kind, part.name) else f"{line}: could not be removed")
    return lines


def sweep_sent_data(client: DockerClient) -> list[str]:
    """Remove data that was sent to an engine on another machine and that no run uses; returns one line per volume."""
    lines = []
    for part in parts_with(client, DATA_LABEL):
        removed = remove_part(client, part.kind, part.name)
        lines.append(f"sent data {part.name}" if removed else f"sent data {part.name}: in use, left alone")
    return lines
