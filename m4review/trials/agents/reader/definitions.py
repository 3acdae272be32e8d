"""Everything that the sections of a skill derive: measures, episodes, inputs, diagnoses and rules, by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .bands import unclear_bands
from .diagnoses import Diagnosis, read_diagnosis, versions_of
from .episodes import Episodes, Period, read_episodes
from .gradings import Grading, read_gradings
from .grammar import parse_value
from .inforce import InForce, read_in_force
from .inputs import DerivedInput, read_input
from .intervals import Intervals, read_intervals
from .markdown import Passage, Place, Row, Section, Table
from .names import Vocabulary
from .restrictions import read_restriction
from .rules import (
    Line,
    Rule,
    check_line,
    defined_in,
    heading_name,
    read_line,
    read_two_way,
    shape_of,
    target_of,
    total_in,
    with_lines,
)
from .sources import SourceMap, read_remainders, read_source_map
from .tablekinds import kind_of, turn_of
from .terms import Name, Otherwise
from .trace import Trace
from .vocabulary import collect_names
from .windows import Window
from .wording import Unreadable, column_roles, plain, section_purpose


@dataclass
class Definitions:
    """By plain name. ``lost`` holds what was meant but cannot be read: its place and the reason."""

    source: SourceMap = field(default_factory=SourceMap)
    derived: dict[str, Rule] = field(default_factory=dict)
    """Derived measures: one value per charting time or sample."""
    episodes: dict[str, Episodes | Period] = field(default_factory=dict)
    intervals: dict[str, Intervals] = field(default_factory=dict)
    in_force: dict[str, InForce] = field(default_factory=dict)
    inputs: dict[str, DerivedInput] = field(default_factory=dict)
    diagnoses: dict[str, Diagnosis] = field(default_factory=dict)
    rules: dict[str, Rule] = field(default_factory=dict)
    """Terms and output columns: one value per row of the output."""
    gradings: dict[str, Grading] = field(default_factory=dict)
    lost: dict[str, tuple[Place, str]] = field(default_factory=dict)
    passages: set[Passage] = field(default_factory=set)
    """Passages that were read as rules."""

    def series_names(self) -> tuple[str, ...]:
        """Names of what has a value per charting time or sample."""
        return (*self.source.measures, *self.derived)

    def row_names(self) -> tuple[str, ...]:
        """Names of what has one value per row of the output."""
        return (*self.inputs, *self.diagnoses, *self.rules)


def read_definitions(
    sections: Sequence[Section],
    columns: Sequence[str],
    windows: Sequence[Window],
    own: Sequence[str],
    trace: Trace,
) -> Definitions:
    """Read the tables and sentences of the deriving sections; what cannot be read is listed as a gap.

    ``own`` are the names by which a rule may speak of the row itself.
    """
    found = Definitions()
    tables = [table for section in sections for table in section.tables]
    found.source = read_source_map(tables, (passage for section in sections for passage in section.prose()), trace)
    found.passages |= {passage for section in sections for passage in section.prose() if read_remainders([passage])}
    kinds = [(kind, section, table) for section in sections for table in section.tables if (kind := kind_of(table))]
    vocabulary = collect_names(kinds, sections, list(found.source.measures), columns, own)
    reader = _Reader(found, tuple(columns), tuple(windows), trace, vocabulary)
    # Inputs before the rules that speak of them, so that limits can be compared with the units of the inputs.
    for kind, section, table in sorted(kinds, key=lambda item: turn_of(item[0], item[1])):
        reader.read(kind, section, table)
    reader.sentences(sections)
    reader.sort_out()
    return found


@dataclass
class _Reader:
    found: Definitions
    columns: tuple[str, ...]
    windows: tuple[Window, ...]
    trace: Trace
    vocabulary: Vocabulary

    # -- tables ---------------------------------------------------------------------------------------------------

    def read(self, kind: str, section: Section, table: Table) -> None:
        """Read one table of a kind."""
        try:
            if kind == "grading":
                self.found.gradings |= read_gradings(table)
            elif kind == "two-way":
                self._two_way(section, table)
            elif kind == "rule":
                self._rules(section, table)
            else:
                roles = column_roles(table.header)
                for row in table.rows:
                    self._row(kind, row, roles, table)
        except Unreadable as problem:
            self.trace.gap(str(table.place), " | ".join(table.header), str(problem))
            name = heading_name(section)
            if name in map(plain, self.columns):
                self.found.lost.setdefault(name, (table.place, str(problem)))

    def _row(self, kind: str, row: Row, roles: dict[str, int], table: Table) -> None:
        position = kind if kind in {"derived", "episodes", "intervals", "force"} else "input"
        name = plain(row.cells[roles[position]] if kind != "diagnoses" else row.cells[0])
        found = self.found
        home: dict[str, object] = {  # type: ignore[assignment]
            "derived": found.derived,
            "episodes": found.episodes,
            "intervals": found.intervals,
            "force": found.in_force,
            "diagnoses": found.diagnoses,
            "input": found.inputs,
            "input rule": found.rules,
        }[kind]
        try:
            if not name:
                raise Unreadable("the row names nothing")
            if name in home or name in found.lost:
                home.pop(name, None)
                raise Unreadable("the input is defined twice" if "input" in kind else "it is defined twice")
            if kind == "derived":
                found.derived[name] = self._derived(name, row, roles)
            elif kind == "episodes":
                found.episodes[name] = read_episodes(row, roles, self.vocabulary.series)
            elif kind == "force":
                found.in_force[name] = read_in_force(row, roles, self.vocabulary.series)
            elif kind == "intervals":
                found.intervals[name] = read_intervals(row, roles, self.vocabulary.series)
            elif kind == "diagnoses":
                found.diagnoses[name] = read_diagnosis(row, versions_of(table))
            elif kind == "input":
                found.inputs[name] = read_input(row, roles, self._executable(), self.vocabulary.episodes, self.windows)
            else:
                value = parse_value(row.cells[roles["rule"]], self.vocabulary.names, self.vocabulary.columns)
                unit = plain(row.cells[roles["unit"]]) if "unit" in roles else ""
                found.rules[name] = Rule(name, (Line(Otherwise(), value, row.place, row.text),), row.place, unit=unit)
        except Unreadable as problem:
            found.lost[name] = (row.place, str(problem))
            self.trace.gap(str(row.place), row.text, str(problem))

    def _executable(self) -> list[str]:
        return [name for name in self.vocabulary.series if name not in self.found.lost]

    def _derived(self, name: str, row: Row, roles: dict[str, int]) -> Rule:
        def cell(role: str) -> str:
            return row.cells[roles[role]] if role in roles else ""

        # A rule does not speak of itself: "A in force" may be derived from "A".
        others = [other for other in self.vocabulary.names if other != name]
        value = parse_value(cell("rule"), others, self.vocabulary.columns)
        only = read_restriction(cell("only"), self.vocabulary.names, self.vocabulary.episodes)
        unit = plain(cell("unit"))
        line = Line(Otherwise(), value, row.place, row.text)
        return Rule(name, (line,), row.place, only, self._per(cell("per")), unit, section="source")

    def _per(self, text: str) -> tuple[str, ...]:
        """``charting time of A, B or C`` / ``sample of A`` -> the measures."""
        sentence = plain(text)
        if not sentence:
            return ()
        found: dict[int, str] = {}
        for name in sorted(self.vocabulary.series, key=len, reverse=True):
            start = sentence.find(name)
            if start >= 0:
                found[start] = name
                sentence = sentence.replace(name, "\x02" * len(name), 1)
        if not found:
            raise Unreadable(f"{text!r} names no measure")
        return tuple(found[start] for start in sorted(found))

    def _two_way(self, section: Section, table: Table) -> None:
        self._store(heading_name(section), read_two_way(table, self.vocabulary), section, table.place)

    def _rules(self, section: Section, table: Table) -> None:
        shape = shape_of(table, section, (*self.vocabulary.names, *self.vocabulary.columns), self.found.gradings)
        for row in table.rows:
            name = ""
            try:
                name = target_of(row, shape)
                if name not in {*self.vocabulary.names, *self.vocabulary.columns}:
                    raise Unreadable(f"{name!r} is not an output column")
                line = read_line(row, shape, self.vocabulary, self.found.gradings.get(name))
                if line.value == Name(name) and (name in self.found.inputs or name in self.found.rules):
                    continue  # "`age` is the age": the input of that name is the column
                home = self._home(section)
                earlier = home[name].lines if name in home else ()
                check_line(line, earlier, self._units())
                self._store(name, [line], section, row.place)
            except Unreadable as problem:
                if name:
                    self.found.lost.setdefault(name, (row.place, "this line cannot be executed"))
                self.trace.gap(str(row.place), row.text, str(problem))

    def _home(self, section: Section) -> dict[str, Rule]:
        return self.found.derived if section_purpose(section.titles) == "source" else self.found.rules

    def _store(self, name: str, lines: Iterable[Line], section: Section, place: Place) -> None:
        home = self._home(section)
        home[name] = with_lines(home.get(name), name, tuple(lines), place)

    def _units(self) -> dict[str, str]:
        measured = {name: self.found.source.measures.get(item.measure) for name, item in self.found.inputs.items()}
        units = {name: measure.unit for name, measure in measured.items() if measure is not None}
        return units | {name: measure.unit for name, measure in self.found.source.measures.items() if name not in units}

    # -- sentences ------------------------------------------------------------------------------------------------

    def sentences(self, sections: Sequence[Section]) -> None:
        """Totals and definitions that stand as sentences."""
        for section in sections:
            for passage in section.prose():
                if not self._total(passage):
                    self._definition(passage, section)

    def _total(self, passage: Passage) -> bool:
        total = total_in(passage, self.columns)
        if total is None:
            return False
        self.found.passages.add(passage)
        name = plain(total.name)
        earlier = self.found.rules.setdefault(name, total)
        if earlier.lines[0].value != total.lines[0].value:
            self.trace.gap(str(passage.place), passage.text, f"another sentence sums {total.name!r} differently")
            self.found.lost[name] = (passage.place, "its sum is stated in two ways")
        return True

    def _definition(self, passage: Passage, section: Section) -> None:
        defined = defined_in(passage)
        if defined is None:
            return
        name, text = defined
        home = self._home(section)
        if name in home or name not in {*self.vocabulary.names, *self.vocabulary.columns}:
            return
        try:
            line = Line(
                Otherwise(),
                parse_value(text, self.vocabulary.names, self.vocabulary.columns),
                passage.place,
                passage.text,
            )
        except Unreadable:
            return  # prose that only looks like a definition; it is listed as prose
        self.found.passages.add(passage)
        home[name] = Rule(name, (line,), passage.place)

    def sort_out(self) -> None:
        """Give rules of the source map that speak only of the row their place, and gradings their rules."""
        found = self.found
        for name, rule in list(found.derived.items()):
            if (
                rule.section != "source"
                and not any(item in self.vocabulary.series for item in rule.inputs)
                and rule.inputs
            ):
                found.rules[name] = found.derived.pop(name)
        for name, grading in found.gradings.items():
            if name in found.rules:
                found.rules[name] = _graded(found.rules[name], grading)
        for rule in (*found.derived.values(), *found.rules.values()):
            for line, why in unclear_bands(rule):
                self.trace.gap(str(line.place), line.text, why)
        for name in found.lost:
            for home in (
                found.derived,
                found.rules,
                found.inputs,
                found.diagnoses,
                found.episodes,
                found.intervals,
                found.in_force,
            ):
                home.pop(name, None)


def _graded(rule: Rule, grading: Grading) -> Rule:
    return Rule(rule.name, rule.lines, rule.place, rule.only, rule.per, rule.unit, grading, rule.section)
