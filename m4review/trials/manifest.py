"""The manifest of a run: everything that its agent could read, with digests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from m4review.ehr import Dataset, TaskDatabase
from m4review.ehr.dataset import file_sha256
from m4review.ehr.schemas import ChangedSchema
from m4review.ehr.taskdatabase import SANDBOX_DICTIONARY
from m4review.trials.records import MountEntry
from m4review.trials.sandbox.job import SKILLS
from m4review.trials.skillfiles import OfferedSkill


def file_entries(files: Mapping[str, Path]) -> Iterator[MountEntry]:
    """Small files by the place where the agent finds them."""
    for target, path in files.items():
        yield MountEntry(target=target, size=path.stat().st_size, digest="sha256:" + file_sha256(path))


def skill_entries(skills: Iterable[OfferedSkill]) -> Iterator[MountEntry]:
    """The files of skills as they are given."""
    for skill in skills:
        for name, data in skill.files.items():
            digest = "sha256:" + hashlib.sha256(data).hexdigest()
            yield MountEntry(target=f"{SKILLS}/{skill.name}/{name}", size=len(data), digest=digest)


def data_entries(dataset: Dataset, database: TaskDatabase, schema: ChangedSchema | None) -> Iterator[MountEntry]:
    """The data files beside the task database: source tables by content, made ones by what they were made from."""
    digests = {
        f"{table.schema_name}.{table.name}": f"sha256:{table.sha256}" for table in (*dataset.tables, *dataset.reused)
    }
    if schema is not None:
        digests = {str(relation): f"made-from:{digest}" for relation, digest in schema.digests.items()}
    for mount in database.mounts:
        relation = ".".join(Path(mount.target).with_suffix("").parts[-2:])
        if mount.target == str(SANDBOX_DICTIONARY):
            yield from file_entries({mount.target: mount.source})
            continue
        digest = digests.get(relation, f"made-from:{database.digest}")
        yield MountEntry(target=mount.target, size=mount.source.stat().st_size, digest=digest)
