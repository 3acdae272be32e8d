"""``m4review canary``: prove the sandbox by trying to break it."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from m4review.trials.agents.agent import load_agent
from m4review.trials.canary.canary import CanaryStoppedError, run_canary
from m4review.trials.canary.gate import SCRATCH, hidden_folders
from m4review.trials.canary.proofs import keep_report
from m4review.trials.canary.report import report_lines
from m4review.trials.interruption import stop_on_signals
from m4review.trials.sandbox.docker_sandbox import DockerSandbox
from m4review.trials.sandbox.engine import connect
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.sandbox.recipe import require_image
from m4review.trials.sandbox.sweep import sweep_orphans
from m4review.workspace import Workspace

BREACH_EXIT = 2


@click.command()
@click.option("--agent", default="reader", show_default=True, help="Whose image to try it in.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_context
def canary(context: click.Context, agent: str, as_json: bool) -> None:
    """Let an adversarial program loose in the sandbox, and say what it could not do.

    Exit 0: everything held. 2: a breach, or the canary could not be made. Trials then refuse to run on this engine with
    this image until a canary passes.
    """
    workspace = Workspace.find()
    home = workspace.data_home()
    owner = Owner.of_this_process()
    client = connect()
    try:
        for line in sweep_orphans(client):
            click.echo(f"left by an earlier process: {line}", err=True)
        image = require_image(client, load_agent(agent).image)
        click.echo(f"trying to break out of {image.tag} (about a quarter of a minute)", err=True)
        with stop_on_signals() as stop:
            report = run_canary(
                client,
                DockerSandbox(client, owner),
                image=image.id,
                owner=owner,
                scratch=workspace.local_dir / SCRATCH,
                clock=lambda: datetime.now(UTC),
                host_paths=hidden_folders(workspace, home),
                cancel=stop.event,
            )
    except CanaryStoppedError as error:
        click.echo(f"m4review: {error}", err=True)
        context.exit(stop.exit_code)
    finally:
        client.close()
    keep_report(home, report)
    if as_json:
        click.echo(report.model_dump_json(by_alias=True, indent=1))
    else:
        click.echo("\n".join(report_lines(report)))
    context.exit(0 if report.passed else BREACH_EXIT)
