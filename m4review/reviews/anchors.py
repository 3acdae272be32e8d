"""A quoted passage, found again in an edited text: exact, moved, or gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from m4review.errors import LedgerError
from m4review.reviews.eventparts import Anchor
from m4review.skills import Section, parse_document
from m4review.skills.frontmatter import split_front_matter

Place = Literal["exact", "moved", "orphan"]
CONTEXT = 40
"""Characters kept before and after a quote."""
TELLING = 12
"""A quote of this many characters that occurs once is found by itself."""
ENOUGH = 8
"""Characters of the old surroundings that must still be there, where they are all that tells."""


@dataclass(frozen=True, slots=True)
class Location:
    """Where a passage stands now. ``line`` is ``None`` for an orphan."""

    place: Place
    line: int | None


def anchor_at(text: str, quote: str, *, nth: int = 1) -> Anchor:
    """The anchor of the ``nth`` occurrence of ``quote`` in a SKILL.md.

    Raises:
        LedgerError: it does not occur that often.
    """
    text = _plain(text)
    places = _occurrences(text, quote)
    if not quote.strip() or len(places) < nth or nth < 1:
        raise LedgerError(
            f"the quoted passage occurs {len(places)} times in the text",
            expected=f"a passage that occurs at least {max(nth, 1)} times, copied exactly",
            fix="copy the passage from the recorded text",
        )
    start = places[nth - 1]
    line = text.count("\n", 0, start) + 1
    return Anchor(
        path=_path_at(_sections(text), line),
        quote=quote,
        prefix=text[max(0, start - CONTEXT) : start],
        suffix=text[start + len(quote) : start + len(quote) + CONTEXT],
        line=line,
    )


def locate(text: str, anchor: Anchor) -> Location:
    """Where the passage of ``anchor`` stands in ``text``: exact on its line with its surroundings, moved elsewhere or
    with other surroundings, orphan when it is gone. Of several occurrences the one with the most of the old
    surroundings is taken; a short passage without any of them is gone."""
    text = _plain(text)
    sections = _sections(text)
    places = _occurrences(text, anchor.quote)
    best: tuple[int, int, int] | None = None
    for start in places:
        line = text.count("\n", 0, start) + 1
        before = _shared(text[:start][::-1], anchor.prefix[::-1])
        after = _shared(text[start + len(anchor.quote) :], anchor.suffix)
        same_path = _path_at(sections, line) == anchor.path
        is_whole = before == len(anchor.prefix) and after == len(anchor.suffix)
        is_alone = len(places) == 1 and len(anchor.quote) >= TELLING
        if not (is_whole or is_alone or before + after >= ENOUGH or (same_path and len(places) == 1)):
            continue
        score = before + after + (CONTEXT if same_path else 0)
        if is_whole and same_path and line == anchor.line:
            return Location("exact", line)
        near = -abs(line - (anchor.line or line))
        best = max(best or (-1, 0, 0), (score, near, line))
    return Location("orphan", None) if best is None else Location("moved", best[2])


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")


def _occurrences(text: str, quote: str) -> list[int]:
    found = []
    at = text.find(quote) if quote else -1
    while at >= 0:
        found.append(at)
        at = text.find(quote, at + 1)
    return found


def _sections(text: str) -> tuple[Section, ...]:
    first = 1
    if text.startswith("---\n"):
        first = split_front_matter(text, "SKILL.md", LedgerError).body_line
    return parse_document("\n".join(text.split("\n")[first - 1 :]), first_line=first).sections


def _path_at(sections: Sequence[Section], line: int) -> tuple[str, ...]:
    return next((section.path for section in reversed(sections) if section.line <= line), ())


def _shared(one: str, other: str) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count
