"""``m4review data schema``: a dataset once more under other names or in other tables."""

from __future__ import annotations

import dataclasses
import json

import click

from m4review.ehr import open_dataset
from m4review.ehr.progress import Progress
from m4review.ehr.schemas import SCHEMA_NAMES, rewrite_schema
from m4review.workspace import Workspace

CHANGED_SCHEMA = "m4review.changed-schema.v1"


@click.command("schema")
@click.argument("changed", metavar="|".join(SCHEMA_NAMES), type=click.Choice(SCHEMA_NAMES))
@click.option("--dataset", "name", required=True, help="Name of the dataset.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(1), help="Decides the names of 'obfuscated'.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def schema_(changed: str, name: str, seed: int, as_json: bool) -> None:
    """Make the dataset once more under other names (obfuscated) or in other tables (restructured).

    Every task shares it. Concepts take part as far as they are built; references stay as they are.
    """
    report = rewrite_schema(open_dataset(Workspace.find().data_home(), name), changed, seed=seed, progress=_told)
    if as_json:
        values = dataclasses.asdict(report)
        click.echo(json.dumps({"schema": CHANGED_SCHEMA, "changed": values.pop("schema"), **values}))
        return
    seeded = f", seed {report.seed}" if report.seed else ""
    click.echo(
        f"{report.schema} schema of {report.dataset}{seeded}: {report.made} tables made, "
        f"{report.kept} kept as they were, {report.size / 1e6:.1f} MB"
    )


def _told(progress: Progress) -> None:
    click.echo(f"schema: {progress.done + 1}/{progress.total} {progress.item}", err=True)
