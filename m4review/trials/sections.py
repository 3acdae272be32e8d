"""The sections of a skill, and a skill without one of them: what an ablation takes away."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from m4review.errors import SkillError, TrialError, one_of
from m4review.skills import SKILL_FILE, skill_from_bytes
from m4review.textfile import decode
from m4review.trials.skillfiles import OfferedSkill, digest_of_files
from m4review.workspace import SKILLS

LEVEL = 2
"""The heading level at which a skill is cut."""


@dataclass(frozen=True, slots=True)
class SkillSection:
    """One section of a skill. ``label`` is its title, with the skill's name where a trial gives several skills."""

    skill: str
    label: str
    first_line: int
    last_line: int


def sections_of(skills: Sequence[OfferedSkill], wanted: Sequence[str]) -> tuple[SkillSection, ...]:
    """The sections of those titles in the order of the text; all when none is named.

    Titles are compared without case, numbering and marks of code.

    Raises:
        TrialError: no such section, or a skill has no section.
    """
    found = [section for skill in skills for section in _sections(skill, several=len(skills) > 1)]
    if not found:
        raise TrialError(
            "the skill has no section that could be left out",
            where=f"{SKILLS}/{skills[0].name}/{SKILL_FILE}",
            expected=f"headings of level {LEVEL}: '{'#' * LEVEL} Scoring'",
        )
    chosen: set[SkillSection] = set()
    for title in wanted:
        meant = [section for section in found if _plain(title) in {_plain(section.label), _bare(section)}]
        if not meant:
            raise TrialError(f"no section {title!r}", expected=one_of(title, [section.label for section in found]))
        chosen.update(meant)
    return tuple(section for section in found if not wanted or section in chosen)


def without_section(skills: Sequence[OfferedSkill], section: SkillSection) -> tuple[OfferedSkill, ...]:
    """The same skills, one of them without that section; what is left out takes its sub-sections along."""
    return tuple(_cut(skill, section) if skill.name == section.skill else skill for skill in skills)


def _cut(skill: OfferedSkill, section: SkillSection) -> OfferedSkill:
    lines = decode(skill.files[SKILL_FILE], SKILL_FILE).text.split("\n")
    kept = lines[: section.first_line - 1] + lines[section.last_line :]
    files = {**skill.files, SKILL_FILE: ("\n".join(kept).rstrip("\n") + "\n").encode()}
    return replace(skill, files=files, digest=digest_of_files(files), version=None)


def _sections(skill: OfferedSkill, *, several: bool) -> list[SkillSection]:
    try:
        document = skill_from_bytes(skill.files[SKILL_FILE], Path(SKILLS, skill.name, SKILL_FILE)).document
    except (SkillError, KeyError) as error:
        problem = error if isinstance(error, SkillError) else SkillError(f"no {SKILL_FILE}", where=skill.name)
        raise TrialError(problem.what, where=problem.where, line=problem.line, fix=problem.fix) from None
    heads = [section for section in document.sections if section.level <= LEVEL]
    titles = [section.title for section in heads if section.level == LEVEL]
    found = []
    for index, head in enumerate(heads):
        if head.level < LEVEL:
            continue
        last = heads[index + 1].line - 1 if index + 1 < len(heads) else document.line_count
        title = head.title if titles.count(head.title) == 1 else f"{head.title} (line {head.line})"
        label = f"{skill.name}: {title}" if several else title
        found.append(SkillSection(skill.name, label, head.line, last))
    return found


def _bare(section: SkillSection) -> str:
    return _plain(re.sub(r" \(line \d+\)$", "", section.label.removeprefix(f"{section.skill}: ")))


def _plain(title: str) -> str:
    return re.sub(r"^[\d.]+\s+", "", " ".join(title.replace("`", "").lower().split()))
