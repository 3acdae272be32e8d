"""Conversions: ``(°F − 32) ÷ 1.8``, ``× 100``, ``sign reversed when > 0``, ``× 1000 when `unit` is `mg```."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from .conditions import Condition, parse_condition
from .wording import Unreadable, code_spans, number, plain, says_nothing

VALUE = "value"
"""The name under which a formula or a limit speaks of the charted value."""


@dataclass(frozen=True, slots=True)
class Operation:
    """``left sign right``; an operand is a number, the charted value, or another operation."""

    sign: str
    left: Operand
    right: Operand


Operand = Operation | Decimal | str


@dataclass(frozen=True, slots=True)
class ColumnTest:
    """The row's column ``column`` is, or is not, exactly ``text``."""

    column: str
    text: str
    negated: bool


@dataclass(frozen=True, slots=True)
class Conversion:
    """``formula`` applied to the charted value, always or only where all conditions hold."""

    formula: Operand
    limits: Condition | None = None
    columns: tuple[ColumnTest, ...] = ()
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
        return Conversion(VALUE, digits=digits)
    head, joint, condition = re.sub(r"\s+", " ", cell).partition(" when ")
    if not joint:
        head, joint, condition = re.sub(r"\s+", " ", cell).partition(" where ")
    formula = _formula(head, unit)
    if not joint:
        return Conversion(formula, digits=digits)
    if code_spans(condition):
        return Conversion(formula, columns=parse_column_tests(condition), digits=digits)
    subject = re.sub(r"^\s*(?:the )?(?:charted )?value(?: is)?\s+", "", condition)
    return Conversion(formula, limits=parse_condition(subject, (VALUE,), VALUE), digits=digits)


def parse_column_tests(text: str) -> tuple[ColumnTest, ...]:
    """Read ```unit` is `mg` and `weight` is not 1``.

    Raises:
        Unreadable: any other form.
    """
    tests = []
    for part in re.split(r"\s+and\s+", text.strip().rstrip(".")):
        match = re.fullmatch(r"(?:the )?`([^`]+)` is (not )?(?:exactly )?(?:`([^`]*)`|([-+\d.,]+))", part.strip())
        if match is None:
            raise Unreadable(f"cannot read the condition {part!r}; write '`column` is `text`'")
        column, negation, exact, figure = match.groups()
        tests.append(ColumnTest(column.strip(), exact if exact is not None else str(number(figure)), bool(negation)))
    return tuple(tests)


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


def _formula(text: str, unit: str) -> Operand:
    shape = plain(text).replace("×", "*").replace("·", "*").replace("÷", "/")
    if shape in {"sign reversed", "sign changed", "counted negative", "negated"}:
        return Operation("*", VALUE, Decimal(-1))
    names = {name for name in (plain(unit), VALUE, "v", "x", "charted value") if name}
    tokens: list[str] = []
    position = 0
    pattern = re.compile(
        r"\s*((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\d.,])|[-+*/()]|"
        + "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        + ")"
    )
    while position < len(shape.rstrip()):
        match = pattern.match(shape, position)
        if match is None:
            raise Unreadable(f"cannot read {shape[position:].strip()!r} in the conversion")
        token = match.group(1)
        tokens.append(VALUE if token in names else token)
        position = match.end()
    if tokens and tokens[0] in {"*", "/"}:
        tokens = [VALUE, *tokens]
    formula, rest = _sum(tokens, 0)
    if rest:
        raise Unreadable(f"cannot read {' '.join(rest)!r} in the conversion")
    if VALUE not in tokens:
        raise Unreadable("the conversion does not use the charted value")
    return formula


def _sum(tokens: list[str], depth: int) -> tuple[Operand, list[str]]:
    left, tokens = _product(tokens, depth)
    while tokens and tokens[0] in {"+", "-"}:
        sign = tokens[0]
        right, tokens = _product(tokens[1:], depth)
        left = Operation(sign, left, right)
    return left, tokens


def _product(tokens: list[str], depth: int) -> tuple[Operand, list[str]]:
    left, tokens = _factor(tokens, depth)
    while tokens and tokens[0] in {"*", "/"}:
        sign = tokens[0]
        right, tokens = _factor(tokens[1:], depth)
        if sign == "/" and right == 0:
            raise Unreadable("the conversion divides by zero")
        left = Operation(sign, left, right)
    return left, tokens


def _factor(tokens: list[str], depth: int) -> tuple[Operand, list[str]]:
    if not tokens:
        raise Unreadable("the conversion ends too early")
    if depth > 20:
        raise Unreadable("brackets nested too deeply")
    head, rest = tokens[0], tokens[1:]
    if head == "(":
        inner, rest = _sum(rest, depth + 1)
        if not rest or rest[0] != ")":
            raise Unreadable("an opening bracket is not closed")
        return inner, rest[1:]
    if head == "-":
        inner, rest = _factor(rest, depth + 1)
        return Operation("*", inner, Decimal(-1)), rest
    if head == VALUE:
        return VALUE, rest
    if head[0].isdigit():
        return number(head), rest
    raise Unreadable(f"cannot read {head!r} in the conversion")
