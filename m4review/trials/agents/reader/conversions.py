"""Conversions: ``(°F − 32) ÷ 1.8``, ``× 100``, ``sign reversed when > 0``, ``× 1000 when `unit` is `mg```."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from .grammar import parse_condition, parse_value
from .terms import Apply, Condition, Figure, Name, Value, names_in
from .wording import Unreadable, code_spans, number, plain, says_nothing

VALUE = "value"
"""The name under which a conversion or a limit speaks of the charted value."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """``formula`` applied to the charted value, always or only where ``when`` holds; then rounding."""

    formula: Value
    when: Condition | None = None
    digits: int | None = None


def parse_conversion(text: str, unit: str) -> Conversion | None:
    """Read a conversion cell; ``unit`` is the unit of the charted value and may stand for it in the formula.

    Raises:
        Unreadable: anything but arithmetic on the charted value with the documented conditions.
    """
    if says_nothing(text):
        return None
    cell, digits = split_rounding(text)
    if says_nothing(cell):
        return Conversion(Name(VALUE), digits=digits)
    head, joint, condition = re.sub(r"\s+", " ", cell).partition(" when ")
    if not joint:
        head, joint, condition = re.sub(r"\s+", " ", cell).partition(" where ")
    formula = _formula(head, unit)
    if not joint:
        if VALUE not in names_in(formula):
            raise Unreadable("the conversion does not use the charted value")
        return Conversion(formula, digits=digits)
    subject = re.sub(r"^\s*(?:the )?(?:charted )?value(?: is)?\s+(?=[^`\w])", "", condition)
    # A name in backticks is a column of the row, even when the column is called "value".
    known = () if code_spans(subject) else (VALUE,)
    return Conversion(formula, when=parse_condition(subject, known, VALUE), digits=digits)


def _formula(text: str, unit: str) -> Value:
    shape = plain(text)
    if shape in {"sign reversed", "sign changed", "counted negative", "negated"}:
        return Apply("*", (Name(VALUE), Figure(Decimal(-1))))
    if re.match(r"[×·÷]|/\s", shape):
        text = f"{VALUE} {text}"
    names = [name for name in ("charted value", VALUE, "v", "x") if name]
    stands_for_value = plain(unit)
    if stands_for_value and stands_for_value not in {"any", "text"}:
        names.append(stands_for_value)
    try:
        return _the_value(parse_value(text, names))
    except Unreadable as problem:
        raise Unreadable(f"{problem}, in the conversion") from None


def _the_value(term: Value) -> Value:
    """Every name in the formula means the charted value."""
    if isinstance(term, Name):
        return Name(VALUE)
    if isinstance(term, Apply):
        return Apply(term.operation, tuple(_the_value(operand) for operand in term.operands))
    if isinstance(term, Figure) and term.unit:
        raise Unreadable(f"cannot read {term.unit!r}")
    return term


def split_rounding(text: str) -> tuple[str, int | None]:
    """The text without ``rounded to N decimals``, and N."""
    match = re.search(r"[,;]?\s*(?:then )?rounded to (\w+) (?:decimals?|decimal places?)", text, re.IGNORECASE)
    if match is None:
        if "round" in plain(text):
            raise Unreadable("rounding is written 'rounded to N decimals'")
        return text, None
    digits = number(match.group(1))
    if digits != int(digits) or not 0 <= digits <= 9:
        raise Unreadable("rounding to 0 up to 9 decimals is understood")
    return (text[: match.start()] + text[match.end() :]).strip(), int(digits)
