"""Trials in a process of their own, which goes on when the program that started it is closed or killed.

``python -m m4review.trials.detached ROOT ID`` makes the trials of a logbook; it is started by :func:`start_detached`
only. It belongs to a session of its own, so that a closed terminal does not reach it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from m4review.errors import M4ReviewError, TrialError
from m4review.trials.events import TrialEvent
from m4review.trials.interruption import stop_on_signals
from m4review.trials.logbook import Asked, Logbook, logbooks_folder, open_logbook, read_asked
from m4review.trials.request import TrialRequest
from m4review.trials.summary import TrialSummary
from m4review.trials.trial import run_trials
from m4review.trials.underway import mark_seen, tidy
from m4review.workspace import Workspace

SAID = "said.txt"
"""What the process said on its standard streams; empty unless it could not even begin."""


def start_detached(
    workspace: Workspace,
    requests: Sequence[TrialRequest],
    *,
    parallel: int = 1,
    environment: Mapping[str, str] = os.environ,
) -> Asked:
    """Begin trials in a process of their own and return at once; what it does is in its logbook.

    Raises:
        TrialError: the disk is full or not writable, or no process can be started.
    """
    tidy(workspace)
    asked = open_logbook(workspace, requests, parallel)
    folder = logbooks_folder(workspace) / asked.id
    try:
        with (folder / SAID).open("wb") as said:
            process = subprocess.Popen(
                [sys.executable, "-m", "m4review.trials.detached", str(workspace.root), asked.id],
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
    except OSError as error:
        raise TrialError(f"the trial cannot be started ({error.strerror})", where=asked.id) from None
    # A process that ended stays in the table of processes until somebody waited for it.
    threading.Thread(target=process.wait, name=f"wait-{asked.id}", daemon=True).start()
    return asked


def run_noted(
    workspace: Workspace,
    requests: Sequence[TrialRequest],
    *,
    parallel: int = 1,
    listener: Callable[[TrialEvent], None] = lambda event: None,
    cancel: threading.Event | None = None,
    environment: Mapping[str, str] = os.environ,
) -> tuple[TrialSummary, ...]:
    """Make trials in this process as :func:`run_trials` does, with a logbook that other windows can follow.

    Its end counts as seen: whoever started it waits for it.

    Raises:
        EngineUnavailableError, DatasetError, TrialError: as :func:`run_trials`.
    """
    tidy(workspace)
    asked = open_logbook(workspace, requests, parallel)
    folder = logbooks_folder(workspace) / asked.id
    with Logbook(folder) as logbook:
        mark_seen(folder)

        def hear(event: TrialEvent) -> None:
            logbook.write(event)
            listener(event)

        summaries = run_trials(
            workspace, requests, parallel=parallel, listener=hear, cancel=cancel, environment=environment
        )
        logbook.close([summary.id for summary in summaries])
    return summaries


def make_trials(root: Path, identifier: str, environment: Mapping[str, str] = os.environ) -> int:
    """Make the trials of a logbook; the exit code is 0 when they came to an end, 2 when they could not be made."""
    workspace = Workspace(root)
    folder = logbooks_folder(workspace) / identifier
    asked = read_asked(folder)
    with stop_on_signals() as stop, Logbook(folder) as logbook:
        if logbook.is_to_stop:
            stop.event.set()
        try:
            summaries = run_trials(
                workspace,
                asked.requests,
                parallel=asked.parallel,
                listener=logbook.write,
                cancel=stop.event,
                environment=environment,
            )
        except M4ReviewError as error:
            logbook.close(trouble=error)
            return error.exit_code
        logbook.close([summary.id for summary in summaries])
    return 0


if __name__ == "__main__":
    sys.exit(make_trials(Path(sys.argv[1]), sys.argv[2]))
