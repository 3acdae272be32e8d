"""The states of skills as Markdown, fit for a comment on a pull request: nothing a viewer may not see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from m4review.reviews.ledger import Problem
from m4review.reviews.report import finding_values
from m4review.reviews.status import SkillStatus

MARK = "<!-- m4review:review-status -->"
"""First line of the comment, so that a script finds and replaces its own."""


def markdown_summary(
    statuses: Sequence[SkillStatus], problems: Iterable[Problem] = (), notes: Sequence[str] = ()
) -> str:
    """A table of all skills, then what each that is not released rests on. ``notes`` say which rules do not hold."""
    head = ["| skill | state | version | verdicts | open blockers |", "|---|---|---|---|---|"]
    lines = [MARK, "## Review status", "", *head]
    for status in statuses:
        blockers = sum(found.is_open_blocker for found in status.findings)
        version = "not recorded" if status.version is None else str(status.version)
        shown = f"{status.given} of {status.required}"
        hidden = "withheld" if status.decisions_hidden else str(blockers)
        lines.append(f"| {_text(status.skill)} | {_text(status.label)} | {version} | {shown} | {hidden} |")
    lines += [line for note in notes for line in ("", f"**Not in force:** {_text(note)}")]
    for status in statuses:
        if status.state == "draft" and not status.overrides:
            continue
        lines += ["", f"<details><summary>{_text(status.skill)}: {_text(status.label)}</summary>", ""]
        lines += [f"- {_text(sentence)}" for sentence in status.because]
        for found in status.findings:
            values = finding_values(found, status)
            if found.is_open:
                lines.append(f"- open {values['severity']} on {values['scope']}: {_text(found.finding.text)}")
        lines += [f"- **override** by {one.actor} on {one.at[:10]}: {_text(one.reason)}" for one in status.overrides]
        lines += ["", "</details>"]
    damaged = [f"- {problem.kind}: `{problem.path}`: {_text(problem.error.what)}" for problem in problems]
    if damaged:
        lines += ["", "### Event files that do not count", "", *damaged]
    return "\n".join(lines)


def _text(text: str) -> str:
    plain = " ".join(text.split()).replace("\\", "\\\\")
    for mark in "<>`*_[]|@#":
        plain = plain.replace(mark, f"\\{mark}" if mark not in "<>@#" else f"&#{ord(mark)};")
    return plain
