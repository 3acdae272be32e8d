"""What a review is about: one exact skill text together with the task cards that use it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from m4review.workspace import Scope

Pair = tuple[str, tuple[str, ...]]
"""Content digest and the sorted task digests: what a verdict binds. Names are outside, so a rename keeps it."""


def pair_of(content: str, tasks: Iterable[str]) -> Pair:
    """The pair of a content digest and task digests in any order."""
    return content, tuple(sorted(tasks))


@dataclass(frozen=True, slots=True)
class Subject:
    """A skill as it stands now: its digests under scheme v1."""

    skill: str
    content: str
    tasks: Mapping[str, str]
    """Task name → digest of its card, for every task that uses the skill."""
    scopes: Mapping[Scope, str]
    deps: Mapping[str, str] = field(default_factory=dict)
    """Skill that this one builds on, directly or through others → its content digest."""
    context: Mapping[str, str] = field(default_factory=dict)
    """Database that its task cards name → digest of layout and version."""

    @property
    def pair(self) -> Pair:
        """What a verdict on this subject binds."""
        return pair_of(self.content, self.tasks.values())


@dataclass(frozen=True, slots=True)
class Node:
    """One recorded state of a skill and its task cards, in a history where parents come first."""

    pair: Pair | None
    """``None`` where the skill did not exist or cannot be digested."""
    parents: tuple[int, ...]
    """Positions in the history."""
    authors: frozenset[str]
    """Addresses of author and co-authors."""
    committer: str
    committed: datetime
    changed: bool
    """Whether this step changed the skill or its task cards against every parent."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Who had a hand in a pair since the last approved one: address → the first time as mere committer, or ``None``
    as author or co-author."""

    authors: frozenset[str]
    committers: Mapping[str, datetime]

    def includes(self, addresses: frozenset[str], given: datetime) -> bool:
        """Whether one of ``addresses`` wrote the change, or recorded it before a verdict given at ``given``.

        Whoever re-records approved bytes later (a rebase, a cherry-pick) does not become their author.
        """
        recorded = any(time <= given for address, time in self.committers.items() if address in addresses)
        return recorded or bool(self.authors & addresses)


UNKNOWN_ORIGIN = Origin(frozenset(), {})
