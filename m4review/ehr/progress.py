"""What long work tells while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Stage = Literal["import", "synthesise", "concepts", "references"]


@dataclass(frozen=True, slots=True)
class Progress:
    """``done`` of ``total`` items of a stage are finished; ``item`` is the one at work now, ``""`` at the end.

    An import also counts bytes of the source, and tells of a large item several times while its bytes grow.
    """

    stage: Stage
    item: str
    done: int
    total: int
    bytes_done: int = 0
    bytes_total: int = 0


Listener = Callable[[Progress], None]


def silent(_: Progress) -> None:
    """A listener that ignores everything."""
