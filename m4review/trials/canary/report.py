"""What a canary run found: one line per probe, and whether the sandbox may be trusted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

SHOWN = 4
"""Findings of one probe that are said in full."""


class ProbeResult(BaseModel):
    """One probe: what must hold, and what happened."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    probe: str
    expectation: str
    happened: str
    held: bool


class Proved(BaseModel):
    """What a report speaks of; another engine, image or program needs a canary of its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    engine: str
    """The engine's own id, its machine's name and the place of its data."""
    engine_version: str
    image: str
    """Id of the agent's image."""
    sidecars: str
    """Id of the sidecars' image."""
    tool_version: str
    settings: str
    """SHA-256 over the sandbox's and the canary's own source."""


class CanaryReport(BaseModel):
    """A canary run."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    schema_: Literal["m4review.canary.v1"] = Field(default="m4review.canary.v1", alias="schema")
    proved: Proved
    started: datetime
    finished: datetime
    probes: tuple[ProbeResult, ...]

    @property
    def passed(self) -> bool:
        """Whether everything held, and something was tried at all."""
        return bool(self.probes) and all(result.held for result in self.probes)

    @property
    def breaches(self) -> tuple[ProbeResult, ...]:
        """What did not hold."""
        return tuple(result for result in self.probes if not result.held)


def report_lines(report: CanaryReport) -> Iterator[str]:
    """The report for a person."""
    width = max(len(result.probe) for result in report.probes)
    for result in report.probes:
        sign = "held  " if result.held else "BREACH"
        yield f"{sign}  {result.probe:<{width}}  {result.expectation}: {result.happened}"
    count = len(report.breaches)
    yield ""
    if count:
        yield f"{count} of {len(report.probes)} probes found a breach: no trial runs on this engine and image"
    else:
        yield f"all {len(report.probes)} probes held"


def told(found: list[str]) -> str:
    """Findings in one line."""
    more = len(found) - SHOWN
    return "; ".join(found[:SHOWN]) + (f"; and {more} more" if more > 0 else "")
