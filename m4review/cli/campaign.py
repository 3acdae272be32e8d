"""``m4review campaign …``: what may be concluded from many runs."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import click

from m4review.workspace import Workspace

REPORT_SCHEMA = "m4review.campaign-report.v1"


@click.group()
def campaign() -> None:
    """Analyse many runs at once."""


@campaign.command()
@click.option("--runs", "files", multiple=True, required=True, type=click.Path(path_type=Path), help="A CSV of runs.")
@click.option(
    "--followup", multiple=True, type=click.Path(path_type=Path), help="A further CSV of runs of the same tasks."
)
@click.option("--seed", default=1, show_default=True, help="Of every bootstrap and Monte-Carlo draw.")
@click.option("--draws", default=20_000, show_default=True, type=click.IntRange(100, 1_000_000))
@click.option("--format", "form", default="md", show_default=True, type=click.Choice(["md", "json"]))
def report(files: tuple[Path, ...], followup: tuple[Path, ...], seed: int, draws: int, form: str) -> None:
    """Compute every figure of the analysis from files of runs."""
    from m4review.campaigns.analysis import analyse
    from m4review.campaigns.report import markdown_report
    from m4review.campaigns.runfile import join_runs, read_run_file, task_facts

    facts = task_facts(Workspace.find())
    analysis = analyse(
        join_runs(*(read_run_file(path, facts) for path in (*files, *followup))), facts, seed=seed, draws=draws
    )
    if form == "md":
        click.echo(markdown_report(analysis), nl=False)
    else:
        click.echo(json.dumps({"schema": REPORT_SCHEMA, **dataclasses.asdict(analysis)}, indent=1))
