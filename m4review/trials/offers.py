"""What an agent is given under each arm of a trial: skills as folders, or text in the prompt, each checked before.

Every text passes the lint that fits it before a run; a control that is missing or contaminated is one clear error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from m4review.ehr.schemas import ChangedSchema
from m4review.errors import SkillError, TrialError
from m4review.skills import SKILL_FILE, skill_from_bytes
from m4review.tasks import Task
from m4review.textfile import decode
from m4review.trials.conditions import PAIR, Arm, Condition
from m4review.trials.controls.decoys import decoy_of
from m4review.trials.controls.rawsql import raw_sql_skill
from m4review.trials.controls.specification import operational_specification
from m4review.trials.controls.texts import OfferedText
from m4review.trials.sections import sections_of, without_section
from m4review.trials.skillfiles import OfferedSkill, Shelf, offered_skill
from m4review.workspace import SKILLS, Workspace


@dataclass(frozen=True, slots=True)
class Offer:
    """What one arm gives: ``skills`` lie in folders as the agent expects skills, ``texts`` stand in the prompt."""

    skills: tuple[OfferedSkill, ...] = ()
    texts: tuple[OfferedText, ...] = ()

    def instruction(self, task: Task) -> str:
        """The instruction as the agent reads it: the task card's, and after it each text."""
        return "\n".join([task.instruction.rstrip("\n") + "\n", *(text.text.strip("\n") + "\n" for text in self.texts)])


def arms_of(
    workspace: Workspace,
    task: Task,
    conditions: Sequence[Condition],
    ablate: Sequence[str] | None,
    *,
    schema: ChangedSchema | None = None,
    shelf: Shelf | None = None,
) -> dict[Arm, Offer]:
    """The arms of a trial in the order in which they are shown, each with what it gives.

    ``ablate`` names sections to leave out one at a time, none for all; ``None`` is no ablation. An ablation has both
    ends: no skill, and the whole skill.

    Raises:
        TrialError: a skill or control is missing, contaminated, or cannot be read; no such section.
        DatasetError: the task's reference query is unknown.
    """
    wanted = conditions if ablate is None else (*PAIR, *conditions)
    offers = {Arm(condition): offer(workspace, task, condition, schema, shelf) for condition in dict.fromkeys(wanted)}
    if ablate is not None:
        whole = offers[Arm(Condition.WITH_SKILL)].skills
        for section in sections_of(whole, ablate):
            offers[Arm(Condition.WITH_SKILL, section.label)] = Offer(skills=without_section(whole, section))
    return offers


def offer(
    workspace: Workspace,
    task: Task,
    condition: Condition,
    schema: ChangedSchema | None = None,
    shelf: Shelf | None = None,
) -> Offer:
    """What an agent gets under a condition, read from the working copy and linted; skills perhaps from a shelf.

    Raises:
        TrialError: a skill or control is missing, contaminated, holds a link, or cannot be read.
        DatasetError: the task's reference query is unknown.
    """
    match condition:
        case Condition.NO_SKILL:
            return Offer()
        case Condition.WITH_SKILL:
            return Offer(skills=_own_skills(workspace, task, shelf))
        case Condition.SKILL_AS_TEXT:
            return Offer(texts=tuple(_as_text(skill) for skill in _own_skills(workspace, task, shelf)))
        case Condition.ALL_SKILLS:
            return Offer(skills=_all_skills(workspace, shelf))
        case Condition.OPERATIONAL_SPEC:
            return Offer(texts=(operational_specification(workspace, task),))
        case Condition.DECOY:
            return Offer(skills=(decoy_of(workspace, task, shelf),))
        case Condition.RAW_SQL:
            return Offer(skills=(raw_sql_skill(task, schema),))


def _own_skills(workspace: Workspace, task: Task, shelf: Shelf | None) -> tuple[OfferedSkill, ...]:
    if not task.skills:
        raise TrialError(
            f"the task {task.name} names no skill",
            where=task.path / "task.toml",
            expected='skills = ["<name>"]',
            fix="name the skill in the task card, or run the task alone: --condition no-skill",
        )
    return tuple(offered_skill(workspace, name, shelf) for name in task.skills)


def _all_skills(workspace: Workspace, shelf: Shelf | None) -> tuple[OfferedSkill, ...]:
    names = workspace.skill_names()
    if not names:
        raise TrialError("the library has no skills", where=workspace.skills_dir)
    return tuple(offered_skill(workspace, name, shelf) for name in names)


def _as_text(skill: OfferedSkill) -> OfferedText:
    """The words of a skill without its format: no folder, no front matter. Further texts of the folder follow it."""
    try:
        parts = [skill_from_bytes(skill.files[SKILL_FILE], Path(SKILLS, skill.name, SKILL_FILE)).body]
    except SkillError as error:
        raise TrialError(error.what, where=error.where, line=error.line, fix=error.fix) from None
    for name, data in skill.files.items():
        if name != SKILL_FILE and name.lower().endswith(".md"):
            parts.append(decode(data, f"{SKILLS}/{skill.name}/{name}").text)
    text = "\n\n".join(part.strip("\n") for part in parts) + "\n"
    return OfferedText(name=skill.name, text=text, digest=skill.digest, version=skill.version)
