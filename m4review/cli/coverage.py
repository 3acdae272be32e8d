"""``m4review data coverage``: which score levels a dataset reaches."""

from __future__ import annotations

import json

import click

from m4review.ehr import open_dataset
from m4review.ehr.coverage import ColumnCoverage, coverage
from m4review.workspace import Workspace

COVERAGE_SCHEMA = "m4review.coverage.v1"


@click.command("coverage")
@click.option("--dataset", "name", required=True, help="Name of the dataset.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def coverage_(name: str, as_json: bool) -> None:
    """Count the values of every scored column of the built references; name the levels never reached."""
    workspace = Workspace.find()
    dataset = open_dataset(workspace.data_home(), name)
    built = set(dataset.built_references())
    cards = (entry.task for entry in workspace.tasks)
    tasks = [
        task for task in cards if task is not None and task.database == dataset.layout_name and task.reference in built
    ]
    columns = coverage(dataset, tasks)
    if as_json:
        listed = [column.model_dump() for column in columns]
        click.echo(json.dumps({"schema": COVERAGE_SCHEMA, "dataset": name, "columns": listed}))
        return
    for column in columns:
        click.echo(f"{column.reference + '.' + column.column:<48} {_told(column)}")
    never = [f"{column.reference}.{column.column} = {level}" for column in columns for level in column.never]
    click.echo(f"{len(columns)} columns, {len(never)} levels never reached" + "".join(f"\n  {line}" for line in never))


def _told(column: ColumnCoverage) -> str:
    if not column.levels:
        return f"{column.distinct} distinct values, {column.missing} of {column.rows} missing"
    return " ".join(f"{'missing' if level.value is None else level.value}:{level.rows}" for level in column.levels)
