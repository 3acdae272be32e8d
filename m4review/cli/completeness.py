"""``m4review lint --completeness``: which elements of a specification a skill declares. Advice, never a refusal."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from m4review.errors import DatasetError, LintFailure, one_of
from m4review.places import SKILL_FILE, find_root
from m4review.skills import Skill, load_skill
from m4review.skills.completeness import Completeness, completeness
from m4review.skills.unclear import ItemDictionary
from m4review.workspace import Workspace

SCHEMA = "m4review.completeness.v1"


def skills_named(names: Sequence[str]) -> tuple[Skill, ...]:
    """The skills of these names, folders or SKILL.md files; all of the workspace when none is named.

    Raises:
        LintFailure: no skill of that name, or none at all.
        SkillError, TextFileError, WorkspaceError: a skill cannot be read, or there is no workspace.
    """
    if names:
        return tuple(load_skill(_file(name)) for name in names)
    workspace = Workspace.find()
    found = tuple(load_skill(workspace.skill_file(name)) for name in workspace.skill_names())
    if not found:
        raise LintFailure("the workspace has no skills", where=workspace.skills_dir)
    return found


def items_here() -> ItemDictionary | None:
    """What the datasets of this workspace know of item ids; ``None`` without a workspace or a dataset."""
    root = find_root(Path.cwd())
    home = None if root is None else Workspace(root).data_home(os.environ)
    if home is None or not home.is_dir():
        return None
    from m4review.ehr.itemdictionary import item_dictionary

    try:
        return item_dictionary(home)
    except DatasetError as error:
        print(f"m4review: item ids were not looked up: {error}", file=sys.stderr)
        return None


def completeness_text(skills: Iterable[Skill], dictionary: ItemDictionary | None = None) -> str:
    """A checklist per skill: each element with its line, or absent with what to write; then what is unclear."""
    return "\n\n".join(_checklist(skill, completeness(skill, dictionary)) for skill in skills)


def completeness_json(skills: Iterable[Skill], dictionary: ItemDictionary | None = None) -> str:
    """One object: ``skills`` with their ``elements`` (``line`` is ``null`` where one is absent) and ``findings``."""
    answer = {"schema": SCHEMA, "skills": [_values(skill, completeness(skill, dictionary)) for skill in skills]}
    return json.dumps(answer, ensure_ascii=False, indent=2)


def _values(skill: Skill, result: Completeness) -> dict[str, object]:
    return {
        "name": skill.name,
        "path": str(skill.path),
        "declared": len(result.declared),
        "elements": [
            {
                "id": item.element.id,
                "title": item.element.title,
                "declared": item.is_declared,
                "line": item.line,
                "to_write": item.element.to_write,
            }
            for item in result.declarations
        ],
        "findings": [
            {"id": place.id, "line": place.line, "message": place.message, "to_write": place.to_write}
            for place in result.unclear
        ],
    }


def _checklist(skill: Skill, result: Completeness) -> str:
    head = f"{skill.path}: {len(result.declared)} of {len(result.declarations)} elements declared"
    if result.unclear:
        head += f", {len(result.unclear)} unclear place{'s' * (len(result.unclear) != 1)}"
    lines = [head]
    for item in result.declarations:
        if item.is_declared:
            lines.append(f"  [x] {item.element.title:<22} line {item.line}")
        else:
            lines.append(f"  [ ] {item.element.title:<22} absent. {item.element.to_write}")
    for place in result.unclear:
        lines.append(f"  [?] {place.id:<22} line {place.line}: {place.message}. {place.to_write}")
    return "\n".join(lines)


def _file(name: str) -> Path:
    path = Path(name)
    if path.name == SKILL_FILE and path.is_file():
        return path
    if (path / SKILL_FILE).is_file():
        return path.resolve() / SKILL_FILE if path.name in {"", ".", ".."} else path / SKILL_FILE
    workspace = Workspace.find()
    if "/" not in name and name in workspace.skill_names():
        full = workspace.skill_file(name)
        return full.relative_to(Path.cwd()) if full.is_relative_to(Path.cwd()) else full
    expected = one_of(name, workspace.skill_names(), more=", or a skill's folder or SKILL.md")
    raise LintFailure(f"no skill {name!r}", expected=expected)
