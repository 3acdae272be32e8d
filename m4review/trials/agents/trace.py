"""Traces: what an agent's standard output says it did, in one form whatever the agent's own.

A parser turns one line into an event or ``None``. A line that cannot be understood is counted, never dropped silently:
a trace of which nothing was understood must not look like a clean one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from m4review.trials.printable import printable

EventKind = Literal["message", "tool_call", "tool_result", "gap", "usage", "end"]
KINDS = ("message", "tool_call", "tool_result", "gap", "usage", "end")

MOST_TOKENS = 2**53
SHOWN = 400
"""Characters of a text kept in a record; the whole trace stays in its own file."""


class TraceEvent(BaseModel):
    """One thing the agent did. ``values`` is the event as written."""

    model_config = ConfigDict(frozen=True)

    line: int
    kind: EventKind
    text: str
    values: dict[str, Any]


class Gap(BaseModel):
    """Something the text says that the agent could not execute. ``where`` is ``file:line``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    where: str
    text: str
    why: str
    kind: str = "unclear"


class TraceSummary(BaseModel):
    """A whole trace in figures. ``skill_opened`` is ``None`` when the trace cannot tell."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    parser: str
    lines: int
    understood: int
    events: dict[str, int]
    gaps: tuple[Gap, ...]
    skill_opened: bool | None
    input_tokens: int | None
    output_tokens: int | None

    @property
    def readable(self) -> bool:
        """Whether the trace says anything at all."""
        return self.understood > 0


Parser = Callable[[int, bytes], TraceEvent | None]


def parse_event(number: int, line: bytes) -> TraceEvent | None:
    """The format of ARCHITECTURE.md: one JSON object per line with an ``event``."""
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, dict) or values.get("event") not in KINDS:
        return None
    return TraceEvent(line=number, kind=values["event"], text=printable(_described(values), SHOWN), values=values)


PARSERS: dict[str, Parser] = {"m4review-events": parse_event}


class TraceReader:
    """Takes the lines of one run as they come and sums them up at the end."""

    def __init__(self, parser: str) -> None:
        self._name = parser
        self._parse = PARSERS[parser]
        self._lines = 0
        self._understood = 0
        self._events: dict[str, int] = {}
        self._gaps: dict[tuple[str, str], Gap] = {}
        self._opened = False
        self._tokens: dict[str, int] = {}

    @property
    def lines(self) -> int:
        """Lines that were not empty, so far."""
        return self._lines

    def feed(self, line: bytes) -> TraceEvent | None:
        """Take the next line; returns it as an event if it is one."""
        if not line.strip():
            return None
        self._lines += 1
        event = self._parse(self._lines, line)
        if event is None:
            return None
        self._understood += 1
        self._events[event.kind] = self._events.get(event.kind, 0) + 1
        if event.kind == "gap":
            gap = Gap(
                where=printable(str(event.values.get("where", "")), SHOWN),
                text=printable(str(event.values.get("text", "")), SHOWN),
                why=printable(str(event.values.get("why", "")), SHOWN),
                kind=printable(str(event.values.get("kind", "unclear")), SHOWN),
            )
            self._gaps.setdefault((gap.where, gap.text), gap)
        elif event.kind in {"tool_call", "message"}:
            self._opened = self._opened or b"SKILL.md" in line
        elif event.kind == "usage":
            for key in ("input_tokens", "output_tokens"):
                value = event.values.get(key)
                if isinstance(value, int) and 0 <= value < MOST_TOKENS:
                    self._tokens[key] = self._tokens.get(key, 0) + value
        return event

    def summary(self) -> TraceSummary:
        """The trace so far."""
        return TraceSummary(
            parser=self._name,
            lines=self._lines,
            understood=self._understood,
            events=dict(sorted(self._events.items())),
            gaps=tuple(self._gaps.values()),
            skill_opened=self._opened if self._understood else None,
            input_tokens=self._tokens.get("input_tokens"),
            output_tokens=self._tokens.get("output_tokens"),
        )


def read_trace(lines: Iterable[bytes], parser: str) -> TraceSummary:
    """The summary of a stored trace."""
    reader = TraceReader(parser)
    for line in lines:
        reader.feed(line)
    return reader.summary()


def _described(values: dict[str, Any]) -> str:
    """One line for a person."""
    match values["event"]:
        case "gap":
            return f"cannot do: {values.get('text', '')} ({values.get('where', '')}: {values.get('why', '')})"
        case "tool_call":
            what = values.get("title") or values.get("path") or values.get("command") or values.get("text") or ""
            return f"{values.get('name', 'tool')}: {what}"
        case "tool_result":
            rows = values.get("rows")
            return f"{rows:,} rows" if isinstance(rows, int) else str(values.get("text", ""))
        case "usage":
            return ""
        case _:
            return str(values.get("text", ""))
