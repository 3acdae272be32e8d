"""``m4review demo``: a throw-away workspace with synthetic data, on the screen or as a printed walk."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
import time
from pathlib import Path

import click


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
@click.option("--stays", default=1000, show_default=True, type=click.IntRange(50, 100_000), help="Synthetic ICU stays.")
@click.pass_context
def demo(context: click.Context, folder: Path | None, headless: bool, stays: int) -> None:
    """Make a throw-away workspace with synthetic data and open it.

    Without a terminal, or with --headless, walks edit → lint → version → two reviews → compare → trial.
    """
    from m4review.demo import make_example, ready_sandbox, walk

    started = time.monotonic()

    def say(line: str) -> None:
        click.echo(f"[{time.monotonic() - started:5.1f} s] {line}", err=True)

    root = folder if folder is not None else Path(tempfile.mkdtemp(prefix="m4review-demo-"))
    root.mkdir(parents=True, exist_ok=True)
    workspace = make_example(root, say, stays=stays)
    sandbox = ready_sandbox(say)
    say(f"the workspace is ready: {workspace.root}")
    if headless or not (sys.stdin.isatty() and sys.stdout.isatty()):
        walk(workspace, click.echo, sandbox=sandbox)
        click.echo(f"\n{_how_to_return(workspace.root)}")
        return
    from m4review.tui.app import WorkbenchApp

    app = WorkbenchApp(workspace, identity=context.obj["as"])
    app.run()
    click.echo(_how_to_return(workspace.root))
    context.exit(app.return_code or 0)


def _how_to_return(root: Path) -> str:
    """The lines to type to open the workspace again: the program may not be on the PATH, and a long line breaks."""
    program = Path(sys.argv[0])
    command = (
        "m4review" if shutil.which("m4review") or program.name != "m4review" else shlex.quote(str(program.resolve()))
    )
    return (
        f"The workspace stays in {root}; delete the folder when you are done.\n"
        f"To open it again:\n  cd {shlex.quote(str(root))}\n  {command}"
    )
