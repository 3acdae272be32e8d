"""What is noticed while a run is under way: how long its phases take, what the agent says, evidence for the audit."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from m4review.trials.agents.trace import SHOWN, TraceReader
from m4review.trials.audit import Audit, Auditor
from m4review.trials.events import PhaseEnded, PhaseStarted, TokensCounted, TraceLine, TrialEvent
from m4review.trials.printable import printable
from m4review.trials.sandbox.job import STDERR_NAME, TRACE_NAME, Phase, SandboxResult
from m4review.trials.secrets import SecretScreen
from m4review.trials.timeline import Timeline, TimelineEntry

RAW_LINES_SHOWN = 200
"""Lines in which a trace that is not understood is shown live; its file holds them all."""


class Phases:
    """Times the phases of a run on the steady clock, whatever the wall clock does, and reports them."""

    def __init__(self, run_id: str, listener: Callable[[TrialEvent], None]) -> None:
        self.run_id = run_id
        self._listener = listener
        self.seconds: dict[str, float] = {}
        self._began: dict[str, float] = {}

    @contextlib.contextmanager
    def __call__(self, phase: Phase) -> Iterator[None]:
        self._listener(PhaseStarted(run=self.run_id, phase=phase))
        self._began[phase] = began = time.monotonic()
        try:
            yield
        finally:
            lasted = round(time.monotonic() - began, 3)
            self.seconds[phase] = lasted
            self._listener(PhaseEnded(run=self.run_id, phase=phase, seconds=lasted))

    def since(self, phase: Phase) -> float:
        """Seconds since the phase began; 0 before."""
        began = self._began.get(phase)
        return 0.0 if began is None else time.monotonic() - began


class Observer:
    """What is noticed while a run is under way: its trace, its timeline, secrets, and evidence for the audit."""

    def __init__(
        self,
        *,
        parser: str,
        auditor: Auditor,
        timeline: Timeline,
        phases: Phases,
        listener: Callable[[TrialEvent], None],
        secrets: tuple[bytes, ...] = (),
    ) -> None:
        self.trace = TraceReader(parser)
        self.screen = SecretScreen(known=secrets)
        self.auditor = auditor
        self._timeline = timeline
        self._phases = phases
        self._listener = listener

    def trace_line(self, line: bytes) -> None:
        """Take the next line of the agent's standard output."""
        events = self.trace.feed(line)
        for event in events or ():
            self.auditor.look_at_event(event)
            entry = self._timeline.add(event, self._phases.since("agent"))
            if entry is not None and entry.text and entry.kind != "usage":
                self._listener(TraceLine(run=self._phases.run_id, event=event.kind, text=_in_a_line(entry)))
            if event.kind == "usage":
                given, gave = self.trace.tokens
                self._listener(TokensCounted(run=self._phases.run_id, input_tokens=given, output_tokens=gave))
        if events is None and self.trace.lines <= RAW_LINES_SHOWN:
            shown = printable(self._timeline.discreet(line.decode("utf-8", "replace")), SHOWN)
            self._listener(TraceLine(run=self._phases.run_id, event="raw", text=shown))

    def audit(self, result: SandboxResult, folder: Path, *, scored: bool) -> Audit:
        """Look at what the sandbox kept in ``folder``, and sum up."""
        if not result.left_complete:
            self.auditor.unfinished("the agent left more than can be looked at", scored=scored)
        if not result.egress_complete:
            self.auditor.unfinished("there were more network connections than are kept", scored=scored)
        for name in (TRACE_NAME, STDERR_NAME):
            self.auditor.look_at_record(folder / name)
        self.auditor.look_at_secrets(self.screen.found)
        self.auditor.look_at_egress(result.egress)
        return self.auditor.result(self.trace.summary(), trace_truncated=result.trace_truncated, scored=scored)


def _in_a_line(entry: TimelineEntry) -> str:
    """What the agent did, on one line for whoever watches; like the timeline it shows no rows of data."""
    name = "cannot do" if entry.kind == "gap" else entry.name
    said = " ".join(entry.text.split())
    return printable(said if name is None else f"{name}: {said}", SHOWN)
