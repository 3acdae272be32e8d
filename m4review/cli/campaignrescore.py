"""``m4review campaign rescore``: a campaign's kept outputs scored once more, old and new figures side by side."""

from __future__ import annotations

import json
from pathlib import Path

import click

from m4review.campaigns.analysis import analyse
from m4review.campaigns.folder import CampaignFolder
from m4review.campaigns.forms import FORMS
from m4review.campaigns.reanalysis import reanalysis_document, rescore_campaign
from m4review.campaigns.runfile import write_run_file
from m4review.campaigns.runs import task_facts
from m4review.textfile import write_bytes
from m4review.trials import stop_on_signals
from m4review.trials.scorer import ScoringCancelledError
from m4review.workspace import Workspace

RESCORE_SCHEMA = "m4review.campaign-rescore.v1"
OUT = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("name")
@click.option("--other-reference", is_flag=True, help="Score against the present reference even if it is another one.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0), help="Of every random draw.")
@click.option("--draws", default=20_000, show_default=True, type=click.IntRange(100, 1_000_000))
@click.option(
    "--format", "form", default="text", show_default=True, type=click.Choice(["text", "md", "tex", "html", "json"])
)
@click.option("--out", type=OUT, help="Write the table there.")
@click.option("--runs-out", type=OUT, help="Write the runs with their new scores there, as CSV.")
@click.pass_context
def rescore(
    context: click.Context,
    name: str,
    other_reference: bool,
    seed: int,
    draws: int,
    form: str,
    out: Path | None,
    runs_out: Path | None,
) -> None:
    """Score the outputs that the campaign NAME kept by today's task cards, without running anything.

    Records stay as they are. Outputs and references are checked by their digests first.
    """
    workspace = Workspace.find()
    facts = task_facts(workspace)
    folder = CampaignFolder.open(workspace, name)
    with stop_on_signals() as stop:
        try:
            made = rescore_campaign(
                workspace, folder, other_reference=other_reference, cancel=stop.event, progress=_progress
            )
        except ScoringCancelledError:
            context.exit(stop.exit_code)
    old, new = (analyse(runs, facts, seed=seed, draws=draws) for runs in (made.old, made.new))
    if runs_out is not None:
        write_run_file(runs_out, made.new)
        click.echo(f"{runs_out}: {len(made.new)} runs written", err=True)
    if form == "json":
        entries = [{**one.model_dump(mode="json"), "same_reference": one.same_reference} for one in made.scores]
        means = {"then": old.primary.effect.mean, "now": new.primary.effect.mean}
        said = json.dumps({"schema": RESCORE_SCHEMA, "difference": means, "runs": entries, "kept": made.kept}, indent=1)
        said += "\n"
    else:
        said = FORMS[form](reanalysis_document(made, old, new, name))
    if out is None:
        click.echo(said, nl=False)
    else:
        write_bytes(out, said.encode())
        click.echo(f"{out}: written")


def _progress(done: int, of: int) -> None:
    if done == of or done % 50 == 0:
        click.echo(f"{done} of {of} runs looked at", err=True)
