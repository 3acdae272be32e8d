"""Completeness of a specification: which elements a skill declares, and where. Advice, never a refusal.

An element counts only when a statement or a table of the text declares it. A mention is no declaration: "the valid
range is tested first" gives no range, a window needs both of its ends, and whether the ends belong to it is an element
of its own. What stands under *limitations* or *literature* declares nothing but these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from m4review.skills.document import Table
from m4review.skills.elements import ELEMENTS, Element
from m4review.skills.phrases import (
    ANCHOR,
    ARITHMETIC,
    ASIDE,
    CITED,
    COHORT,
    CONVERTED,
    DATABASE,
    ENDS,
    GRAIN,
    ITEM_ID,
    KEYS,
    LABELLED_ID,
    MEASURED,
    MISSING,
    NO_CONVERSION,
    PRECEDENCE,
    REPEAT,
    SOME_PEOPLE,
    SOURCE,
    SOURCE_TABLE,
    TIE,
    VALID,
    WINDOW,
)
from m4review.skills.skill import Skill
from m4review.skills.statements import OPEN, Statement, statements
from m4review.skills.unclear import ItemDictionary, UnclearPlace, unclear_places


@dataclass(frozen=True, slots=True)
class Declaration:
    """One element and the line that declares it; ``line`` is ``None`` where it is absent."""

    element: Element
    line: int | None

    @property
    def is_declared(self) -> bool:
        return self.line is not None


@dataclass(frozen=True, slots=True)
class Completeness:
    """All elements of a specification, in the order in which a reader needs them."""

    declarations: tuple[Declaration, ...]
    unclear: tuple[UnclearPlace, ...] = ()
    """Places that a literal reader could only guess at, in the order of the text."""

    @property
    def declared(self) -> tuple[Declaration, ...]:
        return tuple(item for item in self.declarations if item.is_declared)

    @property
    def absent(self) -> tuple[Declaration, ...]:
        return tuple(item for item in self.declarations if not item.is_declared)


def completeness(skill: Skill, dictionary: ItemDictionary | None = None) -> Completeness:
    """Which elements the skill declares and which places are unclear, each with its line in the file.

    Item ids are looked up in the ``dictionary`` of a database, where one is at hand.
    """
    text = _Text(skill)
    declared = tuple(Declaration(element, next(FINDERS[element.id](text), None)) for element in ELEMENTS)
    return Completeness(declared, unclear_places(skill, dictionary))


class _Text:
    """The parts of a skill that the finders look through."""

    def __init__(self, skill: Skill) -> None:
        self.skill = skill
        everything = statements(skill.body, skill.document, first_line=skill.body_line)
        self.all = tuple(statement for statement in everything if not statement.is_open)
        self.method = tuple(item for item in self.all if not _under(item.headings, ASIDE))
        self.tables = tuple(table for table in skill.document.tables if not _under(table.section, ASIDE))


Finder = Callable[[_Text], Iterator[int]]


def _said(pattern: re.Pattern[str]) -> Finder:
    """A statement of the method that reads like this."""
    return lambda text: (item.line for item in text.method if pattern.search(item.text))


def _under_title(title: str, pattern: re.Pattern[str] | None = None) -> Finder:
    """A statement (that reads like ``pattern``), or else a table row, under such a heading."""
    heading = re.compile(title, re.I)

    def find(text: _Text) -> Iterator[int]:
        for item in text.all:
            if _under(item.headings[-1:], heading) and (pattern is None or pattern.search(item.text)):
                yield item.line
        if pattern is None:
            for table in text.skill.document.tables:
                if table.section and heading.search(table.section[-1]) and table.rows:
                    yield table.rows[0].line

    return find


def _column(title: str) -> Finder:
    """A column of that title in a table of items or measures, with an entry in every row."""
    heading = re.compile(title, re.I)

    def find(text: _Text) -> Iterator[int]:
        for table in text.tables:
            for index, name in enumerate(table.header):
                if heading.search(name) and _is_source_map(table) and table.rows:
                    cells = [row.cells[index] if index < len(row.cells) else "" for row in table.rows]
                    if all(_is_filled(cell) for cell in cells):
                        yield table.rows[0].line

    return find


def _either(*finders: Finder) -> Finder:
    """The first place that any of them finds, in their order."""
    return lambda text: (line for finder in finders for line in finder(text))


def _is_source_map(table: Table) -> bool:
    """Whether the rows are measurements: a column names items, codes, labels or measures."""
    return any(
        re.search(r"\bitem|\bcodes?\b|\blabels?\b|\bmeasure|\bvariable|\bparameter|\binput\b", name, re.I)
        for name in table.header
    )


def _is_filled(cell: str) -> bool:
    return bool(cell.strip()) and cell.strip() != "?" and OPEN.search(cell) is None


def _under(headings: tuple[str, ...], pattern: re.Pattern[str]) -> bool:
    return any(pattern.search(title) for title in headings)


def _output_columns(text: _Text) -> Iterator[int]:
    for table in text.tables:
        titled = re.search(r"output|result|columns", " ".join(table.section), re.I)
        named = table.header and re.search(r"\bcolumns?\b|\bfields?\b|\bname\b", table.header[0], re.I)
        filled = bool(table.rows) and all(_is_filled(row.cells[0]) for row in table.rows)
        if titled and named and len(table.header) > 1 and filled:
            yield table.rows[0].line
    for item in text.method:
        if re.search(r"\bcolumns?\b", item.text, re.I) and len(re.findall(r"`\w+`", item.text)) >= 3:
            yield item.line


def _window(text: _Text) -> Iterator[int]:
    return (item.line for item in _window_statements(text))


def _window_statements(text: _Text) -> Iterator[Statement]:
    return (
        item for item in text.method if WINDOW.search(item.text) and not re.search(r"\bscor(?:es|ing)\b", item.text)
    )


def _inclusivity(text: _Text) -> Iterator[int]:
    """In the statement of a window, or about its ends in the same section."""
    windows = tuple(_window_statements(text))
    sections = {item.headings[: len(item.headings)] for item in windows} | {
        item.headings[:-1] for item in windows if len(item.headings) > 2
    }
    for item in text.method:
        about = item in windows or (
            item.headings in sections
            and re.search(r"\bends?\b|\blimit|\bbound|\bwindow|\binclusive|\bexclusive", item.text, re.I)
        )
        if (about or re.search(r"\bwindow'?s?\b", item.text, re.I)) and ENDS.search(item.text):
            yield item.line


def _source_tables(text: _Text) -> Iterator[int]:
    yield from _column(r"^(?:source(?: table)?|tables?|from)\b")(text)
    for item in text.method:
        if SOURCE.search(item.text) or SOURCE_TABLE.search(item.text):
            yield item.line


def _source_items(text: _Text) -> Iterator[int]:
    yield from _column(r"\bitem\s?ids?\b|^items?$|\bcodes?\b|\blabels?\b|\bitemids?\b")(text)
    for item in text.method:
        if ITEM_ID.search(item.text) or LABELLED_ID.search(item.text):
            yield item.line


def _units(text: _Text) -> Iterator[int]:
    yield from _column(r"\bunits?\b")(text)
    for item in text.method:
        if (
            ITEM_ID.search(item.text) or LABELLED_ID.search(item.text) or re.search(r"\bunits?\b", item.text, re.I)
        ) and MEASURED.search(item.text):
            yield item.line


def _conversion(text: _Text) -> Iterator[int]:
    yield from _column(r"\bconver")(text)
    for item in text.method:
        if NO_CONVERSION.search(item.text) or (CONVERTED.search(item.text) and ARITHMETIC.search(item.text)):
            yield item.line


def _missing(text: _Text) -> Iterator[int]:
    yield from _under_title(r"\bmissing|\babsent|\bincomplete data|\bno data")(text)
    for table in text.tables:
        if any(re.search(r"\bmissing\b|\babsent\b", name, re.I) for name in table.header) and table.rows:
            yield table.rows[0].line
    yield from _said(MISSING)(text)


def _precedence(text: _Text) -> Iterator[int]:
    return (
        item.line
        for item in text.method
        if PRECEDENCE.search(item.text) and not re.search(r"\bcolumns\b", item.text, re.I)
    )


def _dataset(text: _Text) -> Iterator[int]:
    lines = text.skill.text.split("\n")[: text.skill.body_line - 1]
    if DATABASE.search(text.skill.description):
        yield _line_with(lines, "description")
    metadata = {key.lower(): value for key, value in text.skill.metadata.items()}
    for key in metadata:
        if "version" in key and key != "version" and re.search(r"\d", metadata[key]):
            yield _line_with(lines, key)
    yield from _said(DATABASE)(text)


def _line_with(lines: list[str], key: str) -> int:
    return next((number for number, line in enumerate(lines, start=1) if line.strip().lower().startswith(f"{key}:")), 1)


FINDERS: dict[str, Finder] = {
    "grain": _said(GRAIN),
    "keys": _said(KEYS),
    "columns": _output_columns,
    "cohort": _either(
        _under_title(
            r"\bcohort|\bpopulation|\binclusion|\bexclusion|\bpatients\b|"
            r"\beligib",
            SOME_PEOPLE,
        ),
        _said(COHORT),
    ),
    "anchor": _said(ANCHOR),
    "window": _window,
    "inclusivity": _inclusivity,
    "source-table": _source_tables,
    "source-items": _source_items,
    "units": _units,
    "valid-range": _either(
        _column(
            r"\b(?:valid|plausib\w+|accepted|allowed)\b.*\b(?:range|values|limits)|"
            r"^(?:valid )?range|^limits"
        ),
        _said(VALID),
    ),
    "conversion": _conversion,
    "missing": _missing,
    "precedence": _precedence,
    "ties": _said(TIE),
    "duplicates": _either(_column(r"\bseveral\b|\bduplicate|\brepeated|\bmultiple"), _said(REPEAT)),
    "edge-cases": _under_title(r"\bedge\b|\bborderline|\bspecial cases|\bcorner cases|\bpitfalls|\bboundary cases"),
    "limitations": _under_title(
        r"\blimitation|\bcaveat|\bknown (?:issues|problems|differences)|\bwhat (?:this|"
        r"it) does not"
    ),
    "literature": _either(
        _under_title(
            r"\bliterature|\breferences?\b|\bbibliograph|\bsources?\b|"
            r"\bcitations?\b",
            CITED,
        ),
        _said(re.compile(r"\bdoi:?\s?10\.|doi\.org/10\.|\bPMID:?\s*\d")),
    ),
    "dataset": _dataset,
}
