"""``m4review data …`` and ``m4review reference``: datasets and expected outputs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from m4review.ehr import (
    Dataset,
    Progress,
    build,
    import_dataset,
    layout_names,
    list_datasets,
    open_dataset,
    remove_dataset,
    synthesise,
    write_fingerprints,
    write_reference_csv,
)
from m4review.errors import WorkspaceError
from m4review.tasks import Task
from m4review.tasks.figures import figures_file
from m4review.workspace import DATA_ENVIRONMENT, Workspace

LIST_SCHEMA = "m4review.datasets.v1"
LAYOUT_HELP = f"The database layout: {', '.join(layout_names())}."


@click.group()
def data() -> None:
    """Datasets: synthesise, import, build, list, remove."""


@data.command()
@click.option("--layout", required=True, metavar="LAYOUT", help=LAYOUT_HELP)
@click.option("--stays", type=click.IntRange(1, 1_000_000), default=300, show_default=True, help="ICU stays.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=1, show_default=True, help="Same seed, same rows.")
@click.option("--name", required=True, help="Name of the new dataset.")
def synth(layout: str, stays: int, seed: int, name: str) -> None:
    """Make a synthetic dataset: made-up patients in the published table layout."""
    dataset = synthesise(_data_home(), name, layout=layout, stays=stays, seed=seed, progress=_say)
    click.echo(_summary(dataset))


@data.command("import")
@click.option("--layout", required=True, metavar="LAYOUT", help=LAYOUT_HELP)
@click.option(
    "--source",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder with the tables as Parquet, CSV.gz or CSV, as downloaded.",
)
@click.option("--name", required=True, help="Name of the new dataset.")
def import_(layout: str, source: Path, name: str) -> None:
    """Import a source database. Interrupted, the same command goes on where it stopped."""
    dataset = import_dataset(_data_home(), name, layout=layout, source=source, progress=_say)
    click.echo(_summary(dataset))


@data.command("build")
@click.option("--dataset", "name", required=True, help="Name of the dataset.")
@click.option("--task", "task_names", multiple=True, metavar="TASK", help="Only what this task needs (repeatable).")
def build_(name: str, task_names: tuple[str, ...]) -> None:
    """Make the concepts and references of the task cards. Makes only what is missing or out of date."""
    dataset = open_dataset(_data_home(), name)
    workspace = Workspace.find()
    tasks: tuple[Task, ...]
    if task_names:
        tasks = tuple(workspace.task(task) for task in task_names)
    else:
        readable = (entry.task for entry in workspace.tasks)
        tasks = tuple(task for task in readable if task is not None and task.database == dataset.layout_name)
        if not tasks:
            raise WorkspaceError(f"no task card for the layout {dataset.layout_name}", where=workspace.tasks_dir)
    report = build(dataset, tasks, progress=_say)
    for table in report.made:
        click.echo(f"{table.kind:<9}  {table.name:<28} {table.rows:>10,} rows  {table.seconds:8.2f} s")
    if report.made or not figures_file(dataset.path).is_file():
        write_fingerprints(dataset)
    click.echo(f"{dataset.name}: {len(report.made)} made, {len(report.tables) - len(report.made)} already up to date")


@data.command("fingerprints")
@click.option("--dataset", "name", required=True, help="Name of the dataset.")
def fingerprints(name: str) -> None:
    """Make the hashes of the references' figures again, by which the lint knows a pasted result table.

    A build makes them too.
    """
    click.echo(f"{write_fingerprints(open_dataset(_data_home(), name))}: made")


@data.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def list_(as_json: bool) -> None:
    """The datasets of this workspace."""
    home = _data_home()
    datasets = list_datasets(home)
    if as_json:
        click.echo(json.dumps({"schema": LIST_SCHEMA, "datasets": [_as_json(dataset) for dataset in datasets]}))
        return
    if not datasets:
        click.echo(f"no datasets in {home}; make one: m4review data synth --layout mimic-iv --name demo")
    for dataset in datasets:
        click.echo(_summary(dataset))


@data.command("rm")
@click.argument("name")
def rm(name: str) -> None:
    """Delete a dataset and all that was built from it."""
    remove_dataset(_data_home(), name)
    click.echo(f"{name}: removed")


@click.command()
@click.argument("task_name", metavar="TASK")
@click.option("--dataset", "name", required=True, help="Name of the dataset.")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="A .csv or .csv.gz file outside git."
)
def reference(task_name: str, name: str, out: Path) -> None:
    """Write the expected output of a task (host side only, never under git)."""
    dataset = open_dataset(_data_home(), name)
    rows = write_reference_csv(dataset, Workspace.find().task(task_name), out)
    click.echo(f"{out}: {rows:,} rows")


def _data_home() -> Path:
    """The workspace's data home; outside a workspace, the one of the environment.

    Raises:
        WorkspaceError: neither is there.
    """
    try:
        return Workspace.find().data_home()
    except WorkspaceError as error:
        configured = os.environ.get(DATA_ENVIRONMENT)
        if configured:
            return Path(configured).expanduser().resolve()
        raise WorkspaceError(
            "neither a workspace nor a data home",
            where=error.where,
            expected=f"to be in a workspace folder, or the environment variable {DATA_ENVIRONMENT} set to a folder",
        ) from None


def _say(progress: Progress) -> None:
    if progress.item:
        click.echo(f"{progress.stage}: {progress.done + 1}/{progress.total} {progress.item}", err=True)


def _summary(dataset: Dataset) -> str:
    kind = "synthetic" if dataset.synthetic else "imported"
    return f"{dataset.name}: {dataset.layout_name}, {dataset.stays():,} ICU stays, {kind}, {dataset.size / 1e6:.1f} MB"


def _as_json(dataset: Dataset) -> dict[str, object]:
    return {
        "name": dataset.name,
        "layout": dataset.layout_name,
        "origin": dataset.origin.model_dump(exclude_none=True),
        "stays": dataset.stays(),
        "bytes": dataset.size,
        "digest": dataset.digest,
        "tables": {str(table.relation): table.rows for table in dataset.tables},
        "concepts": dataset.built_concepts(),
        "references": dataset.built_references(),
    }
