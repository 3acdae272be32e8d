"""What an agent's container is given to read, and where it finds it. All of it is read-only.

On this machine's engine the files are shown where they lie. An engine elsewhere has no view of this machine's disk;
there they come from volumes (:mod:`sentfiles`).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Protocol

from docker.types import Mount

from m4review.errors import TrialError
from m4review.trials.sandbox.job import (
    DATABASE,
    EGRESS_NAME,
    HOME,
    OUTPUT_NAME,
    SKILLS,
    STDERR_NAME,
    TRACE_NAME,
    WORK,
    SandboxJob,
)

TASK, SEEDS = "/task", "/seeds"
RESERVED = {OUTPUT_NAME, TRACE_NAME, STDERR_NAME, EGRESS_NAME, "run.json", "owner.json"}
"""Names in a run's record that an extra output may not take."""


class GivenFiles(Protocol):
    """How files reach the container of one run."""

    def mounts(self, job: SandboxJob) -> list[Mount]:
        """The read-only mounts of the agent's container, their sources in place."""
        ...


class ShownFiles:
    """Files shown where they lie on this machine."""

    def mounts(self, job: SandboxJob) -> list[Mount]:
        """See :class:`GivenFiles`."""
        pairs = [(job.database, DATABASE), (job.materials, TASK)]
        pairs += [(mount.source, mount.target) for mount in job.mounts]
        if job.seeds is not None:
            pairs.append((job.seeds, SEEDS))
        skills = job.materials / PurePosixPath(SKILLS).name
        if skills.is_dir():
            pairs += [(skills, place) for place in skill_places(job)]
        return [Mount(target, str(source), type="bind", read_only=True) for source, target in pairs]


def skill_places(job: SandboxJob) -> tuple[str, ...]:
    """The folders in which the agent looks for skills, as absolute paths in the container.

    Raises:
        TrialError: a folder is neither in the work folder nor in HOME.
    """
    return tuple(skill_place(folder) for folder in job.skill_folders)


def skill_place(folder: str) -> str:
    """A skill folder, in which ``~`` is HOME, as an absolute path in the container."""
    path = posixpath.normpath(HOME + folder[1:] if folder == "~" or folder.startswith("~/") else folder)
    if not any(path.startswith(f"{root}/") for root in (HOME, WORK)):
        raise TrialError(
            f"skills cannot be shown in {folder!r}", expected=f"a folder in {WORK} or in ~, like ~/.agents/skills"
        )
    return path


def folders_above(places: tuple[str, ...], root: str) -> list[str]:
    """The folders between ``root`` and the places in it, outermost first; they are the agent's own to write in."""
    found = set()
    for place in places:
        for parent in PurePosixPath(place).parents:
            if parent.is_relative_to(root) and str(parent) != root:
                found.add(str(parent))
    return sorted(found)


def extra_outputs(job: SandboxJob) -> Iterator[tuple[str, str]]:
    """The extra outputs: path in the work folder, and name in the record.

    Raises:
        TrialError: a path leaves the work folder, or its name is taken.
    """
    taken = set(RESERVED)
    for wish in job.extra_outputs:
        path = posixpath.normpath(posixpath.join(WORK, wish))
        name = posixpath.basename(path)
        if not path.startswith(f"{WORK}/") or name in taken:
            raise TrialError(
                f"not an extra output: {wish!r}",
                expected=f"a file in {WORK} with a name of its own, like trajectory.json",
            )
        taken.add(name)
        yield path.removeprefix(f"{WORK}/"), name


def tar_source(folder: Path) -> Iterator[tuple[str, Path]]:
    """Every plain file of a folder with its relative name; links are never followed."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(folder).as_posix(), path
