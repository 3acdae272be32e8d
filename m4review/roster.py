"""Who reviews, and what it takes to approve: the roster and the policy as models of their files."""

from __future__ import annotations

from datetime import date
from functools import cached_property
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from m4review.errors import WorkspaceError, one_of
from m4review.places import REVIEWS

ROSTER_FILE, POLICY_FILE = "roster.toml", "policy.toml"

Scope = Literal["definition", "schema", "output"]
SCOPES: tuple[Scope, ...] = ("definition", "schema", "output")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)


class Reviewer(_Frozen):
    """One clinician of the roster. ``until`` is the last day on which a verdict counts."""

    id: str = Field(pattern=r"^C[1-9][0-9]*$")
    role: str
    expertise: str
    databases: tuple[str, ...] = ()
    since: date | None = Field(default=None, alias="from")
    until: date | None = None
    git_emails: tuple[str, ...] = ()
    """Further addresses under which this person commits; the author exclusion counts them as the same human."""

    @property
    def git_identity(self) -> tuple[str, str]:
        """Name and address that the reviewer's own commits carry, so that real names stay out of history."""
        return self.id, f"{self.id.lower()}@reviewers.invalid"

    @cached_property
    def addresses(self) -> frozenset[str]:
        """Every address (lower case) under which this person commits."""
        return frozenset(email.strip().lower() for email in (self.git_identity[1], *self.git_emails))

    def active_on(self, day: date) -> bool:
        """Whether the reviewer is on the roster on that day."""
        return (self.since is None or self.since <= day) and (self.until is None or day <= self.until)


class Roster(_Frozen):
    """Who may review, and which pair is asked first for each task family."""

    reviewers: tuple[Reviewer, ...] = Field(min_length=2)
    pairs: dict[str, tuple[str, str]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _ids_are_consistent(self) -> Roster:
        ids = [reviewer.id for reviewer in self.reviewers]
        repeated = sorted({name for name in ids if ids.count(name) > 1})
        if repeated:
            raise ValueError(f"reviewer {', '.join(repeated)} is listed twice")
        for family, pair in self.pairs.items():
            if pair[0] == pair[1] or not set(pair) <= set(ids):
                raise ValueError(f"the pair of {family} must name two different reviewers of this roster")
        return self

    @cached_property
    def humans(self) -> dict[str, str]:
        """Id → the first id of the same human: entries that share an address, directly or in a chain, are one."""
        groups: list[tuple[frozenset[str], list[str]]] = []
        for reviewer in self.reviewers:
            mine, members = reviewer.addresses, [reviewer.id]
            apart = []
            for group in groups:
                if group[0] & mine:
                    mine |= group[0]
                    members = [*group[1], *members]
                else:
                    apart.append(group)
            groups = [*apart, (mine, members)]
        order = [reviewer.id for reviewer in self.reviewers]
        return {member: min(members, key=order.index) for _, members in groups for member in members}

    def get(self, identity: str) -> Reviewer:
        """The reviewer with that id, typed in capitals or not.

        Raises:
            WorkspaceError: not on the roster.
        """
        for reviewer in self.reviewers:
            if reviewer.id == identity.strip().upper():
                return reviewer
        raise WorkspaceError(
            f"{identity!r} is not on the roster",
            where=f"{REVIEWS}/{ROSTER_FILE}",
            expected=one_of(identity, [reviewer.id for reviewer in self.reviewers]),
        )


class Policy(_Frozen):
    """What it takes to approve. ``sections`` maps each scope to the heading words that belong to it."""

    required: int = Field(default=2, ge=1)
    scopes: tuple[Scope, ...] = SCOPES
    independent: Literal["sealed", "ui-blind", "open"] = "ui-blind"
    exclude_authors: bool = True
    minimum_assurance: int = Field(default=0, ge=0, le=2)
    editorial: Literal["carry", "review"] = "carry"
    """What an editorial change costs: one confirmation that carries the approval over, or a full review."""
    may_override: tuple[str, ...] = ()
    """Who may set a rule aside or revoke events of others; empty: nobody."""
    sections: dict[Scope, tuple[str, ...]] = Field(default_factory=dict)
