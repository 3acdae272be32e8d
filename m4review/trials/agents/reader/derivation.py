"""Runs a specification on the database: measures, inputs, components, totals, and the output file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from .catalog import Catalog, literal, quoted
from .conditions import IsMissing
from .formulas import ColumnTest
from .grain import Grain, anchor_column
from .inputs import DerivedInput
from .instruction import Instruction
from .queries import component_sql, input_sql, measure_sql, total_sql
from .scoring import MissingRule
from .specification import ConceptColumn, Specification
from .trace import Trace
from .wording import Unreadable


@dataclass
class Derivation:
    """One run: what was executed is kept as temporary tables of the connection."""

    connection: duckdb.DuckDBPyConnection
    catalog: Catalog
    grain: Grain
    specification: Specification | None
    instruction: Instruction
    trace: Trace
    _values: dict[tuple[str, tuple[ColumnTest, ...]], tuple[str, str]] = field(default_factory=dict)
    _inputs: dict[str, str] = field(default_factory=dict)

    def write(self, output: Path) -> int:
        """Write the output file and return its number of rows."""
        columns = {column: self._missing_only(column) for column in self._scored()}
        self._list_contradictions(columns)
        totals: dict[str, str] = {}
        if self.specification is not None:
            self._run_inputs(self.specification)
            self._components(self.specification, columns)
            totals = self._totals(self.specification, columns)
        else:
            for column in columns:
                self.trace.gap(str(self.instruction.place), column, "no text says how it is derived", "not executed")
        return self._store(columns, totals, output)

    def _scored(self) -> list[str]:
        return [column for column in self.instruction.columns if column not in self.grain.identifiers]

    def _missing_rule(self, column: str) -> MissingRule | None:
        if self.specification is not None:
            rule = self.specification.missing.get(column) or self.specification.general_missing
            if rule is not None:
                return rule
        return self.instruction.missing

    def _missing_only(self, column: str) -> str:
        rule = self._missing_rule(column)
        return "NULL" if rule is None else str(rule.counts_as)

    def _list_contradictions(self, columns: Iterable[str]) -> None:
        asked = self.instruction.missing
        for column in columns:
            stated = self._missing_rule(column)
            if asked is not None and stated is not None and stated.counts_as != asked.counts_as:
                why = f"{asked.place} lets missing count as {asked.counts_as}; this line is followed"
                self.trace.gap(str(stated.place), stated.text, why)

    # -- inputs -------------------------------------------------------------------------------------------------

    def _run_inputs(self, specification: Specification) -> None:
        needed = {name for component in specification.scoring.components.values() for name in component.inputs}
        concepts = self._usable_concepts(specification)
        for name in sorted(needed):
            stated = concepts.get(name) or specification.inputs.get(name)
            if stated is None:
                continue  # listed when its row was read
            try:
                if isinstance(stated, ConceptColumn):
                    self._from_concept(name, stated)
                else:
                    self._from_sources(name, stated, specification)
            except Unreadable as problem:
                self.trace.gap(str(stated.place), stated.text, str(problem))
            except duckdb.Error as problem:
                why = f"the database refuses the query ({type(problem).__name__})"
                self.trace.gap(str(stated.place), stated.text, why)

    def _usable_concepts(self, specification: Specification) -> dict[str, ConceptColumn]:
        found: dict[str, ConceptColumn] = {}
        for concept in specification.concepts:
            try:
                relation = self.catalog.find(concept.concept)
            except Unreadable:
                continue  # the section says what to do *when* concepts are available; here this one is not
            try:
                relation.column(concept.column)
                for column in self.grain.key:
                    relation.column(column)
                found[concept.input] = concept
            except Unreadable as problem:
                self.trace.gap(str(concept.place), concept.text, str(problem))
        return found

    def _from_concept(self, name: str, concept: ConceptColumn) -> None:
        relation = self.catalog.find(concept.concept)
        keys = ", ".join(quoted(relation.column(column)) for column in self.grain.key)
        value = quoted(relation.column(concept.column))
        self.trace.message(f"{name}: taken from {relation.shown} as line {concept.place.line} allows")
        self._inputs[name] = self._table(
            f"input: {name}",
            f"SELECT {keys}, CAST(max({value}) AS DOUBLE) AS amount FROM {relation.sql} GROUP BY {keys}",
        )

    def _from_sources(self, name: str, derived: DerivedInput, specification: Specification) -> None:
        values, link = self._measure(derived.measure, derived.columns, specification)
        measure = specification.source.measures[derived.measure]
        tests: dict[str, str] = {}
        for test in derived.tests:
            other = specification.source.measures[test.measure]
            bundles = [item.together.column if item.together else "" for item in (measure, other)]
            if bundles[0] != bundles[1]:
                raise Unreadable(f"{measure.name!r} and {other.name!r} are not kept per the same column")
            table, other_link = self._measure(test.measure, (), specification)
            if other_link.casefold() != link.casefold():
                raise Unreadable(f"{measure.name!r} and {other.name!r} are matched to the stay in different ways")
            tests[test.measure] = table
        anchor = anchor_column(derived.window.anchor, specification.anchors, self.grain)
        sql = input_sql(derived, values, link, tests, self.grain.relation, self.grain.key, anchor)
        self._inputs[name] = self._table(f"input: {name}", sql)

    def _measure(self, name: str, tests: tuple[ColumnTest, ...], specification: Specification) -> tuple[str, str]:
        if (name, tests) not in self._values:
            measure = specification.source.measures[name]
            if measure.together is None:
                self.trace.gap(
                    str(measure.place),
                    measure.name,
                    "not said what several values at one time become; each stands alone",
                )
            sql, link = measure_sql(measure, specification.source.tables, self.catalog, tests)
            table = self._table(f"measure: {name}", sql)
            if self._rows(table) == 0:
                items = ", ".join(str(item) for row in measure.rows for item in row.items)
                self.trace.gap(str(measure.place), measure.name, f"the database holds no valid value of item {items}")
            self._values[(name, tests)] = (table, link)
        return self._values[(name, tests)]

    # -- outputs ------------------------------------------------------------------------------------------------

    def _components(self, specification: Specification, columns: dict[str, str]) -> None:
        scoring = specification.scoring
        names = {name: f"{quoted(table)}.amount" for name, table in self._inputs.items()}
        for column in columns:
            component = scoring.components.get(column)
            if component is None:
                continue
            absent = [name for name in component.inputs if name not in names]
            if absent:
                scoring.lost[column] = (component.place, f"the input {absent[0]!r} cannot be executed")
                continue
            rule = self._missing_rule(column)
            if rule is not None and any(name not in names for name in rule.when.names):
                self.trace.gap(
                    str(rule.place), rule.text, "speaks of an input that is not executed; all inputs are meant"
                )
                rule = MissingRule(rule.counts_as, IsMissing(()), rule.place, rule.text)
            columns[column] = component_sql(component, names, rule)

    def _totals(self, specification: Specification, columns: dict[str, str]) -> dict[str, str]:
        scoring = specification.scoring
        totals: dict[str, str] = {}
        for column in columns:
            total = scoring.totals.get(column)
            if column in scoring.components and column not in scoring.lost:
                continue
            if column in scoring.lost:
                place, why = scoring.lost[column]
                self.trace.gap(str(place), column, why, "not executed")
            elif total is None:
                self.trace.gap(f"{specification.file}:1", column, "no text says how it is derived", "not executed")
            elif any(part in scoring.totals or part not in columns for part in total.parts):
                self.trace.gap(str(total.place), total.text, "a sum of sums or of identifiers is not understood")
            else:
                totals[column] = total_sql(total)
        for column in totals:
            total = scoring.totals[column]
            lost = [part for part in total.parts if part in scoring.lost or part not in scoring.components]
            if lost:
                self.trace.gap(
                    str(total.place), total.text, f"the sum holds {', '.join(lost)}, not executed", "not executed"
                )
        return totals

    def _store(self, columns: dict[str, str], totals: dict[str, str], output: Path) -> int:
        stay = self.grain.relation
        joins = "".join(
            f"\nLEFT JOIN {quoted(table)} ON "
            + " AND ".join(f"{quoted(table)}.{quoted(key)} = stay.{quoted(key)}" for key in self.grain.key)
            for table in self._inputs.values()
        )
        identifiers = [f"stay.{quoted(stay.column(column))} AS {quoted(column)}" for column in self.grain.identifiers]
        parts = [f"{sql} AS {quoted(column)}" for column, sql in columns.items() if column not in totals]
        sums = {column: f"{sql} AS {quoted(column)}" for column, sql in totals.items()}
        chosen = [sums.get(column, quoted(column)) for column in self.instruction.columns]
        order = ", ".join(quoted(column) for column in self.instruction.columns if column in self.grain.identifiers)
        rows = f"SELECT {', '.join([*identifiers, *parts])}\nFROM {stay.sql} AS stay{joins}"
        sql = f"SELECT {', '.join(chosen)}\nFROM (\n{rows}\n)" + (f"\nORDER BY {order}" if order else "")
        table = self._table("output", sql)
        self._list_unmatched(table, columns, totals)
        temporary = output.with_name(f".{output.name}.part")
        try:
            self.connection.execute(f"COPY {quoted(table)} TO {literal(str(temporary))} (FORMAT csv, HEADER true)")
            temporary.replace(output)
        finally:
            temporary.unlink(missing_ok=True)
        return self._rows(table)

    def _list_unmatched(self, table: str, columns: dict[str, str], totals: dict[str, str]) -> None:
        """Stays whose values no line of a component takes are left empty, and listed."""
        if self.specification is None:
            return
        for column, component in self.specification.scoring.components.items():
            if column in columns and column not in totals and column not in self.specification.scoring.lost:
                empty = self._rows(table, f"{quoted(column)} IS NULL")
                if empty:
                    self.trace.gap(
                        str(component.place),
                        column,
                        f"no line applies to {empty} rows; they are left empty",
                        "not executed",
                    )

    def _table(self, title: str, sql: str) -> str:
        name = f"reader_{len(self._values) + len(self._inputs)}_{self.trace.queries}"
        self.trace.query(title, sql)
        self.connection.execute(f"CREATE TEMP TABLE {quoted(name)} AS {sql}")
        self.trace.result(title, self._rows(name))
        return name

    def _rows(self, table: str, where: str = "TRUE") -> int:
        row = self.connection.execute(f"SELECT count(*) FROM {quoted(table)} WHERE {where}").fetchone()
        return int(row[0]) if row else 0
