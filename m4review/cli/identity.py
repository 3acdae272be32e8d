"""Who gives a command: ``--as`` of the command or before it, else the workspace's local configuration."""

from __future__ import annotations

import click

from m4review.errors import WorkspaceError
from m4review.workspace import Reviewer, Workspace


def identity(context: click.Context, workspace: Workspace, given: str | None = None) -> Reviewer | None:
    """The reviewer who gives the command, or ``None`` when nobody was named.

    Raises:
        WorkspaceError: the name is not on the roster.
    """
    return workspace.identity(given or (context.obj or {}).get("as"))


def required_identity(context: click.Context, workspace: Workspace, given: str | None = None) -> Reviewer:
    """The reviewer who gives the command.

    Raises:
        WorkspaceError: nobody was named, or the name is not on the roster.
    """
    reviewer = identity(context, workspace, given)
    if reviewer is None:
        ids = [entry.id for entry in workspace.roster.reviewers]
        raise WorkspaceError(
            "who are you? This command is given by a reviewer",
            expected="one of " + ", ".join(ids),
            fix=f"add --as {ids[0]}, or choose once in the workbench, which keeps it in .m4review/config.toml",
        )
    return reviewer
