"""Time windows that do not say from which moment they count."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from m4review.skills.document import Table
from m4review.skills.phrases import ANCHOR, ASIDE, NUMBER, SPAN, UNIT
from m4review.skills.skill import Skill
from m4review.skills.statements import statements
from m4review.skills.unclear.place import UnclearPlace, column

ID = "window-without-anchor"
WINDOWS = re.compile(r"\bwindows?\b|\btime frame|\bobservation period", re.I)
PERIOD = re.compile(
    rf"\b(?:first|initial|last|previous|preceding|following|next)\s+{SPAN}|"
    rf"{SPAN}\s+(?:before|prior to|earlier)\b|{SPAN}\s+(?:after|later|following)\b|"
    rf"\bhours?\s+[-−]?\d+\s*(?:to|–|-)\s*\+?\d+\b|[-−+]\s?\d+{UNIT}\s*(?:to|–)|"
    rf"\b(?:within|over|during|for)\s+(?:the\s+)?{SPAN}|\bfrom\s+{NUMBER}\s*(?:to|–|-)\s*{SPAN}",
    re.I,
)
MOMENT = re.compile(
    r"\badmi(?:ssion|tted|t)\b|\bdischarge|\bdeath\b|\bdied\b|\barrival|\bonset|\bentry|\bentering|\bleaving|"
    r"\bsuspicion|\binfection|\bculture|\bsurgery|\bintubat|\bextubat|\bstarts?\b|\bbegin|\bends?\b(?!\s+(?:are\s+)?"
    r"(?:included|excluded|inclusive))|"
    r"`[^`]+`|\bchart(?:ing|ed)\b|\bmeasure(?:ment|d)|\bsample|\bspecimen|\bdrawn?\b|\bresult|\bvalue|\bdose|\border|"
    r"\brow|\bhour of\b|\bminute 0\b|\btime zero\b|\bbirth|\btransfer|\bepisode|\bblood gas|\bPaO2|\bof (?:the |each |"
    r"every )?(?:ICU |hospital |unit )?(?:stay|day|admission)\b|\bICU day\b|\bof the (?:first )?\w+ output\b|\bnow\b|"
    r"\boutput\b|\bcreatinine\b",
    re.I,
)
"""A moment that a window can be counted from; anything measured has one too."""
TO_WRITE = (
    "Name the moment that the window counts from, for example 'after ICU admission', and the column that holds it."
)


def unanchored_windows(skill: Skill, tables: Sequence[Table]) -> Iterator[UnclearPlace]:
    """Windows in sentences and in table cells, where neither they nor their section name a moment."""
    everything = statements(skill.body, skill.document, first_line=skill.body_line)
    method = [item for item in everything if not any(ASIDE.search(title) for title in item.headings)]
    for item in method:
        speaks = bool(item.headings and WINDOWS.search(item.headings[-1])) or WINDOWS.search(item.text) is not None
        if speaks and PERIOD.search(item.text) and not MOMENT.search(item.text):
            section = (other.text for other in method if other.headings == item.headings and other is not item)
            if not any(ANCHOR.search(text) for text in section) or not _refers(item.text):
                yield UnclearPlace(ID, item.line, "a time window that does not say what it counts from", TO_WRITE)
    for table in tables:
        place = column(table, r"^window$")
        for row in table.rows if place is not None else ():
            cell = row.cells[place or 0]
            if PERIOD.search(cell) and not MOMENT.search(cell):
                text = f"the window {cell.strip()!r} does not say what it counts from"
                yield UnclearPlace(ID, row.line, text, TO_WRITE)


def _refers(text: str) -> bool:
    """Whether a sentence only speaks of a window that its section states elsewhere."""
    return (
        re.search(r"\b(?:this|that|these|the|both|same|each) (?:\w+ )?(?:windows?|\w+ hours)\b", text, re.I) is not None
    )
