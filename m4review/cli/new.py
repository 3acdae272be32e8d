"""``m4review new skill NAME``: start a skill from the template."""

from __future__ import annotations

import json

import click

from m4review.cli.completeness import completeness_text
from m4review.newskill import create_skill
from m4review.skills import load_skill
from m4review.skills.completeness import completeness
from m4review.workspace import Workspace

SCHEMA = "m4review.new.v1"


@click.group()
def new() -> None:
    """Start something new."""


@new.command()
@click.argument("name")
@click.option("--task", "tasks", multiple=True, metavar="TASK", help="A task that it is to serve; repeatable.")
@click.option("--title", help="The heading of the text. Default: the first task's title, or the name.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def skill(name: str, tasks: tuple[str, ...], title: str | None, as_json: bool) -> None:
    """Make skills/NAME/SKILL.md from the template and list what is to be filled in.

    With --task the output columns are taken from the task card, and the card names the skill from then on.
    """
    workspace = Workspace.find()
    made = create_skill(workspace, name, tasks, title)
    text = load_skill(made.path)
    shown = [workspace.relative(path) for path in (made.path, *made.cards)]
    if as_json:
        result = completeness(text)
        click.echo(
            json.dumps(
                {
                    "schema": SCHEMA,
                    "name": name,
                    "path": shown[0],
                    "cards": shown[1:],
                    "absent": [item.element.id for item in result.absent],
                },
                ensure_ascii=False,
                indent=1,
            )
        )
        return
    click.echo(f"made {shown[0]}")
    for card in shown[1:]:
        click.echo(f"{card} names it now")
    click.echo("\n" + completeness_text([text.model_copy(update={"path": shown[0]})]))
    click.echo(
        f"\nWrite it in the workbench (m4review), then record a first version: m4review version {name} -m MESSAGE"
    )
