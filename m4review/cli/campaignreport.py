"""``m4review campaign report``: what may be concluded from a campaign, or from files of runs."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from m4review.cli.identity import identity
from m4review.textfile import write_bytes
from m4review.workspace import Workspace

if TYPE_CHECKING:
    from m4review.campaigns.analysis import Analysis
    from m4review.campaigns.background import Background
    from m4review.campaigns.canvas import Drawn
    from m4review.campaigns.document import Picture
    from m4review.campaigns.runsource import RunSource

REPORT_SCHEMA = "m4review.campaign-report.v1"
TERMINAL = "terminal"
"""What ``--figures`` takes in the place of a folder."""


@click.command()
@click.argument("name", required=False)
@click.option("--runs", "files", multiple=True, type=click.Path(path_type=Path), help="A CSV of runs; may be repeated.")
@click.option("--followup", multiple=True, type=click.Path(path_type=Path), help="A further CSV of the same tasks.")
@click.option(
    "--baseline",
    default="no-skill",
    show_default=True,
    help="What is compared with: a condition, or 'CONDITION on SCHEMA'.",
)
@click.option("--treated", default="with-skill", show_default=True, help="What is judged, named likewise.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0), help="Of every random draw.")
@click.option("--draws", default=20_000, show_default=True, type=click.IntRange(100, 1_000_000))
@click.option(
    "--format", "form", default="md", show_default=True, type=click.Choice(["md", "tex", "html", "text", "json"])
)
@click.option(
    "--figures",
    metavar="DIR|terminal",
    help="Write the figures there, SVG and PNG; 'terminal' shows them in characters instead.",
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the report there.")
@click.option("--runs-out", type=click.Path(dir_okay=False, path_type=Path), help="Write the runs there, as CSV.")
@click.pass_context
def report(
    context: click.Context,
    name: str | None,
    files: tuple[Path, ...],
    followup: tuple[Path, ...],
    baseline: str,
    treated: str,
    seed: int,
    draws: int,
    form: str,
    figures: str | None,
    out: Path | None,
    runs_out: Path | None,
) -> None:
    """Compute every figure of the analysis from the campaign NAME, or from files of runs.

    Run files hold aggregate metrics only; nothing is run again and no data is needed.
    """
    from m4review.campaigns.analysis import analyse
    from m4review.campaigns.background import background_of
    from m4review.campaigns.effects import Arm
    from m4review.campaigns.runfile import write_run_file
    from m4review.campaigns.runs import task_facts
    from m4review.campaigns.runsource import read_source

    workspace = Workspace.find()
    facts = task_facts(workspace)
    source = read_source(workspace, facts, campaign=name, files=(*files, *followup))
    if runs_out is not None:
        write_run_file(runs_out, source.runs)
        click.echo(f"{runs_out}: {len(source.runs)} runs written", err=True)
    analysis = analyse(
        source.runs, facts, seed=seed, draws=draws, baseline=Arm.named(baseline), treated=Arm.named(treated)
    )
    if form == "json":
        said = _json(analysis)
    else:
        person = identity(context, workspace, None)
        background = background_of(
            workspace,
            source.runs,
            sources=source.names,
            records=source.records,
            notes=source.notes,
            viewer=None if person is None else person.id,
        )
        said = _document(analysis, source, background, form, figures)
    if out is None:
        click.echo(said, nl=False)
    else:
        write_bytes(out, said.encode())
        click.echo(f"{out}: written")


def _document(analysis: Analysis, source: RunSource, background: Background, form: str, figures: str | None) -> str:
    """The report in its form, with the pictures it takes; figure files are written where they are asked for."""
    from m4review.campaigns.forms import FORMS
    from m4review.campaigns.report import report_of
    from m4review.campaigns.sketches import sketches_of

    pictures: Sequence[Picture] = ()
    drawn: Sequence[Drawn] = ()
    if form == "html" or figures not in (None, TERMINAL):
        from m4review.campaigns.figures import draw, figures_of, write_figures

        drawn = draw(analysis, background.specification)
        pictures = figures_of(drawn)
        if figures not in (None, TERMINAL):
            write_figures(drawn, Path(str(figures)))
    if form == "text" or figures == TERMINAL:
        pictures = sketches_of(analysis, background.specification)
    return FORMS[form](report_of(analysis, source.runs, background, pictures))


def _json(analysis: Analysis) -> str:
    values = {"schema": REPORT_SCHEMA, **dataclasses.asdict(analysis)}
    return json.dumps(values, indent=1, allow_nan=False) + "\n"
