"""Conditions and aggregates of a query, weighed: ``case``, ``when … then``, ``max(…)``."""

from __future__ import annotations

import re

from m4review.lint.pattern import Pattern
from m4review.lint.sqlwords import CODE, COLUMN, FUNCTION, NOT_NAMES, OPERATOR, WORD

WHEN = Pattern(
    rf"when\s+(?P<condition>[^\n;]{{1,160}}?(?:\n[^\n;]{{1,120}}?)?)\s+then\s+(?P<value>-?\d|'|"
    rf"null\b|true\b|false\b|{CODE}|{FUNCTION}|\(|[a-z]\w*)"
)
COMPARES = Pattern(rf"{OPERATOR}|\bis\s+(?:not\s+)?null\b|\bin\s*\(|\bbetween\b|\bi?like\b")
ENGLISH = Pattern(
    r"\b(?:the|a|an|is(?!\s+(?:not\s+)?null\b)|are|was|were|of|than|patient|patients|value|"
    r"values|both|either|each|any|no)\b|,"
)
SEVERAL_COMPARED = Pattern(
    rf"\(?{CODE}\s*{OPERATOR}\s*-?[\w.']+(?:\s+(?:and|or)\s+\(?{CODE}\s*{OPERATOR}\s*-?[\w.']+\)?)+\Z"
)
"""Names that are no words, each compared, and nothing between but ``and`` and ``or``."""


def weigh_when(text: str, lower: str, position: int) -> tuple[float, int] | None:
    match = WHEN.match(lower, position)
    if match is None:
        return None
    condition = match.group("condition")
    compared = COMPARES.search(condition) is not None
    if ENGLISH.search(condition) or not (compared or re.fullmatch(r"'[^']*'|\d+|" + CODE, condition.strip())):
        return None
    if SEVERAL_COMPARED.match(condition) and match.group("value")[0] in "-0123456789'":
        return 4.0, match.end()
    solid = match.group("value")[0] in "-0123456789'(" or "_" in match.group("value") or match.group("value") == "null"
    return (2.5 if solid else 1.0) + (0.5 if text[position : position + 4] == "WHEN" else 0.0), match.end()


CASE = Pattern(
    rf"case\s+(?:{WORD}(?:\.{WORD})?\s+)?when\s+(?P<condition>(?:[a-z_]\w*\()?\(?\s*(?P<name>{WORD}(?:\.{WORD})?|"
    rf"'[^'\n]*'|\d+)[^\n]{{0,60}})"
)
COUNTED_CASE = Pattern(
    rf"{WORD}(?:\.{WORD})?\s*{OPERATOR}\s*-?[\w.']+(?:\s+(?:and|"
    rf"or)\s+{WORD}(?:\.{WORD})?\s*{OPERATOR}\s*-?[\w.']+)*\s+then\s+"
    r"(?:-?\d|'|null\b)"
)
"""Conditions on names, and a number for them."""


def weigh_case(text: str, lower: str, position: int) -> tuple[float, int] | None:
    match = CASE.match(lower, position)
    if match is None or match.group("name") in NOT_NAMES:
        return None
    head = match.group("condition")
    if not (COMPARES.search(head) or re.search(r"\bthen\b", head)):
        return None
    counted = (
        COUNTED_CASE.match(lower, match.start("condition")) is not None and lower[position - 3 : position] != "in "
    )
    return 3.5 + (0.5 if counted or text[position : position + 4] == "CASE" else 0.0), match.end("name")


AGGREGATE = Pattern(
    rf"(?:max|min|avg|sum|count|median|mean|stddev(?:_\w+)?|mode|first|last|mad|"
    rf"quantile\w*)\s*\(\s*(?:(?P<case>(?:distinct\s+)?case\s+(?:when\b|{CODE}))|"
    rf"(?P<distinct>distinct\s+{WORD})|(?P<star>\*\s*\))|"
    rf"(?P<column>{COLUMN})\s*\)(?P<named>\s+as\s+{WORD}|\s+{CODE}(?=\s*(?:,|\n|from)))?)"
)


def weigh_aggregate(text: str, lower: str, position: int) -> tuple[float, int] | None:
    match = AGGREGATE.match(lower, position)
    if match is None:
        return None
    if match.group("case"):
        return 4.0, match.end("case")
    if match.group("distinct") or match.group("star"):
        return 2.5, match.end()
    return (2.5 if match.group("named") else 0.75), match.end()
