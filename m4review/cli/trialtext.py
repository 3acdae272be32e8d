"""Trials as text: live progress on standard error, tables and lists on standard output."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from typing import TextIO

import click

from m4review.cli.movingline import MovingLine
from m4review.trials import (
    Notice,
    PhaseEnded,
    PhaseStarted,
    Progressed,
    RunFinished,
    RunStarted,
    TraceLine,
    TrialEvent,
    TrialStarted,
    TrialSummary,
)
from m4review.trials.conditions import arm_label
from m4review.trials.runtext import outcome_line
from m4review.trials.table import number, signed

PHASE_WORDS = {
    "prepare": "preparing",
    "create": "creating the container",
    "start": "starting",
    "agent": "the agent works",
    "stop": "stopping",
    "read": "reading what it left",
    "audit": "auditing",
    "score": "scoring",
}


class Progress(MovingLine):
    """Shows running trials: one moving line on a terminal, plain lines elsewhere."""

    def __init__(self, stream: TextIO, stopping: threading.Event) -> None:
        super().__init__(stream)
        self._stopping = stopping
        self._labels: dict[str, str] = {}
        """What each run under way is called, by its id."""
        self._events: dict[str, int] = {}
        self._trials = 0
        self._left = ""

    def show(self, event: TrialEvent) -> None:
        """Show one event."""
        match event:
            case TrialStarted():
                self._trials += 1
                self.say(f"trial {event.trial}: {event.task}, {event.runs} run{'s' if event.runs != 1 else ''}")
            case RunStarted():
                again = f", replicate {event.replicate}" if event.replicate > 1 else ""
                task = f"{event.task} " if self._trials > 1 else ""
                label = arm_label(event.condition, event.left_out)
                self._labels[event.run] = f"[{event.position}/{event.runs}] {task}{label}{again}"
                self._events[event.run] = 0
                self.say(f"{self._labels[event.run]}: run {event.run}")
            case PhaseStarted():
                self._phase(event)
            case PhaseEnded():
                pass
            case TraceLine():
                self._events[event.run] += 1
                self._update(event.run, f"{event.event} {self._events[event.run]}: {event.text}")
            case RunFinished():
                self.say(f"{self._labels.pop(event.record.id)}: {outcome_line(event.record)}")
            case Progressed():
                self._progressed(event)
            case Notice():
                self.say(event.text)

    def _phase(self, event: PhaseStarted) -> None:
        self._update(event.run, PHASE_WORDS[event.phase])
        label = self._labels[event.run]
        if event.phase == "stop" and self._stopping.is_set():
            self.say(f"{label}: stopping, and removing what the run made")
        if not self.moves and event.phase in {"agent", "score"}:
            self.say(f"{label}: {PHASE_WORDS[event.phase]}")

    def _progressed(self, event: Progressed) -> None:
        if event.done == event.runs or event.seconds_left is None:
            self._left = ""
            return
        self._left = f"about {time_left(event.seconds_left)} left"
        if not self.moves:
            self.say(f"{event.done} of {event.runs} runs done, {self._left}")

    def _update(self, run: str, text: str) -> None:
        self.move(" · ".join(part for part in (self._left, self._labels[run]) if part) + ": ", text)


def print_list(trials: Sequence[TrialSummary]) -> None:
    """One line per trial."""
    if not trials:
        say("no trials yet; 'm4review trial TASK' runs one")
        return
    say(f"{'id':<26}  {'when':<16}  {'no-skill':>8}  {'with':>6}  {'Δ':>7}  task · agent · dataset")
    for entry in trials:
        without, with_skill = entry.reward("no-skill"), entry.reward("with-skill")
        marks = [
            mark
            for mark, wanted in (
                (entry.changed_schema or "", entry.changed_schema is not None),
                ("not isolated", not entry.isolated),
                ("cancelled", entry.cancelled),
                ("audit hold", entry.held),
            )
            if wanted
        ]
        say(
            f"{entry.id}  {entry.started:%Y-%m-%d %H:%M}  {number(without):>8}  "
            f"{number(with_skill):>6}  {signed(entry.delta):>7}  "
            + " · ".join([entry.task, entry.agent, entry.dataset, *marks])
        )


def time_left(seconds: float) -> str:
    """A duration as a person says it."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


def say(line: str = "") -> None:
    """One line on standard output."""
    click.echo(line, file=sys.stdout)
