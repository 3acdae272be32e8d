"""``m4review campaign run`` and ``status``: making the runs of a frozen campaign, and how far it is."""

from __future__ import annotations

import sys

import click

from m4review.campaigns.execution import run_campaign
from m4review.campaigns.folder import CampaignFolder
from m4review.campaigns.status import CampaignStatus, status_of
from m4review.cli.campaigntext import CampaignProgress, status_lines
from m4review.errors import CampaignError
from m4review.trials import stop_on_signals
from m4review.workspace import Workspace

AUDIT_HOLD_EXIT = 3


@click.command()
@click.argument("name")
@click.option(
    "--parallel",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Blocks under way at once, as far as memory and processors allow.",
)
@click.option("--sandbox", type=click.Choice(["docker", "local"]), help="Must be the one that was frozen.")
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Share it among the workers of a dask scheduler, each with its own --parallel.",
)
@click.option("--json", "as_json", is_flag=True, help="The status at the end as one JSON object.")
@click.pass_context
def run(
    context: click.Context, name: str, parallel: int, sandbox: str | None, scheduler: str | None, as_json: bool
) -> None:
    """Make the runs of a campaign that are missing. It may be stopped and started again at any time.

    Ctrl-C keeps every block that is done. Several of these may work on one campaign at once.

    Exit 0: all is done. 2: something is missing or could not be run. 3: the audit holds a run for a person.
    """
    workspace = Workspace.find()
    folder = CampaignFolder.open(workspace, name)
    if sandbox is not None and sandbox != folder.manifest.sandbox:
        raise CampaignError(
            f"{name} was frozen for the sandbox {folder.manifest.sandbox}",
            where=folder.path,
            fix=f"freeze the plan under another name with --sandbox {sandbox}",
        )
    with stop_on_signals() as stop, CampaignProgress(sys.stderr) as progress:
        if scheduler is None:
            run_campaign(workspace, folder, parallel=parallel, listener=progress.show, cancel=stop.event)
        else:
            from m4review.campaigns.distributed import run_shared_campaign

            run_shared_campaign(folder, scheduler, listener=progress.show, cancel=stop.event)
    status = status_of(folder)
    _show(status, as_json)
    if stop.event.is_set():
        context.exit(stop.exit_code)
    context.exit(_exit_code(status))


@click.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def status(name: str, as_json: bool) -> None:
    """How far a campaign is, from its files alone: while it runs, from another terminal, or afterwards."""
    _show(status_of(CampaignFolder.open(Workspace.find(), name)), as_json)


def _show(status: CampaignStatus, as_json: bool) -> None:
    click.echo(status.model_dump_json(by_alias=True, indent=1) if as_json else "\n".join(status_lines(status)))


def _exit_code(status: CampaignStatus) -> int:
    if status.waiting:
        return AUDIT_HOLD_EXIT
    return 0 if status.complete else 2
