"""Where some words stand in a text, and which place comes next."""

from __future__ import annotations

import re
from collections.abc import Sequence

Place = tuple[int, int]
"""Line and column, both from 0."""
Match = tuple[Place, Place]
"""First place of a match, and the place behind it."""


def matches(text: str, words: str) -> list[Match]:
    """Every place that holds ``words`` in any case, in reading order; none for no words."""
    if not words:
        return []
    wanted = re.compile(re.escape(words), re.IGNORECASE)
    return [
        ((row, found.start()), (row, found.end()))
        for row, line in enumerate(text.split("\n"))
        for found in wanted.finditer(line)
    ]


def position_after(found: Sequence[Match], here: Match, *, backwards: bool = False) -> int:
    """The index of the match after the selection ``here`` (before it, when ``backwards``), round the end.

    A match that starts where the selection starts counts as the next one unless it is the selection.
    """
    if backwards:
        before = [index for index, match in enumerate(found) if match[0] < here[0]]
        return before[-1] if before else len(found) - 1
    after = [index for index, match in enumerate(found) if match[0] >= here[0] and match != here]
    return after[0] if after else 0
