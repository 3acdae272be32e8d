"""The sections of a text, for going from one to another."""

from __future__ import annotations

from dataclasses import dataclass

from m4review.skills.document import Section, parse_document


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One heading: its 1-based line, and how it is listed, indented by its level."""

    line: int
    says: str


def outline(text: str) -> list[OutlineEntry]:
    """The headings in reading order."""
    sections = sections_of(text)
    top = min((section.level for section in sections), default=1)
    return [
        OutlineEntry(section.line, f"{'  ' * (section.level - top)}{section.title}  · line {section.line}")
        for section in sections
    ]


def sections_of(text: str) -> tuple[Section, ...]:
    """The sections of a text, of which the front matter is none; a ``#`` in a code block begins none."""
    lines = text.split("\n")
    first = 1
    if lines[0].rstrip() == "---":
        first = next((number + 1 for number, line in enumerate(lines[1:], start=2) if line.rstrip() == "---"), 1)
    return parse_document("\n".join(lines[first - 1 :]), first_line=first).sections


def section_at(text: str, line: int) -> Section | None:
    """The section that holds a 1-based line, ``None`` before the first heading."""
    return next((section for section in reversed(sections_of(text)) if section.line <= line), None)
