"""``trial clean``: what processes that died left in the engine and on the disk."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping

from m4review.errors import EngineUnavailableError
from m4review.trials.claims import STAGING, is_abandoned
from m4review.trials.records import RUN_FILE
from m4review.trials.underway import forget, under_way
from m4review.workspace import Workspace


def clean_up(workspace: Workspace, environment: Mapping[str, str] = os.environ) -> list[str]:
    """Remove what dead processes left in engine and folders, and data sent elsewhere; returns one line per part.

    Finished runs stay, and so does everything of a process that still lives.
    """
    lines = _engine_lines(environment)
    for folder in sorted((workspace.local_dir / STAGING).glob("*/")):
        if is_abandoned(folder):
            shutil.rmtree(folder)
            lines.append(f"prepared files {workspace.relative(folder)}")
    for folder in sorted(workspace.runs_dir.glob("*/")):
        if not (folder / RUN_FILE).exists() and is_abandoned(folder):
            shutil.rmtree(folder)
            lines.append(f"unfinished run {workspace.relative(folder)}")
    for entry in under_way(workspace):
        if entry.state == "died":
            forget(entry)
            lines.append(f"logbook of a trial that died: {', '.join(entry.asked.tasks)}")
    return lines


def _engine_lines(environment: Mapping[str, str]) -> list[str]:
    from m4review.trials.sandbox.engine import connect
    from m4review.trials.sandbox.sweep import sweep_orphans, sweep_sent_data

    try:
        client = connect(environment=environment)
    except EngineUnavailableError as error:
        return [f"containers were not looked at: {error.what}"]
    try:
        return sweep_orphans(client) + sweep_sent_data(client)
    finally:
        client.close()
