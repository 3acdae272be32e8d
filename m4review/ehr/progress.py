"""What long work tells while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Stage = Literal["import", "synthesise", "concepts", "references"]


@dataclass(frozen=True, slots=True)
class Progress:
    """``done`` of ``total`` items of a stage are finished; ``item`` is the one that starts now, ``""`` at the end."""

    stage: Stage
    item: str
    done: int
    total: int


Listener = Callable[[Progress], None]


def silent(_: Progress) -> None:
    """A listener that ignores everything."""
