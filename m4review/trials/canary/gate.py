"""The gate before a trial in Docker: no run in a sandbox known to leak, none with a network in an unproved one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from m4review.trials.canary.canary import proved_by, run_canary
from m4review.trials.canary.proofs import holds_reports, require_proof
from m4review.trials.canary.report import CanaryReport
from m4review.trials.events import Notice, TrialEvent
from m4review.trials.sandbox.job import Sandbox
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.sandbox.recipe import find_image
from m4review.trials.sandbox.runnetwork import RECIPE
from m4review.workspace import Workspace

if TYPE_CHECKING:
    from docker import DockerClient

SCRATCH = "canary"


def require_proved_sandbox(
    client: DockerClient,
    sandbox: Sandbox,
    *,
    image: str,
    owner: Owner,
    workspace: Workspace,
    networked: bool,
    environment: Mapping[str, str],
    listener: Callable[[TrialEvent], None],
    clock: Callable[[], datetime],
    cancel: threading.Event,
) -> None:
    """Let a trial pass if the newest canary on this engine and image passed; with a network there must be one.

    Raises:
        TrialError: a breach is known or was found now; the canary could not be made.
    """
    home = workspace.data_home(environment)
    if not networked and (not holds_reports(home) or find_image(client, RECIPE) is None):
        return  # without the sidecars' image no canary was ever made here

    def make() -> CanaryReport:
        listener(Notice(text="no canary of this engine and image yet: trying to break the sandbox before the trial"))
        return run_canary(
            client,
            sandbox,
            image=image,
            owner=owner,
            scratch=workspace.local_dir / SCRATCH,
            clock=clock,
            host_paths=hidden_folders(workspace, home),
            cancel=cancel,
        )

    require_proof(home, proved_by(client, image), networked=networked, make=make, clock=clock)


def hidden_folders(workspace: Workspace, home: Path) -> tuple[Path, ...]:
    """Folders of this host that no sandbox may show."""
    return workspace.root, home, Path.home()
