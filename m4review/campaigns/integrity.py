"""Integrity of the runs: how each group of them ended, and which of its guarantees its file speaks of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from m4review.campaigns.runs import Run

GUARANTEES: dict[str, Callable[[Run], bool | None]] = {
    "publishable": lambda run: run.publishable,
    "isolated": lambda run: run.isolated,
    "canary": lambda run: run.canary,
    "lint": lambda run: run.lint,
    "held": lambda run: run.held,
}
"""Yes-or-no statements about a run, in the order of the table."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Of how many runs a statement is true, and of how many the file says whether it is."""

    true: int
    said: int


@dataclass(frozen=True, slots=True)
class Integrity:
    """The runs of one condition on one schema."""

    condition: str
    schema: str
    runs: int
    with_reward: int
    """Runs that enter the means."""
    crashed: int
    """Of those, runs that ended without anything that could be checked; their reward is 0."""
    infra_errors: int | None
    """Runs that failed through no fault of the agent; ``None`` where the file does not say how runs ended."""
    cancelled: int | None
    relabelled: int
    guarantees: dict[str, Counted]


def integrity_of(runs: Iterable[Run]) -> tuple[Integrity, ...]:
    """One entry per condition and schema, the native schema first, in the order of their names."""
    groups: dict[tuple[bool, str, str], list[Run]] = defaultdict(list)
    for run in runs:
        groups[run.schema != "native", run.schema, run.condition].append(run)
    return tuple(_counted(condition, schema, found) for (_, schema, condition), found in sorted(groups.items()))


def _counted(condition: str, schema: str, runs: list[Run]) -> Integrity:
    outcomes = [run.outcome for run in runs if run.outcome is not None]
    guarantees = {}
    for name, read in GUARANTEES.items():
        said = [value for value in map(read, runs) if value is not None]
        guarantees[name] = Counted(sum(said), len(said))
    return Integrity(
        condition=condition,
        schema=schema,
        runs=len(runs),
        with_reward=sum(run.reward is not None for run in runs),
        crashed=sum(run.crashed for run in runs),
        infra_errors=outcomes.count("infra_error") if outcomes else None,
        cancelled=outcomes.count("cancelled") if outcomes else None,
        relabelled=sum(run.relabelled is not None for run in runs),
        guarantees=guarantees,
    )
