"""Family *specification*: what an operational specification may not hold beside what no skill may hold.

The control text ``operational-spec.md`` states the complete rules of a derivation without the recipe of a database, so
that a trial can tell the two apart. Item ids, tables and source columns are that recipe. Output columns are part of the
task and may be named, whatever they are called in the database.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from m4review.lint.context import LintContext
from m4review.lint.pattern import Pattern
from m4review.lint.rule import Example, Hit, Rule
from m4review.lint.scope import SPECIFICATION_FILE
from m4review.lint.views import View

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

ITEM_ID = Pattern(
    r"(?<![\d.,])(?:22[0-9]{4}|5[0-3](?!\d00)\d{3})(?![\d.,]*\d|\s*(?:/|per\b))|"
    r"\bitem[ _-]?ids?\b`?\s*(?:is|are|=|:|in|of)?\s*[(`]*\d{3,}"
)
"""Item ids of charted and laboratory items by their ranges; round numbers and rates are limits."""
SCHEMA = Pattern(r"\bmimiciv_(?:hosp|icu|derived|ed|note)\b|\beicu_crd(?:_derived)?\b|\bphysionet-data\b")
COMPOUND = Pattern(
    r"_|(?:events|stays|apsvar|predvar|patientresult|periodic|charting|output|drug|care|dx|lab|exam|history|assessment)$|"
    r"^(?:emar|careplan)"
)
"""What makes the name of a table or concept unmistakable in running text; other names count in code only."""
SOURCE_COLUMN = Pattern(r"_|(?<=\w)(?:time|uom|num|itemid|offset|label|labname)$|^itemid$")
CODE = Pattern(r"`{1,3}([^`\n]{1,80})`{1,3}")
WORD = Pattern(r"(?<![a-z0-9_.])[a-z][a-z0-9_]*(?![a-z0-9_])")
PARTS = Pattern(r"[a-z][a-z0-9_]*")


def check_specification(plain: View, context: LintContext) -> Iterator[Hit]:
    """Item ids, tables and columns of a database in an operational specification."""
    for match in ITEM_ID.finditer(plain.lower):
        yield Hit("specification-item-id", *plain.raw(*match.span()), "an item id")
    for match in SCHEMA.finditer(plain.lower):
        yield Hit("specification-table", *plain.raw(*match.span()), "a schema of the database")
    tables, columns = _relations() - context.columns, _source_columns() - context.columns
    for match in WORD.finditer(plain.lower):
        word = match.group()
        if word in tables and COMPOUND.search(word):
            yield Hit("specification-table", *plain.raw(*match.span()), "a table of the database")
        elif word in columns and SOURCE_COLUMN.search(word):
            yield Hit("specification-column", *plain.raw(*match.span()), "a source column of the database")
    for code in CODE.finditer(plain.lower):
        for part in PARTS.finditer(code[1]):
            start, end = code.start(1) + part.start(), code.start(1) + part.end()
            if part.group() in tables:
                yield Hit("specification-table", *plain.raw(start, end), "a table of the database")
            elif part.group() in columns:
                yield Hit("specification-column", *plain.raw(start, end), "a source column of the database")


def _package() -> Traversable:
    from importlib.resources import files

    return files("m4review")


@cache
def _layouts() -> tuple[dict[str, dict[str, dict[str, dict[str, object]]]], ...]:
    """The tables of each published database, by folder."""
    import tomllib

    room = _package() / "ehr" / "layouts"
    entries = sorted((entry for entry in room.iterdir() if entry.name.endswith(".toml")), key=lambda entry: entry.name)
    return tuple(tomllib.loads(entry.read_text(encoding="utf-8"))["tables"] for entry in entries)


@cache
def _relations() -> frozenset[str]:
    """Names of source tables and concepts."""
    tables = {name for layout in _layouts() for folder in layout.values() for name in folder}
    rooms = [room for room in (_package() / "ehr" / "concepts").iterdir() if room.is_dir()]
    concepts = {entry.name.removesuffix(".sql") for room in rooms for entry in room.iterdir()}
    return frozenset(name.lower() for name in tables | concepts if not name.startswith("__"))


@cache
def _source_columns() -> frozenset[str]:
    tables = [table for layout in _layouts() for folder in layout.values() for table in folder.values()]
    return frozenset(name.lower() for table in tables for name in table["columns"])


def _specification(text: str) -> Example:
    return Example(text, SPECIFICATION_FILE)


RULES = (
    Rule(
        "specification-item-id",
        "specification",
        "error",
        "An operational specification states the rules without a database, to show what the rules alone are worth. An "
        "item id is the database's recipe.",
        "Name the measurement in clinical words and its unit.",
        refused=(_specification("Heart rate is item 220045."), _specification("Creatinine (50912), in mg/dL.")),
        accepted=(
            _specification("Platelets below 50000 /µL score 2. The lowest of 24 hours counts."),
            _specification("Heart rate above 90 /min scores 1; a value above 300 /min is dropped."),
            _specification("Codes beginning with I50 or with 428 count as heart failure."),
        ),
    ),
    Rule(
        "specification-table",
        "specification",
        "error",
        "An operational specification states the rules without a database. The name of a table is the database's "
        "recipe.",
        "Say what was measured, not where it is kept.",
        refused=(
            _specification("Take it from mimiciv_icu.chartevents."),
            _specification("The stays are those of icustays."),
            _specification("Use `patients` for the age."),
            _specification("Read vasopressors from infusiondrug."),
        ),
        accepted=(
            _specification("All ICU admissions of adult patients; services and transfers do not matter."),
            _specification("The diagnosis, medication and treatment of the patient are not looked at."),
        ),
    ),
    Rule(
        "specification-column",
        "specification",
        "error",
        "An operational specification states the rules without a database. The name of a source column is the "
        "database's recipe.",
        "Say what the column stands for: 'the time of charting', 'the text of the entry'.",
        refused=(
            _specification("Use the valuenum of the entry."),
            _specification("The window starts at `intime`."),
            _specification("Drop rows with `warning` set."),
        ),
        accepted=(
            _specification("The window starts at ICU admission; the time of charting decides, not that of storing."),
            _specification("A rate of zero ends the infusion; the value, its label and the amount are not needed."),
        ),
    ),
)
