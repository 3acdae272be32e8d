"""A task card as a reader meets it: what is asked, of which database, and what counts."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from m4review.markdownlayout import WholeMarkdown
from m4review.tasks import Task


def task_card(task: Task) -> RenderableType:
    """One card: facts first, then the instruction as the agent reads it."""
    facts = Text()
    facts.append(f"{task.name}\n", "bold")
    facts.append(f"{task.database} {task.database_version} · {task.mode} · {task.difficulty}\n")
    facts.append(f"Rows are told apart by {', '.join(task.output.key_columns)}\n")
    facts.append(f"Scored: {', '.join(task.output.scored_columns)}\n")
    if task.removed:
        facts.append(f"Not in the agent's database: {', '.join(task.removed)}\n")
    return Group(facts, WholeMarkdown(task.instruction))


def task_cards(tasks: Sequence[Task]) -> RenderableType:
    """All cards that use a skill, one under the other, and after them the page of each of their families."""
    if not tasks:
        return Text("No task card uses this skill yet. A card names its skills in task.toml.")
    pages = {task.family: task.family_page for task in tasks if task.family_page}
    parts: list[RenderableType] = []
    if pages:
        whose = "each family's page" if len(pages) > 1 else f"the page of the family {next(iter(pages))}"
        parts.append(Text(f"Validity audit: on {whose}, below the task cards.\n"))
    for position, task in enumerate(tasks):
        if position:
            parts.append(Rule())
        parts.append(task_card(task))
    for family, page in pages.items():
        parts += [Rule(f"family {family}"), WholeMarkdown(page)]
    return Group(*parts)


def preview(text: str) -> RenderableType:
    """The Markdown of a skill as laid out; the front matter stays a quiet block at the top."""
    lines = text.split("\n")
    if lines[0].rstrip() == "---":
        for number, line in enumerate(lines[1:], start=1):
            if line.rstrip() == "---":
                front = Text("\n".join(lines[1:number]), "dim")
                return Group(front, WholeMarkdown("\n".join(lines[number + 1 :])))
    return WholeMarkdown(text)
