"""The size of a comparison: how many tasks, models and repeats stand on both sides of the skill."""

from __future__ import annotations

from dataclasses import dataclass, replace

from m4review.campaigns.analysis import NO_SKILL, WITH_SKILL
from m4review.campaigns.effects import Effect
from m4review.campaigns.matrix import Matrix
from m4review.errors import CampaignError


@dataclass(frozen=True, slots=True)
class Design:
    """``models`` and ``repeats`` are what most tasks have, rounded down where tasks differ."""

    tasks: int
    models: int
    repeats: int

    @classmethod
    def of_effect(cls, effect: Effect) -> Design:
        """The size of a comparison that was made."""
        pairs = [pair for task in effect.tasks for pair in task.models]
        repeats = sum(min(len(pair.baseline), len(pair.treated)) for pair in pairs) // len(pairs)
        return cls(len(effect.tasks), max(1, len(pairs) // len(effect.tasks)), max(1, repeats))

    def changed(self, *, tasks: int | None, models: int | None, repeats: int | None) -> Design:
        """The same with other numbers where they are given."""
        return replace(self, tasks=tasks or self.tasks, models=models or self.models, repeats=repeats or self.repeats)

    def __str__(self) -> str:
        def counted(count: int, what: str) -> str:
            return f"{count} {what}{'s' * (count != 1)}"

        return f"{counted(self.tasks, 'task')}, {counted(self.models, 'model')}, {counted(self.repeats, 'repeat')}"


def design_of(matrix: Matrix) -> Design:
    """What a plan runs with and without the skill on the native schema.

    Raises:
        CampaignError: it does not run both.
    """
    sides = {NO_SKILL.condition, WITH_SKILL.condition}
    blocks = [
        block
        for block in matrix.blocks
        if block.cell.schema_name == NO_SKILL.schema and sides <= {condition.value for condition in block.conditions}
    ]
    if not blocks:
        raise CampaignError(
            "the plan compares nothing",
            expected="no-skill and with-skill on the native schema for one task at least",
        )
    tasks = {block.cell.task for block in blocks}
    cells = {block.cell for block in blocks}
    return Design(len(tasks), max(1, len(cells) // len(tasks)), max(1, len(blocks) // len(cells)))
