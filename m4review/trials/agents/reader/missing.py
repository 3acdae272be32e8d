"""What an output column counts as when its inputs are missing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .grammar import parse_condition
from .markdown import Passage, Place, Row, Section
from .rules import read_constant
from .terms import Figure, IsMissing, Name, Value
from .trace import Trace
from .wording import Unreadable, code_spans, column_roles, number, plain, says_nothing


@dataclass(frozen=True, slots=True)
class MissingRule:
    """What a column counts as when ``when`` holds (no names: when all its inputs are missing)."""

    counts_as: Value
    when: IsMissing
    place: Place
    text: str


_NORMAL = re.compile(
    r"\b(?:missing|absent|cannot be judged|without any (?:measurement|value)|no measurement)\b"
    r"[^.;]{0,80}?(?:\b(?:counts?(?: as)?|scores?|is|as)\b|=)[^.;]{0,80}?\b(\d{1,3}|zero)\b"
)


def missing_rule_in(passage: Passage) -> MissingRule | None:
    """``A component without any measurement counts as normal (0).``, ``missing = 0``."""
    match = _NORMAL.search(plain(passage.text))
    if match is None:
        return None
    return MissingRule(Figure(number(match.group(1))), IsMissing(()), passage.place, passage.text)


def read_missing_rules(
    sections: Sequence[Section], columns: Sequence[str], inputs: Mapping[str, str], trace: Trace
) -> tuple[dict[str, MissingRule], MissingRule | None]:
    """Rules per column from tables, and the general rule of a sentence.

    ``inputs`` maps each input to its measure; a measure in a rule stands for all its inputs.
    """
    measures: dict[str, tuple[str, ...]] = {}
    for name, measure in inputs.items():
        measures[measure] = (*measures.get(measure, ()), name)
    rules: dict[str, MissingRule] = {}
    general: MissingRule | None = None
    for section in sections:
        for passage in section.prose():
            general = general or missing_rule_in(passage)
        for table in section.tables:
            roles = column_roles(table.header)
            if not {"component", "counts"} <= roles.keys():
                why = "a table of missing data needs the headers 'Component' and 'Counts as'"
                trace.gap(str(table.place), " | ".join(table.header), why)
                continue
            for row in table.rows:
                try:
                    column = _column(row, roles["component"], columns)
                    rules[column] = _rule(row, roles, inputs, measures)
                except Unreadable as problem:
                    trace.gap(str(row.place), row.text, str(problem))
    return rules, general


def _rule(
    row: Row, roles: Mapping[str, int], inputs: Mapping[str, str], measures: Mapping[str, tuple[str, ...]]
) -> MissingRule:
    counts = read_constant(row.cells[roles["counts"]])
    when = IsMissing(())
    if "missing" in roles and not says_nothing(row.cells[roles["missing"]]):
        condition = parse_condition(row.cells[roles["missing"]], [*inputs, *(name for name in measures if name)])
        if not isinstance(condition, IsMissing):
            raise Unreadable("'Missing when' is read as 'A missing', 'A and B both missing'")
        named = [value.name for value in condition.values if isinstance(value, Name)]
        when = IsMissing(tuple(Name(n) for name in named for n in ([name] if name in inputs else measures[name])))
    return MissingRule(counts, when, row.place, row.text)


def _column(row: Row, position: int, columns: Sequence[str]) -> str:
    spans = code_spans(row.cells[position]) or [row.cells[position].strip()]
    if len(spans) == 1 and spans[0] in columns:
        return spans[0]
    raise Unreadable(f"{row.cells[position]!r} is not an output column")


def list_contradictions(rules: Mapping[str, MissingRule | None], asked: MissingRule | None, trace: Trace) -> None:
    """List the columns whose rule counts missing as something else than the instruction ``asked``."""
    for stated in rules.values():
        if asked is not None and stated is not None and stated.counts_as != asked.counts_as:
            counts = asked.counts_as.value if isinstance(asked.counts_as, Figure) else "something else"
            why = f"{asked.place} lets missing count as {counts}; this line is followed"
            trace.gap(str(stated.place), stated.text, why)
