"""``m4review score``: what an output.csv is worth against a reference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from m4review.errors import DatasetError
from m4review.scoring import Score, ScoringSpec, score_output
from m4review.tasks import Task
from m4review.workspace import Workspace

if TYPE_CHECKING:
    from m4review.ehr import Dataset

SCHEMA = "m4review.score.v1"


@click.command()
@click.option("--task", "task_name", required=True, metavar="TASK", help="The task card whose contract applies.")
@click.option("--output", required=True, type=click.Path(path_type=Path), metavar="FILE", help="The CSV to score.")
@click.option(
    "--reference",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Expected output (Parquet or CSV, gzip allowed).",
)
@click.option("--dataset", metavar="NAME", help="Take the reference built for this dataset.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def score(task_name: str, output: Path, reference: Path | None, dataset: str | None, as_json: bool) -> int:
    """Score an output.csv: reward, columns, keys, ordered nMAE and strict checks.

    The reference is the file given with --reference, else the one built for --dataset, else for the workspace's
    default dataset. Exit code 0 when it could be scored, whatever the reward; 2 when not.
    """
    workspace = Workspace.find()
    task = workspace.task(task_name)
    if reference is not None and dataset is not None:
        raise click.UsageError("give --reference or --dataset, not both")
    chosen = dataset or workspace.default_dataset()
    lineage = None
    if reference is not None:
        expected, name = reference, str(reference)
    elif chosen is not None:
        expected, built_for = _built_reference(workspace, task, chosen)
        lineage = built_for.lineage
        name = f"dataset {chosen}" + (f", lineage {lineage}" if built_for.reused else "")
    else:
        raise DatasetError(
            "there is no reference to score against",
            expected="--reference FILE, or --dataset NAME",
            fix="'m4review data list' shows the datasets of this workspace",
        )
    result = score_output(output, expected, ScoringSpec.from_task(task))
    if as_json:
        click.echo(json.dumps(_as_json(task, output, expected, lineage, result), indent=2, ensure_ascii=False))
    else:
        click.echo(render_score(task.name, name, result), nl=False)
    return 0


def _built_reference(workspace: Workspace, task: Task, name: str) -> tuple[Path, Dataset]:
    from m4review.ehr import open_dataset, reference_path

    dataset = open_dataset(workspace.data_home(), name)
    return reference_path(dataset, task), dataset


def _as_json(task: Task, output: Path, reference: Path, lineage: str | None, result: Score) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "task": task.name,
        "output": str(output),
        "reference": str(reference),
        "reference_lineage": lineage,
        "strict_passed": result.passed,
        **result.model_dump(mode="json"),
    }


def render_score(task: str, reference: str, result: Score) -> str:
    """The score as a text table that fits 80 columns. ``reference`` says what was compared with."""
    keys = result.keys
    width = max(6, *(len(column.name) for column in result.columns))
    lines = [f"{task}   reward {result.reward:.4f}", f"reference: {reference}", ""]
    if keys.output_rows and keys.reference_rows and not keys.matched:
        lines += [
            "No key of this output is in the reference. Was the output made from another",
            "dataset? --dataset NAME or --reference FILE chooses what to compare with.",
            "",
        ]
    lines.append(f"  {'column':<{width}}  {'rate':>8}  {'matched':>11}  {'of':>11}  {'nMAE':>7}")
    for column in result.columns:
        nmae = "–" if column.nmae is None else f"{column.nmae:.4f}"
        missing = "" if column.present else "  missing"
        lines.append(
            f"  {column.name:<{width}}  {column.rate:>8.4f}  {column.matched:>11,}  {column.denominator:>11,}"
            f"  {nmae:>7}{missing}"
        )
    ordered = "–  (no numeric column, or no key in common)"
    if result.ordered_nmae is not None:
        ordered = f"{result.ordered_nmae:.4f}  (0 is best, 1 worst; rows whose key was given)"
    lines += [
        "",
        f"  keys         F1 {keys.f1:.4f}   precision {keys.precision:.4f}   recall {keys.recall:.4f}",
        f"               {keys.matched:,} of {keys.reference_rows:,} given, {keys.missing:,} missing, "
        f"{keys.extra:,} extra, {keys.duplicate:,} duplicate",
        f"  ordered nMAE {ordered}",
        "",
        f"  strict checks: {'all passed' if result.passed else 'not passed'}",
    ]
    lines += [f"    {'pass' if check.passed else 'FAIL'}  {check.name}: {check.detail}" for check in result.checks]
    return "\n".join(lines) + "\n"
