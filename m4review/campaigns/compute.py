"""What the runs cost: time, tokens, requests and price, per condition and model, as far as their file says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import fmean, median

from m4review.campaigns.runs import Run

QUANTITIES: dict[str, Callable[[Run], float | None]] = {
    "input tokens": lambda run: run.input_tokens,
    "cached tokens": lambda run: run.cached_tokens,
    "output tokens": lambda run: run.output_tokens,
    "requests": lambda run: run.requests,
    "tool calls": lambda run: run.tool_calls,
    "price (USD)": lambda run: run.price_usd,
}
"""What is summed up as a mean per run that says it."""


@dataclass(frozen=True, slots=True)
class Compute:
    """The runs of one condition, schema and model. ``None`` where no run says it."""

    condition: str
    schema: str
    model: str
    runs: int
    median_seconds: float | None
    total_hours: float | None
    means: dict[str, float | None]


def compute_of(runs: Iterable[Run]) -> tuple[Compute, ...]:
    """One entry per condition, schema and model, the native schema first."""
    groups: dict[tuple[bool, str, str, str], list[Run]] = defaultdict(list)
    for run in runs:
        groups[run.schema != "native", run.schema, run.condition, run.model].append(run)
    found = []
    for (_, schema, condition, model), members in sorted(groups.items()):
        seconds = [run.elapsed for run in members if run.elapsed is not None]
        means: dict[str, float | None] = {}
        for name, read in QUANTITIES.items():
            values = [value for value in map(read, members) if value is not None]
            means[name] = fmean(values) if values else None
        found.append(
            Compute(
                condition,
                schema,
                model,
                len(members),
                median(seconds) if seconds else None,
                sum(seconds) / 3600 if seconds else None,
                means,
            )
        )
    return tuple(found)
