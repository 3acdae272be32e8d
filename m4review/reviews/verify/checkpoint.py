"""A checkpoint: which events were there when somebody last looked.

Kept outside the repository, it shows what a rewritten history left out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from m4review.reviews.digests import event_id
from m4review.reviews.verify.evidence import Evidence
from m4review.reviews.verify.proofs import Proof, VerificationError
from m4review.textfile import write_bytes

CHECKPOINT_SCHEMA: Final = "m4review.checkpoint.v1"


class Checkpoint(BaseModel):
    """What the file holds. ``events`` maps each file of the ledger to the SHA-256 of its bytes."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, populate_by_name=True)

    schema_id: Literal["m4review.checkpoint.v1"] = Field(alias="schema")
    revision: str
    rules: str
    events: dict[str, str]


def checkpoint_of(evidence: Evidence) -> Checkpoint:
    """What is there now."""
    events = {path: event_id(data) for path, data in evidence.ledger.snapshot.events.items()}
    return Checkpoint(
        schema=CHECKPOINT_SCHEMA,
        revision=evidence.source.revision,
        rules=evidence.chain.in_force.digest,
        events=events,
    )


def read_checkpoint(path: Path) -> Checkpoint:
    """A checkpoint kept earlier.

    Raises:
        VerificationError: it is missing or not a checkpoint.
    """
    try:
        return Checkpoint.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise VerificationError(f"the checkpoint cannot be read: {error.strerror}", where=path) from None
    except (UnicodeDecodeError, json.JSONDecodeError, ValidationError):
        raise VerificationError(
            "not a checkpoint", where=path, expected="a file that 'm4review verify --write-checkpoint' wrote"
        ) from None


def write_checkpoint(path: Path, evidence: Evidence) -> None:
    """Keep what is there now, for a later comparison."""
    values = checkpoint_of(evidence).model_dump(by_alias=True)
    write_bytes(path, (json.dumps(values, indent=1, sort_keys=True) + "\n").encode())


def checkpoint_proof(evidence: Evidence, kept: Checkpoint) -> Proof:
    """Everything that was there is still there, byte for byte."""
    now = checkpoint_of(evidence).events
    details = [
        f"{path}: {'is gone' if path not in now else 'has other bytes'} since {kept.revision[:12]}"
        for path, identity in sorted(kept.events.items())
        if now.get(path) != identity
    ]
    name = "nothing is missing since the checkpoint"
    if details:
        return Proof(name, "integrity failure", f"{len(details)} events", tuple(details))
    known = evidence.files.order.get(kept.revision)
    rewritten = (
        "" if known is not None else "; its commit is not on this line of history, which was rewritten or merged"
    )
    return Proof(name, "proven", f"{len(kept.events)} files are as they were{rewritten}")
