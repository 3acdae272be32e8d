"""Rows of the home screen: families, skills, tasks, and what waits for me."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from m4review.tui.render.states import BROKEN, state_line
from m4review.tui.session.library import FamilyRow, SkillRow, TaskRow


def family_label(family: FamilyRow) -> Text:
    """The family with the number of its skills and tasks."""
    text = Text().append(family.name, "bold")
    count = len(family.skills)
    return text.append(f"  {count} skill{'s' * (count != 1)}", "dim")


def skill_label(row: SkillRow) -> Text:
    """A skill with its computed state and what its last trial said."""
    text = Text(f"{row.name}  ")
    if row.error is not None:
        return text.append(f"{BROKEN} cannot be read: {row.error.what}", "red")
    if row.status is not None:
        text.append_text(state_line(row.status))
    if row.effect is not None:
        text.append(f"  Δ {signed(row.effect)}", "bold")
    return text


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


def _skill_words(family: FamilyRow, row: SkillRow) -> str:
    tasks = " ".join(task_label(task).plain for task in row.tasks)
    return f"{family.name} {row.title} {skill_label(row).plain} {tasks}"


def _holds(text: str, wanted: Sequence[str]) -> bool:
    folded = text.casefold()
    return all(word in folded for word in wanted)
