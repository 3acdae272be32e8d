"""One side of a comparison: a condition on a schema."""

from __future__ import annotations

from dataclasses import dataclass

from m4review.campaigns.runs import Run

ON = " on "
"""Between condition and schema where a side is named."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One side of a comparison."""

    condition: str
    schema: str = "native"

    @classmethod
    def named(cls, text: str) -> Arm:
        """The side that a text calls as ``str`` does: ``decoy``, or ``decoy on obfuscated``."""
        condition, _, schema = text.strip().partition(ON)
        return cls(condition, schema or "native")

    def holds(self, run: Run) -> bool:
        """Whether the run belongs to this side."""
        return run.condition == self.condition and run.schema == self.schema

    def __str__(self) -> str:
        return self.condition if self.schema == "native" else f"{self.condition}{ON}{self.schema}"
