"""What events are made of: decisions, digests, times, passages of a text, findings.

Models are built when they are first used: a command that reads three kinds of events does not wait for fifteen.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from m4review.reviews.digests import is_digest
from m4review.workspace import Scope

TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"
TIME_PATTERN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")

Decision = Literal["approve", "approve-with-notes", "changes", "abstain"]
DECISIONS: tuple[Decision, ...] = ("approve", "approve-with-notes", "changes", "abstain")
APPROVING: frozenset[Decision] = frozenset({"approve", "approve-with-notes"})
Round = Literal["independent", "delta", "after-discussion"]
LookedAt = Literal["text", "diff", "rendered", "trial"]
Severity = Literal["blocker", "major", "minor", "note"]
SEVERITIES: tuple[Severity, ...] = ("blocker", "major", "minor", "note")
Answer = Literal["yes", "no", "not applicable"]
Overridable = Literal["open-blocker", "reviewers"]
OVERRIDABLE: tuple[Overridable, ...] = ("open-blocker", "reviewers")


def _digest(value: str) -> str:
    if not is_digest(value):
        raise ValueError("not written as 'sha256:' and 64 hexadecimal digits")
    return value


def _moment(value: str) -> str:
    moment(value)
    return value


def _day(value: str) -> str:
    if date.fromisoformat(value).isoformat() != value:
        raise ValueError("not a day such as 2026-01-31")
    return value


def moment(value: str) -> datetime:
    """The time of an event's ``at``.

    Raises:
        ValueError: not written as ``2026-01-31T14:05:00Z``.
    """
    if TIME_PATTERN.fullmatch(value) is None:
        raise ValueError("not a time in UTC such as 2026-01-31T14:05:00Z")
    return datetime.fromisoformat(value[:-1]).replace(tzinfo=UTC)


Digest = Annotated[str, AfterValidator(_digest)]
Moment = Annotated[str, AfterValidator(_moment)]
Day = Annotated[str, AfterValidator(_day)]
Actor = Annotated[str, Field(pattern=r"^C[1-9][0-9]*$")]
Line = Annotated[str, Field(min_length=1, max_length=4000)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Digests = Annotated[tuple[Digest, ...], Field(strict=False)]
Actors = Annotated[tuple[Actor, ...], Field(strict=False)]
FindingName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
FindingRef = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}#[a-z0-9][a-z0-9-]{0,39}$")]
"""A finding anywhere in the ledger: id of the event that raised it, ``#``, its name there."""


class Part(BaseModel):
    """One entry of an event, read as strictly as the event itself."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


class Anchor(Part):
    """A passage of a text, kept with what stands around it so that it is found again after edits."""

    path: Annotated[tuple[Line, ...], Field(strict=False)] = ()
    """Headings from the top one down to the section that holds it."""
    quote: str = Field(min_length=1, max_length=2000)
    prefix: str = Field(default="", max_length=200)
    suffix: str = Field(default="", max_length=200)
    line: int | None = Field(default=None, ge=1)
    """Where it stood when it was quoted."""


class Finding(Part):
    """One thing a reviewer found. ``id`` is unique within the event."""

    id: FindingName
    scope: Scope
    severity: Severity
    text: Line
    anchor: Anchor | None = None
    reference: str = Field(default="", max_length=1000)
    proposed: str = Field(default="", max_length=4000)


class Base(Part):
    """An earlier pair that a later event builds on."""

    content: Digest
    tasks: dict[str, Digest]
