"""``m4review campaign report``: every figure of the analysis, from files of runs."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import click

from m4review.textfile import write_bytes
from m4review.workspace import Workspace

REPORT_SCHEMA = "m4review.campaign-report.v1"


@click.command()
@click.option("--runs", "files", multiple=True, required=True, type=click.Path(path_type=Path), help="A CSV of runs.")
@click.option("--followup", multiple=True, type=click.Path(path_type=Path), help="A further CSV of the same tasks.")
@click.option("--seed", default=1, show_default=True, help="Of every bootstrap and Monte-Carlo draw.")
@click.option("--draws", default=20_000, show_default=True, type=click.IntRange(100, 1_000_000))
@click.option("--format", "form", default="md", show_default=True, type=click.Choice(["md", "tex", "html", "json"]))
@click.option(
    "--figures", type=click.Path(file_okay=False, path_type=Path), help="Write the figures there, SVG and PNG."
)
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the report there, not to the screen."
)
def report(
    files: tuple[Path, ...],
    followup: tuple[Path, ...],
    seed: int,
    draws: int,
    form: str,
    figures: Path | None,
    out: Path | None,
) -> None:
    """Compute every figure of the analysis from files of runs."""
    from m4review.campaigns.analysis import Analysis, analyse
    from m4review.campaigns.document import Figure, to_html, to_latex, to_markdown
    from m4review.campaigns.report import report_of
    from m4review.campaigns.runfile import join_runs, read_run_file, task_facts

    def text(analysis: Analysis, drawn: tuple[Figure, ...]) -> str:
        if form == "json":
            return json.dumps({"schema": REPORT_SCHEMA, **dataclasses.asdict(analysis)}, indent=1) + "\n"
        return {"md": to_markdown, "tex": to_latex, "html": to_html}[form](report_of(analysis, drawn))

    facts = task_facts(Workspace.find())
    runs = join_runs({str(path): read_run_file(path, facts) for path in (*files, *followup)})
    analysis = analyse(runs, facts, seed=seed, draws=draws)
    drawn: tuple[Figure, ...] = ()
    if figures is not None or form == "html":
        from m4review.campaigns.figures import figures_of, png

        drawn = figures_of(analysis)
        if figures is not None:
            figures.mkdir(parents=True, exist_ok=True)
            for figure in drawn:
                write_bytes(figures / f"{figure.file}.svg", figure.svg.encode())
                write_bytes(figures / f"{figure.file}.png", png(analysis, figure.file))
    said = text(analysis, drawn)
    if out is None:
        click.echo(said, nl=False)
    else:
        write_bytes(out, said.encode())
        click.echo(f"{out}: written")
