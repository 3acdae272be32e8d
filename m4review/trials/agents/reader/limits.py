"""Valid ranges: ``> 0 and < 300``, ``0–300 exclusive``, ``70 to 120 °F``."""

from __future__ import annotations

import re
from dataclasses import replace

from .conversions import VALUE
from .grammar import parse_condition
from .terms import AllOf, AnyOf, Comparison, Condition, Figure, Name, comparisons_in
from .wording import Unreadable, plain, says_nothing


def read_limits(text: str, unit: str) -> Condition | None:
    """Read a valid range: ``> 0 and < 300``, ``0–300 (exclusive)``, ``70 to 120 °F``; ``None`` where all is valid.

    Raises:
        Unreadable: a form that is not understood, or a unit that is not the unit of the row.
    """
    if says_nothing(text) or plain(text) in {"all", "any value", "all values"}:
        return None
    bare = re.sub(r"[,(]?\s*\b(?:both |limits |ends )*(?:exclusive|excluded|inclusive|included)\b\s*\)?", "", text)
    bare = re.sub(r"(?<![\w])(?:v|x)(?![\w])", VALUE, plain(bare))
    condition = parse_condition(bare, (VALUE,), VALUE)
    if re.search(r"\bexclu", text):
        condition = _exclusive(condition)
    for comparison in comparisons_in(condition):
        stated = comparison.right.unit if isinstance(comparison.right, Figure) else ""
        if comparison.left != Name(VALUE) or not isinstance(comparison.right, Figure):
            raise Unreadable("a valid range compares the value with numbers")
        if stated and stated != plain(unit):
            raise Unreadable(f"the range is in {stated!r}, the row in {plain(unit) or 'no unit'!r}")
    return condition


def _exclusive(condition: Condition) -> Condition:
    if isinstance(condition, Comparison):
        return replace(condition, operator=condition.operator[0])
    if isinstance(condition, AllOf | AnyOf):
        return replace(condition, parts=tuple(_exclusive(part) for part in condition.parts))
    return condition
