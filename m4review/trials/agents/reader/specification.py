"""What a skill says, read section by section into one specification, and which of several skills to follow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .definitions import Definitions, read_definitions
from .instruction import grain_in, key_in, read_columns
from .markdown import Page, Passage, Place, Section, Table
from .missing import MissingRule, missing_rule_in, read_missing_rules
from .trace import Trace
from .windows import Window, parse_window, speaks_of_window
from .wording import Unreadable, code_spans, column_roles, exact_spans, plain, section_purpose

_EXECUTED = ("cohort", "source", "scoring")
"""Purposes a specification needs; each absent one is a gap."""

DERIVING = ("source", "diagnoses", "inputs", "scoring")
"""Purposes whose tables derive something."""


@dataclass(frozen=True, slots=True)
class ConceptColumn:
    """A column of an intermediate concept that may stand for an input, one row per key."""

    input: str
    concept: str
    column: str
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Cohort:
    """The row table, and the condition on inputs that its rows meet, as text."""

    table: str
    place: Place
    condition: str = ""


@dataclass(frozen=True, slots=True)
class Specification:
    """Everything the reader took from one skill. Names are as the text writes them, not yet seen in the database."""

    file: str
    key: tuple[str, ...]
    grain: str
    cohort: Cohort | None
    windows: tuple[Window, ...]
    anchors: tuple[Passage, ...]
    """Passages that may name the column of an anchor."""
    lists: dict[str, tuple[str, ...]]
    """Named lists of texts."""
    definitions: Definitions
    missing: dict[str, MissingRule]
    general_missing: MissingRule | None
    keeps_empty: bool
    """Whether an entry without a value makes a charting time all the same."""
    concepts: tuple[ConceptColumn, ...]


def choose_skill(pages: Sequence[Page], columns: Sequence[str], trace: Trace) -> Page | None:
    """The skill whose scoring sections name most of the output columns; the others are left aside, and listed."""
    counted = [(len(scored_columns(page, columns)), page) for page in pages]
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
        purposes.setdefault(section_purpose(section.titles) or "unknown", []).append(section)
    for purpose in _EXECUTED:
        if purpose not in purposes:
            trace.gap(f"{page.file}:1", "", f"no section says the {_SPOKEN[purpose]}")
    unread = _Unread(trace)
    windows = tuple(_windows(purposes.get("window", []), unread))
    deriving = [section for section in page.sections if section_purpose(section.titles) in DERIVING]
    definitions = read_definitions(deriving, columns, windows, trace)
    measured = {name: item.measure for name, item in definitions.inputs.items()}
    every = {name: measured.get(name, "") for name in (*definitions.row_names(), *definitions.lost)}
    missing, general = read_missing_rules(purposes.get("missing", []), columns, every, trace)
    _check_outputs(page, purposes.get("output", []), columns, trace)
    lists = dict(_named_lists(page))
    specification = Specification(
        file=page.file,
        key=_key(purposes.get("output", []), columns),
        grain=next(
            (grain for passage in _passages(purposes.get("output", [])) if (grain := grain_in(passage.text))), ""
        ),
        cohort=_cohort(purposes.get("cohort", [])),
        windows=windows,
        anchors=tuple(_passages([*purposes.get("window", []), *purposes.get("cohort", [])])),
        lists=lists,
        definitions=definitions,
        missing=missing,
        general_missing=general,
        keeps_empty=any(_KEEPS_EMPTY.search(plain(passage.text)) for passage in _passages(deriving)),
        concepts=tuple(_concepts(purposes.get("concepts", []), trace)),
    )
    unread.list_prose(purposes, columns, specification)
    return specification


_SPOKEN = {
    "cohort": "cohort ('Cohort')",
    "source": "sources of the measures ('Source map')",
    "scoring": "points ('Scoring')",
}


def scored_columns(page: Page, columns: Sequence[str]) -> set[str]:
    """The output columns that the scoring sections of a page name."""
    named: set[str] = set()
    for section in page.sections:
        if section_purpose(section.titles) not in DERIVING[2:]:
            continue
        texts = [*section.titles, *(passage.text for passage in section.prose())]
        texts += [cell for table in section.tables for row in table.rows for cell in row.cells]
        named |= {span for text in texts for span in code_spans(text)}
    return named & set(columns)


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


def _named_lists(page: Page) -> Iterator[tuple[str, tuple[str, ...]]]:
    """``Invasive modes: `A`, `B``` -> its name and texts."""
    for passage in page.passages():
        head, colon, rest = passage.text.partition(":")
        texts = exact_spans(rest)
        if (
            colon
            and len(texts) > 1
            and re.fullmatch(r"[\w\s()*-]{3,60}", head)
            and not re.sub(r"`[^`]*`|[\s,;.]|\bor\b|\band\b", "", rest)
        ):
            yield re.sub(r"^the ", "", plain(head)), tuple(texts)


def _key(sections: Sequence[Section], columns: Sequence[str]) -> tuple[str, ...]:
    for passage in _passages(sections):
        key = key_in(passage.text, columns)
        if key:
            return key
    return ()


_KEEPS_EMPTY = re.compile(r"\bcharting time\b.*\beven (?:when|if) the entry holds no (?:number|value)")
_ONLY = re.compile(
    r"\bonly (?:rows|admissions|stays|patients) (?:where|with|in which) ([^.]+?)(?: count| belong)?\.", re.I
)


def _cohort(sections: Sequence[Section]) -> Cohort | None:
    """The first qualified name in backticks, with its place; and "Only rows where …"."""
    found: Cohort | None = None
    condition = ""
    for passage in _passages(sections):
        only = _ONLY.search(passage.text + ".")
        condition = condition or (only.group(1) if only else "")
        for span in code_spans(passage.text):
            if found is None and re.fullmatch(r"\w+\.\w+(?:\.\w+)?", span):
                found = Cohort(span, passage.place)
    return Cohort(found.table, found.place, condition) if found else None


def _check_outputs(page: Page, sections: Sequence[Section], columns: Sequence[str], trace: Trace) -> None:
    stated, _, place = read_columns(Page(page.file, tuple(sections)))
    if place is not None and columns and stated != tuple(columns):
        why = "the instruction asks for other columns or another order; it is followed"
        trace.gap(str(place), ", ".join(stated), why)


def _concepts(sections: Sequence[Section], trace: Trace) -> Iterator[ConceptColumn]:
    for table in (table for section in sections for table in section.tables):
        roles = column_roles(table.header)
        if not {"input", "concept", "column"} <= roles.keys():
            why = "a table of intermediate concepts needs the headers 'Input', 'Concept' and 'Column'"
            trace.gap(str(table.place), " | ".join(table.header), why)
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
                if purpose not in {*DERIVING, "output", "missing", "concepts"}:
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
        cohort = specification.cohort is not None and specification.cohort.place == passage.place
        head = re.sub(r"^the ", "", plain(passage.text.partition(":")[0]))
        return bool(
            cohort
            or passage in specification.definitions.passages
            or head in specification.lists
            or missing_rule_in(passage)
            or grain_in(passage.text)
            or key_in(passage.text, columns)
        )


def tables_of(sections: Sequence[Section]) -> list[Table]:
    """All tables of some sections."""
    return [table for section in sections for table in section.tables]
