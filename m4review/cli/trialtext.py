"""Trials as text: live progress on standard error, tables and lists on standard output."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Sequence
from typing import TextIO

import click
from rich.console import Console
from rich.status import Status

from m4review.trials import (
    Notice,
    PhaseEnded,
    PhaseStarted,
    RunFinished,
    RunRecord,
    RunStarted,
    TraceLine,
    TrialEvent,
    TrialStarted,
    TrialSummary,
)
from m4review.trials.conditions import arm_label
from m4review.trials.table import number, signed, skill_line

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


class Progress:
    """Shows a running trial: one moving line on a terminal, plain lines elsewhere."""

    def __init__(self, stream: TextIO, stopping: threading.Event) -> None:
        self._console = Console(file=stream, highlight=False, soft_wrap=True)
        self._status: Status | None = None
        self._stopping = stopping
        self._run = ""
        self._events = 0
        self._began = time.monotonic()
        if self._console.is_terminal:
            self._status = Status("preparing", console=self._console)

    def __enter__(self) -> Progress:
        if self._status:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status:
            self._status.stop()

    def show(self, event: TrialEvent) -> None:
        """Show one event."""
        match event:
            case TrialStarted():
                self._say(f"trial {event.trial}: {event.task}, {event.runs} run{'s' if event.runs != 1 else ''}")
            case RunStarted():
                again = f", replicate {event.replicate}" if event.replicate > 1 else ""
                self._run = f"[{event.position}/{event.runs}] {arm_label(event.condition, event.left_out)}{again}"
                self._events = 0
                self._say(f"{self._run}: run {event.run}")
            case PhaseStarted():
                self._update(PHASE_WORDS[event.phase])
                if event.phase == "stop" and self._stopping.is_set():
                    self._say(f"{self._run}: stopping, and removing what the run made")
                if self._status is None and event.phase in {"agent", "score"}:
                    self._say(f"{self._run}: {PHASE_WORDS[event.phase]}")
            case PhaseEnded():
                pass
            case TraceLine():
                self._events += 1
                self._update(f"{event.event} {self._events}: {event.text}")
            case RunFinished():
                self._say(f"{self._run}: {_outcome(event.record)}")
            case Notice():
                self._say(event.text)

    def _say(self, line: str) -> None:
        # The terminal may be gone; that must not keep the run from being cleaned up and recorded.
        with contextlib.suppress(OSError):
            self._console.print(line, markup=False)

    def _update(self, text: str) -> None:
        if self._status:
            room = max(20, self._console.width - len(self._run) - 8)
            self._status.update(f"{self._run}: {' '.join(text.split())[:room]}".replace("[", "\\["))


def print_run(record: RunRecord) -> None:
    """One run in full."""
    say(f"run {record.id} of trial {record.trial}: {record.inputs.task} · {record.inputs.arm.label}")
    say(f"outcome     {_outcome(record)}")
    say(f"sandbox     {record.inputs.sandbox}" + ("" if record.isolated else " (NOT ISOLATED)"))
    say(f"agent       {record.inputs.agent} {record.inputs.agent_version}, exit code {record.exit_code}")
    for skill in record.inputs.skills:
        say(f"given       {skill_line(skill, record.inputs.condition)}")
    say("phases      " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in record.seconds.items()))
    if record.score is not None:
        say(f"reward      {record.score.reward:.4f}")
        for column in record.score.columns:
            say(f"  {column.name:<24} {column.rate:.4f}  ({column.matched:,} of {column.denominator:,})")
        keys = record.score.keys
        counts = f"missing {keys.missing:,}, extra {keys.extra:,}, duplicate {keys.duplicate:,}"
        say(f"keys        F1 {keys.f1:.4f}, {counts}")
        for check in record.score.checks:
            say(f"check       {'pass' if check.passed else 'FAIL'}  {check.name}: {check.detail}")
    _print_findings(record)
    if record.audit is not None:
        for note in record.audit.notes:
            say(f"audit note  {note}")
        for left in record.audit.left:
            say(f"left        {left.path} ({left.kind}, {left.size:,} bytes)")
    if record.trace is not None:
        opened = {True: "yes", False: "no", None: "unknown"}[record.trace.skill_opened]
        say(f"trace       {record.trace.understood} of {record.trace.lines} lines understood; skill opened: {opened}")
        for gap in record.trace.gaps:
            say(f"gap         {gap.where}: {gap.text} ({gap.why})")


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


def _print_findings(record: RunRecord) -> None:
    for finding in () if record.audit is None else record.audit.findings:
        place = finding.file if finding.line is None else f"{finding.file}:{finding.line}"
        say(f"  audit {finding.rule} at {place}: {finding.excerpt} ({finding.why})")


def _outcome(record: RunRecord) -> str:
    if record.outcome == "scored" and record.score is not None:
        return f"scored, reward {record.score.reward:.3f}"
    return record.outcome.value.replace("_", " ") + (f": {record.reason}" if record.reason else "")


def say(line: str = "") -> None:
    """One line on standard output."""
    click.echo(line, file=sys.stdout)
