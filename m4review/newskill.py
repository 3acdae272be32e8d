"""A new skill: its folder with the template's text, and its name in the task cards that it is to serve."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from m4review.errors import M4ReviewError, SkillError, TaskError
from m4review.skills import parse_document
from m4review.skills.skill import NAME_PATTERN
from m4review.skills.template import new_skill_text
from m4review.tasks import TASK_FILE, Task
from m4review.textfile import TextFile, read_text, write_bytes, write_text
from m4review.tomllines import line_of
from m4review.workspace import SKILLS, Workspace

SKILLS_LINE = re.compile(r"^skills[ \t]*=[ \t]*\[(?P<names>[^\]]*)\]", re.M)
FIRST_TABLE = re.compile(r"^\s*\[", re.M)


@dataclass(frozen=True, slots=True)
class NewSkill:
    """What was made: the file, and the task cards that name it now."""

    path: Path
    cards: tuple[Path, ...]


def create_skill(workspace: Workspace, name: str, tasks: Sequence[str] = (), title: str | None = None) -> NewSkill:
    """Make ``skills/<name>/SKILL.md`` from the template, and name it in the cards of ``tasks``.

    Output columns, title (up to a comma) and database come from the first of the tasks. Nothing is left behind when it
    fails.

    Raises:
        SkillError: no skill name, or there is one of that name.
        TaskError: no such task, or its card cannot take the name.
        TextFileError: a file cannot be written.
    """
    _require_free_name(workspace, name)
    cards = [workspace.task(task) for task in dict.fromkeys(tasks)]
    first = cards[0] if cards else None
    text = new_skill_text(
        name,
        title or (first.title.partition(",")[0] if first else name.replace("-", " ").capitalize()),
        database=first.database if first else None,
        database_version=first.database_version if first else None,
        columns=tuple(_columns(first)) if first else (),
        components=first.output.scored_columns if first else (),
    )
    changes = [_with_skill(card, name) for card in cards]
    path = workspace.skill_file(name)
    try:
        write_bytes(path, text.encode(), exclusive=True)
    except FileExistsError:
        raise SkillError(f"there is a skill {name!r} already", where=workspace.relative(path)) from None
    written: list[TextFile] = []
    try:
        for source, changed in changes:
            write_text(source.path, changed, newline=source.newline, expect_digest=source.digest)
            written.append(source)
    except M4ReviewError:
        path.unlink()
        path.parent.rmdir()
        for source in written:
            write_text(source.path, source.text, newline=source.newline)
        raise
    return NewSkill(path, tuple(source.path for source, _ in changes))


def _require_free_name(workspace: Workspace, name: str) -> None:
    if not NAME_PATTERN.fullmatch(name) or "--" in name:
        offered = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:64].strip("-")
        raise SkillError(
            f"{name!r} is no name for a skill",
            expected="lower-case letters, digits and single hyphens, 1 to 64 characters",
            fix=f"for example {offered}" if offered else None,
        )
    if (workspace.skills_dir / name).exists() or name in workspace.skill_names():
        raise SkillError(
            f"there is a skill {name!r} already",
            where=f"{SKILLS}/{name}",
            fix="choose another name, or edit that skill",
        )


def _columns(task: Task) -> Iterator[tuple[str, str, str]]:
    """Name, type and meaning of the output columns, as far as the instruction's table says them."""
    said: dict[str, tuple[str, str]] = {}
    for table in parse_document(task.instruction).tables:
        if table.header[0].strip().lower() == "column" and len(table.header) == 3:
            said = {row.cells[0].strip("` "): (row.cells[1], row.cells[2]) for row in table.rows}
            break
    for column in task.output.required_columns:
        kind, meaning = said.get(column, ("?", "?"))
        yield column, kind, re.sub(r"\s*\(key\)", "", meaning)


def _with_skill(task: Task, name: str) -> tuple[TextFile, str]:
    """The card as it is, and its text with one more skill."""
    source = read_text(task.path / TASK_FILE)
    match = SKILLS_LINE.search(source.text)
    if match is None:
        first = FIRST_TABLE.search(source.text)
        place = first.start() if first else len(source.text)
        changed = f'{source.text[:place].rstrip()}\nskills = ["{name}"]\n\n{source.text[place:].lstrip()}'
    else:
        names = match["names"].rstrip().rstrip(",")
        within = f'{names}, "{name}"' if names.strip() else f'"{name}"'
        changed = source.text[: match.start("names")] + within + source.text[match.end("names") :]
    before = tomllib.loads(source.text)
    try:
        fits = tomllib.loads(changed) == {**before, "skills": [*before.get("skills", []), name]}
    except tomllib.TOMLDecodeError:
        fits = False
    if not fits:
        raise TaskError(
            f"the skill {name} could not be added to the card",
            where=source.path,
            line=line_of(source.text, ("skills",)),
            fix=f'add "{name}" to skills = […] yourself and leave --task out',
        )
    return source, changed
