"""Rows of patients without a header: identifiers side by side, or one at the same place of several lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from m4review.lint.pattern import Pattern
from m4review.lint.rowtables import BOUNDS, IN_RANGE, row_hit
from m4review.lint.rule import Hit
from m4review.lint.views import View

ANY_ID = Pattern(rf"(?<![\w.:/-]){IN_RANGE}(?![\w]|[./-]\d)")
OTHER_NUMBERS = Pattern(
    r"pmid|pubmed|pmc|snomed|doi|loinc|rxnorm|isbn|issn|nct|umls|gtin|ndc|orcid|https?:|version|"
    r"sctid|concept[ _]?id|grant|trial|isrctn|ean\b|telephone|phone|tel\."
)
PAIR = Pattern(rf"\W{{0,4}}{IN_RANGE}(?:\W{{1,6}}-?\d{{1,3}}(?:\.\d+)?){{1,6}}\W{{0,3}}")
"""An identifier and small values: two such lines are rows, three of any other kind."""


def check_blocks(plain: View) -> Iterator[Hit]:
    """Rows without a header: several identifiers side by side, or one at the same place of three lines."""
    lower = plain.lower
    run: list[int] = []
    for row, start in enumerate(plain.line_starts):
        end = plain.line_starts[row + 1] if row + 1 < len(plain.line_starts) else len(lower)
        line = lower[start:end]
        found = [m for m in ANY_ID.finditer(line) if m.group() not in BOUNDS] if len(line) > 8 else []
        if not found or OTHER_NUMBERS.search(line) or _under_references(plain, row):
            run = []
            continue
        kinds = {match.group()[0] for match in found}
        others = len(re.findall(r"[,;|\t ]\s*\"?-?\d+(?:\.\d+)?(?=\"?\s*(?:[,;|\t\n ]|\Z))", line))
        if len(kinds) >= 2 and re.search(rf"{IN_RANGE}[\"']?\s*[,;|\t ]\s*[\"']?{IN_RANGE}", line):
            yield row_hit(plain, row, None)
            run = []
            continue
        if len({match.group() for match in found if not match.group().endswith("0000")}) >= 2:
            yield Hit("patient-id", *plain.raw(*_within(found, start)), "identifiers of patients, admissions or stays")
            run = []
            continue
        if others >= 1 or len(found) == 1:
            run.append(row)
            if len(run) == 3 or (len(run) == 2 and all(PAIR.fullmatch(_line(plain, other)) for other in run)):
                yield row_hit(plain, run[0], None)


def _line(plain: View, row: int) -> str:
    stop = plain.line_starts[row + 1] if row + 1 < len(plain.line_starts) else len(plain.lower)
    return plain.lower[plain.line_starts[row] : stop].strip()


def _within(found: list[re.Match[str]], start: int) -> tuple[int, int]:
    return start + found[0].start(), start + found[-1].end()


def _under_references(plain: View, row: int) -> bool:
    first = max(0, row - 12)
    return OTHER_NUMBERS.search(plain.lower[plain.line_starts[first] : plain.line_starts[row]]) is not None
