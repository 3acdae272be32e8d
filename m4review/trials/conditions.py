"""Conditions: what the agent is given beside the task and its database, and the arms of a trial."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from m4review.errors import TrialError, one_of


class Condition(StrEnum):
    """What an agent is given. The controls tell a skill's content from the mere presence of text."""

    NO_SKILL = "no-skill"
    WITH_SKILL = "with-skill"
    OPERATIONAL_SPEC = "operational-spec"
    """The complete rules without the database's recipe, in the prompt instead of a skill."""
    DECOY = "decoy"
    """The skill of an unrelated family."""
    RAW_SQL = "raw-sql"
    """The reference query on what the task may see, in the place of the skill."""
    ALL_SKILLS = "all-skills"
    """Every skill of the library."""
    SKILL_AS_TEXT = "skill-as-text"
    """The words of the task's own skill, in the prompt instead of as a skill: is it the format or the words?"""


AVAILABLE = tuple(Condition)
"""The conditions this version can run."""

PAIR = (Condition.NO_SKILL, Condition.WITH_SKILL)
"""The two whose difference is the trial's result."""

CONTROLS = tuple(condition for condition in Condition if condition not in PAIR)
"""What a trial may run beside the pair."""


@dataclass(frozen=True, slots=True)
class Arm:
    """What one run of a trial is given: a condition, and in an ablation the section that the skill lacks."""

    condition: Condition
    left_out: str | None = None
    """Title of the section left out of the skill, ``None`` for the whole skill."""

    @property
    def label(self) -> str:
        """How the arm is called on screens and in tables."""
        return arm_label(self.condition, self.left_out)

    @property
    def folder(self) -> str:
        """A folder name of its own within a trial; titles may hold anything."""
        if self.left_out is None:
            return self.condition.value
        return f"{self.condition.value}-" + "".join(f"{byte:02x}" for byte in self.left_out.encode())[:180]


def arm_label(condition: Condition, left_out: str | None) -> str:
    """``with-skill``, or ``with-skill without 'Scoring'``."""
    return condition.value if left_out is None else f"{condition.value} without {left_out!r}"


def parse_condition(text: str) -> Condition:
    """The condition of that name.

    Raises:
        TrialError: unknown.
    """
    try:
        return Condition(re.sub(r"[\s_]+", "-", text.strip().lower()))
    except ValueError:
        raise TrialError(f"no condition {text!r}", expected=one_of(text, AVAILABLE)) from None
