"""What long work tells while it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

Stage = Literal["checksums", "import", "synthesise", "concepts", "references", "schema"]


@dataclass(frozen=True, slots=True)
class Progress:
    """``done`` of ``total`` items of a stage are finished; ``item`` is the one that begins now, ``""`` at the end.

    ``beside`` more items of the stage are at work at the same time. An import also counts bytes of the source, and
    tells of a large item several times while its bytes grow.
    """

    stage: Stage
    item: str
    done: int
    total: int
    bytes_done: int = 0
    bytes_total: int = 0
    beside: int = 0


Listener = Callable[[Progress], None]


def silent(_: Progress) -> None:
    """A listener that ignores everything."""


class SideBySide:
    """Tells a listener of stages whose items are at work at the same time. Not for several threads."""

    def __init__(self, listener: Listener, totals: Mapping[Stage, int]) -> None:
        self._listener, self._totals = listener, totals
        self._begun, self._done = dict.fromkeys(totals, 0), dict.fromkeys(totals, 0)

    def began(self, stage: Stage, item: str) -> None:
        """An item has begun."""
        done = self._done[stage]
        beside = self._begun[stage] - done
        self._begun[stage] += 1
        self._listener(Progress(stage, item, done, self._totals[stage], beside=beside))

    def finished(self, stage: Stage) -> None:
        """One of those that had begun is finished."""
        self._done[stage] += 1
        if self._done[stage] == self._totals[stage]:
            self._listener(Progress(stage, "", self._done[stage], self._totals[stage]))
