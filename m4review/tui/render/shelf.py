"""Rows of the home screen: families, skills, tasks, and what waits for me."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from m4review.tui.render.states import BROKEN, DEMONSTRATION, state_line, status_brief
from m4review.tui.session.library import FamilyRow, Row, SkillRow, TaskRow

if TYPE_CHECKING:
    from m4review.reviews import QueueItem

ABOUT_A_CHANGE = frozenset({"review again", "review"})
"""Kinds of what waits for which the size of the change says most."""


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
        whose = "" if row.effect.version is None else f"v{row.effect.version} "
        text.append(f"  {whose}skill {signed(row.effect.delta)}", "bold")
    if counts_tasks:
        text.append(f"  {_counted(len(row.tasks), 'task')}", "dim")
    return text


def home_headline(folder: str, who: str, is_demonstration: bool) -> str:
    """Where this is and who works here; a demonstration is never taken for the workspace in which verdicts count."""
    if is_demonstration:
        return f"{DEMONSTRATION} · {who} · {folder}"
    return f"m4review · {folder} · {who}"


def about(row: Row) -> Text:
    """What there is to say of a row of the shelf: its state and verdicts, or why it cannot be read."""
    if isinstance(row, FamilyRow):
        return Text(f"Family {row.name}")
    if row.error is not None:
        return Text(str(row.error))
    if isinstance(row, TaskRow):
        return Text(f"Task {row.name}: {row.facts}. F5 runs it.")
    text = Text().append(row.title, "bold")
    return text if row.status is None else text.append("\n").append_text(status_brief(row.status))


def queue_label(item: QueueItem) -> Text:
    """What waits for me on one line: what to do, for which skill, how large the change is or why, and since when."""
    text = Text(no_wrap=True, overflow="ellipsis").append(f"{item.kind}: ", "bold").append(item.skill)
    since = f" · since {item.since[:10]}" if item.since else ""
    if not item.status.is_recorded:
        return text.append(f" · {item.why}")
    if item.kind in ABOUT_A_CHANGE:
        return text.append(f"{since} · {item.change or item.why}")
    return text.append(f" · {item.why}{since}")


def waiting_text(item: QueueItem) -> Text:
    """The same in full, with the state of the skill."""
    text = Text().append(f"{item.kind}: {item.skill}\n", "bold").append(f"{item.why[:1].upper()}{item.why[1:]}.")
    if item.change is not None:
        text.append(f" What changed since your last verdict: {item.change}.")
    return text.append("\n").append_text(status_brief(item.status))


def queue_title(count: int) -> str:
    """The heading of the queue with how much is in it, and how to get there."""
    return f"My queue · {count} · Tab goes there" if count else "My queue"


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
