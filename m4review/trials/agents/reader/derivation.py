"""Runs a specification on the database: series, inputs, rules, and the output file.

Names are resolved from the output columns backwards; what cannot be executed costs the columns that need it alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import duckdb

from .catalog import quoted
from .chart import Chart
from .concepts import ConceptColumn, concept_sql, usable_concept
from .diagnoses import Diagnosis, diagnosis_sql
from .facts import Facts
from .grain import Grain
from .grammar import parse_condition
from .inputs import DerivedInput
from .instruction import Instruction
from .layers import Layers
from .missing import MissingRule, list_contradictions
from .provenance import places_of, shown
from .rules import Rule
from .specification import OWN_COLUMNS, Specification
from .summaries import ZERO_WHEN_ABSENT, input_sql, needed_during, needed_series
from .tables import Tables
from .terms import IsMissing, Name, names_in
from .trace import Trace
from .wording import Unreadable, plain


@dataclass
class Derivation:
    """One run over the rows of ``grain``; ``facts`` and ``chart`` are there when a text is followed."""

    grain: Grain
    instruction: Instruction
    tables: Tables
    layers: Layers
    facts: Facts | None = None
    chart: Chart | None = None
    _failed: dict[str, str] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)

    @property
    def specification(self) -> Specification | None:
        """The text that is followed."""
        return self.chart.specification if self.chart else None

    @property
    def trace(self) -> Trace:
        """Where everything is told."""
        return self.tables.trace

    def write(self, output: Path) -> int:
        """Write the output file and return its number of rows."""
        scored = [column for column in self.instruction.columns if column not in self.grain.identifiers]
        for column in self.grain.identifiers:
            self.layers.own(plain(column), self.grain.relation.column(column))
        stated = {column: self._missing_rule(column) for column in scored}
        list_contradictions(stated, self.instruction.missing, self.trace)
        if self.specification is None:
            for column in scored:
                self.trace.gap(str(self.instruction.place), column, "no text says how it is derived", "not executed")
        for column in scored:
            self._output(column)
        if self.specification is not None:
            self._only_rows(self.specification)
            self._tell(self.specification, scored)
        return self._store(scored, output)

    def _tell(self, specification: Specification, scored: list[str]) -> None:
        """Say from which lines each column was executed."""
        for column in scored:
            name = plain(column)
            if not self.layers.is_constant(name):
                rule = self._missing_rule(column)
                places = (*places_of(name, specification), *((rule.place,) if rule else ()))
                self.trace.executed(column, shown(places))

    def _only_rows(self, specification: Specification) -> None:
        """Leave out the rows that the cohort does not hold."""
        cohort = specification.cohort
        if cohort is None or not cohort.condition:
            return
        try:
            names = (*specification.definitions.row_names(), *specification.definitions.series_names())
            condition = parse_condition(cohort.condition, names)
            for name in names_in(condition):
                self._resolve(name)
            self.layers.keep(condition)
        except Unreadable as problem:
            self.trace.gap(str(cohort.place), cohort.condition, f"no row is left out: {problem}", "not executed")

    # -- outputs --------------------------------------------------------------------------------------------------

    def _missing_rule(self, column: str) -> MissingRule | None:
        if self.specification is not None:
            rule = self.specification.missing.get(column) or self.specification.general_missing
            if rule is not None:
                return rule
        return self.instruction.missing

    def _output(self, column: str) -> None:
        """Resolve one output column; what fails is listed and written as the missing rule says."""
        name = plain(column)
        if self.layers.has(name):
            return
        try:
            self._resolve(name)
        except Unreadable as problem:
            self._lose(column, str(problem))

    def _lose(self, column: str, why: str) -> None:
        name = plain(column)
        if self.specification is not None:
            place = self._place(name)
            self.trace.gap(place, column, why, "not executed")
        self.layers.constant(name, column, self._missing_rule(column))

    def _place(self, name: str) -> str:
        assert self.specification is not None
        definitions = self.specification.definitions
        if name in definitions.lost:
            return str(definitions.lost[name][0])
        stated = definitions.rules.get(name) or definitions.inputs.get(name) or definitions.diagnoses.get(name)
        return str(stated.place) if stated else f"{self.specification.file}:1"

    # -- names ----------------------------------------------------------------------------------------------------

    def _resolve(self, name: str) -> None:
        """Make ``name`` a column of the rows.

        Raises:
            Unreadable: it is not defined, or something it needs cannot be executed.
        """
        if self.layers.has(name):
            return
        if name in self._failed:
            raise Unreadable(self._failed[name])
        if name in self._open:
            raise Unreadable(f"{name!r} is defined by itself")
        self._open.append(name)
        try:
            self._define(name)
        except Unreadable as problem:
            self._failed[name] = str(problem)
            raise
        except duckdb.Error as problem:
            why = f"the database refuses the query ({type(problem).__name__})"
            self.trace.gap(self._place(name), name, why)
            self._failed[name] = why
            raise Unreadable(why) from None
        finally:
            self._open.remove(name)

    def _define(self, name: str) -> None:
        specification = self.specification
        if specification is None:
            raise Unreadable("no text says how it is derived")
        definitions = specification.definitions
        if self.grain.series and name in OWN_COLUMNS and self._own(name):
            return
        concept = usable_concept(name, specification.concepts, self._chart().catalog, self.grain.key, self.trace)
        if concept is not None:
            self._from_concept(name, concept)
        elif name in definitions.lost:
            raise Unreadable(definitions.lost[name][1])
        elif name in definitions.inputs:
            self._input(definitions.inputs[name], specification)
        elif name in definitions.diagnoses:
            self._diagnosis(definitions.diagnoses[name], specification)
        elif name in definitions.rules:
            self._rule(name, definitions.rules[name])
        elif name in definitions.series_names() and self.grain.series:
            self._of_the_row(name)
        elif name in definitions.series_names():
            raise Unreadable(f"{name!r} has a value per charting time; which one counts is not said")
        else:
            raise Unreadable("no text says how it is derived")

    def _own(self, name: str) -> bool:
        """What the row itself is: its start, its status, its number."""
        column = self.grain.key[0] if OWN_COLUMNS[name] == "link" else OWN_COLUMNS[name]
        if not self.grain.relation.has(column):
            return False
        self.layers.own(name, column)
        return True

    def _of_the_row(self, name: str) -> None:
        """The value of a series at the charting time or sample that is the row."""
        series = self._chart().find(name)
        if series.link.casefold() != self.grain.key[0].casefold():
            raise Unreadable(f"{name!r} is matched by {series.link!r}, the rows by {self.grain.key[0]!r}")
        link, bundle = (quoted(column) for column in self.grain.key)
        sql = f"SELECT link AS {link}, bundle AS {bundle}, amount FROM {quoted(series.table)}"
        self._add_input(name, sql, "")

    def _chart(self) -> Chart:
        if self.chart is None:
            raise Unreadable("no text says how it is derived")
        return self.chart

    def _column_of(self, name: str) -> str | None:
        return next((column for column in self.instruction.columns if plain(column) == name), None)

    def _rule(self, name: str, rule: Rule) -> None:
        lost: list[str] = []
        for needed in rule.inputs:
            column = self._column_of(needed)
            if column is not None and needed != name:
                self._output(column)
                if self.layers.is_constant(needed):
                    lost.append(column)
                continue
            try:
                self._resolve(needed)
            except Unreadable as problem:
                raise Unreadable(f"the input {needed!r} cannot be executed: {problem}") from None
        column = self._column_of(name)
        stated = self._missing_rule(column) if column else None
        missing = self._executable(stated) if stated is not None else None
        self.layers.rule(name, rule, missing, is_output=column is not None)
        if lost:
            why = f"the sum holds {', '.join(lost)}, not executed"
            self.trace.gap(str(rule.lines[0].place), rule.lines[0].text, why, "not executed")

    def _executable(self, rule: MissingRule) -> MissingRule:
        for value in rule.when.values:
            if isinstance(value, Name):
                try:
                    self._resolve(value.name)
                except Unreadable:
                    why = "speaks of an input that is not executed; all inputs are meant"
                    self.trace.gap(str(rule.place), rule.text, why)
                    return replace(rule, when=IsMissing(()))
        return rule

    # -- inputs ---------------------------------------------------------------------------------------------------

    def _from_concept(self, name: str, concept: ConceptColumn) -> None:
        sql, shown = concept_sql(concept, self._chart().catalog, self.grain.key)
        self.trace.message(f"{name}: taken from {shown} as line {concept.place.line} allows")
        derived = self._chart().specification.definitions.inputs.get(name)
        self._add_input(name, sql, derived.summary if derived else "")

    def _input(self, derived: DerivedInput, specification: Specification) -> None:
        chart = self._chart()
        for name in needed_series(derived):
            chart.find(name)
        for name in needed_during(chart.series[derived.choice.by if derived.choice else derived.measure].during):
            chart.find(name)
        assert self.facts is not None
        sql = input_sql(derived, chart.series, self.facts, specification.lists)
        self._add_input(plain(derived.name), sql, derived.summary)

    def _add_input(self, name: str, sql: str, summary: str) -> None:
        self.layers.input(name, self.tables.keep(f"input: {name}", sql), zero=summary in ZERO_WHEN_ABSENT)

    def _diagnosis(self, diagnosis: Diagnosis, specification: Specification) -> None:
        tables = [table for table in specification.definitions.source.tables.values() if table.version]
        if len(tables) != 1:
            raise Unreadable(
                "the source map does not name one table of codes with 'Item in' `code`, version in `column`"
            )
        relation = self._chart().catalog.find(tables[0].table)
        sql = diagnosis_sql(diagnosis, tables[0], relation, self.grain.relation, self.grain.key)
        self._add_input(diagnosis.name, sql, "present")

    # -- the file -------------------------------------------------------------------------------------------------

    def _store(self, scored: list[str], output: Path) -> int:
        table = self._output_table(scored)
        for column in scored:
            name = plain(column)
            if self.specification is None or self.layers.is_constant(name) or not self.layers.is_graded(name):
                continue
            empty = self.tables.rows(table, f"{quoted(column)} IS NULL")
            if empty:
                why = f"no line applies to {empty} rows; they are left empty"
                self.trace.gap(self._place(name), column, why, "not executed")
        self.tables.export(table, output)
        return self.tables.rows(table)

    def _output_table(self, scored: list[str]) -> str:
        """The output as a table. A column whose values the database refuses is lost, and no other."""
        try:
            return self.tables.keep("output", self.layers.output_sql())
        except (duckdb.IOException, duckdb.OutOfMemoryException):
            raise
        except duckdb.Error:
            for column in self.layers.by_layer(scored):
                try:
                    self.tables.try_column(column, self.layers.output_sql())
                except duckdb.Error as problem:
                    self._lose(column, f"the database refuses its values ({type(problem).__name__})")
            return self.tables.keep("output", self.layers.output_sql())
