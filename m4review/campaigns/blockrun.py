"""Making blocks on one machine: a room per agent, every cell prepared once, the runs of a block one after the other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ulid import ULID

from m4review.campaigns.manifest import CampaignManifest, require_same
from m4review.campaigns.matrix import Block, Cell
from m4review.campaigns.setting import Setting
from m4review.trials.conditions import Arm, Condition
from m4review.trials.events import RunStarted, TrialEvent
from m4review.trials.opening import Rooms, opened
from m4review.trials.pins import Pins
from m4review.trials.preparation import Prepared
from m4review.trials.records import RETRIED, Outcome, RunRecord
from m4review.trials.run import RunPlan, execute_run
from m4review.trials.sandbox.job import Sandbox
from m4review.trials.schedule import side_by_side

ATTEMPTS = 2
"""A run that fails through no fault of the agent is tried once more, after the other runs of its block."""

Listener = Callable[[TrialEvent], None]
Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class BlockMade:
    """What came of a block. ``trouble`` says why it cannot be entered, ``None`` when it can."""

    block: Block
    runs: dict[Condition, RunRecord]
    infra_errors: tuple[RunRecord, ...] = ()
    trouble: str | None = None
    hopeless: bool = False
    """Whether no other block would do better: the model's server refused the key, or the data changed."""

    @property
    def complete(self) -> bool:
        """Whether every condition has a run that says something about the agent or waits for a person."""
        return self.runs.keys() == set(self.block.conditions)


@dataclass
class _Bench:
    """A cell as it lies ready, or the lock of whoever prepares it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    ready: tuple[Prepared, Pins] | None = None


class Workplace:
    """Where blocks are made; several threads may make blocks at once. Made by :func:`workplace`."""

    def __init__(
        self,
        setting: Setting,
        manifest: CampaignManifest,
        rooms: dict[str, Rooms],
        runs: Path,
        stack: ExitStack,
        clock: Clock,
    ) -> None:
        self._setting = setting
        self._manifest = manifest
        self._rooms = rooms
        self._runs = runs
        self._stack = stack
        self._clock = clock
        self._lock = threading.Lock()
        self._benches: dict[Cell, _Bench] = {}

    def side_by_side(self, wanted: int) -> int:
        """How many blocks may be made at once here."""
        cells = self._manifest.frozen_cells
        return min(
            side_by_side(
                wanted,
                self._setting.limits(cell),
                self._rooms[cell.agent].machine,
                waits_for_model=self._setting.agent(cell).needs_model,
            )
            for cell in cells
        )

    def make(self, block: Block, listener: Listener, stop: threading.Event) -> BlockMade:
        """Run a block's conditions in their order.

        Raises:
            CampaignError: the cell is not as it was frozen.
            DatasetError, TrialError: something that it needs is gone; a run folder cannot be written.
        """
        ready, pins = self._prepared(block.cell)
        sandbox = self._rooms[block.cell.agent].another()
        runs: dict[Condition, RunRecord] = {}
        failed: list[RunRecord] = []
        for attempt in range(1, ATTEMPTS + 1):
            for condition in block.conditions:
                if condition in runs:
                    continue
                if stop.is_set():
                    return BlockMade(block, runs, tuple(failed), "stopped")
                record = self._run(block, condition, attempt, ready, pins, sandbox, listener, stop)
                if record.outcome is Outcome.CANCELLED:
                    return BlockMade(block, runs, tuple(failed), "stopped")
                if record.outcome is not Outcome.INFRA_ERROR:
                    runs[condition] = record
                    continue
                failed.append(record)
                if record.failure not in RETRIED:
                    return BlockMade(block, runs, tuple(failed), record.reason or "the sandbox failed", hopeless=True)
        trouble = None if len(runs) == len(block.conditions) else failed[-1].reason or "the sandbox failed"
        return BlockMade(block, runs, tuple(failed), trouble)

    def _run(
        self,
        block: Block,
        condition: Condition,
        attempt: int,
        ready: Prepared,
        pins: Pins,
        sandbox: Sandbox,
        listener: Listener,
        stop: threading.Event,
    ) -> RunRecord:
        run_id = str(ULID.from_datetime(self._clock()))
        position = block.conditions.index(condition) + 1
        plan = RunPlan(
            id=run_id,
            folder=self._runs / run_id,
            trial=block.id,
            arm=Arm(condition),
            replicate=block.replicate,
            position=position,
            attempt=attempt,
        )
        listener(
            RunStarted(
                run=run_id,
                task=block.cell.task,
                condition=condition,
                replicate=block.replicate,
                position=position,
                runs=len(block.conditions),
            )
        )
        return execute_run(
            self._setting.workspace,
            ready,
            pins,
            plan,
            sandbox,
            listener=listener,
            cancel=stop,
            clock=self._clock,
            owner=self._setting.owner,
        )

    def _prepared(self, cell: Cell) -> tuple[Prepared, Pins]:
        """The cell as it lies ready; the first block of it prepares it and checks that it is what was frozen."""
        with self._lock:
            bench = self._benches.setdefault(cell, _Bench())
        with bench.lock:
            if bench.ready is None:
                frozen = self._manifest.frozen_cells[cell]
                made = self._setting.prepared(cell, list(frozen.by_condition), self._rooms[cell.agent].image)
                with ExitStack() as own:
                    ready = own.enter_context(made)
                    now = [ready.inputs(Arm(condition)) for condition in frozen.by_condition]
                    require_same(cell, frozen, now, where=self._manifest.name)
                    with self._lock:
                        self._stack.push(own.pop_all())
                bench.ready = (ready, Pins(ready.folder))
            return bench.ready


@contextmanager
def workplace(
    setting: Setting,
    manifest: CampaignManifest,
    runs: Path,
    *,
    listener: Listener,
    clock: Clock,
    cancel: threading.Event,
) -> Iterator[Workplace]:
    """Open a room per agent, proved where the sandbox is Docker; everything prepared is gone at the end.

    Raises:
        EngineUnavailableError: no engine answers.
        TrialError: an agent's image is not built; the canary found a breach of the sandbox.
    """
    with ExitStack() as stack:
        by_agent: dict[str, Rooms] = {}
        rooms: dict[str, Rooms] = {}
        for label in dict.fromkeys(cell.agent for cell in manifest.frozen_cells):
            agent = setting.agents[label]
            if agent.name not in by_agent:
                by_agent[agent.name] = stack.enter_context(
                    opened(
                        manifest.sandbox,
                        agent,
                        setting.owner,
                        listener,
                        setting.environment,
                        workspace=setting.workspace,
                        clock=clock,
                        cancel=cancel,
                    )
                )
            rooms[label] = by_agent[agent.name]
        yield Workplace(setting, manifest, rooms, runs, stack, clock)
