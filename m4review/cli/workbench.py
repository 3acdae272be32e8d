"""Opening the workbench: the one place where the command line reaches the TUI."""

from __future__ import annotations

import sys

from m4review.errors import WorkspaceError
from m4review.workspace import Workspace


def open_workbench(identity: str | None, *, mouse: bool = True) -> int:
    """Open the TUI on the workspace of the current folder; returns the exit code of the app.

    Args:
        mouse: whether the mouse is the workbench's; without, the terminal marks and copies text itself.

    Raises:
        WorkspaceError: no workspace here, or no terminal to draw on.
    """
    workspace = Workspace.find()
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise WorkspaceError(
            "the workbench needs a terminal, and there is none here",
            expected="standard input and output on a terminal",
            fix="use the commands instead; 'm4review --help' lists them",
        )
    from m4review.tui.app import WorkbenchApp

    app = WorkbenchApp(workspace, identity=identity)
    app.run(mouse=mouse)
    return app.return_code or 0
