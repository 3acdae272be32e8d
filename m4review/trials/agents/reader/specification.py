"""What a skill says, read section by section into one specification, and which of several skills to follow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .concepts import ConceptColumn, read_concepts
from .definitions import Definitions, read_definitions
from .instruction import grain_in, key_in, read_columns
from .markdown import Page, Passage, Place, Section
from .missing import MissingRule, missing_rule_in, read_missing_rules
from .trace import Trace
from .windows import Window, parse_window, speaks_of_window
from .wording import Unreadable, code_spans, column_roles, exact_spans, plain, section_purpose

_EXECUTED = ("cohort", "source", "scoring")
"""Purposes a specification needs; each absent one is a gap."""

DERIVING = ("source", "diagnoses", "inputs", "scoring")
"""Purposes whose tables derive something."""


@dataclass(frozen=True, slots=True)
class Cohort:
    """The row table (empty where none is named), and the condition on inputs that its rows meet, as text."""

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


def read_specification(page: Page, columns: Sequence[str], trace: Trace) -> Specification:
    """Read one skill for the output ``columns``; everything unread is listed as a gap."""
    purposes: dict[str, list[Section]] = {}
    for section in page.sections:
        purposes.setdefault(section_purpose(section.titles) or "unknown", []).append(section)
    outputs = [with_values(section) for section in purposes.get("output", [])]
    for purpose in _EXECUTED:
        if purpose not in purposes and not (purpose == "scoring" and any(section.tables for section in outputs)):
            trace.gap(f"{page.file}:1", "", f"no section says the {_SPOKEN[purpose]}")
    unread = _Unread(trace)
    windows = tuple(_windows(purposes.get("window", []), unread))
    deriving = [section for section in page.sections if section_purpose(section.titles) in DERIVING]
    deriving += [section for section in outputs if section.tables]
    grain = next((grain for passage in _passages(purposes.get("output", [])) if (grain := grain_in(passage.text))), "")
    own = OWN_COLUMNS if OWN_ROWS.search(grain) else ()
    definitions = read_definitions(deriving, columns, windows, tuple(own), trace)
    measured = {name: item.measure for name, item in definitions.inputs.items()}
    every = {name: measured.get(name, "") for name in (*definitions.row_names(), *definitions.lost)}
    missing, general = read_missing_rules(purposes.get("missing", []), columns, every, trace)
    _check_outputs(page, purposes.get("output", []), columns, trace)
    lists = dict(_named_lists(page))
    specification = Specification(
        file=page.file,
        key=_key(purposes.get("output", []), columns),
        grain=grain,
        cohort=cohort_in(purposes.get("cohort", [])),
        windows=windows,
        anchors=tuple(_passages([*purposes.get("window", []), *purposes.get("cohort", [])])),
        lists=lists,
        definitions=definitions,
        missing=missing,
        general_missing=general,
        keeps_empty=any(_KEEPS_EMPTY.search(plain(passage.text)) for passage in _passages(deriving)),
        concepts=tuple(read_concepts(purposes.get("concepts", []), trace)),
    )
    unread.list_prose(purposes, columns, specification)
    return specification


OWN_ROWS = re.compile(r"^charting time of |\b(?:episode|interval)\b")
"""Grains whose rows are entries of a series."""

OWN_COLUMNS = {
    "stay": "link",
    "charting time": "row moment",
    "start of the episode": "row moment",
    "end of the episode": "row finish",
    "status": "row amount",
    "status of the episode": "row amount",
    "number of the episode within the stay": "row place",
    "start of the interval": "row moment",
    "end of the interval": "row finish",
    "number of the interval within the stay": "row place",
}
"""How a rule speaks of such a row itself, and where that is kept."""


def with_values(section: Section) -> Section:
    """The section with its tables ``Column | Value`` only."""
    kept = [table for table in section.tables if {"column", "points"} <= column_roles(table.header).keys()]
    return replace(section, tables=tuple(kept), passages=())


_SPOKEN = {
    "cohort": "cohort ('Cohort')",
    "source": "sources of the measures ('Source map')",
    "scoring": "points ('Scoring')",
}


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


def cohort_in(sections: Sequence[Section]) -> Cohort | None:
    """The first qualified name in backticks, with its place; and "Only rows where …"."""
    found: Cohort | None = None
    place: Place | None = None
    condition = ""
    for passage in _passages(sections):
        only = _ONLY.search(passage.text + ".")
        condition = condition or (only.group(1) if only else "")
        for span in code_spans(passage.text):
            if found is None and re.fullmatch(r"\w+\.\w+(?:\.\w+)?", span):
                found = Cohort(span, passage.place)
        if only and found is None:
            place = passage.place
    if found is None:
        return Cohort("", place, condition) if condition and place else None
    return Cohort(found.table, found.place, condition)


def _check_outputs(page: Page, sections: Sequence[Section], columns: Sequence[str], trace: Trace) -> None:
    stated, _, place = read_columns(Page(page.file, tuple(sections)))
    if place is not None and columns and stated != tuple(columns):
        why = "the instruction asks for other columns or another order; it is followed"
        trace.gap(str(place), ", ".join(stated), why)


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
                        if {"column", "meaning"} <= column_roles(table.header).keys():
                            continue  # the output columns of an instruction, read with it
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
