"""``m4review figure reward | forest | agreement``: the figures of a workspace as pictures or as their data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from m4review.cli.identity import identity
from m4review.errors import M4ReviewError
from m4review.workspace import Workspace

if TYPE_CHECKING:
    from m4review.campaigns.trialfigures import WorkspaceFigure

NAMES = ("reward", "forest", "agreement")
"""As ``FIGURES`` of the room of campaigns; kept here so that the help loads nothing."""


@click.command()
@click.argument("name", type=click.Choice(NAMES))
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Ends in .svg or .png.")
@click.option("--skill", help="Only trials of this skill.")
@click.option("--dataset", help="Only trials on this dataset.")
@click.option("--campaign", help="forest: the tasks of this campaign instead of single trials.")
@click.option(
    "--runs", "files", multiple=True, type=click.Path(path_type=Path), help="forest: a CSV of runs; repeatable."
)
@click.option("--as", "reviewer", metavar="C1", help="agreement: who you are, for this call only.")
@click.option("--json", "as_json", is_flag=True, help="The data of the figure as one JSON object.")
@click.pass_context
def figure(
    context: click.Context,
    name: str,
    out: Path | None,
    skill: str | None,
    dataset: str | None,
    campaign: str | None,
    files: tuple[Path, ...],
    reviewer: str | None,
    as_json: bool,
) -> None:
    """Draw a figure from the trials, runs or verdicts of this workspace, or print its numbers without --out.

    reward: mean reward per version of a skill. forest: with-skill minus no-skill, task by task. agreement: how far
    reviewers agreed on their own.
    """
    from m4review.campaigns.figuretext import figure_lines
    from m4review.campaigns.trialdrawing import write_figure
    from m4review.campaigns.workspacefigures import agreement, forest, forest_of_runs, rewards

    if name != "forest" and (campaign is not None or files):
        raise M4ReviewError(f"the figure {name} is not drawn from runs", expected="--campaign and --runs with forest")
    workspace = Workspace.find()
    if skill is not None:
        workspace.skill(skill)
    made: WorkspaceFigure
    if name == "reward":
        made = rewards(workspace, skill, dataset)
    elif name == "agreement":
        person = identity(context, workspace, reviewer)
        made = agreement(workspace, None if person is None else person.id)
    elif campaign is not None or files:
        made = forest_of_runs(workspace, campaign=campaign, files=files)
    else:
        made = forest(workspace, skill, dataset)
    if out is not None:
        write_figure(made, out)
        click.echo(f"{out}: written", err=as_json)
    elif not as_json:
        click.echo("\n".join(figure_lines(made)))
    if as_json:
        click.echo(made.model_dump_json(by_alias=True, indent=1))
