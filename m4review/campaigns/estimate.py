"""What a plan will take, from runs that were made before: time per run and tokens per run, and from how many runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from m4review.campaigns.matrix import Block, Matrix
from m4review.campaigns.setting import Setting
from m4review.trials.conditions import Condition
from m4review.trials.records import RunRecord, load_runs
from m4review.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Measured:
    """What past runs say of one run. ``tokens`` is input and output together, ``None`` where no run told."""

    seconds: float
    tokens: float | None
    runs: int
    like: str
    """How like the runs are that it comes from: *the same*, *the same task*, *the same agent*."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a matrix will take. ``known`` and ``runs`` count runs; nothing is said of the others."""

    runs: int
    known: int
    seconds: float
    tokens: float | None
    """Of the known runs together; ``None`` when none of them told."""
    past: int
    """Runs that it comes from."""
    likeness: dict[str, int]
    """How many of the known runs are estimated from runs how like them."""

    def wall(self, parallel: int) -> float:
        """Seconds on the wall when so many blocks are made at once all the time."""
        return self.seconds / parallel


def estimate(matrix: Matrix, setting: Setting, past: Sequence[RunRecord]) -> Estimate:
    """What a matrix will take, run by run from the runs that are most like it."""
    pasts = _Pasts(past)
    found = [pasts.of(setting, block, condition) for block in matrix.blocks for condition in block.conditions]
    known = [one for one in found if one is not None]
    told = [one.tokens for one in known if one.tokens is not None]
    likeness: dict[str, int] = {}
    for one in known:
        likeness[one.like] = likeness.get(one.like, 0) + 1
    return Estimate(
        runs=len(found),
        known=len(known),
        seconds=math.fsum(one.seconds for one in known),
        tokens=math.fsum(told) if told else None,
        past=len(past),
        likeness=likeness,
    )


def past_runs(workspace: Workspace) -> list[RunRecord]:
    """Every run of the workspace that says how long a run takes, of trials and campaigns; broken records say none."""
    return [record for record in load_runs(workspace, campaigns=True) if record.outcome.counts]


class _Pasts:
    """Past runs by what they are like, the most like first."""

    def __init__(self, past: Iterable[RunRecord]) -> None:
        self._by: dict[tuple[str, ...], list[RunRecord]] = {}
        for record in past:
            given = record.inputs
            agent = (given.agent, given.model or "", given.sandbox)
            for key in _keys(agent, given.task, given.schema_name, given.condition):
                self._by.setdefault(key, []).append(record)

    def of(self, setting: Setting, block: Block, condition: Condition) -> Measured | None:
        """What is known of a run of a block."""
        agent = (setting.agent(block.cell).name, block.cell.model or "", setting.plan.sandbox)
        likes = ("the same", "the same task", "the same agent")
        for like, key in zip(likes, _keys(agent, block.cell.task, block.cell.schema_name, condition), strict=True):
            runs = self._by.get(key)
            if runs:
                tokens = [count for run in runs if (count := tokens_of(run)) is not None]
                seconds = fmean(sum(run.seconds.values()) for run in runs)
                return Measured(seconds, fmean(tokens) if tokens else None, len(runs), like)
        return None


def tokens_of(record: RunRecord) -> int | None:
    """Input and output tokens of a run together; ``None`` where the trace does not tell."""
    trace = record.trace
    if trace is None or (trace.input_tokens is None and trace.output_tokens is None):
        return None
    return (trace.input_tokens or 0) + (trace.output_tokens or 0)


def _keys(agent: tuple[str, ...], task: str, schema: str, condition: Condition) -> list[tuple[str, ...]]:
    return [(*agent, task, schema, condition.value), (*agent, task), agent]
