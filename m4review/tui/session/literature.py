"""A reference to be completed, by its PMID or DOI, in the section of a skill that lists its literature."""

from __future__ import annotations

import re

from m4review.errors import M4ReviewError
from m4review.skills.document import Section
from m4review.tui.session.outline import sections_of

TITLE = re.compile(r"\b(literature|references|bibliography|sources? cited)\b", re.I)
PMID = re.compile(r"(?:pmid:?\s*|https?://(?:www\.)?pubmed\.ncbi\.nlm\.nih\.gov/)?(\d{1,8})/?", re.I)
DOI = re.compile(r"(?:doi:?\s*|https?://(?:dx\.)?doi\.org/)?(10\.\d{4,9}/[^\s\"<>]+)", re.I)
TO_COMPLETE = "To be written: authors. Title. Journal year;volume:pages."


def reference_line(identifier: str) -> str:
    """A list item that names the publication by its identifier and leaves the rest to be written.

    Raises:
        M4ReviewError: neither a PMID nor a DOI.
    """
    said = identifier.strip().rstrip(".")
    if not said:
        return f"- {TO_COMPLETE}"
    if pmid := PMID.fullmatch(said):
        return f"- {TO_COMPLETE} https://pubmed.ncbi.nlm.nih.gov/{int(pmid.group(1))}/"
    if doi := DOI.fullmatch(said):
        return f"- {TO_COMPLETE} https://doi.org/{doi.group(1)}"
    raise M4ReviewError(
        "this is neither a PMID nor a DOI",
        expected="up to 8 digits such as 1303622, or 10.… such as 10.1378/chest.101.6.1644; their links do as well",
    )


def place_for_reference(text: str) -> tuple[int, tuple[str, ...]]:
    """Before which line (from 1) a further reference belongs, and what has to stand around it: the text before it.

    Without a section for literature one is begun at the end of the text.
    """
    lines = text.split("\n")
    found = [section for section in sections_of(text) if TITLE.search(section.title)]
    if not found:
        last = _last_written(lines, 1, len(lines))
        return last + 1, ("", "## Literature", "")
    section = found[-1]
    last = _last_written(lines, section.line, min(_end(found[-1], text), len(lines)))
    return last + 1, (("",) if last == section.line or not _is_listed(lines[last - 1]) else ())


def _end(section: Section, text: str) -> int:
    """The last line of a section with those below it."""
    later = [one for one in sections_of(text) if one.line > section.line]
    return next((one.line - 1 for one in later if one.level <= section.level), text.count("\n") + 1)


def _last_written(lines: list[str], first: int, last: int) -> int:
    """The last line from ``first`` to ``last`` that is not blank."""
    return next((number for number in range(last, first - 1, -1) if lines[number - 1].strip()), first)


def _is_listed(line: str) -> bool:
    """Whether a line belongs to a list: it begins an item or goes on with one."""
    return re.match(r"\s*[-*+]\s|\s{2,}\S|\s*\d+[.)]\s", line) is not None
