"""``m4review data …`` and ``m4review reference``: datasets and expected outputs."""

from __future__ import annotations

import json
from pathlib import Path

import click

from m4review.cli.coverage import coverage_
from m4review.cli.datahome import data_home
from m4review.cli.dataitems import items_
from m4review.cli.dataschema import schema_
from m4review.cli.datasettext import dataset_json, print_derived, print_integrity, reuse_note, summary_line
from m4review.ehr import (
    Progress,
    build,
    import_dataset,
    layout_names,
    list_datasets,
    list_unfinished,
    open_dataset,
    remove_dataset,
    synthesise,
    use_own_concepts,
    write_fingerprints,
    write_reference_csv,
)
from m4review.ehr.engine import LEAST_MEMORY, bytes_of
from m4review.errors import WorkspaceError
from m4review.tasks import Task
from m4review.tasks.figures import figures_file
from m4review.workspace import Workspace

MEMORY_ENVIRONMENT = "M4REVIEW_MEMORY"
LIST_SCHEMA = "m4review.datasets.v1"
LAYOUT_HELP = f"The database layout: {', '.join(layout_names())}."


class Memory(click.ParamType[int]):
    """An amount of memory such as ``3GB``, as bytes."""

    name = "SIZE"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            size = value if isinstance(value, int) else bytes_of(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)
        if size < LEAST_MEMORY:
            self.fail(f"{value!r} is too little; at least {LEAST_MEMORY // 2**20} MiB", param, ctx)
        return size


memory_option = click.option(
    "--memory",
    type=Memory(),
    envvar=MEMORY_ENVIRONMENT,
    help=f"What the engine may use, such as 6GB (or {MEMORY_ENVIRONMENT}); the rest goes to disk. "
    "Default: half of the machine's memory, at most 3 GiB.",
)


@click.group()
def data() -> None:
    """Datasets: synthesise, import, build, list, remove."""


data.add_command(coverage_)
data.add_command(items_)
data.add_command(schema_)


@data.command()
@click.option("--layout", required=True, metavar="LAYOUT", help=LAYOUT_HELP)
@click.option("--stays", type=click.IntRange(1, 1_000_000), default=300, show_default=True, help="ICU stays.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=1, show_default=True, help="Same seed, same rows.")
@click.option("--name", required=True, help="Name of the new dataset.")
@memory_option
def synth(layout: str, stays: int, seed: int, name: str, memory: int | None) -> None:
    """Make a synthetic dataset: made-up patients in the published table layout."""
    dataset = synthesise(
        data_home(), name, layout=layout, stays=stays, seed=seed, progress=ProgressLines(), memory=memory
    )
    click.echo(summary_line(dataset))


@data.command("import")
@click.option("--layout", required=True, metavar="LAYOUT", help=LAYOUT_HELP)
@click.option(
    "--source",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder with the tables as Parquet, CSV.gz or CSV, as downloaded, or a DuckDB database file.",
)
@click.option("--name", required=True, help="Name of the new dataset.")
@click.option(
    "--reuse-derived",
    is_flag=True,
    help="Take the tables of the source's mimiciv_derived in the place of our concepts, where they fit. References are "
    "always ours; everything made with the dataset is labelled.",
)
@memory_option
def import_(layout: str, source: Path, name: str, reuse_derived: bool, memory: int | None) -> None:
    """Import a source database. Interrupted, the same command goes on where it stopped."""
    dataset = import_dataset(
        data_home(),
        name,
        layout=layout,
        source=source,
        reuse_derived=reuse_derived,
        progress=ProgressLines(),
        memory=memory,
    )
    print_integrity(dataset)
    print_derived(dataset, reuse_derived)
    click.echo(summary_line(dataset))


@data.command("build")
@click.option("--dataset", "name", required=True, help="Name of the dataset.")
@click.option("--task", "task_names", multiple=True, metavar="TASK", help="Only what this task needs (repeatable).")
@click.option(
    "--own-concepts",
    is_flag=True,
    help="Give up the concepts that the import reused, for good, and make our own in their place.",
)
@memory_option
def build_(name: str, task_names: tuple[str, ...], own_concepts: bool, memory: int | None) -> None:
    """Make the concepts and references of the task cards. Makes only what is missing or out of date."""
    dataset = open_dataset(data_home(), name)
    workspace = Workspace.find()
    tasks: tuple[Task, ...]
    if task_names:
        tasks = tuple(workspace.task(task) for task in task_names)
    else:
        readable = (entry.task for entry in workspace.tasks)
        tasks = tuple(task for task in readable if task is not None and task.database == dataset.layout_name)
        if not tasks:
            raise WorkspaceError(f"no task card for the layout {dataset.layout_name}", where=workspace.tasks_dir)
    if own_concepts:
        dataset = use_own_concepts(dataset)
    report = build(dataset, tasks, progress=ProgressLines(), memory=memory)
    for table in report.made:
        click.echo(f"{table.kind:<9}  {table.name:<28} {table.rows:>10,} rows  {table.seconds:8.2f} s")
    if report.made or not figures_file(dataset.path).is_file():
        write_fingerprints(dataset)
    for table in report.foreign:
        click.echo(f"{table.kind:<9}  {table.name:<28} reused, not ours: {table.source}")
    left = len(report.tables) - len(report.made) - len(report.foreign)
    click.echo(f"{dataset.name}: {len(report.made)} made, {left} already up to date{reuse_note(dataset)}")


@data.command("fingerprints")
@click.option("--dataset", "name", required=True, help="Name of the dataset.")
def fingerprints(name: str) -> None:
    """Make the hashes of the references' figures again, by which the lint knows a pasted result table.

    A build makes them too.
    """
    click.echo(f"{write_fingerprints(open_dataset(data_home(), name))}: made")


@data.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def list_(as_json: bool) -> None:
    """The datasets of this workspace."""
    home = data_home()
    datasets, unfinished = list_datasets(home), list_unfinished(home)
    if as_json:
        entries = [dataset_json(dataset) for dataset in datasets]
        left = [{"name": name, "bytes": size} for name, size in unfinished.items()]
        click.echo(json.dumps({"schema": LIST_SCHEMA, "datasets": entries, "unfinished": left}))
        return
    if not datasets and not unfinished:
        click.echo(f"no datasets in {home}; make one: m4review data synth --layout mimic-iv --name demo")
    for dataset in datasets:
        click.echo(summary_line(dataset))
    for name, size in unfinished.items():
        click.echo(
            f"unfinished: {name} ({size / 1e6:.1f} MB); continue with the same import "
            f"or remove with: m4review data rm {name}"
        )


@data.command("rm")
@click.argument("name")
def rm(name: str) -> None:
    """Delete a dataset and all that was built from it."""
    remove_dataset(data_home(), name)
    click.echo(f"{name}: removed")


@click.command()
@click.argument("task_name", metavar="TASK")
@click.option("--dataset", "name", required=True, help="Name of the dataset.")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="A .csv or .csv.gz file outside git."
)
@click.option("--force", is_flag=True, help="Replace the file if it is there already.")
def reference(task_name: str, name: str, out: Path, force: bool) -> None:
    """Write the expected output of a task (host side only, never under git)."""
    dataset = open_dataset(data_home(), name)
    rows = write_reference_csv(dataset, Workspace.find().task(task_name), out, force=force)
    click.echo(f"{out}: {rows:,} rows{reuse_note(dataset)}")


class ProgressLines:
    """Progress on stderr: a line per table, and for a large import another one at every twentieth of its bytes."""

    def __init__(self) -> None:
        self._item, self._bytes = "", 0

    def __call__(self, progress: Progress) -> None:
        step = max(progress.bytes_total // 20, 1)
        if not progress.item or (progress.item == self._item and progress.bytes_done < self._bytes + step):
            return
        self._item, self._bytes = progress.item, progress.bytes_done
        text = f"{progress.stage}: {progress.done + progress.beside + 1}/{progress.total} {progress.item}"
        if progress.bytes_total:
            share = 100 * progress.bytes_done // progress.bytes_total
            text += f", {progress.bytes_done / 1e6:,.1f} of {progress.bytes_total / 1e6:,.1f} MB ({share} %)"
        click.echo(text, err=True)
