"""``m4review campaign power``: the smallest effect that a plan can show, and what it takes to show a given one."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import click

from m4review.campaigns.analysis import NO_SKILL, WITH_SKILL
from m4review.campaigns.design import Design, design_of
from m4review.campaigns.effects import compare_arms
from m4review.campaigns.forms.plain import aligned
from m4review.campaigns.matrix import matrix_of
from m4review.campaigns.plan import find_plan
from m4review.campaigns.power import Spread, repeats_needed, smallest_detectable, spread_of, tasks_needed
from m4review.campaigns.runs import task_facts
from m4review.campaigns.runsource import read_source
from m4review.errors import CampaignError
from m4review.workspace import Workspace

POWER_SCHEMA = "m4review.campaign-power.v1"
REPEATS = (1, 2, 3, 5, 10, 20)
"""What the table shows beside the design's own number."""


@click.command()
@click.argument("name", required=False)
@click.option("--runs", "files", multiple=True, type=click.Path(path_type=Path), help="A CSV of past runs.")
@click.option("--plan", metavar="FILE|NAME", help="Take tasks, models and repeats from this plan.")
@click.option("--tasks", type=click.IntRange(1, 100_000), help="Of the design, instead of the plan's.")
@click.option("--models", type=click.IntRange(1, 1_000), help="Of the design, instead of the plan's.")
@click.option("--repeats", type=click.IntRange(1, 1_000), help="Of the design, instead of the plan's.")
@click.option("--target", type=click.FloatRange(0, 1, min_open=True), help="The difference in reward to be shown.")
@click.option("--power", "wanted", type=click.FloatRange(0.01, 0.999), default=0.8, show_default=True)
@click.option("--level", type=click.FloatRange(0.0001, 0.5), default=0.05, show_default=True, help="Two-sided.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def power(
    name: str | None,
    files: tuple[Path, ...],
    plan: str | None,
    tasks: int | None,
    models: int | None,
    repeats: int | None,
    target: float | None,
    wanted: float,
    level: float,
    as_json: bool,
) -> None:
    """Say what a design can show, from the spread of past runs: the campaign NAME, or files of runs.

    Without a plan the design is that of the past runs themselves.
    """
    workspace = Workspace.find()
    facts = task_facts(workspace)
    source = read_source(workspace, facts, campaign=name, files=files)
    effect = compare_arms(source.runs, facts, NO_SKILL, WITH_SKILL)
    spread = spread_of(effect)
    if spread is None:
        raise CampaignError(
            "the past runs do not show how far repeats differ",
            where=", ".join(source.names),
            expected="two tasks at least, and one model of a task with two repeats on both sides",
        )
    planned = design_of(matrix_of(find_plan(plan), workspace)) if plan else Design.of_effect(effect)
    design = planned.changed(tasks=tasks, models=models, repeats=repeats)
    smallest = {
        count: smallest_detectable(
            spread, tasks=design.tasks, models=design.models, repeats=count, level=level, power=wanted
        )
        for count in sorted({*REPEATS, design.repeats})
    }
    needed = _needed(spread, design, target, level, wanted)
    if as_json:
        values = {
            "schema": POWER_SCHEMA,
            "sources": source.names,
            "spread": dataclasses.asdict(spread),
            "design": dataclasses.asdict(design),
            "level": level,
            "power": wanted,
            "smallest": {str(count): value for count, value in smallest.items()},
            "target": target,
            **needed,
        }
        click.echo(json.dumps(values, indent=1))
        return
    click.echo(
        f"Past runs ({', '.join(source.names)}; {spread.tasks} tasks): standard deviation between tasks "
        f"{spread.between**0.5:.4f}, between repeats {spread.within**0.5:.4f}."
    )
    click.echo(f"Design: {design}. Two-sided {level:g}, power {wanted:g}.\n")
    rows = [
        (f"{count}{' (design)' if count == design.repeats else ''}", "–" if value is None else f"{value:.4f}")
        for count, value in smallest.items()
    ]
    click.echo("\n".join(aligned(("repeats per condition", "smallest difference shown"), rows)))
    if design.tasks < 2:
        click.echo("\nOne task, no inference: nothing can be said of other tasks, however many repeats.")
    if target is not None:
        click.echo("\n" + _needed_words(target, needed))


def _needed(spread: Spread, design: Design, target: float | None, level: float, power: float) -> dict[str, int | None]:
    if target is None:
        return {}
    return {
        "repeats_needed": repeats_needed(
            spread, target, tasks=design.tasks, models=design.models, level=level, power=power
        ),
        "tasks_needed": tasks_needed(
            spread, target, models=design.models, repeats=design.repeats, level=level, power=power
        ),
    }


def _needed_words(target: float, needed: dict[str, int | None]) -> str:
    repeats, tasks = needed["repeats_needed"], needed["tasks_needed"]
    by_repeats = (
        f"{repeats} repeat{'s' * (repeats != 1)} of these tasks"
        if repeats
        else "no number of repeats of these tasks is enough"
    )
    by_tasks = f"{tasks} tasks with these repeats" if tasks else "no number of tasks that was tried is enough"
    return f"To show a difference of {target:g}: {by_repeats}; {by_tasks}."
