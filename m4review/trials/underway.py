"""Trials under way and those that ended unseen, from their logbooks: listed, found by id, stopped, forgotten."""

from __future__ import annotations

import os
import platform
import shutil
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from m4review.errors import M4ReviewError, TrialError
from m4review.trials.claims import OWNER_FILE
from m4review.trials.logbook import (
    ASKED,
    SEEN,
    WISH,
    Asked,
    Ended,
    LogbookReader,
    logbooks_folder,
    read_asked,
    read_ended,
)
from m4review.trials.records import OnError
from m4review.trials.sandbox.ownership import Owner
from m4review.workspace import Workspace

State = Literal["running", "over", "died"]

STARTING = timedelta(minutes=1)
"""A logbook without an owner is of a trial that is being started; after this time, of one that never was."""
KEPT = timedelta(days=7)
"""How long a logbook stays that nobody looked at."""
KEPT_SEEN = timedelta(hours=1)
"""How long one stays after its end was seen: another window may still read it."""
DIED = "the program that ran it was ended from outside, by a kill or a restart of the machine"
WHAT_TO_DO = (
    "run it again with --resume, which takes the runs that had finished; 'm4review trial clean' removes the rest"
)


@dataclass(frozen=True, slots=True)
class UnderWay:
    """One logbook as it is now."""

    folder: Path
    asked: Asked
    state: State
    owner: Owner | None
    ended: Ended | None
    seen: bool
    """Whether a person was shown how it ended."""

    @property
    def id(self) -> str:
        """The id by which it is attached to and stopped; the trials in it have ids of their own."""
        return self.asked.id

    @property
    def is_here(self) -> bool:
        """Whether its process runs on this machine, so that it can be stopped from here."""
        return self.owner is None or self.owner.host == platform.node()

    def trials(self) -> tuple[str, ...]:
        """The ids of its trials, as far as they have begun.

        Raises:
            TrialError: its events cannot be understood.
        """
        if self.ended is not None and self.ended.trials:
            return self.ended.trials
        reported = LogbookReader(self.folder).news()
        return tuple(line.event.trial for line in reported if line.event.kind == "trial-started")

    def died_error(self) -> TrialError:
        """What to say and do when its process is dead."""
        return TrialError(DIED, where=", ".join(self.asked.tasks), fix=WHAT_TO_DO)


def under_way(
    workspace: Workspace, on_error: OnError = lambda error: None, *, now: datetime | None = None
) -> list[UnderWay]:
    """Every logbook of the workspace, newest first. One that cannot be understood is given to ``on_error``."""
    found = []
    for path in sorted(logbooks_folder(workspace).glob(f"*/{ASKED}"), reverse=True):
        try:
            found.append(look_at(path.parent, now=now))
        except M4ReviewError as error:
            on_error(error)
    return found


def look_at(folder: Path, *, now: datetime | None = None) -> UnderWay:
    """A logbook as it is now.

    Raises:
        TrialError: it is gone or cannot be understood.
    """
    asked, owner = read_asked(folder), _owner(folder)
    # The owner is read before the end: a process leaves its end first and then its mark.
    ended = read_ended(folder)
    state: State = "running"
    if ended is not None:
        state = "over"
    elif owner is None:
        state = "running" if (now or datetime.now(UTC)) - asked.started < STARTING else "died"
    elif owner.gone:
        state = "died"
    return UnderWay(folder, asked, state, owner, ended, (folder / SEEN).exists())


def find_under_way(workspace: Workspace, identifier: str | None, *, states: Sequence[State] = ("running",)) -> UnderWay:
    """The one with that id or that trial, or the beginning of one; without an id the only one.

    Raises:
        TrialError: there is none, or there are several.
    """
    found = [entry for entry in under_way(workspace) if entry.state in states]
    wanted = (identifier or "").upper()
    if identifier:
        found = [entry for entry in found if any(name.startswith(wanted) for name in (entry.id, *entry.trials()))]
    if not found:
        what = f"no such trial is under way: {identifier}" if identifier else "no trial is under way"
        raise TrialError(what, expected="an id from 'm4review trial list --running'")
    if len(found) > 1:
        names = "".join(f"\n    {entry.id}  {', '.join(entry.asked.tasks)}" for entry in found)
        raise TrialError(f"{len(found)} trials are under way", expected=f"one of these ids:{names}")
    return found[0]


def stop(entry: UnderWay) -> None:
    """Ask the process of a trial to stop; it removes its containers and writes down what had finished.

    One that is still being started finds the wish when it begins.

    Raises:
        TrialError: it runs on another machine, or belongs to another user.
    """
    if not entry.is_here:
        assert entry.owner is not None
        raise TrialError(f"the trial runs on {entry.owner.host}", fix=f"stop it there: m4review trial stop {entry.id}")
    if not entry.folder.is_dir():
        return
    (entry.folder / WISH).touch()
    owner = _owner(entry.folder)  # read after the wish is there: whoever claims the folder later finds it
    if owner is None or owner.gone:
        return
    try:
        os.kill(owner.pid, signal.SIGTERM)
    except ProcessLookupError:
        return
    except PermissionError:
        raise TrialError("the trial belongs to another user of this machine", where=entry.id) from None


def mark_seen(folder: Path) -> None:
    """Remember that a person was shown how the trial of a logbook ended; one that is gone needs no mark."""
    if folder.is_dir():
        (folder / SEEN).touch()


def forget(entry: UnderWay) -> None:
    """Remove the logbook of a trial that is over or died; records of runs and trials stay.

    Raises:
        TrialError: the trial is running.
    """
    if entry.state == "running":
        raise TrialError("the trial is running", where=entry.id, fix=f"stop it first: m4review trial stop {entry.id}")
    shutil.rmtree(entry.folder, ignore_errors=True)


def tidy(workspace: Workspace, *, now: datetime | None = None) -> None:
    """Remove the logbooks that nobody needs: seen ones after an hour, others after a week."""
    now = now or datetime.now(UTC)
    for entry in under_way(workspace, now=now):
        ended = entry.ended.finished if entry.ended is not None else entry.asked.started
        if entry.state != "running" and now - ended > (KEPT_SEEN if entry.seen else KEPT):
            forget(entry)


def _owner(folder: Path) -> Owner | None:
    try:
        return Owner.model_validate_json((folder / OWNER_FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, ValidationError):
        raise TrialError("the mark of a trial's process cannot be read", where=folder / OWNER_FILE) from None
