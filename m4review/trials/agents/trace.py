"""Traces: what an agent's standard output says it did, in one form whatever the agent's own.

A parser turns one line into its events, or ``None`` when it is not of its format. A line that cannot be understood is
counted, never dropped silently: a trace of which nothing was understood must not look like a clean one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from m4review.trials.agents.formats import AGENT_FORMATS, Format
from m4review.trials.printable import printable

EventKind = Literal["message", "tool_call", "tool_result", "gap", "usage", "end"]
KINDS = ("message", "tool_call", "tool_result", "gap", "usage", "end")

MOST_TOKENS = 2**53
MOST_PROBLEMS = 20
SKILL_TOOLS = frozenset({"skill", "activate_skill"})
SKILL_FILE = re.compile(r"SKILL\.md|\bskills/\S*\.md")
RAW = "raw"
"""The parser of an agent whose format nobody described: its trace is kept, and nothing of it is understood."""

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
    """Cached ones included."""
    output_tokens: int | None
    cached_tokens: int | None = None
    tokens_agree: bool | None = None
    """Whether the sum over messages is the program's own total; ``None`` when only one of the two is known."""
    status: str | None = None
    """How the program says the run ended: ``ok``, ``failed`` or ``refused``; ``None`` when it does not say."""
    problems: tuple[str, ...] = ()
    """The last error messages of the program."""

    @property
    def readable(self) -> bool:
        """Whether the trace says anything at all."""
        return self.understood > 0


Parser = Callable[[int, bytes], tuple[TraceEvent, ...] | None]


def parse_event(number: int, line: bytes) -> tuple[TraceEvent, ...] | None:
    """The format of ARCHITECTURE.md: one JSON object per line with an ``event``."""
    values = _object(line)
    if values is None or values.get("event") not in KINDS:
        return None
    return (_event(number, values["event"], values),)


def parser_of(read: Format) -> Parser:
    """The parser of an agent program's own format."""

    def parse(number: int, line: bytes) -> tuple[TraceEvent, ...] | None:
        values = _object(line)
        said = None if values is None else read(values)
        return None if said is None else tuple(_event(number, kind, values) for kind, values in said)

    return parse


def parse_nothing(number: int, line: bytes) -> None:
    """No line is understood."""


PARSERS: dict[str, Parser] = {
    "m4review-events": parse_event,
    RAW: parse_nothing,
    **{name: parser_of(read) for name, read in AGENT_FORMATS.items()},
}


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
        self._opening: set[str] = set()
        self._tokens = Tokens()
        self._status: str | None = None
        self._problems: list[str] = []

    @property
    def lines(self) -> int:
        """Lines that were not empty, so far."""
        return self._lines

    @property
    def tokens(self) -> tuple[int | None, int | None]:
        """Tokens that the model was given and that it gave, so far."""
        sums = self._tokens.sums()
        return sums["input_tokens"], sums["output_tokens"]

    def feed(self, line: bytes) -> tuple[TraceEvent, ...] | None:
        """Take the next line; returns the events in it, or ``None`` when it is not understood."""
        if not line.strip():
            return ()
        self._lines += 1
        events = self._parse(self._lines, line)
        if events is None:
            return None
        self._understood += 1
        for event in events:
            self._events[event.kind] = self._events.get(event.kind, 0) + 1
            self._take(event)
        return events

    def _take(self, event: TraceEvent) -> None:
        values = event.values
        match event.kind:
            case "gap":
                gap = Gap(
                    where=printable(str(values.get("where", "")), SHOWN),
                    text=printable(str(values.get("text", "")), SHOWN),
                    why=printable(str(values.get("why", "")), SHOWN),
                    kind=printable(str(values.get("kind", "unclear")), SHOWN),
                )
                self._gaps.setdefault((gap.where, gap.text), gap)
            case "tool_call":
                self._look_for_skill(values)
            case "tool_result":
                if str(values.get("id")) in self._opening and not values.get("failed"):
                    self._opened = True
            case "message":
                if values.get("problem"):
                    self._add_problem(values)
                elif values.get("event") == "message":
                    self._opened = self._opened or bool(SKILL_FILE.search(str(values.get("text", ""))))
            case "usage":
                self._tokens.add(values)
            case "end":
                status = values.get("status")
                if status in ("ok", "failed", "refused") and self._status != "refused":
                    self._status = status
                if status == "failed":
                    self._add_problem(values)

    def _look_for_skill(self, values: dict[str, Any]) -> None:
        """A call opens a skill when it names its file or is the tool for skills, and when it does not fail."""
        said = " ".join(str(values.get(key, "")) for key in ("command", "path", "title", "text"))
        if str(values.get("name", "")).lower() in SKILL_TOOLS or SKILL_FILE.search(said):
            if values.get("id"):
                self._opening.add(str(values["id"]))
            else:
                self._opened = True

    def _add_problem(self, values: dict[str, Any]) -> None:
        text = printable(str(values.get("text") or ""), SHOWN)
        if text:
            self._problems = [*self._problems, text][-MOST_PROBLEMS:]

    def summary(self) -> TraceSummary:
        """The trace so far."""
        return TraceSummary(
            parser=self._name,
            lines=self._lines,
            understood=self._understood,
            events=dict(sorted(self._events.items())),
            gaps=tuple(self._gaps.values()),
            skill_opened=self._opened if self._understood else None,
            status=self._status,
            problems=tuple(self._problems),
            **self._tokens.sums(),
        )


class Tokens:
    """Tokens counted once: by message, and as the program's own total."""

    KEYS = ("input_tokens", "output_tokens", "cached_tokens")

    def __init__(self) -> None:
        self._messages: dict[str, dict[str, int]] = {}
        self._total: dict[str, int] | None = None

    def add(self, values: dict[str, Any]) -> None:
        """Take a usage event. One for a message that was counted before replaces what was counted."""
        found = {key: values[key] for key in self.KEYS if self._is_count(values.get(key))}
        if values.get("total"):
            before = self._total or {}
            self._total = {key: before.get(key, 0) + found.get(key, 0) for key in before | found}
        else:
            self._messages[str(values.get("id") or f"#{len(self._messages)}")] = found

    def sums(self) -> dict[str, Any]:
        """The fields of a :class:`TraceSummary`. The program's total counts where there is one."""
        added = {
            key: sum(found.get(key, 0) for found in self._messages.values())
            for key in self.KEYS
            if any(key in found for found in self._messages.values())
        }
        counted = added if self._total is None else self._total
        both = added.keys() & (self._total or {}).keys()
        agree = all(added[key] == counted[key] for key in both) if both else None
        return {**{key: counted.get(key) for key in self.KEYS}, "tokens_agree": agree}

    @staticmethod
    def _is_count(value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_TOKENS


def read_trace(lines: Iterable[bytes], parser: str) -> TraceSummary:
    """The summary of a stored trace."""
    reader = TraceReader(parser)
    for line in lines:
        reader.feed(line)
    return reader.summary()


def _object(line: bytes) -> dict[str, Any] | None:
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return values if isinstance(values, dict) else None


def _event(number: int, kind: EventKind, values: dict[str, Any]) -> TraceEvent:
    return TraceEvent(line=number, kind=kind, text=printable(_described(kind, values), SHOWN), values=values)


def _described(kind: EventKind, values: dict[str, Any]) -> str:
    """One line for a person."""
    match kind:
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
