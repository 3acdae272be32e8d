"""Rewards drawn with characters: a bar in eighths of a cell, and one cell per value. Full is 1, and nothing less."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

FULL, EMPTY, LOST = "█", "·", "░"
PARTS = "▏▎▍▌▋▊▉"
"""One to seven eighths of a cell."""
HEIGHTS = "▁▂▃▄▅▆▇█"
NO_VALUE = "·"
TOLERANCE = 1e-9
"""Of a product of floats, so that 0.7 of ten cells are seven."""


def reward_bar(reward: float | None, whole: float | None, width: int) -> str:
    """A reward from 0 to 1 as ``width`` cells; up to the reward ``whole`` what was lost, then empty cells.

    It is rounded down to an eighth of a cell, so that only a reward of 1 fills the bar. Empty without a reward.
    """
    if reward is None:
        return ""
    cells = _drawn(reward, width)
    lost = max(0, len(_drawn(whole, width)) - len(cells)) if whole is not None else 0
    return cells + LOST * lost + EMPTY * (width - len(cells) - lost)


def sparkline(values: Sequence[float | None]) -> str:
    """Values from 0 to 1, a cell each on that whole scale, so that small changes look small; a dot without a value.

    The highest cell means 1, the lowest less than a seventh.
    """
    top = len(HEIGHTS) - 1
    return "".join(NO_VALUE if value is None else HEIGHTS[floor(_share(value) * top + TOLERANCE)] for value in values)


def _drawn(reward: float, width: int) -> str:
    full, part = divmod(floor(_share(reward) * width * (len(PARTS) + 1) + TOLERANCE), len(PARTS) + 1)
    return FULL * full + (PARTS[part - 1] if part else "")


def _share(value: float) -> float:
    return max(0.0, min(1.0, value))
