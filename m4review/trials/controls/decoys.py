"""The decoy: the skill of an unrelated family, which shows what the mere presence of a skill does.

The map of the decoys is data, ``tasks/decoys.toml``. Whether an entry is a decoy at all is a rule: the skill serves no
task of a family that this task builds on or that builds on it, and it names neither a relation that this task removed
nor a column that is scored.
"""

from __future__ import annotations

import re
import tomllib

from m4review.ehr.derivations import load_derivations
from m4review.errors import TrialError, one_of
from m4review.lint import LintContext
from m4review.lint.context import TaskIndex, answers_of, bare
from m4review.lint.removed import check_removed
from m4review.lint.views import plain_view
from m4review.tasks import Task
from m4review.textfile import decode, read_text
from m4review.tomllines import line_of, syntax_error
from m4review.trials.skillfiles import OfferedSkill, Shelf, offered_skill
from m4review.workspace import Workspace

TABLE = "decoys"


def decoy_of(workspace: Workspace, task: Task, shelf: Shelf | None = None) -> OfferedSkill:
    """The skill that the map gives the task as a decoy.

    Raises:
        TrialError: the map lacks the task, cannot be read, names no skill of the library, or what it names is no decoy
            for this task or contaminated.
    """
    where = workspace.relative(workspace.decoys_file)
    named = decoy_map(workspace)
    if task.name not in named:
        raise TrialError(
            f"the task {task.name} has no decoy",
            where=where,
            expected=f'{task.name} = "<a skill of an unrelated family>" under [{TABLE}]',
        )
    name = named[task.name]
    line = line_of(read_text(workspace.decoys_file).text, (TABLE, task.name))
    if name not in workspace.skill_names():
        raise TrialError(
            f"the decoy {name!r} of {task.name} is no skill of the library",
            where=where,
            line=line,
            expected=one_of(name, workspace.skill_names()),
        )
    skill = offered_skill(workspace, name, shelf)
    problem = why_no_decoy(workspace, task, skill)
    if problem is not None:
        raise TrialError(
            f"{name} is no decoy for {task.name}: {problem}",
            where=where,
            line=line,
            fix="choose the skill of a family that has nothing to do with this task",
        )
    return skill


def decoy_map(workspace: Workspace) -> dict[str, str]:
    """Task name → skill name.

    Raises:
        TrialError: no such file, not TOML, or not a table of names (file and line are named).
        TextFileError: the file is not readable text.
    """
    path = workspace.decoys_file
    where = workspace.relative(path)
    if not path.is_file():
        raise TrialError(
            "there is no map of decoys", where=where, expected=f'a table [{TABLE}] with lines task = "skill"'
        )
    text = read_text(path).text
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said, line = syntax_error(text, error)
        raise TrialError(f"not valid TOML: {said}", where=where, line=line) from None
    named = values.get(TABLE)
    if set(values) != {TABLE} or not isinstance(named, dict):
        raise TrialError("the map of decoys has another form", where=where, expected=f"one table [{TABLE}]")
    for task, skill in named.items():
        if not isinstance(skill, str):
            raise TrialError(
                f"the decoy of {task} is no name", where=where, line=line_of(text, (TABLE, task)), expected="a text"
            )
    return named


def why_no_decoy(workspace: Workspace, task: Task, skill: OfferedSkill) -> str | None:
    """What ties the skill to the task, in a clause; ``None`` for a true decoy."""
    if skill.name in task.skills:
        return "it is the task's own skill"
    cards = {card.name: card for card in TaskIndex.read(workspace.tasks_dir).tasks}
    for other in workspace.tasks_of_skill(skill.name):
        if other.family == task.family:
            return f"it serves {other.name}, a task of the same family"
        shared = _behind(task) & answers_of(cards[other.name]) or _behind(other) & answers_of(cards[task.name])
        if shared:
            return f"{task.name} and {other.name}, which it serves, build on each other ({min(shared)})"
    removed = frozenset(bare(relation) for relation in task.removed)
    context = LintContext(answers=removed, columns=frozenset(task.output.required_columns))
    for name, data in skill.files.items():
        text = decode(data, name).text
        hit = next(check_removed(plain_view(text), context), None)
        if hit is not None:
            line = text.count("\n", 0, hit.start) + 1
            return f"it names a table that the task removed ({name}, line {line})"
        scored = [column for column in task.output.scored_columns if re.search(rf"`{re.escape(column)}`", text)]
        if scored:
            return f"it speaks of the scored column {scored[0]} ({name})"
    return None


def _behind(task: Task) -> frozenset[str]:
    """The concepts that the task's reference is made from."""
    derivations = load_derivations(task.database)
    return frozenset(concept.name for concept in derivations.concepts_behind([derivations.reference(task.reference)]))
