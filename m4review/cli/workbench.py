"""Opening the workbench: the one place where the command line reaches the TUI."""

from __future__ import annotations

from m4review.workspace import Workspace


def open_workbench(identity: str | None) -> int:
    """Open the TUI on the workspace of the current folder; returns the exit code of the app."""
    workspace = Workspace.find()
    from m4review.tui.app import WorkbenchApp

    app = WorkbenchApp(workspace, identity=identity)
    app.run()
    return app.return_code or 0
