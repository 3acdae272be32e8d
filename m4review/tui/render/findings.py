"""Findings of the lint as marks in the text, as a line under the editor and as a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

if TYPE_CHECKING:
    from m4review.lint import Finding
    from m4review.lint.finding import Waived

ERROR, WARNING, UNCLEAR = "E", "W", "?"
UNCLEAR_STYLE = Style(color="cyan", bold=True)
STYLES = {ERROR: Style(underline=True, color="red", bold=True), WARNING: Style(underline=True, color="yellow")}


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of one line (0-based columns; ``end`` of ``None`` is the line's end) that a finding is about."""

    letter: str
    start: int
    end: int | None

    @property
    def style(self) -> Style:
        return STYLES[self.letter]


def letter_of(finding: Finding) -> str:
    """``E`` for a finding that blocks a version, ``W`` for advice."""
    return ERROR if finding.severity == "error" else WARNING


def marks_by_line(findings: Sequence[Finding]) -> dict[int, list[Mark]]:
    """Marks by 1-based line; a finding over several lines marks each of them."""
    marks: dict[int, list[Mark]] = {}
    for finding in findings:
        last = max(finding.end_line, finding.line)
        for line in range(finding.line, last + 1):
            start = finding.column - 1 if line == finding.line else 0
            end = finding.end_column - 1 if line == last and finding.end_column > finding.column else None
            marks.setdefault(line, []).append(Mark(letter_of(finding), max(start, 0), end))
    return marks


def gutter_letter(marks: Sequence[Mark]) -> tuple[str, Style]:
    """The letter beside the line number: the gravest of the line's findings."""
    letter = ERROR if any(mark.letter == ERROR for mark in marks) else WARNING
    return letter, Style(color=STYLES[letter].color, bold=True)


def tally(findings: Sequence[Finding], waived: int = 0) -> str:
    """``no findings``, or how many errors and warnings, and how many findings are waived."""
    errors = sum(letter_of(finding) == ERROR for finding in findings)
    warnings = len(findings) - errors
    parts = [
        f"{count} {word}{'s' * (count != 1)}" for count, word in ((errors, "error"), (warnings, "warning")) if count
    ]
    return ", ".join([*(parts or ["no findings"]), *([f"{waived} waived"] if waived else [])])


def at_line(findings: Sequence[Finding], line: int) -> Finding | None:
    """The first finding that touches a 1-based line, errors before warnings."""
    here = [finding for finding in findings if finding.line <= line <= max(finding.end_line, finding.line)]
    return min(here, key=lambda finding: (letter_of(finding) != ERROR, finding.column), default=None)


def next_after(findings: Sequence[Finding], line: int, column: int, *, backwards: bool = False) -> Finding | None:
    """The next finding after a 1-based place, around the end to the first; ``backwards`` the one before it."""
    ordered = sorted(findings, key=lambda finding: (finding.line, finding.column), reverse=backwards)
    for finding in ordered:
        place = (finding.line, finding.column)
        if (place < (line, column)) if backwards else (place > (line, column)):
            return finding
    return ordered[0] if ordered else None


def one_line(finding: Finding) -> Text:
    """What a finding says, for the line under the editor."""
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(f" {letter_of(finding)} ", STYLES[letter_of(finding)] + Style(underline=False, reverse=True))
    return text.append(f" {finding.message} → {finding.fix}  [{finding.rule}]")


def entry(finding: Finding) -> Text:
    """A finding in the list: place, rule, what, why and how to fix it."""
    letter = letter_of(finding)
    text = Text()
    text.append(f"{letter} line {finding.line}", STYLES[letter] + Style(underline=False))
    text.append(f"  {finding.rule}\n", "bold").append(f"{finding.message}\n")
    if finding.why:
        text.append(f"Why: {finding.why}\n")
    if finding.fix:
        text.append(f"Fix: {finding.fix}")
    return text


def waived_entry(item: Waived) -> Text:
    """A finding that a waiver allows: place, rule, what, until when and by whom it is waived, and why."""
    text = Text(f"waived · line {item.finding.line}  {item.finding.rule}\n{item.finding.message}\n")
    return text.append(f"Waived until {item.expires} by {item.person}: {item.reason}")


def listing(findings: Sequence[Finding]) -> Text:
    """All findings, one under the other."""
    return Text("\n\n").join(entry(finding) for finding in findings)
