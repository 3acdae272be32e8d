"""Where the commands about datasets look for them."""

from __future__ import annotations

import os
from pathlib import Path

from m4review.errors import WorkspaceError
from m4review.workspace import DATA_ENVIRONMENT, Workspace


def data_home() -> Path:
    """The workspace's data home; outside a workspace, the one of the environment.

    Raises:
        WorkspaceError: neither is there.
    """
    try:
        return Workspace.find().data_home()
    except WorkspaceError as error:
        configured = os.environ.get(DATA_ENVIRONMENT)
        if configured:
            return Path(configured).expanduser().resolve()
        raise WorkspaceError(
            "neither a workspace nor a data home",
            where=error.where,
            expected=f"to be in a workspace folder, or the environment variable {DATA_ENVIRONMENT} set to a folder",
        ) from None
