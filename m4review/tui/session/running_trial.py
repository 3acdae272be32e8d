"""A trial while it runs: what has happened so far, and the wish to stop it. Plain Python; a thread feeds it."""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from m4review.errors import M4ReviewError
from m4review.trials.conditions import arm_label
from m4review.workspace import Workspace

if TYPE_CHECKING:
    from m4review.trials import TrialEvent, TrialRequest, TrialSummary

LAST_LINES = 6
"""Lines of the agent's trace kept for the screen; the whole trace is in the run's own file."""


@dataclass
class Lane:
    """One condition: which run it is at, in which phase, since when, and the last things the agent did."""

    condition: str
    run: str = ""
    phase: str = "waiting"
    since: float = 0.0
    """Monotonic seconds at which the run began; 0 before."""
    took: float | None = None
    """Seconds the finished run took."""
    outcome: str | None = None
    reward: float | None = None
    reason: str | None = None
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=LAST_LINES))


class RunningTrial:
    """One trial from start to end. ``run`` blocks and belongs in a thread; the rest is for the screen."""

    def __init__(
        self,
        workspace: Workspace,
        request: TrialRequest,
        environment: Mapping[str, str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._workspace = workspace
        self._environment = environment
        self._clock = clock
        self._events: queue.SimpleQueue[TrialEvent] = queue.SimpleQueue()
        self._cancel = threading.Event()
        self.request = request
        self.started = clock()
        self.lanes = {condition.value: Lane(condition.value) for condition in request.conditions}
        """By label; the arms of an ablation join when they begin, because only the trial knows the sections."""
        self.notices: list[str] = []
        self.summary: TrialSummary | None = None
        self.error: M4ReviewError | None = None
        self.is_over = False
        self.is_seen = False
        """Whether a person was shown how it ended."""

    def run(self) -> None:
        """Run the trial to its end; never raises a known error, but keeps it in ``error``."""
        from m4review.trials import run_trial

        try:
            self.summary = run_trial(
                self._workspace,
                self.request,
                listener=self._events.put,
                cancel=self._cancel,
                environment=self._environment,
            )
        except M4ReviewError as error:
            self.error = error
        finally:
            self.is_over = True

    def cancel(self) -> None:
        """Ask the trial to stop; it removes its container first."""
        self._cancel.set()

    @property
    def is_cancelled(self) -> bool:
        """Whether stopping was asked for."""
        return self._cancel.is_set()

    def take_events(self) -> bool:
        """Bring the lanes up to date with what was reported since the last call; whether anything was."""
        taken = False
        while True:
            try:
                event = self._events.get_nowait()
            except queue.Empty:
                return taken
            self._take(event)
            taken = True

    def _take(self, event: TrialEvent) -> None:
        if event.kind == "run-started":
            label = arm_label(event.condition, event.left_out)
            lane = self.lanes.setdefault(label, Lane(label))
            lane.run, lane.phase, lane.since, lane.took = event.run, "starting", self._clock(), None
            lane.outcome = lane.reward = lane.reason = None
        elif event.kind == "phase-started":
            self._lane_of(event.run).phase = event.phase
        elif event.kind == "trace":
            self._lane_of(event.run).lines.append(event.text)
        elif event.kind == "run-finished":
            record = event.record
            lane = self._lane_of(record.id)
            lane.phase, lane.outcome, lane.took = "done", record.outcome.value, self._clock() - lane.since
            lane.reward, lane.reason = record.reward, record.reason
        elif event.kind == "notice":
            self.notices.append(event.text)

    def _lane_of(self, run: str) -> Lane:
        return next(lane for lane in self.lanes.values() if lane.run == run)
