"""Rows of the home screen: families, skills, tasks, and what waits for me."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from m4review.tui.render.states import BROKEN, state_line
from m4review.tui.session.library import FamilyRow, SkillRow, TaskRow

if TYPE_CHECKING:
    from m4review.reviews import QueueItem


def family_label(family: FamilyRow) -> Text:
    """The family with the number of its skills and tasks."""
    text = Text().append(family.name, "bold")
    return text.append(f"  {_counted(len(family.skills), 'skill')}", "dim")


def skill_label(row: SkillRow, *, counts_tasks: bool = False) -> Text:
    """A skill with its state, what its last trial said and, where they are folded in, how many tasks it has."""
    text = Text(f"{row.name}  ")
    if row.error is not None:
        return text.append(f"{BROKEN} cannot be read: {row.error.what}", "red")
    if row.status is not None:
        text.append_text(state_line(row.status))
    if row.effect is not None:
        text.append(f"  Δ {signed(row.effect)}", "bold")
    if counts_tasks:
        text.append(f"  {_counted(len(row.tasks), 'task')}", "dim")
    return text


def queue_label(item: QueueItem) -> Text:
    """What waits for me on one line: what to do, for which skill, since when, how large the change is or why."""
    text = Text(no_wrap=True, overflow="ellipsis").append(f"{item.kind}: ", "bold").append(item.skill)
    if item.since is not None:
        text.append(f" · since {item.since[:10]}")
    return text.append(f" · {item.change or item.why}")


def queue_title(count: int) -> str:
    """The heading of the queue with how much is in it."""
    return f"My queue · {count}" if count else "My queue"


def shelf_rows(families: Sequence[FamilyRow]) -> int:
    """How many rows the shelf takes with everything unfolded."""
    return sum(
        (not is_one_skill(family)) + sum(1 + len(skill.tasks) for skill in family.skills) + len(family.loose_tasks)
        for family in families
    )


def is_one_skill(family: FamilyRow) -> bool:
    """Whether a family is nothing but one skill, which then stands for it on the shelf."""
    return len(family.skills) == 1 and not family.loose_tasks


def task_label(row: TaskRow) -> Text:
    """A task card with its database and mode, or why it cannot be read."""
    if row.error is not None:
        return Text(f"{row.name}  {BROKEN} cannot be read: {row.error.what}", "red")
    return Text(f"{row.name}  ", "dim").append(row.facts, "dim")


def signed(value: float) -> str:
    """A difference of rewards with its sign: ``+0.412``, ``−0.031``, ``0.000``."""
    if abs(value) < 0.0005:
        return "0.000"
    return f"{'+' if value > 0 else '−'}{abs(value):.3f}"


def filtered(families: Sequence[FamilyRow], words: str) -> list[FamilyRow]:
    """The families, skills and tasks whose row holds every word (any case); a family or skill keeps what it holds."""
    wanted = words.casefold().split()
    if not wanted:
        return list(families)
    shown = []
    for family in families:
        skills = [row for row in family.skills if _holds(_skill_words(family, row), wanted)]
        tasks = [row for row in family.loose_tasks if _holds(f"{family.name} {task_label(row).plain}", wanted)]
        if skills or tasks:
            shown.append(FamilyRow(family.name, tuple(skills), tuple(tasks)))
    return shown


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _skill_words(family: FamilyRow, row: SkillRow) -> str:
    tasks = " ".join(task_label(task).plain for task in row.tasks)
    return f"{family.name} {row.title} {skill_label(row).plain} {tasks}"


def _holds(text: str, wanted: Sequence[str]) -> bool:
    folded = text.casefold()
    return all(word in folded for word in wanted)
