"""From a specification to SQL: every identifier comes from the catalog, every number is parsed, every text escaped."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from .catalog import Catalog, Relation, literal, quoted
from .conditions import AllOf, Comparison, Condition, IsMissing, Otherwise
from .formulas import ColumnTest, Conversion, Operand, Operation
from .inputs import DerivedInput
from .scoring import Component, MissingRule, Total
from .sources import EACH, Charted, Measure, SourceTable, Together, short_name
from .wording import Unreadable, number

_AGGREGATES = {
    "min": "min({0})",
    "max": "max({0})",
    "sum": "sum({0})",
    "avg": "avg({0})",
    "first": "first({0} ORDER BY {1}, {0})",
    "last": "last({0} ORDER BY {1}, {0})",
}


def measure_sql(
    measure: Measure, sources: Mapping[str, SourceTable], catalog: Catalog, tests: tuple[ColumnTest, ...] = ()
) -> tuple[str, str]:
    """The values of a measure: one row per link, moment (and group), and the column that links it to a stay.

    Raises:
        Unreadable: the text does not say a needed column, or the database does not have it.
    """
    parts: list[str] = []
    links: set[str] = set()
    for row in measure.rows:
        source = sources.get(short_name(row.table))
        if source is None:
            raise Unreadable(f"the source map does not say how {row.table!r} is read")
        relation = catalog.find(source.table if "." in source.table else row.table)
        links.add(relation.column(source.match))
        parts.append(_charted_sql(row, source, relation, measure.together, tests))
    if len(links) > 1:
        raise Unreadable("the rows of this measure are matched to the stay in different ways")
    rows = "\nUNION ALL\n".join(parts)
    if measure.together is None or measure.together.summary == EACH:
        return f"SELECT link, moment, moment AS bundle, amount FROM (\n{rows}\n) WHERE amount IS NOT NULL", links.pop()
    amount = _rounded(_AGGREGATES[measure.together.summary].format("amount", "moment"), measure.together.digits)
    return (
        f"SELECT link, max(moment) AS moment, bundle, {amount} AS amount FROM (\n{rows}\n)"
        "\nWHERE amount IS NOT NULL AND link IS NOT NULL AND bundle IS NOT NULL\nGROUP BY link, bundle"
    ), links.pop()


def _charted_sql(
    row: Charted, source: SourceTable, relation: Relation, together: Together | None, tests: tuple[ColumnTest, ...]
) -> str:
    item, link, moment = (relation.column(name) for name in (source.item, source.match, source.time))
    value = relation.column(row.value_column or source.value)
    if not relation.is_time(moment):
        raise Unreadable(f"{relation.shown}.{moment} does not hold points in time")
    if not relation.is_number(item):
        raise Unreadable(f"{relation.shown}.{item} does not hold item numbers")
    if row.is_text:
        amount = f"CAST({quoted(value)} AS VARCHAR)"
    elif relation.is_number(value):
        amount = f"CAST({quoted(value)} AS DOUBLE)"
    else:
        raise Unreadable(f"{relation.shown}.{value} does not hold numbers")
    if row.is_text and (row.limits is not None or row.conversion is not None):
        raise Unreadable("a text has neither a valid range nor a conversion")
    filters = [f"{quoted(item)} IN ({', '.join(str(identifier) for identifier in row.items)})"]
    if row.limits is not None:
        filters.append(condition_sql(row.limits, {"value": amount}, ()))
    filters += [_column_test_sql(test, relation) for test in tests]
    bundle = quoted(relation.column(together.column) if together and together.column else moment)
    return (
        f"SELECT {quoted(link)} AS link, {quoted(moment)} AS moment, {bundle} AS bundle,"
        f" {_converted(row.conversion, amount, relation)} AS amount\nFROM {relation.sql}\nWHERE {' AND '.join(filters)}"
    )


def _converted(conversion: Conversion | None, amount: str, relation: Relation) -> str:
    if conversion is None:
        return amount
    result = _formula_sql(conversion.formula, amount)
    conditions = [_column_test_sql(test, relation) for test in conversion.columns]
    if conversion.limits is not None:
        conditions.append(condition_sql(conversion.limits, {"value": amount}, ()))
    if conditions:
        result = f"CASE WHEN {' AND '.join(conditions)} THEN {result} ELSE {amount} END"
    return _rounded(result, conversion.digits)


def _formula_sql(formula: Operand, amount: str) -> str:
    if isinstance(formula, Operation):
        return f"({_formula_sql(formula.left, amount)} {formula.sign} {_formula_sql(formula.right, amount)})"
    if isinstance(formula, Decimal):
        return figure(formula)
    return amount


def _column_test_sql(test: ColumnTest, relation: Relation) -> str:
    column = relation.column(test.column)
    comparison = "IS DISTINCT FROM" if test.negated else "IS NOT DISTINCT FROM"
    if relation.is_number(column):
        return f"{quoted(column)} {comparison} {figure(number(test.text))}"
    return f"CAST({quoted(column)} AS VARCHAR) {comparison} {literal(test.text)}"


def _rounded(expression: str, digits: int | None) -> str:
    """Decimal rounding, half away from zero: binary fractions such as 38.005 round as they are written."""
    return expression if digits is None else f"CAST(round(CAST({expression} AS DECIMAL(38, 9)), {digits}) AS DOUBLE)"


def input_sql(
    derived: DerivedInput,
    values: str,
    link: str,
    tests: Mapping[str, str],
    stay: Relation,
    key: tuple[str, ...],
    anchor: str,
) -> str:
    """One row per stay that has a value: its key and the summary. ``values`` and ``tests`` name temporary tables."""
    window = derived.window
    keys = ", ".join(f"stay.{quoted(column)}" for column in key)
    start = f"stay.{quoted(anchor)} + to_minutes({window.start})"
    end = f"stay.{quoted(anchor)} + to_minutes({window.end})"
    conditions = [
        f"charted.moment {'>=' if window.start_included else '>'} {start}",
        f"charted.moment {'<=' if window.end_included else '<'} {end}",
    ]
    for test in derived.tests:
        passes = "TRUE"
        if test.text is not None:
            passes = f"CAST(other.amount AS VARCHAR) = {literal(test.text)}"
        elif test.condition is not None:
            passes = condition_sql(test.condition, {test.measure: "other.amount"}, ())
        conditions.append(
            f"EXISTS (SELECT 1 FROM {quoted(tests[test.measure])} AS other"
            f" WHERE other.link = charted.link AND other.bundle = charted.bundle AND {passes})"
        )
    summary = _AGGREGATES[derived.summary].format("charted.amount", "charted.moment")
    return (
        f"SELECT {keys}, {summary} AS amount\nFROM {stay.sql} AS stay\n"
        f"JOIN {quoted(values)} AS charted ON charted.link = stay.{quoted(stay.column(link))}\n"
        f"WHERE {' AND '.join(conditions)}\nGROUP BY {keys}"
    )


def condition_sql(condition: Condition, columns: Mapping[str, str], inputs: tuple[str, ...]) -> str:
    """A condition over named expressions; ``inputs`` is what "all inputs" stands for."""
    if isinstance(condition, Comparison):
        return f"({columns[condition.name]} {condition.operator} {figure(condition.limit)})"
    if isinstance(condition, IsMissing):
        names = condition.names or inputs
        return "(" + " AND ".join(f"{columns[name]} IS NULL" for name in names) + ")" if names else "FALSE"
    if isinstance(condition, Otherwise):
        return "TRUE"
    joint = " AND " if isinstance(condition, AllOf) else " OR "
    return "(" + joint.join(condition_sql(part, columns, inputs) for part in condition.parts) + ")"


def component_sql(component: Component, columns: Mapping[str, str], missing: MissingRule | None) -> str:
    """Points of a component: its lines in order, the missing rule before what is left over."""
    inputs = component.inputs
    absent = "NULL" if missing is None else str(missing.counts_as)
    lines: list[str] = []
    rest = "NULL"
    for line in component.lines:
        points = absent if line.points is None else str(line.points)
        if isinstance(line.condition, Otherwise):
            rest = points
        else:
            lines.append(f"WHEN {condition_sql(line.condition, columns, inputs)} THEN {points}")
    if inputs:
        when = missing.when if missing is not None else IsMissing(())
        lines.append(f"WHEN {condition_sql(when, columns, inputs)} THEN {absent}")
    return f"CASE {' '.join(lines)} ELSE {rest} END" if lines else rest


def total_sql(total: Total) -> str:
    """The sum of the parts, which are columns of the step before."""
    return " + ".join(quoted(part) for part in total.parts)


def figure(parsed: Decimal) -> str:
    """A parsed number as SQL."""
    return f"({parsed:f})" if parsed < 0 else f"{parsed:f}"
