"""What the lint says: findings, and the report that holds them."""

from __future__ import annotations

from typing import Literal, NamedTuple

from m4review.errors import M4ReviewError

Severity = Literal["error", "warning"]


class Finding(NamedTuple):
    """One thing the lint says about one place. Lines and columns count from 1; the end column is exclusive.

    ``excerpt`` is the source line for the caret of the text output. It is ``None`` where the line may hold patient
    data, so that no output ever repeats a row. ``fingerprint`` names the finding across edits elsewhere in the file.
    """

    rule: str
    family: str
    severity: Severity
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str
    why: str
    fix: str
    fingerprint: str
    excerpt: str | None = None


class Waived(NamedTuple):
    """A finding that a reviewed waiver allows, and what the waiver says. ``line`` is that of the waivers' file."""

    finding: Finding
    reason: str
    person: str
    expires: str
    """Its last day, as ``YYYY-MM-DD``."""
    line: int


class WaiverNote(NamedTuple):
    """A waiver that no longer does anything: it is over, or fits no finding."""

    path: str
    line: int
    problem: Literal["expired", "unmatched"]
    message: str


class LintReport(NamedTuple):
    """All findings of one run, sorted by path and place, and what was read for them."""

    findings: tuple[Finding, ...]
    files: int
    bytes: int
    not_checked: tuple[str, ...] = ()
    """Files announced to git without content (``git add -N``): neither clean nor contaminated, not read at all."""
    waived: tuple[Waived, ...] = ()
    """Findings that a waiver allows; they do not block, and every output lists them."""
    waiver_notes: tuple[WaiverNote, ...] = ()

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that block."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The findings that are shown and do not block."""
        return tuple(finding for finding in self.findings if finding.severity == "warning")

    @property
    def exit_code(self) -> int:
        """0 without errors (warnings allowed), else 1."""
        return 1 if self.errors else 0


class LintRefusal(M4ReviewError):  # noqa: N818 - a refusal, which the caller shows with its findings
    """The content may not be recorded; ``report`` says why."""

    exit_code = 1

    def __init__(self, what: str, report: LintReport) -> None:
        self.report = report
        first = report.errors[0]
        count = len(report.errors)
        super().__init__(
            f"{what}: {count} error{'s' if count != 1 else ''} of the lint, the first is {first.rule}: {first.message}",
            where=first.path,
            line=first.line,
            fix=first.fix,
        )
