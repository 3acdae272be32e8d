"""Opening the workbench: the one place where the command line reaches the TUI."""

from __future__ import annotations

import sys

import click

from m4review.cli.wayback import kept_here
from m4review.errors import WorkspaceError
from m4review.workspace import Workspace


def open_workbench(identity: str | None, workspace: Workspace | None = None, *, mouse: bool = True) -> int:
    """Open the TUI on a workspace, by default that of the current folder; returns the exit code of the app.

    Whoever leaves it is told what stays and how to come back; a signal or a crash has its own last words.

    Args:
        mouse: whether the mouse is the workbench's; without, the terminal marks and copies text itself.

    Raises:
        WorkspaceError: no workspace here, or no terminal to draw on.
    """
    workspace = workspace or Workspace.find()
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise WorkspaceError(
            "the workbench needs a terminal, and there is none here",
            expected="standard input and output on a terminal",
            fix="use the commands instead; 'm4review --help' lists them",
        )
    from m4review.tui.app import WorkbenchApp

    app = WorkbenchApp(workspace, identity=identity)
    app.run(mouse=mouse)
    if not app.return_code:
        click.echo(kept_here(workspace.root))
    return app.return_code or 0
