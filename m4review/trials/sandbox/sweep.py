"""Containers, networks and volumes whose owner is dead: found by label, removed, and named to the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from m4review.trials.sandbox.ownership import RUN_LABEL, owner_of
from m4review.trials.sandbox.removal import parts_with, remove_part

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
