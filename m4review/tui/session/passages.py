"""A passage of a text that somebody marked, and the finding they write about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from m4review.errors import LedgerError
from m4review.reviews.anchors import anchor_at
from m4review.reviews.eventparts import SEVERITIES, Finding
from m4review.workspace import SCOPES

Place = tuple[int, int]
"""Row and column, from 0."""
LONGEST = 2000
"""Characters of a passage that an anchor keeps."""


@dataclass(frozen=True, slots=True)
class Passage:
    """What is marked: the quote, and which of its occurrences. An empty quote means the whole text."""

    quote: str
    nth: int = 1

    @property
    def line(self) -> str:
        """The quote in one line."""
        return " ".join(self.quote.split())


WHOLE = Passage("")


def passage_between(text: str, start: Place, end: Place) -> Passage:
    """The passage between two places of ``text``; where nothing is marked, the line that holds them.

    Raises:
        LedgerError: longer than an anchor keeps.
    """
    first, last = sorted((start, end))
    lines = text.split("\n")
    if first == last:
        line = lines[first[0]] if first[0] < len(lines) else ""
        first, last = (first[0], len(line) - len(line.lstrip())), (first[0], len(line.rstrip()))
    begin, stop = _offset(lines, first), _offset(lines, last)
    quote = text[begin:stop]
    begin += len(quote) - len(quote.lstrip("\n"))
    quote = quote.strip("\n")
    if not quote.strip():
        return WHOLE
    if len(quote) > LONGEST:
        raise LedgerError(
            f"the marked passage has {len(quote)} characters", expected=f"at most {LONGEST}", fix="mark a shorter one"
        )
    return Passage(quote, _occurrence(text, quote, begin))


def written_finding(text: str, passage: Passage, values: Mapping[str, str], taken: Sequence[str]) -> Finding:
    """The finding with the values of a form (scope, severity, text, reference, proposed) on a passage of ``text``.

    ``taken`` are the names of the findings written so far.

    Raises:
        LedgerError: a value is missing or too long.
    """
    number = next(number for number in range(1, len(taken) + 2) if f"f{number}" not in taken)
    anchor = anchor_at(text, passage.quote, nth=passage.nth) if passage.quote else None
    scope = next((scope for scope in SCOPES if scope == values.get("scope")), None)
    severity = next((severity for severity in SEVERITIES if severity == values.get("severity")), None)
    if scope is None or severity is None:
        raise LedgerError("a finding has a scope and a severity", expected=", ".join((*SCOPES, *SEVERITIES)))
    try:
        return Finding(
            id=f"f{number}",
            scope=scope,
            severity=severity,
            text=" ".join(values.get("text", "").split()),
            anchor=anchor,
            reference=values.get("reference", ""),
            proposed=values.get("proposed", ""),
        )
    except ValidationError as error:
        names = ", ".join(str(one["loc"][0]) for one in error.errors() if one["loc"])
        raise LedgerError(f"the finding is too long or too short in: {names}") from None


def _offset(lines: Sequence[str], place: Place) -> int:
    row, column = place
    return sum(len(line) + 1 for line in lines[:row]) + column


def _occurrence(text: str, quote: str, begin: int) -> int:
    nth, at = 0, text.find(quote)
    while 0 <= at <= begin:
        nth += 1
        at = text.find(quote, at + 1)
    return nth
