"""Why runs fail their strict checks: nothing to check, rows missing, rows too many, or values alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from m4review.campaigns.effects import Arm
from m4review.campaigns.runs import Run, TaskFacts

REASONS = ("passed", "execution", "values_only", "coverage", "extra_keys", "other", "unknown")
BOUND = "raw-sql"
"""The control whose tasks the strict passes with a skill are counted on too."""


@dataclass(frozen=True, slots=True)
class StrictFailures:
    """Counts of runs, each under one reason; the two ``with_…`` figures are counted beside these."""

    runs: int
    passed: int
    execution: int
    """Crashed: no output that could be checked."""
    values_only: int
    """Failed no other check than column accuracy."""
    coverage: int
    """Failed a check besides column accuracy, with too few of the reference keys."""
    extra_keys: int
    """Failed a check besides column accuracy, with enough reference keys and others that the reference lacks."""
    other: int
    """Failed another check, or the file does not hold the figures that would say which."""
    unknown: int
    """Runs whose file does not say whether they passed."""
    with_low_values: int
    """Failed runs with a column below the accuracy threshold."""
    with_extra_keys: int
    """Failed runs with keys that the reference does not have."""

    @property
    def failed(self) -> int:
        """Runs that did not pass."""
        return self.execution + self.values_only + self.coverage + self.extra_keys + self.other


def strict_failures(runs: Iterable[Run], facts: Mapping[str, TaskFacts]) -> StrictFailures:
    """Sort runs by why they failed. A column fails when its rate is below the accuracy threshold of the task card."""
    counts = dict.fromkeys((*REASONS, "with_low_values", "with_extra_keys"), 0)
    total = 0
    for run in runs:
        total += 1
        reason = _reason(run, facts[run.task])
        counts[reason] += 1
        if reason not in ("passed", "unknown"):
            counts["with_low_values"] += _low_columns(run, facts[run.task]) > 0
            counts["with_extra_keys"] += bool(run.extra_keys)
    return StrictFailures(total, **counts)


def strict_by_group(
    runs: Sequence[Run], facts: Mapping[str, TaskFacts], baseline: Arm, treated: Arm
) -> dict[str, StrictFailures]:
    """The failures of both sides together, of every run on their schema, and of each condition there."""
    there = [run for run in runs if run.schema == baseline.schema]
    groups = {
        "primary": [run for run in there if baseline.holds(run) or treated.holds(run)],
        f"all {baseline.schema}": there,
    }
    for condition in sorted({run.condition for run in there}):
        groups[condition] = [run for run in there if run.condition == condition]
    bound = {run.task for run in groups.get(BOUND, ())}
    if bound:
        groups[f"{treated}, tasks of {BOUND}"] = [run for run in there if treated.holds(run) and run.task in bound]
    return {name: strict_failures(members, facts) for name, members in groups.items()}


def _reason(run: Run, facts: TaskFacts) -> str:
    if run.strict is None:
        return "unknown"
    if run.strict:
        return "passed"
    if run.crashed:
        return "execution"
    if run.rates and _low_columns(run, facts) == run.failed:
        return "values_only"
    if run.key_recall is not None and run.key_recall < facts.coverage:
        return "coverage"
    return "extra_keys" if run.extra_keys else "other"


def _low_columns(run: Run, facts: TaskFacts) -> int:
    return sum(rate < facts.accuracy for rate in run.rates.values())
