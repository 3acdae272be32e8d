"""``m4review campaign plan`` and ``freeze``: what a plan comes to, and fixing it with every digest."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any, Literal

import click

from m4review.campaigns.estimate import Estimate, estimate, past_runs
from m4review.campaigns.freezing import freeze as freeze_plan
from m4review.campaigns.freezing import with_choices
from m4review.campaigns.lacking import lacking
from m4review.campaigns.matrix import Matrix, matrix_of
from m4review.campaigns.plan import PlanFile, find_plan, shipped_plans
from m4review.campaigns.setting import Setting, plan_agents
from m4review.cli.campaigntext import matrix_rows, plan_lines
from m4review.errors import M4ReviewError
from m4review.trials.sandbox.ownership import Owner
from m4review.workspace import Workspace

PLAN_SCHEMA, FREEZE_SCHEMA = "m4review.campaign-plan.v1", "m4review.campaign-freeze.v1"
Sandbox = Literal["docker", "local"]

PLAN = click.argument("plan", metavar="FILE|NAME")
SANDBOX = click.option("--sandbox", type=click.Choice(["docker", "local"]), help="Instead of what the plan says.")
DATASETS = click.option(
    "--dataset", "datasets", multiple=True, help="For its layout, instead of the plan's; repeatable."
)


@click.command(epilog=f"Plans that come along: {', '.join(shipped_plans())}.")
@PLAN
@SANDBOX
@DATASETS
@click.option("--parallel", type=click.IntRange(1, 1024), default=1, show_default=True, help="For the time it takes.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def plan(plan: str, sandbox: Sandbox | None, datasets: tuple[str, ...], parallel: int, as_json: bool) -> None:
    """Print the matrix of a plan, its size, what it will take, and what is missing.

    Time and tokens come from runs of this workspace. Exit 0, or 2 when the plan itself is wrong.
    """
    workspace = Workspace.find()
    file = with_choices(find_plan(plan), workspace, sandbox=sandbox, datasets=datasets)
    matrix = matrix_of(file, workspace)
    lacks = lacking(file, matrix, workspace, os.environ)
    expected = _estimate(file, matrix, workspace)
    if as_json:
        click.echo(json.dumps(_values(file, matrix, expected, lacks), ensure_ascii=False, indent=1))
    else:
        click.echo("\n".join(plan_lines(file, matrix, expected, lacks, parallel)))


@click.command()
@PLAN
@click.option("--name", required=True, help="Of the campaign, and of its folder.")
@SANDBOX
@DATASETS
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def freeze(plan: str, name: str, sandbox: Sandbox | None, datasets: tuple[str, ...], as_json: bool) -> None:
    """Fix a plan under a name: a manifest with the digest of everything that decides a result.

    A frozen plan is never changed: after any change it is frozen once more under another name.
    """
    workspace = Workspace.find()
    file = with_choices(find_plan(plan), workspace, sandbox=sandbox, datasets=datasets)
    folder, new = freeze_plan(workspace, file, name, progress=_told)
    manifest = folder.manifest
    if as_json:
        values = {
            "schema": FREEZE_SCHEMA,
            "name": name,
            "new": new,
            "manifest": manifest.digest,
            "plan": manifest.plan_digest,
            "path": str(folder.path),
            "blocks": len(manifest.blocks),
            "runs": manifest.runs(),
        }
        click.echo(json.dumps(values, indent=1))
        return
    click.echo(f"{name}: {'frozen' if new else 'frozen already, and nothing has changed'}")
    click.echo(f"{len(manifest.blocks)} blocks, {manifest.runs()} runs; manifest {manifest.digest}")
    click.echo(f"run it with: m4review campaign run {name}")


def _told(cell: str, done: int, total: int) -> None:
    click.echo(f"[{done + 1}/{total}] {cell}", err=True)


def _estimate(file: PlanFile, matrix: Matrix, workspace: Workspace) -> Estimate | None:
    try:
        agents = plan_agents(file)
    except M4ReviewError:
        return None  # said among what is missing
    setting = Setting(workspace, file.plan, agents, os.environ, Owner.of_this_process())
    return estimate(matrix, setting, past_runs(workspace))


def _values(file: PlanFile, matrix: Matrix, expected: Estimate | None, lacks: list[M4ReviewError]) -> dict[str, Any]:
    return {
        "schema": PLAN_SCHEMA,
        "title": file.plan.title,
        "plan": file.digest,
        "seed": file.plan.seed,
        "sandbox": file.plan.sandbox,
        "cells": len(matrix.cells),
        "blocks": len(matrix.blocks),
        "runs": matrix.runs,
        "matrix": [
            {"schema": schema, "agent": agent, "condition": condition, "tasks": len(counts), "runs": sum(counts)}
            for (schema, agent, condition), counts in matrix_rows(matrix).items()
        ],
        "unbalanced": list(matrix.unbalanced),
        "estimate": None if expected is None else dataclasses.asdict(expected),
        "missing": [
            {"what": error.what, "where": error.place, "expected": error.expected, "fix": error.fix} for error in lacks
        ],
    }
