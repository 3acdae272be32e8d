"""Review events: one file each, written once, read strictly.

An event is YAML front matter and Markdown notes. Its id is the SHA-256 of its exact bytes, and the first twelve hex
digits of it are part of the file name, so that an edited event no longer matches its own name. Two reviewers on two
branches add two files and never meet in a merge conflict.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from m4review.errors import LedgerError
from m4review.reviews.digests import SCHEME, check_text, event_id, is_digest
from m4review.skills.frontmatter import FENCE, split_front_matter
from m4review.workspace import Scope

EVENT_SCHEMA = "m4review.event.v1"
NAME_PATTERN = re.compile(r"(?P<clock>\d{4,})-(?P<actor>C[1-9]\d*)-(?P<kind>[a-z][a-z-]*)-(?P<hash>[0-9a-f]{12})\.md")
TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"

Decision = Literal["approve", "approve-with-notes", "changes", "abstain"]
DECISIONS: tuple[Decision, ...] = ("approve", "approve-with-notes", "changes", "abstain")
APPROVING: frozenset[Decision] = frozenset({"approve", "approve-with-notes"})
Round = Literal["independent", "delta", "after-discussion"]
LookedAt = Literal["text", "diff", "rendered", "trial"]


def _digest(value: str) -> str:
    if not is_digest(value):
        raise ValueError("not written as 'sha256:' and 64 hexadecimal digits")
    return value


def _moment(value: str) -> str:
    if moment(value).strftime(TIME_FORMAT) != value:
        raise ValueError("not a time in UTC such as 2026-01-31T14:05:00Z")
    return value


def moment(value: str) -> datetime:
    """The time of an event's ``at``.

    Raises:
        ValueError: not written as ``2026-01-31T14:05:00Z``.
    """
    return datetime.strptime(value, TIME_FORMAT).replace(tzinfo=UTC)


Digest = Annotated[str, AfterValidator(_digest)]
Moment = Annotated[str, AfterValidator(_moment)]
Actor = Annotated[str, Field(pattern=r"^C[1-9][0-9]*$")]
Line = Annotated[str, Field(min_length=1, max_length=4000)]


class _Event(BaseModel):
    """What every event says. ``id``, ``path`` and ``notes`` come from the file, not from its front matter."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, populate_by_name=True)

    schema_id: Literal["m4review.event.v1"] = Field(alias="schema")
    skill: str = Field(min_length=1, max_length=64)
    scheme: Literal["m4review.digest.v1"]
    content: Digest
    tasks: dict[str, Digest]
    actor: Actor
    at: Moment
    clock: int = Field(ge=1)
    after: tuple[Digest, ...] = Field(strict=False)
    """Ids of the events that were the newest ones this actor had seen for the skill."""
    policy: Digest
    tool: Line
    meaning: Line

    id: Digest
    path: str
    """Relative to the events folder: ``<skill>/<name>.md``."""
    notes: str

    @property
    def time(self) -> datetime:
        """When the event was written, by the actor's clock. For display and the roster's dates, never for order."""
        return moment(self.at)


class Verdict(_Event):
    """What one reviewer says of one exact content together with its task cards."""

    kind: Literal["verdict"]
    scopes: dict[Scope, Digest]
    round: Round
    decisions: dict[Scope, Decision] = Field(min_length=1)
    looked_at: tuple[LookedAt, ...] = Field(strict=False)
    conflict_of_interest: Line
    supersedes: tuple[Digest, ...] = Field(default=(), strict=False)
    """Ids of earlier verdicts of the same reviewer that this one replaces."""


class Withdrawal(_Event):
    """A reviewer takes back one of their own verdicts."""

    kind: Literal["withdraw"]
    target: Digest
    reason: Line


class Opening(_Event):
    """A review is asked for: who wrote the text, beyond what git knows, and who is to judge it."""

    kind: Literal["open"]
    authors: tuple[Actor, ...] = Field(strict=False)
    """Declared authors of exactly this content: excluded like those that git names."""
    reviewers: tuple[Actor, ...] = Field(strict=False)
    """Who is asked to judge the skill from now on; empty leaves it to the roster's pairs."""


Event = Verdict | Withdrawal | Opening
KINDS: Mapping[str, type[Verdict] | type[Withdrawal] | type[Opening]] = {
    "verdict": Verdict,
    "withdraw": Withdrawal,
    "open": Opening,
}
FROM_FILE = ("id", "path", "notes")


class NotUnderstoodError(LedgerError):
    """An intact event of a kind or scheme that this version does not know. It is listed and never counted."""


def parse_event(data: bytes, path: str) -> Event:
    """The event in a file; ``path`` is relative to the events folder.

    Raises:
        NotUnderstoodError: intact, but of an unknown kind, schema or digest scheme.
        LedgerError: the name does not match the bytes, or the front matter is not exactly what its kind asks for.
    """
    folder, _, name = path.rpartition("/")
    match = NAME_PATTERN.fullmatch(name)
    if match is None or "/" in folder or not folder:
        raise LedgerError(
            "not the name of an event", where=path, expected="<skill>/<clock>-<actor>-<kind>-<12 hex digits>.md"
        )
    identity = event_id(data)
    if identity[7:19] != match["hash"]:
        raise LedgerError(
            f"the event was changed after it was recorded: its bytes hash to {identity[7:19]}, its name says "
            f"{match['hash']}",
            where=path,
            fix="restore the file from git; a correction is a new event, never an edit",
        )
    front = split_front_matter(check_text(data, path), path, LedgerError)
    _refuse_unknown(front.values, path)
    values = dict(front.values)
    for key in FROM_FILE:
        if key in values:
            raise LedgerError(f"unknown key {key!r}", where=path, line=front.lines[key])
    notes = "\n".join(data.decode("utf-8").split("\n")[front.body_line - 1 :]).strip("\n")
    values |= {"id": identity, "path": path, "notes": notes}
    try:
        event: Event = TypeAdapter(KINDS[values["kind"]]).validate_python(values)
    except ValidationError as error:
        first = error.errors()[0]
        keys = [str(part) for part in first["loc"]]
        raise LedgerError(
            f"{'.'.join(keys)}: {first['msg'].removeprefix('Value error, ')}",
            where=path,
            line=front.lines.get(keys[0]) if keys else None,
            expected=f"the keys of a {values['kind']} event, docs/events.md",
        ) from None
    said = (event.skill, f"{event.clock:04d}", event.actor, event.kind)
    named = (folder, match["clock"], match["actor"], match["kind"])
    if said != named:
        raise LedgerError(
            f"the name and the content disagree: {'-'.join(named)} and {'-'.join(said)}",
            where=path,
            fix="restore the file from git under its own name",
        )
    return event


def render_event(values: Mapping[str, Any], notes: str) -> bytes:
    """The bytes of a new event: ``values`` in their order as front matter, then the notes."""
    block = yaml.safe_dump(dict(values), sort_keys=False, allow_unicode=True, width=110)
    body = notes.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    return f"{FENCE}\n{block}{FENCE}\n{f'{chr(10)}{body}{chr(10)}' if body.strip() else ''}".encode()


def event_path(values: Mapping[str, Any], data: bytes) -> str:
    """Where an event with these bytes lies, relative to the events folder."""
    return f"{values['skill']}/{values['clock']:04d}-{values['actor']}-{values['kind']}-{event_id(data)[7:19]}.md"


def _refuse_unknown(values: Mapping[str, Any], path: str) -> None:
    for key, known in (("schema", (EVENT_SCHEMA,)), ("scheme", (SCHEME,)), ("kind", tuple(KINDS))):
        value = values.get(key)
        if isinstance(value, str) and value not in known:
            raise NotUnderstoodError(
                f"the {key} {value!r} is not understood by this version",
                where=path,
                expected=" or ".join(known),
                fix="use a newer m4review; until then the event is listed and not counted",
            )
        if not isinstance(value, str):
            raise LedgerError(f"the key {key!r} is missing or not a text", where=path)
