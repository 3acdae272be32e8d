"""Scoring: components as ordered lines of condition and points, totals as sums, and what missing counts as."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from .conditions import Condition, IsMissing, Otherwise, comparisons_in, names_in, parse_condition
from .inputs import DerivedInput
from .markdown import Passage, Place, Row, Section, Table
from .trace import Trace
from .wording import Unreadable, code_spans, column_roles, number, plain, says_nothing

MOST_POINTS = 999
"""No score of the field gives more for one finding."""


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """``points`` where ``condition`` holds and no earlier line did; ``None`` points stand for missing."""

    condition: Condition
    points: int | None
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Component:
    """One output column with its lines in order of precedence."""

    column: str
    lines: tuple[ScoreLine, ...]
    place: Place

    @property
    def inputs(self) -> tuple[str, ...]:
        """The inputs its conditions speak of."""
        return tuple(dict.fromkeys(name for line in self.lines for name in names_in(line.condition)))


@dataclass(frozen=True, slots=True)
class Total:
    """An output column that is the sum of others."""

    column: str
    parts: tuple[str, ...]
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class MissingRule:
    """What a column counts as when ``when`` holds (no names: when all its inputs are missing)."""

    counts_as: int
    when: IsMissing
    place: Place
    text: str


@dataclass
class Scoring:
    """What the scoring sections say. ``lost`` holds columns that have lines which cannot be executed."""

    components: dict[str, Component] = field(default_factory=dict)
    totals: dict[str, Total] = field(default_factory=dict)
    lost: dict[str, tuple[Place, str]] = field(default_factory=dict)


def read_scoring(
    sections: Sequence[Section],
    columns: Sequence[str],
    inputs: dict[str, DerivedInput],
    lost_inputs: dict[str, str],
    trace: Trace,
) -> Scoring:
    """Read the scoring sections for the output ``columns``. A lost input is a known name all the same: where the
    database has a concept for it, its component can be executed."""
    scoring = Scoring()
    names = [*inputs, *lost_inputs]
    lines: dict[str, list[ScoreLine]] = {}
    for section in sections:
        for table in section.tables:
            try:
                shape = _shape(table, section, columns, names)
            except Unreadable as problem:
                trace.gap(str(table.place), " | ".join(table.header), str(problem))
                continue
            for row in table.rows:
                column = shape.column
                try:
                    if column is None:
                        column = _column(row.cells[shape.component], columns)
                    line = _line(row, shape, names)
                    _check_units(line.condition, inputs)
                    _check_repeat(line, lines.setdefault(column, []))
                    lines[column].append(line)
                except Unreadable as problem:
                    if column is not None:
                        scoring.lost.setdefault(column, (row.place, "this line cannot be executed"))
                    trace.gap(str(row.place), row.text, str(problem))
    for column, found in lines.items():
        if not found:
            continue
        if column not in scoring.lost:
            scoring.components[column] = Component(column, tuple(found), found[0].place)
    for passage in (passage for section in sections for passage in section.prose()):
        total = total_in(passage, columns)
        if total is not None and scoring.totals.setdefault(total.column, total).parts != total.parts:
            trace.gap(str(passage.place), passage.text, f"another sentence sums {total.column!r} differently")
            scoring.lost[total.column] = (passage.place, "its sum is stated in two ways")
    return scoring


def total_in(passage: Passage, columns: Sequence[str]) -> Total | None:
    """The total a passage states over known columns, if it does."""
    match = re.search(r"`(\w+)` (?:is|=) the sum of ((?:`\w+`(?:, (?:and )?| and )?)+)", passage.text)
    if match is None or match.group(1) not in columns:
        return None
    parts = tuple(code_spans(match.group(2)))
    if any(part not in columns for part in parts) or match.group(1) in parts or len(set(parts)) != len(parts):
        return None
    return Total(match.group(1), parts, passage.place, passage.text)


@dataclass(frozen=True, slots=True)
class _Shape:
    """Where a scoring table keeps its condition and points, and what its lines are about."""

    condition: int
    points: int
    column: str | None
    component: int
    subject: str | None


def _shape(table: Table, section: Section, columns: Sequence[str], names: Sequence[str]) -> _Shape:
    roles = column_roles(table.header)
    if "points" not in roles:
        raise Unreadable("a scoring table needs a column 'Points'")
    points = roles["points"]
    if "component" in roles and "condition" in roles:
        return _Shape(roles["condition"], points, None, roles["component"], None)
    column = _heading_column(section, columns)
    if "condition" in roles:
        return _Shape(roles["condition"], points, column, 0, None)
    others = [position for position in range(len(table.header)) if position not in roles.values()]
    if len(others) != 1:
        raise Unreadable("a scoring table needs a column 'Condition', or one column headed by its input")
    header = plain(re.sub(r"\s*\([^()]*\)\s*$", "", table.header[others[0]]))
    subject = next((name for name in names if plain(name) == header), None)
    if subject is None:
        raise Unreadable(f"{table.header[others[0]]!r} is not one of the derived inputs")
    return _Shape(others[0], points, column, 0, subject)


def _column(text: str, columns: Sequence[str]) -> str:
    spans = code_spans(text) or [text.strip()]
    if len(spans) == 1 and spans[0] in columns:
        return spans[0]
    raise Unreadable(f"{text!r} is not an output column")


def _heading_column(section: Section, columns: Sequence[str]) -> str:
    title = section.titles[-1] if section.titles else ""
    found = [span for span in code_spans(title) if span in columns]
    if not found:
        found = [column for column in columns if plain(column) == plain(title)]
    if len(found) != 1:
        raise Unreadable("neither a column 'Component' nor the heading names the output column")
    return found[0]


def _line(row: Row, shape: _Shape, names: Sequence[str]) -> ScoreLine:
    points = row.cells[shape.points]
    text = plain(points)
    value = None if text.startswith("missing") else _whole(re.sub(r" points?$", "", text))
    return ScoreLine(parse_condition(row.cells[shape.condition], names, shape.subject), value, row.place, row.text)


def _whole(text: str) -> int:
    figure = number(text)
    if figure != int(figure) or abs(figure) > MOST_POINTS:
        raise Unreadable(f"{text!r} is not a whole number of points up to {MOST_POINTS}")
    return int(figure)


def _check_units(condition: Condition, inputs: dict[str, DerivedInput]) -> None:
    for comparison in comparisons_in(condition):
        source = inputs.get(comparison.name)
        if source and comparison.unit and source.unit and comparison.unit != source.unit:
            raise Unreadable(f"the limit is in {comparison.unit!r}, the input {source.name!r} in {source.unit!r}")


def _check_repeat(line: ScoreLine, earlier: list[ScoreLine]) -> None:
    for other in earlier:
        if other.condition == line.condition and other.points != line.points:
            raise Unreadable(f"line {other.place.line} gives other points for the same condition")
        if isinstance(other.condition, Otherwise):
            raise Unreadable(f"the line can never apply: line {other.place.line} takes all that is left")


_NORMAL = re.compile(
    r"\b(?:missing|absent|cannot be judged|without any (?:measurement|value)|no measurement)\b"
    r"[^.;]{0,80}?(?:\b(?:counts?(?: as)?|scores?|is|as)\b|=)[^.;]{0,80}?\b(\d{1,3}|zero)\b"
)


def missing_rule_in(passage: Passage) -> MissingRule | None:
    """``A component without any measurement counts as normal (0).``, ``missing = 0``."""
    match = _NORMAL.search(plain(passage.text))
    if match is None:
        return None
    return MissingRule(int(number(match.group(1))), IsMissing(()), passage.place, passage.text)


def read_missing_rules(
    sections: Sequence[Section],
    columns: Sequence[str],
    inputs: dict[str, DerivedInput],
    lost_inputs: dict[str, str],
    trace: Trace,
) -> tuple[dict[str, MissingRule], MissingRule | None]:
    """Rules per column from tables, and the general rule of a sentence. A measure stands for all its inputs."""
    measures: dict[str, tuple[str, ...]] = {}
    for name, derived in inputs.items():
        measures[derived.measure] = (*measures.get(derived.measure, ()), name)
    rules: dict[str, MissingRule] = {}
    general: MissingRule | None = None
    for section in sections:
        for passage in section.prose():
            general = general or missing_rule_in(passage)
        for table in section.tables:
            roles = column_roles(table.header)
            if not {"component", "counts"} <= roles.keys():
                trace.gap(
                    str(table.place),
                    " | ".join(table.header),
                    "a table of missing data needs the headers 'Component' and 'Counts as'",
                )
                continue
            for row in table.rows:
                try:
                    column = _column(row.cells[roles["component"]], columns)
                    counts = _whole(row.cells[roles["counts"]])
                    when = IsMissing(())
                    if "missing" in roles and not says_nothing(row.cells[roles["missing"]]):
                        condition = parse_condition(row.cells[roles["missing"]], [*inputs, *lost_inputs, *measures])
                        if not isinstance(condition, IsMissing):
                            raise Unreadable("'Missing when' is read as 'A missing', 'A and B both missing'")
                        when = IsMissing(tuple(n for name in condition.names for n in measures.get(name, (name,))))
                    rules[column] = MissingRule(counts, when, row.place, row.text)
                except Unreadable as problem:
                    trace.gap(str(row.place), row.text, str(problem))
    return rules, general
