"""``m4review campaign worker``: make blocks of shared campaigns on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import click

from m4review.workspace import Workspace


@click.command()
@click.argument("address")
@click.option(
    "--workspace",
    "root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="With the same skills, tasks and data. Default: the one here.",
)
@click.option("--parallel", type=click.IntRange(1, 64), default=1, show_default=True, help="Blocks at once at most.")
def worker(address: str, root: Path | None, parallel: int) -> None:
    """Work for the scheduler at ADDRESS until it ends or Ctrl-C: make blocks with this machine's engine and data.

    Outputs and raw traces stay in the workspace here; records, scores and reduced events are sent. A scheduler runs
    whatever its clients send: use one that only you can reach.
    """
    from m4review.campaigns.workerprocess import serve
    from m4review.campaigns.workstation import WORKSPACE_VARIABLE

    os.environ[WORKSPACE_VARIABLE] = str(Workspace.find(root).root)
    serve(address, parallel, told=lambda line: click.echo(line, err=True))
