"""The names a text may use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Plain names: all, those with a value per charting time, and those of episodes."""

    names: tuple[str, ...]
    columns: tuple[str, ...]
    """Output columns; they stand in backticks, and are names in plain words only where something else defines them."""
    series: tuple[str, ...]
    episodes: tuple[str, ...]
