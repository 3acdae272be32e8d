"""The operational specification: the complete rules of a derivation without the recipe of a database."""

from __future__ import annotations

import hashlib
from datetime import date

from m4review.errors import TrialError
from m4review.lint import SourceFile, TaskIndex, lint_files
from m4review.lint.waivers import apply_waivers, read_waivers
from m4review.tasks import Task
from m4review.textfile import decode
from m4review.trials.controls.texts import OfferedText
from m4review.workspace import SPECIFICATION_FILE, Workspace


def operational_specification(workspace: Workspace, task: Task) -> OfferedText:
    """The control text of the task, linted.

    Raises:
        TrialError: the task has none, it is empty, or it holds what an operational specification may not.
        TextFileError: it is no readable text.
    """
    path = task.path / SPECIFICATION_FILE
    where = workspace.relative(path)
    if path.is_symlink() or not path.is_file():
        raise TrialError(
            f"the task {task.name} has no operational specification",
            where=where,
            expected="the complete rules in words: no item id, no table, no source column",
        )
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TrialError(f"the operational specification cannot be read ({error.strerror})", where=where) from None
    text = decode(data, where).text
    if not text.strip():
        raise TrialError("the operational specification is empty", where=where)
    found = lint_files([SourceFile(where, data, len(data))], TaskIndex.read(workspace.tasks_dir))
    report = apply_waivers(found, read_waivers(workspace.root), [where], today=date.today())
    if report.errors:
        first = report.errors[0]
        raise TrialError(
            f"the operational specification of {task.name} is contaminated: {first.rule}: {first.message}",
            where=first.path,
            line=first.line,
            fix=first.fix,
        )
    return OfferedText(SPECIFICATION_FILE, text, "sha256:" + hashlib.sha256(data).hexdigest())
