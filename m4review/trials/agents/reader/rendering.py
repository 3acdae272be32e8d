"""Terms as SQL. Every identifier comes from the catalog, every number is parsed, every text is escaped."""

from __future__ import annotations

from decimal import Decimal
from typing import Protocol

from .catalog import literal
from .terms import (
    AllOf,
    AnyOf,
    Apply,
    Around,
    Cases,
    Comparison,
    Condition,
    Elapsed,
    Field,
    Figure,
    Holding,
    IsMissing,
    Name,
    Negation,
    Nothing,
    Otherwise,
    Previous,
    Rank,
    SameAs,
    Since,
    Text,
    TextTest,
    Value,
)
from .wording import Unreadable

_MICROSECONDS = {"minutes": "60e6", "hours": "3600e6", "days": f"{24 * 3600}e6"}


class Scope(Protocol):
    """What names stand for where a term is evaluated. Every method raises ``Unreadable`` for what it does not know."""

    def name(self, name: str) -> str:
        """A measure, input or term as SQL."""

    def field(self, table: str, column: str) -> str:
        """A column of the database as SQL."""

    def has_field(self, column: str) -> bool:
        """Whether a bare text in backticks is a column here."""

    def previous(self, term: Previous) -> str:
        """The value at the charting before."""

    def around(self, term: Around) -> str:
        """The summary over a time around the value."""

    def holding(self, term: Holding) -> str:
        """The value in force."""

    def since(self, term: Since) -> str:
        """Microseconds since the charting before, or since the first value of a measure."""

    def same_as(self, condition: SameAs) -> str:
        """Columns of the row that equal those of an entry of a measure."""

    def words(self, name: str) -> tuple[str, ...]:
        """The texts of a named list."""


def value_sql(value: Value, scope: Scope) -> str:
    """A value as SQL.

    Raises:
        Unreadable: a name, column or list that ``scope`` does not know.
    """
    match value:
        case Figure(figure):
            return f"CAST({figure:f} AS DOUBLE)"
        case Text(text):
            return scope.field("", text) if scope.has_field(text) else literal(text)
        case Nothing():
            return "NULL"
        case Name(name):
            return scope.name(name)
        case Field(table, column):
            return scope.field(table, column)
        case Cases(lines, rest):
            whens = " ".join(f"WHEN {condition_sql(test, scope)} THEN {value_sql(part, scope)}" for test, part in lines)
            return f"CASE {whens} ELSE {value_sql(rest, scope)} END"
        case Elapsed(unit, start, end):
            micros = f"epoch_us({_column(end, scope)}) - epoch_us({_column(start, scope)})"
            return f"(CAST({micros} AS DOUBLE) / {_MICROSECONDS[unit]})"
        case Rank(within, keys, missing_first):
            nulls = "NULLS FIRST" if missing_first else "NULLS LAST"
            order = ", ".join(f"{_column(key, scope)} {nulls}" for key in keys)
            return f"row_number() OVER (PARTITION BY {_column(within, scope)} ORDER BY {order})"
        case Previous():
            return scope.previous(value)
        case Around():
            return scope.around(value)
        case Holding():
            return scope.holding(value)
        case Since(unit):
            return f"({scope.since(value)} / {_MICROSECONDS[unit]})"
        case Apply(operation, operands):
            return _applied(operation, [_column(operand, scope) for operand in operands])


def _column(value: Value, scope: Scope) -> str:
    """An operand: a bare text in backticks can only be a column there."""
    return scope.field("", value.text) if isinstance(value, Text) else value_sql(value, scope)


def _applied(operation: str, operands: list[str]) -> str:
    match operation.split():
        case ["+" | "-" | "*" | "/" as sign]:
            return f"({operands[0]} {sign} {operands[1]})"
        case ["^"]:
            return f"CASE WHEN {operands[0]} >= 0 THEN pow({operands[0]}, {operands[1]}) END"
        case ["neg"]:
            return f"(- {operands[0]})"
        case ["ln"]:
            return f"CASE WHEN {operands[0]} > 0 THEN ln({operands[0]}) END"
        case ["sqrt"]:
            return f"CASE WHEN {operands[0]} >= 0 THEN sqrt({operands[0]}) END"
        case ["abs"]:
            return f"abs({operands[0]})"
        case ["year"]:
            return f"CAST(year({operands[0]}) AS DOUBLE)"
        case ["number"]:
            return f"TRY_CAST(trim(CAST({operands[0]} AS VARCHAR)) AS DOUBLE)"
        case ["round", digits]:
            return rounded_sql(operands[0], int(digits))
        case ["greatest" | "least" as pick]:
            return f"{pick}({', '.join(operands)})"
        case ["sum"]:
            return "(" + " + ".join(operands) + ")"
        case ["mean"]:
            return f"list_avg([{', '.join(operands)}])"
        case ["else"]:
            return f"coalesce({', '.join(operands)})"
    raise Unreadable(f"the operation {operation!r} is not understood")


def rounded_sql(expression: str, digits: int | None) -> str:
    """Decimal rounding, half away from zero: binary fractions such as 38.005 round as they are written. What is no
    finite number, such as the result of a division by zero, is missing then."""
    return (
        expression if digits is None else f"CAST(round(TRY_CAST({expression} AS DECIMAL(38, 9)), {digits}) AS DOUBLE)"
    )


def condition_sql(condition: Condition, scope: Scope, inputs: tuple[str, ...] = ()) -> str:
    """A condition as SQL; ``inputs`` is what "all inputs" stands for.

    Raises:
        Unreadable: a name, column or list that ``scope`` does not know.
    """
    match condition:
        case Comparison(left, operator, right):
            limit = _figure(right.value) if isinstance(right, Figure) else _column(right, scope)
            if operator == "!=":
                return f"({_column(left, scope)} IS DISTINCT FROM {limit})"
            return f"({_column(left, scope)} {operator} {limit})"
        case IsMissing(values):
            parts = [_column(value, scope) for value in values] or [scope.name(name) for name in inputs]
            return "(" + " AND ".join(f"{part} IS NULL" for part in parts) + ")" if parts else "FALSE"
        case SameAs():
            return scope.same_as(condition)
        case TextTest():
            return _text_sql(condition, scope)
        case Otherwise():
            return "TRUE"
        case Negation(part):
            return f"(NOT coalesce({condition_sql(part, scope, inputs)}, FALSE))"
        case AllOf(parts) | AnyOf(parts):
            joint = " AND " if isinstance(condition, AllOf) else " OR "
            return "(" + joint.join(condition_sql(part, scope, inputs) for part in parts) + ")"


def _text_sql(test: TextTest, scope: Scope) -> str:
    texts = scope.words(test.words_list) if test.words_list else test.texts
    value = f"CAST({_column(test.value, scope)} AS VARCHAR)"
    if test.any_case:
        value, texts = f"lower({value})", tuple(text.lower() for text in texts)
    shown = [literal(text) for text in texts]
    if test.manner == "is":
        found = f"{value} IN ({', '.join(shown)})"
    else:
        function = {"contains": "contains", "begins": "starts_with", "ends": "ends_with"}[test.manner]
        found = " OR ".join(f"{function}({value}, {text})" for text in shown)
    if test.characters:
        counts = ", ".join(str(count) for count in test.characters)
        found = " OR ".join(
            f"(starts_with({value}, {text}) AND length({value}) - length({text}) IN ({counts}))" for text in shown
        )
    return f"(NOT coalesce({found}, FALSE))" if test.negated else f"({found})"


def _figure(figure: Decimal) -> str:
    return f"({figure:f})" if figure < 0 else f"{figure:f}"
