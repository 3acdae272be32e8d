"""The lint of a text that is being typed: what a worker computes away from the screen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from m4review.errors import M4ReviewError
from m4review.workspace import Workspace

if TYPE_CHECKING:
    from m4review.lint import Finding, LintContext
    from m4review.lint.finding import Waived
    from m4review.lint.mending import Mend


@dataclass(frozen=True, slots=True)
class Checked:
    """What the lint says of one version of the text; ``error`` when the lint itself could not run.

    ``waived`` are the findings that a waiver of this workspace allows: they do not block a version.
    """

    version: int
    findings: tuple[Finding, ...]
    error: M4ReviewError | None = None
    waived: tuple[Waived, ...] = ()


class LiveLint:
    """The lint of one skill's text; what the task cards forbid is read once."""

    def __init__(self, workspace: Workspace, skill: str) -> None:
        self._workspace = workspace
        self._skill = skill

    def check(self, text: str, version: int) -> Checked:
        """Lint the text as it would be saved as the skill's file."""
        from datetime import date

        from m4review.lint import LintReport, lint_text
        from m4review.lint.waivers import apply_waivers, read_waivers

        try:
            found = LintReport(tuple(lint_text(text, self._path, self._context)), 1, len(text))
            report = apply_waivers(found, read_waivers(self._workspace.root), [self._path], today=date.today())
            return Checked(version, report.findings, waived=report.waived)
        except M4ReviewError as error:
            return Checked(version, (), error)

    def mends(self, text: str, finding: Finding) -> tuple[Mend, ...]:
        """The edits that put a finding of that text right."""
        from m4review.lint import lint_text
        from m4review.lint.mending import mends

        return mends(text, finding, lambda changed: lint_text(changed, self._path, self._context), self._skill)

    @property
    def _path(self) -> str:
        return self._workspace.relative(self._workspace.skill_file(self._skill))

    @cached_property
    def _context(self) -> LintContext:
        from m4review.lint import TaskIndex

        return TaskIndex.read(self._workspace.tasks_dir).context(self._skill)
