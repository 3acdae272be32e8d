"""``m4review skills``, ``tasks`` and ``show``: what the workspace holds."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import click

from m4review.cli.identity import identity
from m4review.errors import M4ReviewError, WorkspaceError, one_of
from m4review.reviews import Ledger, SkillStatus, skill_status
from m4review.reviews.report import status_values
from m4review.skills import Skill
from m4review.tasks import Task
from m4review.workspace import SkillEntry, TaskEntry, Workspace

SKILLS_SCHEMA, TASKS_SCHEMA = "m4review.skills.v1", "m4review.tasks.v1"
WIDTH_OF_A_PIPE = 160
"""Columns for a reader that is no terminal and names no width."""
JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
AS_OPTION = click.option("--as", "reviewer", metavar="C1", help="Who you are, for this call only.")


@click.command()
@AS_OPTION
@JSON_OPTION
@click.pass_context
def skills(context: click.Context, reviewer: str | None, as_json: bool) -> None:
    """List the skills with version, computed state and tasks. A broken one is listed with its error."""
    workspace = Workspace.find()
    viewer = identity(context, workspace, reviewer)
    ledger = Ledger.load(workspace)
    statuses = {
        entry.name: skill_status(workspace, ledger, entry.name, None if viewer is None else viewer.id)
        for entry in workspace.skills
    }
    if as_json:
        values = [skill_values(workspace, entry, statuses[entry.name]) for entry in workspace.skills]
        _print_json({"schema": SKILLS_SCHEMA, "skills": values})
        return
    if not workspace.skills:
        click.echo("there are no skills")
    width = max((len(entry.name) for entry in workspace.skills), default=0)
    for entry in workspace.skills:
        click.echo(f"{entry.name:<{width}}  {skill_line(workspace, entry, statuses[entry.name])}")


@click.command()
@JSON_OPTION
def tasks(as_json: bool) -> None:
    """List the task cards. A broken one is listed with its error."""
    workspace = Workspace.find()
    if as_json:
        values = [task_values(workspace, entry) for entry in workspace.tasks]
        _print_json({"schema": TASKS_SCHEMA, "tasks": values})
        return
    if not workspace.tasks:
        click.echo("there are no task cards")
    width = max((len(entry.name) for entry in workspace.tasks), default=0)
    for entry in workspace.tasks:
        click.echo(f"{entry.name:<{width}}  {task_line(workspace, entry)}")


@click.command()
@click.argument("name")
@AS_OPTION
@click.pass_context
def show(context: click.Context, name: str, reviewer: str | None) -> None:
    """Show one skill or task card."""
    workspace = Workspace.find()
    if name in workspace.skill_names():
        skill = workspace.skill(name)
        viewer = identity(context, workspace, reviewer)
        status = skill_status(workspace, Ledger.load(workspace), name, None if viewer is None else viewer.id)
        _print_markdown(skill_head(workspace, skill, status), skill.body)
    elif any(entry.name == name for entry in workspace.tasks):
        task = workspace.task(name)
        _print_markdown(task_head(task), task.instruction)
    else:
        known = [*workspace.skill_names(), *(entry.name for entry in workspace.tasks)]
        raise WorkspaceError(
            f"no skill or task {name!r}",
            where=workspace.root,
            expected=one_of(name, known),
        )


def skill_line(workspace: Workspace, entry: SkillEntry, status: SkillStatus) -> str:
    """State, version and tasks of one skill; its error when it is broken."""
    parts = [status.label]
    if status.version is not None:
        parts.append(f"version {status.version}")
    if not status.is_recorded and status.state != "not recorded":
        parts.append("the text on disk is not recorded")
    names = ", ".join(task.name for task in workspace.tasks_of_skill(entry.name))
    parts.append(f"tasks: {names}" if names else "no task uses it")
    line = " · ".join(parts)
    return line if entry.error is None else f"{line}\n{_indented(entry.error)}"


def task_line(workspace: Workspace, entry: TaskEntry) -> str:
    """Family, database, mode and skills of one task card; its error when it is broken."""
    if entry.task is None:
        return f"{entry.family} · broken\n{_indented(entry.error)}"
    task = entry.task
    used = ", ".join(task.skills) or "none"
    return f"{task.family} · {task.title} · {task.database} {task.database_version} · {task.mode} · skills: {used}"


def skill_values(workspace: Workspace, entry: SkillEntry, status: SkillStatus) -> dict[str, Any]:
    """One skill of ``skills --json``."""
    return {
        "name": entry.name,
        "path": workspace.relative(entry.path),
        "title": None if entry.skill is None else entry.skill.title,
        "description": None if entry.skill is None else entry.skill.description,
        "warnings": [] if entry.skill is None else list(entry.skill.warnings),
        "tasks": [task.name for task in workspace.tasks_of_skill(entry.name)],
        "error": None if entry.error is None else str(entry.error),
        "version": status.version,
        "state": status.state,
        "label": status.label,
        "status": status_values(status),
    }


def task_values(workspace: Workspace, entry: TaskEntry) -> dict[str, Any]:
    """One task card of ``tasks --json``."""
    values: dict[str, Any] = {
        "name": entry.name,
        "family": entry.family,
        "path": workspace.relative(entry.path),
        "error": None if entry.error is None else str(entry.error),
    }
    if entry.task is not None:
        values |= entry.task.model_dump(mode="json", exclude={"name", "family", "path"})
    return values


def skill_head(workspace: Workspace, skill: Skill, status: SkillStatus) -> list[tuple[str, str]]:
    """What stands above the text of a skill."""
    head = [("skill", skill.name), ("state", status.label), ("version", str(status.version or "not recorded yet"))]
    if not status.is_recorded:
        head.append(("on disk", "differs from the last recorded version"))
    head += [("because", sentence) for sentence in status.because]
    head.append(("tasks", ", ".join(task.name for task in workspace.tasks_of_skill(skill.name)) or "none"))
    return [*head, ("file", workspace.relative(skill.path)), *(("warning", text) for text in skill.warnings)]


def task_head(task: Task) -> list[tuple[str, str]]:
    """What stands above the instruction of a task card."""
    output = task.output
    limits = [f"{name} ± {value:g}" for name, value in task.tolerances.numbers.items()]
    limits += [f"{name} ± {value:g} s" for name, value in task.tolerances.seconds.items()]
    return [
        ("task", task.name),
        ("title", task.title),
        ("family", task.family),
        ("database", f"{task.database} {task.database_version}, {task.mode}"),
        ("difficulty", task.difficulty),
        ("skills", ", ".join(task.skills) or "none"),
        ("removed", ", ".join(task.removed) or "nothing"),
        ("key", ", ".join(output.key_columns)),
        ("scored", ", ".join(output.scored_columns)),
        ("required", ", ".join(output.required_columns)),
        ("tolerances", ", ".join(limits) or "none: equal values only"),
        ("thresholds", f"accuracy {task.thresholds.accuracy:g}, row coverage {task.thresholds.row_coverage:g}"),
    ]


def _print_json(values: dict[str, Any]) -> None:
    click.echo(json.dumps(values, indent=2, ensure_ascii=False))


def _print_markdown(head: list[tuple[str, str]], text: str) -> None:
    from rich.console import Console

    from m4review.markdownlayout import WholeMarkdown

    width = max(len(key) for key, _ in head)
    for key, value in head:
        click.echo(f"{key:<{width}}  {value}")
    click.echo()
    is_fitted = sys.stdout.isatty() or "COLUMNS" in os.environ
    Console(width=None if is_fitted else WIDTH_OF_A_PIPE).print(WholeMarkdown(text))


def _indented(error: M4ReviewError | None) -> str:
    return "\n".join(f"    {line}" for line in str(error).split("\n"))
