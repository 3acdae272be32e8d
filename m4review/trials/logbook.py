"""The logbook of trials under way: what was asked for, whose process it is, what it reported, how it ended.

Each has a private folder under ``.m4review/running``, so that a screen, another window or the command line can look at
trials that they did not start, and so that a trial outlives whoever started it. The folder holds ``asked.json``,
``owner.json`` while the process lives, ``events.jsonl`` with one event per line, and ``ended.json`` once it is over.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from ulid import ULID

from m4review.errors import M4ReviewError, TrialError
from m4review.textfile import write_bytes
from m4review.trials.claims import claim_folder, private_folder, release_folder
from m4review.trials.events import TraceLine, TrialEvent
from m4review.trials.records import read_record, to_json
from m4review.trials.request import TrialRequest
from m4review.trials.sandbox.capture import run_folder_error
from m4review.trials.sandbox.ownership import Owner
from m4review.workspace import Workspace

RUNNING = "running"
ASKED, EVENTS, ENDED = "asked.json", "events.jsonl", "ended.json"
SEEN, WISH = "seen", "stop"
"""Empty files: a person was shown how it ended; somebody wished that it stops."""
MOST_TRACE_LINES = 20_000
"""Lines of agents' traces that are kept here; the runs' own traces hold them all."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Asked(_Part):
    """What was asked for, and when."""

    schema_id: Literal["m4review.asked.v1"] = Field(default="m4review.asked.v1", alias="schema")
    id: str
    requests: tuple[TrialRequest, ...] = Field(min_length=1)
    parallel: int = 1
    started: datetime

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that are tried, in the order in which they were named."""
        return tuple(request.task for request in self.requests)


class Trouble(_Part):
    """Why trials could not run, as their error says it."""

    what: str
    place: str | None = None
    expected: str | None = None
    fix: str | None = None
    of_trial: bool = False
    """Whether it is the trial that could not be made, and not its data or files."""

    def as_error(self) -> M4ReviewError:
        """The error as it would be raised here."""
        kind = TrialError if self.of_trial else M4ReviewError
        return kind(self.what, where=self.place, expected=self.expected, fix=self.fix)


class Ended(_Part):
    """How it ended: the trials that were recorded, or the trouble that kept them from it."""

    schema_id: Literal["m4review.ended.v1"] = Field(default="m4review.ended.v1", alias="schema")
    finished: datetime
    trials: tuple[str, ...] = ()
    trouble: Trouble | None = None


class Reported(_Part):
    """One event and when it was reported, in seconds of the wall clock."""

    at: float
    event: Annotated[TrialEvent, Field(discriminator="kind")]


_LINE: TypeAdapter[Reported] = TypeAdapter(Reported)


def logbooks_folder(workspace: Workspace) -> Path:
    """Where the logbooks lie."""
    return workspace.local_dir / RUNNING


def open_logbook(
    workspace: Workspace, requests: Sequence[TrialRequest], parallel: int = 1, *, started: datetime | None = None
) -> Asked:
    """Write down what is asked for, before anything of it begins.

    Raises:
        TrialError: the disk is full or not writable.
    """
    started = started or datetime.now(UTC)
    asked = Asked(id=str(ULID.from_datetime(started)), requests=tuple(requests), parallel=parallel, started=started)
    private_folder(workspace.local_dir / RUNNING)
    folder = logbooks_folder(workspace) / asked.id
    private_folder(folder)
    write_bytes(folder / ASKED, to_json(asked))
    return asked


class Logbook:
    """Written by the process that makes the trials, from when it begins to when it ends, well or not.

    Used as a context; a known error that leaves it is written down and goes on its way.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._clock = clock
        self._trace_lines = 0
        claim_folder(folder, Owner.of_this_process())
        try:
            self._file = (folder / EVENTS).open("a", encoding="utf-8")
        except OSError as error:
            raise run_folder_error(folder / EVENTS, error) from None

    @property
    def is_to_stop(self) -> bool:
        """Whether somebody wished that it stops."""
        return (self._folder / WISH).exists()

    def write(self, event: TrialEvent) -> None:
        """Keep an event.

        Raises:
            TrialError: the disk is full or not writable.
        """
        if isinstance(event, TraceLine):
            self._trace_lines += 1
            if self._trace_lines > MOST_TRACE_LINES:
                return
        line = json.dumps({"at": round(self._clock(), 3), "event": event.model_dump(mode="json", by_alias=True)})
        try:
            self._file.write(line + "\n")
            self._file.flush()
        except OSError as error:
            raise run_folder_error(self._folder / EVENTS, error) from None

    def close(self, trials: Sequence[str] = (), trouble: M4ReviewError | None = None) -> None:
        """Write down how it ended and leave."""
        self._file.close()
        ended = Ended(
            finished=datetime.fromtimestamp(self._clock(), UTC),
            trials=tuple(trials),
            trouble=None if trouble is None else _trouble(trouble),
        )
        write_bytes(self._folder / ENDED, to_json(ended))
        release_folder(self._folder)

    def __enter__(self) -> Logbook:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file.closed:
            return
        known = error if isinstance(error, M4ReviewError) else None
        if known is None and error is not None:
            known = M4ReviewError(f"an internal error ({type(error).__name__}) ended the trial")
        self.close(trouble=known)


def read_asked(folder: Path) -> Asked:
    """What was asked for.

    Raises:
        TrialError: it is gone or cannot be understood.
    """
    return read_record(folder / ASKED, Asked)


def read_ended(folder: Path) -> Ended | None:
    """How it ended, ``None`` while it has not.

    Raises:
        TrialError: it cannot be understood.
    """
    return read_record(folder / ENDED, Ended) if (folder / ENDED).is_file() else None


class LogbookReader:
    """Reads what was reported, each time what is new."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / EVENTS
        self._place = 0
        self._number = 0

    def news(self) -> Iterator[Reported]:
        """The events that were reported since the last call; a line that is still being written waits.

        Raises:
            TrialError: a line cannot be understood.
        """
        try:
            with self._path.open("rb") as stream:
                stream.seek(self._place)
                text = stream.read()
        except FileNotFoundError:
            return
        complete = text[: text.rfind(b"\n") + 1]
        self._place += len(complete)
        for line in complete.splitlines():
            self._number += 1
            try:
                yield _LINE.validate_json(line)
            except ValidationError:
                raise TrialError(
                    "not an event of a trial",
                    where=self._path,
                    line=self._number,
                    expected="the file as it was written",
                ) from None


def _trouble(error: M4ReviewError) -> Trouble:
    return Trouble(
        what=error.what,
        place=error.place,
        expected=error.expected,
        fix=error.fix,
        of_trial=isinstance(error, TrialError),
    )
