"""The rules themselves: policy, roster and keys, and how a change of them comes into force.

Until the first review event the rules are being set up. From then on a change is judged under the rules before it: it
holds once as many distinct reviewers as those rules ask for have adopted it, each in a statement of their own
(``reviews/adoptions/``), signed as those rules ask. Until then the rules before it stay in force.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from m4review.errors import LedgerError, WorkspaceError
from m4review.reviews.digests import check_text, event_id, file_digest
from m4review.reviews.eventparts import Actor, Digest, Line, Moment, moment
from m4review.reviews.events import TIME_FORMAT
from m4review.reviews.people import humans
from m4review.reviews.signing.allowed import (
    ALLOWED_SIGNERS_FILE,
    REVOKED_KEYS_FILE,
    AllowedSigners,
    parse_allowed_signers,
)
from m4review.skills.frontmatter import FENCE, split_front_matter
from m4review.tomlmodel import parse_toml
from m4review.workspace import POLICY_FILE, ROSTER_FILE, Policy, Roster

ADOPTIONS: Final = "adoptions"
ADOPTION_SCHEMA: Final = "m4review.adoption.v1"
RULE_FILES: Final = (POLICY_FILE, ROSTER_FILE, ALLOWED_SIGNERS_FILE, REVOKED_KEYS_FILE)

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Rules:
    """Policy, roster and keys of one moment, from their files' bytes (name → bytes; one that is absent is missing)."""

    files: Mapping[str, bytes]

    @cached_property
    def digest(self) -> str:
        """What an adoption names: the file digest of one line per file, ``<name> <file digest>``, sorted by name."""
        lines = [f"{name} {file_digest(data)}\n" for name, data in sorted(self.files.items())]
        return file_digest("".join(lines).encode())

    @property
    def policy_digest(self) -> str:
        """The digest of the policy file (of nothing, where the defaults apply): what an event names."""
        return file_digest(self.files.get(POLICY_FILE, b""))

    @cached_property
    def policy(self) -> Policy:
        """The policy; the defaults where there is no file.

        Raises:
            LedgerError: it cannot be read.
        """
        data = self.files.get(POLICY_FILE)
        return Policy() if data is None else _model(Policy, data, POLICY_FILE)

    @cached_property
    def roster(self) -> Roster:
        """The roster.

        Raises:
            LedgerError: it is missing or cannot be read.
        """
        data = self.files.get(ROSTER_FILE)
        if data is None:
            raise LedgerError("there is no roster", where=f"reviews/{ROSTER_FILE}")
        return _model(Roster, data, ROSTER_FILE)

    @cached_property
    def allowed(self) -> AllowedSigners:
        """The keys that may sign.

        Raises:
            MissingAllowedSignersError, EmptyAllowedSignersError, UnreadableAllowedSignersError: as their names say.
        """
        return parse_allowed_signers(self.files.get(ALLOWED_SIGNERS_FILE))

    @property
    def revoked(self) -> bytes | None:
        """The keys whose signatures never hold."""
        return self.files.get(REVOKED_KEYS_FILE)


class Adoption(BaseModel):
    """One reviewer's word for a change of the rules. ``id`` and ``raw`` come from the file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, populate_by_name=True, defer_build=True)

    schema_id: Literal["m4review.adoption.v1"] = Field(alias="schema")
    actor: Actor
    at: Moment
    before: Digest
    after: Digest
    meaning: Line
    id: Digest
    path: str
    raw: bytes = Field(repr=False)

    @property
    def time(self) -> datetime:
        """When it was written, by the actor's clock."""
        return moment(self.at)


def render_adoption(actor: str, before: Rules, after: Rules, time: datetime) -> tuple[str, bytes]:
    """Name (relative to the adoptions folder) and bytes of a new adoption."""
    changed = ", ".join(changed_files(before, after)) or "nothing"
    import yaml

    values = {
        "schema": ADOPTION_SCHEMA,
        "actor": actor,
        "at": time.strftime(TIME_FORMAT),
        "before": before.digest,
        "after": after.digest,
        "meaning": f"As {actor} I adopt the rules of review {after.digest[:19]} in place of {before.digest[:19]}: "
        f"they change {changed}.",
    }
    data = f"{FENCE}\n{yaml.safe_dump(values, sort_keys=False, width=100000)}{FENCE}\n".encode()
    return f"{actor}-{event_id(data)[7:19]}.md", data


def parse_adoption(data: bytes, name: str) -> Adoption:
    """The adoption in a file of that name.

    Raises:
        LedgerError: the name does not match the bytes, or the front matter is not exactly what it must be.
    """
    where = f"{ADOPTIONS}/{name}"
    front = split_front_matter(check_text(data, where), where, LedgerError)
    identity = event_id(data)
    values = dict(front.values)
    for key in ("id", "path", "raw"):
        if key in values:
            raise LedgerError(f"unknown key {key!r}", where=where, line=front.lines[key])
    try:
        found = Adoption.model_validate(values | {"id": identity, "path": where, "raw": data})
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise LedgerError(f"{key}: {first['msg'].removeprefix('Value error, ')}", where=where) from None
    if name != f"{found.actor}-{identity[7:19]}.md":
        raise LedgerError(
            "the adoption was changed after it was recorded: its bytes do not fit its name",
            where=where,
            fix="restore the file from git",
        )
    return found


def changed_files(before: Rules, after: Rules) -> tuple[str, ...]:
    """The names of the files that differ."""
    return tuple(name for name in RULE_FILES if before.files.get(name) != after.files.get(name))


def adopted_by(
    before: Rules, after: Rules, adoptions: Mapping[str, Adoption], levels: Mapping[str, int]
) -> dict[str, str]:
    """Human → path of their valid adoption of the change, judged under ``before``.

    ``levels`` gives the assurance level of each adoption's id under the keys of ``before``.
    """
    policy, roster = before.policy, before.roster
    same = humans(roster)
    active = {reviewer.id: reviewer for reviewer in roster.reviewers}
    found: dict[str, str] = {}
    for adoption in adoptions.values():
        reviewer = active.get(adoption.actor)
        fits = (adoption.before, adoption.after) == (before.digest, after.digest)
        if (
            fits
            and reviewer is not None
            and reviewer.active_on(adoption.time.date())
            and levels.get(adoption.id, 0) >= policy.minimum_assurance
        ):
            found.setdefault(same[reviewer.id], adoption.path)
    return found


def _model(model: type[Model], data: bytes, name: str) -> Model:
    where = f"reviews/{name}"
    try:
        return parse_toml(check_text(data, where), model, where)
    except WorkspaceError as error:
        raise LedgerError(error.what, where=where, line=error.line, expected=error.expected, fix=error.fix) from None
