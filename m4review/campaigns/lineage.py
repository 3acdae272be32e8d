"""From the source dataset to the published file: for every run the digests of what it was made from and what it gave.

Each link names the next by digest, and the whole is sealed by one digest, so that no link can be exchanged alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from m4review.trials.records import RunRecord

LINEAGE_SCHEMA: Literal["m4review.campaign-lineage.v1"] = "m4review.campaign-lineage.v1"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class RunLineage(_Part):
    """The way of one run, from its data to its row."""

    run: str
    block: str
    dataset: str
    """Digest of the dataset's source tables."""
    dataset_lineage: str
    """Whose definitions the references follow."""
    database: str
    """Digest of what the task saw."""
    database_schema: str | None
    """Digest of the changed schema, ``None`` for the native one."""
    task_card: str
    given: tuple[str, ...]
    """Digests of the skills or control texts as they were given."""
    reference: str
    output: str | None
    """SHA-256 of the output, which is not published; ``None`` without one."""
    resume_key: str
    private_record: str
    """SHA-256 of the run's own record, which is not published."""
    record: str
    """SHA-256 of the published record."""
    trace: str
    """SHA-256 of the published trace."""
    row: str
    """SHA-256 of the run's row in the published table, without its line end."""
    chain: str = ""
    """SHA-256 over all of the above."""

    def sealed(self) -> RunLineage:
        """With its chain."""
        return self.model_copy(update={"chain": self.computed_chain()})

    def computed_chain(self) -> str:
        """What ``chain`` must be."""
        return digest_of_json(self.model_dump(mode="json", exclude={"chain"}))


class Lineage(_Part):
    """The ways of all runs, in the order of the table."""

    schema_id: Literal["m4review.campaign-lineage.v1"] = Field(default=LINEAGE_SCHEMA, alias="schema")
    manifest: str
    """Digest of the frozen campaign, to which every block that is done is bound."""
    runs: tuple[RunLineage, ...]


def lineage_of(
    record: RunRecord, *, block: str, private: bytes, published: bytes, trace: bytes, row: str
) -> RunLineage:
    """The way of one run. ``private`` and ``published`` are the bytes of its two records."""
    inputs = record.inputs
    return RunLineage(
        run=record.id,
        block=block,
        dataset=inputs.dataset_digest,
        dataset_lineage=inputs.reference_lineage,
        database=inputs.database_digest,
        database_schema=inputs.schema_digest,
        task_card=inputs.task_digest,
        given=tuple(skill.mapped or skill.digest for skill in inputs.skills),
        reference=inputs.reference_digest,
        output=record.output_sha256,
        resume_key=record.resume_key,
        private_record=sha256(private),
        record=sha256(published),
        trace=sha256(trace),
        row=sha256(row.encode()),
    ).sealed()


def broken_links(link: RunLineage, record: RunRecord, files: Mapping[str, str]) -> list[str]:
    """What of a run's way does not lead on, as a person says it.

    ``record`` is the published one; ``files`` are the digests of record, trace and row as they were found.
    """
    inputs = record.inputs
    expected: dict[str, tuple[object, object]] = {
        "the dataset": (link.dataset, inputs.dataset_digest),
        "whose definitions the reference follows": (link.dataset_lineage, inputs.reference_lineage),
        "the task database": (link.database, inputs.database_digest),
        "the changed schema": (link.database_schema, inputs.schema_digest),
        "the task card": (link.task_card, inputs.task_digest),
        "what was given": (link.given, tuple(skill.mapped or skill.digest for skill in inputs.skills)),
        "the reference": (link.reference, inputs.reference_digest),
        "the output": (link.output, record.output_sha256),
        "the resume key": (link.resume_key, record.resume_key),
        "the seal": (link.chain, link.computed_chain()),
        **{f"the {name}": (getattr(link, name), digest) for name, digest in files.items()},
    }
    if record.score is not None:
        expected["the scored output"] = (link.output, record.score.output_sha256)
        expected["the reference of the score"] = (link.reference, record.score.reference_sha256)
    return [name for name, (told, found) in expected.items() if told != found]


def sha256(data: bytes) -> str:
    """SHA-256 (hex) of bytes."""
    return hashlib.sha256(data).hexdigest()


def digest_of_json(values: object) -> str:
    """SHA-256 (hex) of a JSON value in its one canonical form."""
    return sha256(json.dumps(values, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode())
