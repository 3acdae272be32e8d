"""A run's trace in one form, whatever the agent's: what it said and did, in order, fit to be shown.

It lies beside the raw trace as ``events.jsonl``, one JSON object per line. ``seconds`` counts from the agent's start on
the host's steady clock. Texts have passed :mod:`m4review.trials.discretion`, so nothing shown from it holds rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from pydantic import BaseModel, ConfigDict, ValidationError

from m4review.errors import TrialError
from m4review.trials.agents.trace import EventKind, TraceEvent
from m4review.trials.discretion import Discretion
from m4review.trials.printable import printable
from m4review.trials.sandbox.capture import run_folder_error

EVENTS_NAME = "events.jsonl"
MOST_ENTRIES = 20_000
"""Events that are kept in this form; the raw trace holds the rest."""

LONGEST_NAME = 60


class TimelineEntry(BaseModel):
    """One thing the agent did. ``line`` is its line in the raw trace."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    line: int
    seconds: float
    kind: EventKind
    name: str | None = None
    """Of the tool, for calls and results."""
    text: str


class Timeline:
    """Writes the events of one run as they come."""

    def __init__(self, folder: Path, discretion: Discretion) -> None:
        self._path = folder / EVENTS_NAME
        self._discretion = discretion
        self._written = 0
        try:
            self._file = self._path.open("w", encoding="utf-8")
        except OSError as error:
            raise run_folder_error(self._path, error) from None

    def add(self, event: TraceEvent, seconds: float) -> TimelineEntry | None:
        """Keep an event that came ``seconds`` after the agent's start; ``None`` when there are too many to keep it.

        Raises:
            TrialError: the disk of the run folder is full or not writable.
        """
        if self._written == MOST_ENTRIES:
            return None
        self._written += 1
        name = event.values.get("name")
        entry = TimelineEntry(
            line=event.line,
            seconds=round(max(seconds, 0.0), 3),
            kind=event.kind,
            name=printable(name, LONGEST_NAME) if isinstance(name, str) else None,
            text=self._described(event),
        )
        try:
            self._file.write(entry.model_dump_json(exclude_none=True) + "\n")
            self._file.flush()
        except OSError as error:
            raise run_folder_error(self._path, error) from None
        return entry

    def discreet(self, text: str) -> str:
        """A text of the agent as it may be shown: without rows of data."""
        return self._discretion.text(text)

    def __enter__(self) -> Timeline:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._file.close()
        except OSError as full:
            raise run_folder_error(self._path, full) from None

    def _described(self, event: TraceEvent) -> str:
        values = event.values
        match event.kind:
            case "tool_result":
                return self._discretion.result(values)
            case "usage":
                tokens = ((word, values.get(f"{word}_tokens")) for word in ("input", "output"))
                return ", ".join(f"{count:,} {word} tokens" for word, count in tokens if isinstance(count, int))
            case "gap":
                said = f"{values.get('where', '')}: {values.get('text', '')} ({values.get('why', '')})"
                return self._discretion.text(said)
            case "tool_call":
                known = (values.get(key) for key in ("command", "path", "title", "text"))
                what = next((value for value in known if value), "")
                return self._discretion.text(" ".join(map(str, what)) if isinstance(what, list) else str(what))
            case _:
                return self._discretion.text(str(values.get("text") or ""))


def read_timeline(folder: Path) -> Iterator[TimelineEntry]:
    """The events of a run, in order; none when the run kept none.

    Raises:
        TrialError: the file cannot be understood.
    """
    path = folder / EVENTS_NAME
    if not path.is_file():
        return
    with path.open(encoding="utf-8") as stream:
        for number, line in enumerate(stream, start=1):
            try:
                yield TimelineEntry.model_validate_json(line)
            except ValidationError:
                raise TrialError(
                    "not an event of a run", where=path, line=number, expected="the file as the run wrote it"
                ) from None
