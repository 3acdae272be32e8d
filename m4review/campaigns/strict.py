"""Why runs fail their strict checks: nothing to check, rows missing, rows too many, or values alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from m4review.campaigns.runs import Run, TaskFacts


@dataclass(frozen=True, slots=True)
class StrictFailures:
    """Counts of runs, each under one reason; ``values_only`` failed no other check than column accuracy."""

    runs: int
    passed: int
    execution: int
    """Crashed: no output that could be checked."""
    values_only: int
    coverage: int
    """Failed a check besides column accuracy, with reference keys missing."""
    other: int
    """Failed a check besides column accuracy although no key is missing, or the file does not say."""
    extra_keys: int
    """Failed runs with keys that the reference does not have; counted beside the others, not apart from them."""
    unknown: int
    """Runs whose file does not say whether they passed."""

    @property
    def failed(self) -> int:
        """Runs that did not pass."""
        return self.execution + self.values_only + self.coverage + self.other


def strict_failures(runs: Iterable[Run], facts: Mapping[str, TaskFacts]) -> StrictFailures:
    """Sort runs by why they failed. A column fails when its rate is below the accuracy threshold of the task card."""
    counts = dict.fromkeys(("passed", "execution", "values_only", "coverage", "other", "extra_keys", "unknown"), 0)
    total = 0
    for run in runs:
        total += 1
        reason = _reason(run, facts)
        counts[reason] += 1
        if reason not in ("passed", "unknown") and run.extra_keys:
            counts["extra_keys"] += 1
    return StrictFailures(total, **counts)


def _reason(run: Run, facts: Mapping[str, TaskFacts]) -> str:
    if run.strict is None:
        return "unknown"
    if run.strict:
        return "passed"
    if run.crashed:
        return "execution"
    low = sum(rate < facts[run.task].accuracy for rate in run.rates.values())
    if run.rates and low == run.failed:
        return "values_only"
    return "coverage" if run.key_recall is not None and run.key_recall < 1 else "other"
