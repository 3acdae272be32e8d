"""Which skills a set of commits touched: the text, the task cards or what they build on is not what it was."""

from __future__ import annotations

from collections.abc import Mapping

from m4review.errors import M4ReviewError
from m4review.reviews.snapshot import Snapshot, take_snapshot
from m4review.reviews.subjects import Pair
from m4review.reviews.verify.source import Source
from m4review.workspace import Policy, Workspace

Bound = tuple[Pair, Mapping[str, str]] | None
"""What a verdict on a skill would bind, and what it builds on; ``None`` where it cannot be digested."""


def bound_at(source: Source) -> Mapping[str, Bound]:
    """Every skill at a source's revision.

    Raises:
        HistoryError: git failed, or objects are missing.
    """
    return bound_in(take_snapshot(Workspace(source.repository.root), source.revision))


def bound_in(snapshot: Snapshot) -> Mapping[str, Bound]:
    """Every skill of a snapshot."""
    return {name: _bound(snapshot, name) for name in sorted({*snapshot.skills, *snapshot.unreadable})}


def touched(before: Mapping[str, Bound], now: Mapping[str, Bound]) -> tuple[str, ...]:
    """The skills of ``now`` that are new or differ, and those that cannot be digested."""
    return tuple(name for name, bound in now.items() if bound is None or before.get(name) != bound)


def _bound(snapshot: Snapshot, name: str) -> Bound:
    try:
        subject = snapshot.subject(name, Policy())
    except M4ReviewError:
        return None
    return subject.pair, subject.deps
