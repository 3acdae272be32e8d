"""How densely a paragraph is filled with figures that only a finished output can give, however it says so.

No list of sentences is complete. What those paragraphs share: uneven counts in thousands, several of them; counts and
shares beside levels; several statistics in a row; and a word for what was made or found. Each kind weighs something, a
paragraph is refused for their sum, and one that names a source is literature. Counts of patients alone weigh nothing:
that is how studies count.
"""

from __future__ import annotations

from collections.abc import Iterator

from m4review.lint.pattern import Pattern
from m4review.lint.views import View

ENOUGH = 4.0
LONGEST = 700
"""Characters of a paragraph that are weighed together: figures far apart do not speak of the same."""

COUNT = Pattern(
    r"(?<![\w.,'/:-])(?:\d{1,3}(?:[,'_]\d{3})+|\d{4,6})(?![\w/:-]|[.,]\d|['_]\d|\s?(?:m[lg]|mm|[µμu]g|g\b|kg|k?cal|[µμu]l|"
    r"per\b|units?\b|iu\b|h\b|hours?\b|days?\b|minutes?\b|min\b|s\b|patients|adults|children|people|persons|subjects|"
    r"participants|encounters|deaths|admissions|hospitals|cases|°|%|×|x\b))"
)
NO_COUNT = Pattern(r"(?:22\d{4}|5[01]\d{3}|(?:18|19|20)\d\d)\Z")
"""Numbers of items, and years."""
CODES = Pattern(r"\b(?:items?|itemids?|icd|codes?|ids?|identifiers?|snomed|loinc|rxnorm)\b")
"""Where they are spoken of, digits without a sign between thousands are names of things."""
LARGEST = 6
"""Digits of a count: tables of a database are larger than outputs."""
OF_A_SOURCE = Pattern(r"\b(?:modules?|datasets?|databases?|these\s+tables|tables\s+are|versions?\s+\d)\b")
OWN = Pattern(r"\b(?:solution|answers?|expected|our|your|yours|i\s+(?:ran|got|get|found)|we\s+(?:obtain|got|get)\w*)\b")
"""What tells figures of an output from those of the data it is made from."""
BEFORE_A_NAME = Pattern(
    r"(?:items?|itemids?|ids?|codes?|icd\S{0,6}|pmid|loinc|snomed|rxnorm|concepts?|version|table|doi|isbn|nct|number)\W{0,4}\Z"
)
SHARE = Pattern(r"(?<![\d.,])\d{1,2}\.\d{1,2}\s?%")
STATISTIC = Pattern(
    r"\b(?P<name>min|max|mean|median|std|sd|avg|average|nulls?|missing|count|n)\s?[:=]?\s?(?:of\s)?-?\d"
)
MOMENT = Pattern(r"\b(?:mean|median|std|sd|avg|average)\s?[:=]?\s?(?:of\s)?-?\d{1,6}\.\d")
"""Limits have a least and a largest value as well; only a result has a mean with decimals."""
STEP = Pattern(r"\b(?:after\s+(?:filtering|joining|the\s+join|exclusions?)|coverage|lost|dropped)\b")
"""What is done with rows: beside their counts it says that they were counted."""
LEVELLED = Pattern(
    r"\b(?:none|mild|moderate|severe|positive|negative|yes|no|zero|one|two|three|four|(?:stage|score|class|level|grade|total|points?)\s?\d)"
    r"\s?[:=(]?\s?(?:in\s)?\d"
)
COUNTED = Pattern(r"\b(?:rows?|stays|lines|records)\b")
MADE = Pattern(
    r"\b(?:solution|answers?|expected|output|we\s+(?:obtain|got|get|found|see|count)\w*|(?:our|your)\s+(?:reading|result|run|"
    r"count|version|table|file)\w*|yours|i\s+(?:ran|got|get|found)|found|full\s+table|final(?:\s+(?:file|table))?|by\s+step|per\s+class|"
    r"row\s+count|ended\s+up|result\w*)\b"
)


def dense_paragraphs(plain: View) -> Iterator[tuple[int, int]]:
    """Spans of the paragraphs that are filled so."""
    lower = plain.lower
    start = 0
    for paragraph in lower.split("\n\n"):
        for first in range(0, len(paragraph), LONGEST):
            piece = paragraph[first : first + LONGEST]
            if len(piece) > 20 and _weight(piece) >= ENOUGH:
                yield start + first, start + first + len(piece.rstrip())
        start += len(paragraph) + 2


def _weight(piece: str) -> float:
    """The weight of all kinds; zero without a figure of an output, or without a word for what was made or counted."""
    if OF_A_SOURCE.search(piece) and not OWN.search(piece):
        return 0.0
    codes = CODES.search(piece) is not None
    counts = sum(
        1
        for match in COUNT.finditer(piece)
        if not (codes and match.group().isdigit()) and _is_uneven(piece, match.start(), match.group())
    )
    statistics = len({match.group("name") for match in STATISTIC.finditer(piece)}) if MOMENT.search(piece) else 0
    if not counts and statistics < 3:
        return 0.0
    made = len({match.group() for match in MADE.finditer(piece)}) + (counts > 0 and STEP.search(piece) is not None)
    counted = COUNTED.search(piece) is not None
    if not made and not counted:
        return 0.0
    levels = sum(1 for _ in LEVELLED.finditer(piece))
    shares = sum(1 for _ in SHARE.finditer(piece))
    return (
        (0.0, 1.5, 2.5, 3.0)[min(counts, 3)]
        + (3.0 if statistics >= 3 else 0.0)
        + (1.5 if levels >= 2 else 0.0)
        + (0.0, 0.0, 1.0, 1.5)[min(shares, 3)]
        + (0.75 if counted else 0.0)
        + min(made, 2)
    )


def _is_uneven(piece: str, start: int, number: str) -> bool:
    """Whether a number is a count that nobody rounded, and no name of a thing."""
    digits = "".join(filter(str.isdigit, number))
    return (
        3 < len(digits) <= LARGEST
        and not digits.endswith("0")
        and NO_COUNT.match(digits) is None
        and BEFORE_A_NAME.search(piece[max(0, start - 24) : start]) is None
    )
