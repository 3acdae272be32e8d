"""Whether a text holds the fix of a finding: it is the text that fixes it, or it grew out of that one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from m4review.reviews.origins import ancestors
from m4review.reviews.subjects import Node

Fix = Literal["held", "not held", "not recorded"]
HoldsFix = Callable[[str, str], Fix]
"""Content that fixes, content now → whether the fix is in it."""


def without_history(fixed_in: str, content: str) -> Fix:
    """For callers without a history: only the text that fixes is known to hold the fix."""
    return "held" if fixed_in == content else "not recorded"


def holds_fix(history: Sequence[Node]) -> HoldsFix:
    """The rule along the recorded states of a skill, parents first.

    A content holds the fix when the first state that has it comes after one that has the fixing content. A content that
    is in no recorded state is on disk, on top of the last one.
    """
    before = ancestors(history)
    at: dict[str, list[int]] = {}
    for position, node in enumerate(history):
        if node.pair is not None:
            at.setdefault(node.pair[0], []).append(position)

    def rule(fixed_in: str, content: str) -> Fix:
        if fixed_in == content:
            return "held"
        if fixed_in not in at:
            return "not recorded"
        reached = before[at[content][0]] if content in at else before[-1]
        return "held" if any(reached >> position & 1 for position in at[fixed_in]) else "not held"

    return rule
