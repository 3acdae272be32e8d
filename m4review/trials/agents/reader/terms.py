"""What a table cell or a sentence can say: values and conditions, as small trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from typing import Any, TypeVar


@dataclass(frozen=True, slots=True)
class Figure:
    """A number; ``unit`` is the unit written beside it, or empty."""

    value: Decimal
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """An exact text."""

    text: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """The missing value."""


@dataclass(frozen=True, slots=True)
class Name:
    """A measure, an input, a term or an output column, in plain spelling."""

    name: str


@dataclass(frozen=True, slots=True)
class Field:
    """A column of the database; ``table`` is empty where the text leaves it open."""

    table: str
    column: str


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation: ``+ - * / ^``, ``ln``, ``sqrt``, ``abs``, ``year``, ``number``, ``round N``, ``greatest``,
    ``least``, ``sum``, ``mean`` or ``else`` (the first operand that is present)."""

    operation: str
    operands: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Cases:
    """The value of the first line whose condition holds; else ``rest``."""

    lines: tuple[tuple[Condition, Value], ...]
    rest: Value


@dataclass(frozen=True, slots=True)
class Elapsed:
    """Time from ``start`` to ``end`` in minutes, hours or days, with fractions."""

    unit: str
    start: Value
    end: Value


@dataclass(frozen=True, slots=True)
class Previous:
    """``name`` at the charting before, if that lies back as little as the limit says (minutes; ``None``: any)."""

    name: str
    minutes: int | None = None
    limit_included: bool = False


@dataclass(frozen=True, slots=True)
class Around:
    """Summary of ``name`` over the minutes ``start`` to ``end`` relative to the time of the value."""

    summary: str
    name: str
    start: int
    end: int
    start_included: bool
    end_included: bool


@dataclass(frozen=True, slots=True)
class Since:
    """Time since the charting before (``name`` empty) or since the first value of ``name``."""

    unit: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Holding:
    """The value of ``name`` that is in force at the time of the value."""

    name: str
    start_included: bool
    end_included: bool


@dataclass(frozen=True, slots=True)
class Rank:
    """The number of the row among those with the same ``within``, in the order of ``keys``, from 1."""

    within: Value
    keys: tuple[Value, ...]
    missing_first: bool


Value = Figure | Text | Nothing | Name | Field | Apply | Cases | Elapsed | Previous | Around | Since | Holding | Rank


@dataclass(frozen=True, slots=True)
class Comparison:
    """``left operator right``."""

    left: Value
    operator: str
    right: Value


@dataclass(frozen=True, slots=True)
class IsMissing:
    """All of ``values`` are missing; an empty tuple stands for all inputs of the component."""

    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class TextTest:
    """``manner`` is ``is``, ``contains``, ``begins`` or ``ends``; one of ``texts`` is enough."""

    value: Value
    manner: str
    texts: tuple[str, ...]
    any_case: bool = False
    negated: bool = False
    words_list: str = ""
    """The named list whose texts are meant, instead of ``texts``."""
    characters: tuple[int, ...] = ()
    """With ``begins``: how many characters may follow, where the text says it."""


@dataclass(frozen=True, slots=True)
class Otherwise:
    """Whatever no earlier line took."""


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Negation:
    """The part does not hold."""

    part: Condition


@dataclass(frozen=True, slots=True)
class SameAs:
    """The row's ``columns`` together equal those of an entry of the measure ``name``."""

    columns: tuple[str, ...]
    name: str


Condition = Comparison | IsMissing | TextTest | SameAs | Otherwise | AllOf | AnyOf | Negation
Term = Value | Condition
TermT = TypeVar("TermT", bound=Term)


def walk(term: Term) -> Iterator[Term]:
    """The term and everything inside it, outermost first, in the order of the text."""
    yield term
    for field in fields(term):
        yield from _inside(getattr(term, field.name))


def _inside(part: object) -> Iterator[Term]:
    if isinstance(part, tuple):
        for item in part:
            yield from _inside(item)
    elif isinstance(part, Value | Condition):
        yield from walk(part)


def renamed(term: TermT, old: str, new: str) -> TermT:
    """The term with every mention of one name replaced by another."""
    if isinstance(term, Name | Previous | Around | Since | Holding) and term.name == old:
        return replace(term, name=new)
    changed: dict[str, Any] = {item.name: _renamed(getattr(term, item.name), old, new) for item in fields(term)}
    return replace(term, **changed)


def _renamed(part: object, old: str, new: str) -> object:
    if isinstance(part, tuple):
        return tuple(_renamed(item, old, new) for item in part)
    return renamed(part, old, new) if isinstance(part, Value | Condition) else part


def names_in(term: Term) -> tuple[str, ...]:
    """The names a term speaks of, in order of appearance, each once."""
    found = {
        part.name: None
        for part in walk(term)
        if isinstance(part, Name | Previous | Around | Since | Holding) and part.name
    }
    return tuple(found)


def comparisons_in(term: Term) -> tuple[Comparison, ...]:
    """All comparisons of a condition."""
    return tuple(part for part in walk(term) if isinstance(part, Comparison))
