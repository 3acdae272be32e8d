"""How a cell is read and compared: one place for the rules, as SQL expressions.

A reference column is a number, a timestamp or a text; its type decides how the output's text is read. Text is first
trimmed of blanks at both ends; what is then empty is missing, and nothing else is. In a number column that is no key
the words ``true`` and ``false`` are 1 and 0. A text that is no number (or no
timestamp) where one is expected is *bad*: it matches nothing. ``1_000`` is no number although some engines read it.
Timestamps carry no zone: a ``Z`` or an offset is read over, not applied.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from m4review.scoring.score import ColumnKind

EXACT_DOUBLE = 2**53
"""Integers beyond this are not exact as DOUBLE and are compared as DECIMAL."""

ROUNDING = 4 * 2.0**-52
"""A difference that equals the tolerance in decimals may exceed it by this relative amount in binary."""

INTEGERS = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"})
WIDE_INTEGERS = frozenset({"UBIGINT", "HUGEINT", "UHUGEINT"})

StoredType = Literal[
    "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL(38, 6)", "BOOLEAN", "TIMESTAMP", "TIMESTAMPTZ", "VARCHAR"
]


@dataclass(frozen=True, slots=True)
class Column:
    """One reference column: its name, what it holds, and the type in which both sides are compared."""

    name: str
    kind: ColumnKind
    stored: StoredType


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def column_of(name: str, declared: str, *, key: bool, largest: float | None = None) -> Column:
    """The column for a declared DuckDB type. ``largest`` is the greatest absolute value of a number column."""
    base = declared.upper()
    if base in INTEGERS | WIDE_INTEGERS:
        if key:
            return Column(name, "number", "HUGEINT" if base in WIDE_INTEGERS else "BIGINT")
        return Column(name, "number", "DECIMAL(38, 6)" if (largest or 0) >= EXACT_DOUBLE else "DOUBLE")
    if base in {"FLOAT", "BOOLEAN"}:
        return Column(name, "number", "FLOAT" if base == "FLOAT" else "BOOLEAN")
    if base == "DOUBLE" or base.startswith("DECIMAL"):
        return Column(name, "number", "DOUBLE")
    if base == "TIMESTAMP WITH TIME ZONE":
        return Column(name, "timestamp", "TIMESTAMPTZ")
    if base == "DATE" or base.startswith("TIMESTAMP"):
        return Column(name, "timestamp", "TIMESTAMP")
    return Column(name, "text", "VARCHAR")


def trimmed(cell: str) -> str:
    """The text of a cell without blanks at its ends; NULL when nothing is left."""
    # Cells without a blank at either end are told by two comparisons, which cost a third of trimming them.
    return f"CASE WHEN {cell}[1] > ' ' AND {cell}[-1] > ' ' THEN {cell} ELSE nullif(trim({cell}, ' \t\r\n'), '') END"


def reference_value(column: Column) -> str:
    """The expression of a reference cell, comparable with :func:`output_value`."""
    name = quoted(column.name)
    if column.kind == "text":
        return trimmed(f"CAST({name} AS VARCHAR)")
    if column.stored == "BOOLEAN":
        return f"CAST({name} AS DOUBLE)"
    if column.stored == "TIMESTAMPTZ":
        # An instant, shown in UTC whatever the time zone of this computer.
        return f"make_timestamp(epoch_us({name}))"
    return f"CAST({name} AS {column.stored})"


def output_value(column: Column, cell: str) -> str:
    """The expression that reads an output cell (VARCHAR); NULL when empty or bad."""
    if column.kind == "text":
        return trimmed(cell)
    if column.kind == "timestamp":
        return f"nullif(nullif(TRY_CAST({cell} AS TIMESTAMP), 'infinity'::TIMESTAMP), '-infinity'::TIMESTAMP)"
    plain = f"NOT contains({cell}, '_')"
    if column.stored in {"BIGINT", "HUGEINT"}:
        # The integer cast rounds 3.5 and reads 0x10; the comparison with the double keeps neither.
        number = f"TRY_CAST({cell} AS {column.stored})"
        return f"CASE WHEN {plain} AND TRY_CAST({cell} AS DOUBLE) = {number} THEN {number} END"
    stored = "DOUBLE" if column.stored == "BOOLEAN" else column.stored
    number = f"CASE WHEN {plain} THEN TRY_CAST({cell} AS {stored}) END"
    truth = f"CASE lower({trimmed(cell)}) WHEN 'true' THEN 1 WHEN 'false' THEN 0 END"
    # The words true and false are the numbers 1 and 0; they are looked for only in cells that hold some other text.
    return f"coalesce({number}, CASE WHEN {cell} IS NOT NULL THEN CAST({truth} AS {stored}) END)"


def is_bad(column: Column, cell: str, value: str) -> str:
    """Whether an output cell, read as ``value``, holds text that is no value of the column."""
    if column.kind == "text":
        return "FALSE"
    # CASE tests row by row, so that the few cells without a value are the only ones to be trimmed.
    return f"CASE WHEN {value} IS NOT NULL OR {cell} IS NULL THEN FALSE ELSE {trimmed(cell)} IS NOT NULL END"


def cells_match(column: Column, reference: str, value: str, bad: str, tolerance: float) -> str:
    """Whether two cells of a row with a given key match (NULL counts as no)."""
    both_missing = f"({reference} IS NULL AND {value} IS NULL AND NOT {bad})"
    same = f"{reference} = {value}"
    if tolerance == 0 or column.kind == "text":
        return f"({both_missing} OR {same})"
    if column.kind == "timestamp":
        near = f"abs(epoch_us({reference}) - epoch_us({value})) <= {tolerance * 1e6!r}"
    else:
        left, right = f"CAST({reference} AS DOUBLE)", f"CAST({value} AS DOUBLE)"
        slack = f"{ROUNDING!r} * greatest(abs({left}), abs({right}))"
        near = f"(isfinite({right}) AND abs({left} - {right}) <= {tolerance!r} + {slack})"
    return f"({both_missing} OR {same} OR {near})"


def cell_error(reference: str, value: str, bad: str, scale: float) -> str:
    """The error of one number cell, 0 to 1: absolute difference over ``scale``; 1 when exactly one side is a number."""
    left, right = f"CAST({reference} AS DOUBLE)", f"CAST({value} AS DOUBLE)"
    return (
        f"CASE WHEN {reference} IS NULL AND {value} IS NULL AND NOT {bad} THEN 0.0::DOUBLE "
        f"WHEN {reference} IS NULL OR {value} IS NULL THEN 1.0::DOUBLE "
        f"WHEN {left} = {right} THEN 0.0::DOUBLE "
        f"WHEN NOT isfinite({left}) OR NOT isfinite({right}) THEN 1.0::DOUBLE "
        f"ELSE least(abs({left} - {right}) / {scale!r}, 1.0::DOUBLE) END"
    )
