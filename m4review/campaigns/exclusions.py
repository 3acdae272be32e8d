"""Runs that enter no mean, and why: each one listed, never a silent zero."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from m4review.campaigns.runs import Run


@dataclass(frozen=True, slots=True)
class Exclusion:
    """One run without a reward."""

    run: str
    task: str
    condition: str
    schema: str
    model: str
    repeat: int
    why: str


def exclusions_of(runs: Iterable[Run]) -> tuple[Exclusion, ...]:
    """Every run without a reward, in file order."""
    return tuple(
        Exclusion(run.id, run.task, run.condition, run.schema, run.model, run.repeat, why_excluded(run))
        for run in runs
        if run.reward is None
    )


def why_excluded(run: Run) -> str:
    """Why a run has no reward, in the words of its record where there are any."""
    if run.held:
        return "held by the audit"
    if run.outcome is not None:
        return run.outcome.replace("_", " ")
    return "its file gives no reward"
