"""Campaigns as text: plans, status, and live progress on standard error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from m4review.campaigns.estimate import Estimate
from m4review.campaigns.events import BlockEntered, BlockLeft, CampaignEvent, CampaignStarted
from m4review.campaigns.matrix import Matrix
from m4review.campaigns.plan import PlanFile
from m4review.campaigns.status import CampaignStatus
from m4review.cli.movingline import MovingLine
from m4review.cli.trialtext import time_left
from m4review.errors import M4ReviewError
from m4review.trials import Notice, RunFinished, RunStarted

NOT_ISOLATED = "not isolated"


class CampaignProgress(MovingLine):
    """Shows a campaign under way: one moving line on a terminal, and a line for each block that is done."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._running: dict[str, str] = {}
        self._left = ""

    def show(self, event: CampaignEvent) -> None:
        """Show one event."""
        match event:
            case CampaignStarted():
                there = f"{event.done} of {event.blocks} blocks done" if event.done else f"{event.blocks} blocks"
                size = f", {event.size} at a time" if event.size else ""
                self.say(f"{event.name}: {there}, {event.runs} runs in all{size}")
            case RunStarted():
                self._running[event.run] = f"{event.task} {event.condition.value} {event.replicate}"
                self._update()
            case RunFinished():
                self._running.pop(event.record.id, None)
                self._update()
            case BlockEntered():
                self._entered(event)
            case BlockLeft():
                self.say(f"{event.block.label}: left for the next start: {event.reason}")
            case Notice():
                self.say(event.text)

    def _entered(self, event: BlockEntered) -> None:
        rest = "" if event.seconds_left is None or event.done == event.blocks else time_left(event.seconds_left)
        self._left = f"{event.done}/{event.blocks}" + (f", about {rest} left" if rest else "")
        rewards = "  ".join(
            f"{name} {'held' if reward is None else f'{reward:.3f}'}" for name, reward in event.rewards.items()
        )
        self.say(f"[{self._left}] {event.record.block.label}: {rewards}")
        self._update()

    def _update(self) -> None:
        self.move(f"{self._left}: " if self._left else "", " · ".join(self._running.values()))


def plan_lines(
    file: PlanFile, matrix: Matrix, expected: Estimate | None, lacks: Iterable[M4ReviewError], parallel: int
) -> Iterable[str]:
    """A plan with its matrix, size and cost, and what is missing."""
    plan = file.plan
    isolation = "" if plan.sandbox == "docker" else f" ({NOT_ISOLATED})"
    yield f"{plan.title}"
    yield f"{file.path.name} · seed {plan.seed} · sandbox {plan.sandbox}{isolation}"
    yield ""
    yield f"{'schema':<20} {'agent':<18} {'condition':<17} {'tasks':>5} {'repeats':>7} {'runs':>6}"
    for (schema, agent, condition), counts in matrix_rows(matrix).items():
        repeats = f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)}-{max(counts)}"
        yield f"{schema:<20} {agent:<18} {condition:<17} {len(counts):>5} {repeats:>7} {sum(counts):>6}"
    yield f"{len(matrix.cells)} cells, {len(matrix.blocks)} blocks, {matrix.runs} runs"
    for line in matrix.unbalanced:
        yield f"unbalanced: {line}"
    yield ""
    yield from estimate_lines(expected, parallel)
    yield ""
    yield from lacking_lines(lacks)


def matrix_rows(matrix: Matrix) -> dict[tuple[str, str, str], list[int]]:
    """Schema, agent and condition → repeats per task."""
    counts: dict[tuple[str, str, str], dict[str, int]] = {}
    for block in matrix.blocks:
        schema = block.cell.schema_name + (" mapped" if block.cell.map_skill else "")
        for condition in block.conditions:
            tasks = counts.setdefault((schema, block.cell.agent, condition.value), {})
            tasks[block.cell.task] = tasks.get(block.cell.task, 0) + 1
    return {key: list(tasks.values()) for key, tasks in sorted(counts.items())}


def estimate_lines(expected: Estimate | None, parallel: int) -> Iterable[str]:
    """What the plan will take, and from how many runs that is said."""
    if expected is None or not expected.known:
        yield "time and tokens: unknown, since no past run of these agents in this sandbox is here"
        return
    likeness = ", ".join(f"{count} from runs of {like}" for like, count in expected.likeness.items())
    yield f"time: about {time_left(expected.wall(parallel))} with {parallel} at a time, from {expected.past} past runs"
    yield "tokens: unknown, no past run told" if expected.tokens is None else f"tokens: about {expected.tokens:,.0f}"
    yield f"  {expected.known} of {expected.runs} runs are estimated ({likeness})"
    if expected.known < expected.runs:
        yield f"  of the other {expected.runs - expected.known} nothing is known"


def lacking_lines(lacks: Iterable[M4ReviewError]) -> Iterable[str]:
    """What stands between a plan and its first run."""
    errors = list(lacks)
    if not errors:
        yield "nothing is missing: it can be frozen"
        return
    yield f"missing ({len(errors)}):"
    for error in errors:
        yield from (f"  {line}" for line in error.render().split("\n"))


def status_lines(status: CampaignStatus) -> Iterable[str]:
    """How far a campaign is."""
    yield f"{status.name}: {status.title}" + ("" if status.isolated else f" ({NOT_ISOLATED})")
    yield f"{status.done} of {status.blocks} blocks, {status.counting} of {status.runs} runs"
    outcomes = ", ".join(f"{name} {count}" for name, count in status.outcomes.items())
    yield f"outcomes: {outcomes or 'none yet'}"
    if status.waiting:
        yield f"held by the audit, waiting for a person: {len(status.waiting)} ({status.waiting[0]} first)"
    yield f"infrastructure errors, none of which counts: {status.infra_errors}"
    if status.stray:
        yield f"finished runs of blocks that were stopped, none of which counts: {status.stray}"
    for work in status.under_way:
        yield f"under way: {work.block} (process {work.pid} on {work.host})"
    if len(status.workers) > 1:
        yield "blocks by machine: " + ", ".join(f"{name} {count}" for name, count in status.workers.items())
    if status.counting:
        yield f"{status.seconds / status.counting:.1f} s per run, {time_left(status.seconds)} of runs in all"
    yield f"{'schema':<20} {'agent':<18} {'condition':<17} {'done':>11} {'counted':>7} {'reward':>7}"
    for row in status.conditions:
        reward = "–" if row.reward is None else f"{row.reward:.4f}"
        done = f"{row.done}/{row.wanted}"
        yield f"{row.schema_name:<20} {row.agent:<18} {row.condition:<17} {done:>11} {row.counted:>7} {reward:>7}"
    for problem in status.problems:
        yield f"cannot be read: {problem}"
