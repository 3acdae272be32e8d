"""``m4review serve``: the workbench in a browser of this machine."""

from __future__ import annotations

import asyncio
import sys

import click

from m4review.errors import WorkspaceError
from m4review.workspace import Workspace


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port; a free one if left out.")
@click.option("--host", default="127.0.0.1", help="The loopback address: 127.0.0.1 or ::1; no other is served.")
@click.option("--as", "identity", metavar="C1", help="The reviewer who works in the browser; cannot be changed there.")
@click.option(
    "--idle",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    metavar="MINUTES",
    help="End when nobody typed for so long; texts that were not saved are kept.",
)
@click.pass_context
def serve(context: click.Context, port: int, host: str, identity: str | None, idle: float) -> None:
    """Open the workbench to one browser window of this machine.

    Prints a link that opens one browser, once. Ctrl+C ends it. Your own editor is not available there.
    """
    from m4review.serving import Access, Bound, loopback_address
    from m4review.serving import serve as run_server

    address = loopback_address(host)
    workspace = Workspace.find()
    reviewer = _reviewer(workspace, identity or context.obj["as"])

    def announce(access: Access) -> None:
        print(access.link, flush=True)
        who = f"as {reviewer}" if reviewer else "just looking"
        print(
            f"Open this link in a browser on this machine. It opens one browser, once: {workspace.root.name}, {who}.\n"
            f"Ctrl+C ends it here; it ends by itself when nobody typed for {idle:g} minutes.",
            file=sys.stderr,
            flush=True,
        )

    bound = Bound(workspace.root, reviewer)
    why = asyncio.run(run_server(bound, address=address, port=port, idle=idle * 60, announce=announce))
    print(f"m4review serve has ended: {why}.", file=sys.stderr)


def _reviewer(workspace: Workspace, identity: str | None) -> str | None:
    """The reviewer of every window, or ``None`` for somebody who said before to be just looking."""
    reviewer = workspace.identity(identity)
    if reviewer is None and not workspace.is_just_looking():
        raise WorkspaceError(
            "who works in the browser is not known, and it cannot be said there",
            fix="name the reviewer: m4review serve --as C2",
        )
    return reviewer.id if reviewer else None
