"""``m4review demo``: a throw-away workspace with synthetic data, on the screen or as a printed walk."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import click

from m4review.cli.wayback import earlier, program, way_back
from m4review.demonstrations import Demonstration, remember, remembered
from m4review.errors import WorkspaceError


@click.command()
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where to make it (new or empty folder; a temporary one by default).",
)
@click.option(
    "--headless", is_flag=True, help="Walk the whole loop and print each result instead of opening the screen."
)
@click.option("--continue", "goes_on", is_flag=True, help="Open the newest demonstration that is still there.")
@click.option("--stays", default=1000, show_default=True, type=click.IntRange(50, 100_000), help="Synthetic ICU stays.")
@click.pass_context
def demo(context: click.Context, folder: Path | None, headless: bool, goes_on: bool, stays: int) -> None:
    """Make a throw-away workspace with synthetic data and open it.

    Without a terminal, or with --headless, walks edit → lint → version → two reviews → compare → trial. Earlier
    demonstrations are listed first; --continue goes on in the newest, where nothing is made anew.
    """
    if goes_on:
        if headless or folder is not None:
            raise click.UsageError("--continue opens what is there; it goes with neither --dir nor --headless.")
        context.exit(_go_on(context.obj["as"]))
    from m4review.demo import make_example, ready_sandbox, walk

    started = time.monotonic()

    def say(line: str) -> None:
        click.echo(f"[{time.monotonic() - started:5.1f} s] {line}", err=True)

    if there := remembered(os.environ):
        click.echo(f"{earlier(there)}\nNow a new one is made.\n", err=True)
    root = folder if folder is not None else Path(tempfile.mkdtemp(prefix="m4review-demo-"))
    root.mkdir(parents=True, exist_ok=True)
    workspace = make_example(root, say, stays=stays)
    try:
        remember(os.environ, Demonstration(workspace.root, datetime.now(UTC)))
    except WorkspaceError as error:
        say(f"NOTICE: {error}")
    sandbox = ready_sandbox(say)
    say(f"the workspace is ready: {workspace.root}")
    if headless or not (sys.stdin.isatty() and sys.stdout.isatty()):
        walk(workspace, click.echo, sandbox=sandbox)
        click.echo(f"\n{_how_to_return(workspace.root)}")
        return
    from m4review.tui.app import WorkbenchApp

    app = WorkbenchApp(workspace, identity=context.obj["as"])
    app.run()
    if not app.return_code:
        click.echo(_how_to_return(workspace.root))
    context.exit(app.return_code or 0)


def _go_on(identity: str | None) -> int:
    """Open the newest demonstration that is still there; the exit code of the workbench.

    Raises:
        WorkspaceError: there is none, or no terminal to draw on.
    """
    from m4review.cli.workbench import open_workbench
    from m4review.workspace import Workspace

    there = remembered(os.environ)
    if not there:
        raise WorkspaceError(
            "no demonstration is left on this computer: none was made here, or its folder was deleted",
            fix="m4review demo makes a new one",
        )
    return open_workbench(identity, Workspace(there[0].root))


def _how_to_return(root: Path) -> str:
    """What stays and the lines to type to open it again: the program may not be on the PATH, and a long line breaks."""
    return (
        f"The workspace stays in {shlex.quote(str(root))}; delete the folder when you are done.\n{way_back(root)}\n"
        f"or, from any folder, the newest demonstration:\n  {program()} demo --continue"
    )
