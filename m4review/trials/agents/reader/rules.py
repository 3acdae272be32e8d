"""Rules: what a table, in ordered lines, or a sentence makes of other named things."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .gradings import GRADED, Grading
from .grammar import parse_condition, parse_value
from .markdown import Passage, Place, Row, Section, Table
from .names import Vocabulary
from .restrictions import Restriction
from .terms import (
    AllOf,
    Apply,
    Condition,
    Figure,
    Name,
    Nothing,
    Otherwise,
    Value,
    comparisons_in,
    names_in,
    renamed,
)
from .wording import Unreadable, code_spans, column_roles, number, plain

MOST_POINTS = 999
"""No score of the field gives more for one finding."""


@dataclass(frozen=True, slots=True)
class Line:
    """``value`` where ``condition`` holds and no earlier line did. ``default`` stands in where the value is missing."""

    condition: Condition
    value: Value
    place: Place
    text: str
    default: Value = field(default_factory=Nothing)


@dataclass(frozen=True, slots=True)
class Rule:
    """Lines in order of precedence for one name: an output column, a term, an input or a derived measure."""

    name: str
    lines: tuple[Line, ...]
    place: Place
    only: Restriction = field(default_factory=Restriction)
    per: tuple[str, ...] = ()
    """For a derived measure: the measures at whose times or samples there is a value."""
    unit: str = ""
    grading: Grading | None = None
    section: str = ""

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names its lines speak of, each once."""
        terms = [part for line in self.lines for part in (line.condition, line.value, line.default)]
        terms += list(self.only.conditions)
        named = dict.fromkeys(name for term in terms for name in names_in(term) if name != GRADED)
        return tuple(named | dict.fromkeys(self.grading.values if self.grading else ()))


@dataclass(frozen=True, slots=True)
class Shape:
    """Where a table of rules keeps what: positions of condition and value, and what its lines are about."""

    condition: int | None
    value: int
    target: str | None
    """The name all lines are about; else ``component`` holds it row by row."""
    component: int = 0
    subject: str | None = None
    default: int | None = None


def shape_of(table: Table, section: Section, names: Sequence[str], graded: Mapping[str, Grading]) -> Shape:
    """How a table of rules is to be read.

    Raises:
        Unreadable: it has no column of values, or it is not said what it is about.
    """
    roles = column_roles(table.header)
    target = heading_name(section)
    known = {plain(name) for name in names}
    value = roles.get("points", roles.get("rule"))
    if value is None:
        # "| Condition | Creatinine term |" under the heading "Creatinine term"
        titled = [position for position, cell in enumerate(table.header) if plain(cell) == target]
        value = titled[0] if titled else None
    if value is None and "condition" in roles:
        # whatever the only other column is called: "| Order | Condition | Stage |"
        rest = [position for position in range(len(table.header)) if position not in roles.values()]
        value = rest[0] if len(rest) == 1 else None
    if value is None:
        raise Unreadable("a table of rules needs a column 'Points' or 'Value'")
    taken = {position for role, position in roles.items() if role in {"order", "note", "component", "counts", "unit"}}
    component = roles.get("component", roles.get("column", roles.get("input")))
    default = roles.get("counts")
    if component is not None and component != value:
        return Shape(roles.get("condition"), value, None, component, default=default)
    if not target:
        raise Unreadable("neither a column 'Component' nor the heading names what is derived")
    if "condition" in roles:
        return Shape(roles["condition"], value, target, default=default)
    others = [position for position in range(len(table.header)) if position not in {*taken, value}]
    if len(others) != 1:
        raise Unreadable("a table of rules needs a column 'Condition', or one column headed by its input")
    header = plain(re.sub(r"\s*\([^()]*\)\s*$", "", table.header[others[0]]))
    if target in graded:
        return Shape(others[0], value, target, subject=GRADED, default=default)
    if header not in known:
        raise Unreadable(f"{table.header[others[0]]!r} is not one of the derived inputs")
    return Shape(others[0], value, target, subject=header, default=default)


def heading_name(section: Section) -> str:
    """The name a heading gives: its one text in backticks, else its own words."""
    title = section.titles[-1] if section.titles else ""
    spans = code_spans(title)
    return plain(spans[0]) if len(spans) == 1 else plain(re.sub(r"^[\d.]+\s+", "", title))


def target_of(row: Row, shape: Shape) -> str:
    """The name a row is about.

    Raises:
        Unreadable: the cell is empty.
    """
    if shape.target is not None:
        return shape.target
    cell = row.cells[shape.component]
    spans = code_spans(cell)
    name = plain(spans[0]) if len(spans) == 1 else plain(cell)
    if not name:
        raise Unreadable("the row does not say what it derives")
    return name


def read_line(row: Row, shape: Shape, vocabulary: Vocabulary, grading: Grading | None = None) -> Line:
    """One line of a table of rules. In a grading, what the graded values have in common means the value graded.

    Raises:
        Unreadable: a condition or value that cannot be read.
    """
    known = [*vocabulary.names, GRADED, *([grading.common] if grading and grading.common else [])]
    condition: Condition = Otherwise()
    if shape.condition is not None:
        text = row.cells[shape.condition]
        # "otherwise (male, or no entry)" explains itself; the explanation is for people
        text = re.sub(r"^(\W*otherwise)\b\s*[(,].*$", r"\1", text, flags=re.IGNORECASE)
        condition = parse_condition(text, known, shape.subject, vocabulary.columns)
        if grading is not None:
            condition = renamed(condition, grading.common, GRADED)
    default = Nothing() if shape.default is None else read_constant(row.cells[shape.default])
    return Line(condition, read_points(row.cells[shape.value], vocabulary), row.place, row.text, default)


def read_points(text: str, vocabulary: Vocabulary) -> Value:
    """Points, a value or a rule. ``missing`` stands for what the missing rule says.

    Raises:
        Unreadable: anything that is no value, or points beyond any score.
    """
    cell = re.sub(r"\s*points?$", "", plain(text))
    if cell.startswith("missing"):
        return Nothing()
    try:
        figure = number(cell)
    except Unreadable:
        return parse_value(re.sub(r",? even when .*$", "", text), vocabulary.names, vocabulary.columns)
    if abs(figure) > MOST_POINTS:
        raise Unreadable(f"{text!r} is not a number up to {MOST_POINTS}")
    return Figure(figure)


def read_constant(text: str) -> Value:
    """A number, a text in backticks, or ``empty``.

    Raises:
        Unreadable: anything else.
    """
    if plain(text) in {"", "empty", "missing", "left empty"}:
        return Nothing()
    return parse_value(re.sub(r"\s*\([^()]*\)\s*$", "", text), ())


def check_line(line: Line, earlier: Iterable[Line], units: Mapping[str, str]) -> None:
    """Refuse a limit in another unit than its input, and lines that contradict earlier ones.

    Raises:
        Unreadable: such a line.
    """
    for comparison in comparisons_in(line.condition):
        name = comparison.left.name if isinstance(comparison.left, Name) else ""
        stated = comparison.right.unit if isinstance(comparison.right, Figure) else ""
        unit = units.get(plain(name), "")
        if stated and unit and stated != unit:
            raise Unreadable(f"the limit is in {stated!r}, the input {name!r} in {unit!r}")
    for other in earlier:
        if other.condition == line.condition and other.value != line.value:
            raise Unreadable(f"line {other.place.line} gives other points for the same condition")
        if isinstance(other.condition, Otherwise):
            raise Unreadable(f"the line can never apply: line {other.place.line} takes all that is left")


def is_two_way(table: Table) -> bool:
    """Whether the first header names two inputs: ``pH \\ PaCO2``."""
    return bool(re.search(r"\S\s*\\\\?\s*\S", table.header[0])) if table.header else False


def read_two_way(table: Table, vocabulary: Vocabulary) -> tuple[Line, ...]:
    """A two-way table as lines: bands of one input down, of the other across.

    Raises:
        Unreadable: an input that is not known, or a band or value that cannot be read.
    """
    down, across = (
        plain(re.sub(r"\s*\([^()]*\)\s*$", "", part)) for part in re.split(r"\\+", table.header[0], maxsplit=1)
    )
    names = vocabulary.names
    known = {plain(name) for name in names}
    for name in (down, across):
        if name not in known:
            raise Unreadable(f"{name!r} is not one of the derived inputs")
    columns = [parse_condition(cell, names, across) for cell in table.header[1:]]
    lines: list[Line] = []
    for row in table.rows:
        band = parse_condition(row.cells[0], names, down)
        for column, cell in zip(columns, row.cells[1:], strict=True):
            lines.append(Line(AllOf((band, column)), read_points(cell, vocabulary), row.place, row.text))
    return tuple(lines)


_SUM = re.compile(r"`(\w+)` (?:is|=) the sum of ((?:`\w+`(?:, (?:and )?| and )?)+)")


def total_in(passage: Passage, columns: Sequence[str]) -> Rule | None:
    """The total a passage states over known columns, if it does: ``x is the sum of a, b and c``."""
    match = _SUM.search(passage.text)
    if match is None or match.group(1) not in columns:
        return None
    parts = tuple(code_spans(match.group(2)))
    if any(part not in columns for part in parts) or match.group(1) in parts or len(set(parts)) != len(parts):
        return None
    total = Apply("sum", tuple(Name(part) for part in parts))
    line = Line(Otherwise(), total, passage.place, passage.text)
    return Rule(match.group(1), (line,), passage.place)


_DEFINED = re.compile(r"(?:`([^`]+)`|\*\*([^*]+)\*\*|([A-Za-z][\w /-]{2,50}?)) = (.+)", re.DOTALL)


def defined_in(passage: Passage) -> tuple[str, str] | None:
    """The name a passage defines and its rule as text: ``raw sum = A + B + C``; nothing else stands in it."""
    match = _DEFINED.fullmatch(passage.text.strip())
    if match is None or "the sum of `" in match.group(4):
        return None
    return plain(next(part for part in match.groups()[:3] if part)), match.group(4).rstrip(".")


def with_lines(rule: Rule | None, name: str, lines: Sequence[Line], place: Place) -> Rule:
    """``rule`` with more lines, or a new one."""
    return replace(rule, lines=(*rule.lines, *lines)) if rule else Rule(name, tuple(lines), place)
