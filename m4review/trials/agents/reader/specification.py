"""What a skill says, read section by section into one specification, and which of several skills to follow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .inputs import DerivedInput, read_inputs
from .instruction import grain_in, key_in, read_columns
from .markdown import Page, Passage, Place, Section, Table
from .scoring import MissingRule, Scoring, missing_rule_in, read_missing_rules, read_scoring, total_in
from .sources import SourceMap, read_source_map
from .trace import Trace
from .windows import Window, parse_window, speaks_of_window
from .wording import Unreadable, code_spans, column_roles, plain, section_purpose

_EXECUTED = ("cohort", "window", "source", "inputs", "scoring")
"""Purposes a specification needs; each absent one is a gap."""


@dataclass(frozen=True, slots=True)
class ConceptColumn:
    """A column of an intermediate concept that may stand for an input, one row per key."""

    input: str
    concept: str
    column: str
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Specification:
    """Everything the reader took from one skill. Names are as the text writes them, not yet seen in the database."""

    file: str
    key: tuple[str, ...]
    cohort: tuple[str, Place] | None
    windows: tuple[Window, ...]
    anchors: tuple[Passage, ...]
    """Passages that may name the column of an anchor."""
    source: SourceMap
    inputs: dict[str, DerivedInput]
    scoring: Scoring
    missing: dict[str, MissingRule]
    general_missing: MissingRule | None
    concepts: tuple[ConceptColumn, ...]


def choose_skill(pages: Sequence[Page], columns: Sequence[str], trace: Trace) -> Page | None:
    """The skill whose scoring sections name most of the output columns; the others are left aside, and listed."""
    counted = [(len(_scored_columns(page, columns)), page) for page in pages]
    best = max((count for count, _ in counted), default=0)
    chosen = next((page for count, page in counted if count == best and count > 0), None)
    for count, page in counted:
        if page is chosen:
            continue
        why = "another skill states rules for more columns" if count else "it states no rule for any output column"
        trace.gap(f"{page.file}:1", "", f"this skill is not followed: {why}", "not executed")
    return chosen


def read_specification(page: Page, columns: Sequence[str], trace: Trace) -> Specification:
    """Read one skill for the output ``columns``; everything unread is listed as a gap."""
    purposes: dict[str, list[Section]] = {}
    for section in page.sections:
        purpose = section_purpose(section.titles)
        purposes.setdefault(purpose or "unknown", []).append(section)
    for purpose in _EXECUTED:
        if purpose not in purposes:
            trace.gap(f"{page.file}:1", "", f"no section says the {_SPOKEN[purpose]}")
    unread = _Unread(trace)
    windows = tuple(_windows(purposes.get("window", []), unread))
    source = read_source_map(_tables(purposes.get("source", [])), trace)
    inputs, lost = read_inputs(_tables(purposes.get("inputs", [])), source.measures, windows, trace)
    scoring = read_scoring(purposes.get("scoring", []), columns, inputs, lost, trace)
    missing, general = read_missing_rules(purposes.get("missing", []), columns, inputs, lost, trace)
    _check_outputs(page, purposes.get("output", []), columns, trace)
    specification = Specification(
        file=page.file,
        key=_key(purposes.get("output", []), columns),
        cohort=_cohort(purposes.get("cohort", [])),
        windows=windows,
        anchors=tuple(_passages([*purposes.get("window", []), *purposes.get("cohort", [])])),
        source=source,
        inputs=inputs,
        scoring=scoring,
        missing=missing,
        general_missing=general,
        concepts=tuple(_concepts(purposes.get("concepts", []), [*inputs, *lost], trace)),
    )
    unread.list_prose(purposes, columns, specification)
    return specification


_SPOKEN = {
    "cohort": "cohort ('Cohort')",
    "window": "time window ('Time window')",
    "source": "sources of the measures ('Source map')",
    "inputs": "inputs and their summaries ('Derived inputs')",
    "scoring": "points ('Scoring')",
}


def _scored_columns(page: Page, columns: Sequence[str]) -> set[str]:
    named: set[str] = set()
    for section in page.sections:
        if section_purpose(section.titles) != "scoring":
            continue
        texts = [*section.titles, *(passage.text for passage in section.prose())]
        texts += [cell for table in section.tables for row in table.rows for cell in row.cells]
        named |= {span for text in texts for span in code_spans(text)}
    return named & set(columns)


def _tables(sections: Sequence[Section]) -> list[Table]:
    return [table for section in sections for table in section.tables]


def _passages(sections: Sequence[Section]) -> Iterator[Passage]:
    for section in sections:
        yield from section.prose()


def _windows(sections: Sequence[Section], unread: _Unread) -> Iterator[Window]:
    for passage in _passages(sections):
        if not speaks_of_window(passage.text):
            continue
        try:
            yield parse_window(passage)
        except Unreadable as problem:
            unread.trace.gap(str(passage.place), passage.text, str(problem))
        unread.used.add(passage)


def _key(sections: Sequence[Section], columns: Sequence[str]) -> tuple[str, ...]:
    for passage in _passages(sections):
        key = key_in(passage.text, columns)
        if key:
            return key
    return ()


def _cohort(sections: Sequence[Section]) -> tuple[str, Place] | None:
    """The first qualified name in backticks, with its place."""
    for passage in _passages(sections):
        for span in code_spans(passage.text):
            if re.fullmatch(r"\w+\.\w+(?:\.\w+)?", span):
                return span, passage.place
    return None


def _check_outputs(page: Page, sections: Sequence[Section], columns: Sequence[str], trace: Trace) -> None:
    stated, _, place = read_columns(Page(page.file, tuple(sections)))
    if place is not None and columns and stated != tuple(columns):
        trace.gap(
            str(place), ", ".join(stated), "the instruction asks for other columns or another order; it is followed"
        )


def _concepts(sections: Sequence[Section], names: Sequence[str], trace: Trace) -> Iterator[ConceptColumn]:
    for table in _tables(sections):
        roles = column_roles(table.header)
        if not {"input", "concept", "column"} <= roles.keys():
            trace.gap(
                str(table.place),
                " | ".join(table.header),
                "a table of intermediate concepts needs the headers 'Input', 'Concept' and 'Column'",
            )
            continue
        for row in table.rows:
            name = plain(row.cells[roles["input"]])
            concept, column = (code_spans(row.cells[roles[role]]) for role in ("concept", "column"))
            if len(concept) == 1 and len(column) == 1:
                yield ConceptColumn(name, concept[0], column[0], row.place, row.text)
            else:
                trace.gap(str(row.place), row.text, "the concept or its column is not one name in backticks")


@dataclass
class _Unread:
    """Keeps which passages were executed, to list the others."""

    trace: Trace

    def __post_init__(self) -> None:
        self.used: set[Passage] = set()

    def list_prose(
        self, purposes: dict[str, list[Section]], columns: Sequence[str], specification: Specification
    ) -> None:
        for purpose, sections in purposes.items():
            if purpose == "background":
                continue
            for section in sections:
                if purpose in {"unknown", "window", "cohort", "ties", "edges"}:
                    heading = section.titles[-1] if section.titles else ""
                    for table in section.tables:
                        why = f"tables under the heading {heading!r} are not read"
                        self.trace.gap(str(table.place), " | ".join(table.header), why)
                for passage in section.passages:
                    if passage not in self.used and not self._executed(passage, columns, specification):
                        self.trace.gap(str(passage.place), passage.text, "free prose is not read", "prose")

    @staticmethod
    def _executed(passage: Passage, columns: Sequence[str], specification: Specification) -> bool:
        if passage.code:
            return False
        cohort = specification.cohort is not None and specification.cohort[1] == passage.place
        return bool(
            cohort
            or total_in(passage, columns)
            or missing_rule_in(passage)
            or grain_in(passage.text)
            or key_in(passage.text, columns)
        )
