"""A trial while it runs: what has happened so far, and the wish to stop it. Plain Python; a thread feeds it.

The trial itself is a process of its own, which outlives this window; all that is known of it comes from its logbook.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from m4review.errors import M4ReviewError
from m4review.trials.conditions import arm_label
from m4review.workspace import Workspace

if TYPE_CHECKING:
    from m4review.trials import TrialRequest, TrialSummary
    from m4review.trials.logbook import Reported
    from m4review.trials.underway import UnderWay

LAST_LINES = 12
"""Lines of the agent's trace kept for the screen; the whole trace is in the run's own file."""
LOOK_SECONDS = 0.1
"""How often the logbook is looked at."""


@dataclass
class Lane:
    """One condition: which run it is at, in which phase, since when, and the last things the agent did."""

    condition: str
    run: str = ""
    phase: str = "waiting"
    since: float = 0.0
    """Wall-clock seconds at which the run began; 0 before."""
    took: float | None = None
    """Seconds the finished run took."""
    outcome: str | None = None
    reward: float | None = None
    reason: str | None = None
    tokens: tuple[int | None, int | None] = (None, None)
    """Given to the model and by it; ``None`` where its program does not say."""
    events: int = 0
    """Lines of the agent's trace so far."""
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=LAST_LINES))


class RunningTrial:
    """One trial as this window follows it. ``follow`` blocks and belongs in a thread; the rest is for the screen."""

    def __init__(self, workspace: Workspace, entry: UnderWay, clock: Callable[[], float] = time.time) -> None:
        self._workspace = workspace
        self._entry = entry
        self._clock = clock
        self._events: queue.SimpleQueue[Reported] = queue.SimpleQueue()
        self._let_go = threading.Event()
        self._lane_of: dict[str, Lane] = {}
        self.request: TrialRequest = entry.asked.requests[0]
        self.tasks = entry.asked.tasks
        self.lanes: dict[str, Lane] = {}
        """By label. The arms of an ablation join when they begin, because only the trial knows the sections."""
        for task in self.tasks:
            for condition in self.request.conditions:
                label = self._label(task, condition.value)
                self.lanes[label] = Lane(label)
        self.notices: list[str] = []
        self.done, self.runs = 0, 0
        self.seconds_left: float | None = None
        self.summary: TrialSummary | None = None
        self.error: M4ReviewError | None = None
        self.died = False
        """Whether its process was ended from outside, so that nothing more will come."""
        self.is_over = False
        self.is_cancelled = False
        """Whether stopping was asked for in this window."""
        self.is_seen = entry.seen
        """Whether a person was shown how it ended."""

    @classmethod
    def begin(cls, workspace: Workspace, request: TrialRequest, environment: Mapping[str, str]) -> RunningTrial:
        """Start a trial in a process of its own, and follow it.

        Raises:
            TrialError: the disk is full or not writable, or no process can be started.
        """
        from m4review.trials.detached import start_detached
        from m4review.trials.logbook import logbooks_folder
        from m4review.trials.underway import look_at

        asked = start_detached(workspace, [request], environment=environment)
        return cls(workspace, look_at(logbooks_folder(workspace) / asked.id))

    @property
    def id(self) -> str:
        """The id of its logbook."""
        return self._entry.id

    @property
    def started(self) -> float:
        """Wall-clock seconds at which it was asked for."""
        return self._entry.asked.started.timestamp()

    def follow(self) -> None:
        """Read the logbook until the trial is over or this window lets go of it; a known error is kept in ``error``."""
        from m4review.trials.logbook import LogbookReader
        from m4review.trials.underway import look_at

        reader = LogbookReader(self._entry.folder)
        try:
            while not self._let_go.is_set():
                entry = look_at(self._entry.folder)
                for reported in reader.news():
                    self._events.put(reported)
                if entry.state != "running":
                    self._entry = entry
                    self._take_end(entry)
                    break
                self._let_go.wait(LOOK_SECONDS)
        except M4ReviewError as error:
            self.error = error
        finally:
            self.is_over = not self._let_go.is_set()

    def _take_end(self, entry: UnderWay) -> None:
        from m4review.trials.standing import load_trial

        if entry.ended is None:
            self.died, self.error = True, entry.died_error()
        elif entry.ended.trouble is not None:
            self.error = entry.ended.trouble.as_error()
        elif entry.ended.trials:
            self.summary = load_trial(self._workspace, entry.ended.trials[-1])

    def let_go(self) -> None:
        """Follow it no longer; it goes on."""
        self._let_go.set()

    def cancel(self) -> None:
        """Ask the trial to stop; it removes its container first.

        Raises:
            TrialError: it runs on another machine, or belongs to another user.
        """
        from m4review.trials.underway import look_at, stop

        stop(look_at(self._entry.folder))
        self.is_cancelled = True

    def was_seen(self) -> None:
        """Remember that a person was shown how it ended."""
        from m4review.trials.underway import mark_seen

        self.is_seen = True
        mark_seen(self._entry.folder)

    def take_events(self) -> bool:
        """Bring the lanes up to date with what was reported since the last call; whether anything was."""
        taken = False
        with contextlib.suppress(queue.Empty):
            while True:
                self._take(self._events.get_nowait())
                taken = True
        return taken

    def _take(self, reported: Reported) -> None:
        event = reported.event
        match event.kind:
            case "run-started":
                label = self._label(event.task, arm_label(event.condition, event.left_out))
                lane = self.lanes.setdefault(label, Lane(label))
                lane.run, lane.phase, lane.since, lane.took = event.run, "starting", reported.at, None
                lane.outcome = lane.reward = lane.reason = None
                lane.tokens, lane.events = (None, None), 0
                self._lane_of[event.run] = lane
                self.runs = max(self.runs, event.runs)
            case "phase-started":
                self._lane_of[event.run].phase = event.phase
            case "trace":
                lane = self._lane_of[event.run]
                lane.events += 1
                lane.lines.append(event.text)
            case "tokens":
                self._lane_of[event.run].tokens = (event.input_tokens, event.output_tokens)
            case "run-finished":
                record = event.record
                lane = self._lane_of[record.id]
                lane.phase, lane.outcome, lane.took = "done", record.outcome.value, reported.at - lane.since
                lane.reward, lane.reason = record.reward, record.reason
            case "progressed":
                self.done, self.runs, self.seconds_left = event.done, event.runs, event.seconds_left
            case "notice":
                self.notices.append(event.text)

    def _label(self, task: str, arm: str) -> str:
        return f"{task} {arm}" if len(self.tasks) > 1 else arm


def to_follow(workspace: Workspace, tasks: tuple[str, ...] | None = None) -> list[UnderWay]:
    """Trials that a person should hear of, of some tasks or of all: running ones first, then those that ended unseen.

    Nothing is loaded where there is no logbook, so that starting the workbench costs nothing.
    """
    if not any(_folders(workspace)):
        return []
    from m4review.trials.underway import under_way

    entries = [entry for entry in under_way(workspace) if tasks is None or set(entry.asked.tasks) & set(tasks)]
    return sorted(
        (entry for entry in entries if entry.state == "running" or not entry.seen),
        key=lambda entry: entry.state != "running",
    )


def _folders(workspace: Workspace) -> list[Path]:
    return list((workspace.local_dir / "running").glob("*/"))
