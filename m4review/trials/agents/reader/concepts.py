"""Intermediate concepts: columns of ready-made tables that may stand for an input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .catalog import Catalog, quoted
from .markdown import Place, Section
from .trace import Trace
from .wording import Unreadable, code_spans, column_roles, plain


@dataclass(frozen=True, slots=True)
class ConceptColumn:
    """A column of an intermediate concept that may stand for an input, one row per key."""

    input: str
    concept: str
    column: str
    place: Place
    text: str


def read_concepts(sections: Sequence[Section], trace: Trace) -> Iterator[ConceptColumn]:
    """The rows of the tables of intermediate concepts; what cannot be read is listed as a gap."""
    for table in (table for section in sections for table in section.tables):
        roles = column_roles(table.header)
        if not {"input", "concept", "column"} <= roles.keys():
            why = "a table of intermediate concepts needs the headers 'Input', 'Concept' and 'Column'"
            trace.gap(str(table.place), " | ".join(table.header), why)
            continue
        for row in table.rows:
            name = plain(row.cells[roles["input"]])
            concept = code_spans(row.cells[roles["concept"]])
            stated, keyed, _ = row.cells[roles["column"]].partition(", by ")
            column = code_spans(stated)
            if keyed and len(concept) == 1:
                why = "a concept that is not one row per key is for people; the source tables are read"
                trace.gap(str(row.place), row.text, why, "prose")
            elif len(concept) == 1 and len(column) == 1:
                yield ConceptColumn(name, concept[0], column[0], row.place, row.text)
            else:
                trace.gap(str(row.place), row.text, "the concept or its column is not one name in backticks")


def usable_concept(
    name: str, concepts: Sequence[ConceptColumn], catalog: Catalog, key: Sequence[str], trace: Trace
) -> ConceptColumn | None:
    """The first concept for an input that the database holds, one row per key."""
    for concept in concepts:
        if concept.input != name or not catalog.holds(concept.concept):
            continue  # the section says what to do *when* concepts are available; here this one is not
        relation = catalog.find(concept.concept)
        try:
            relation.column(concept.column)
            for column in key:
                relation.column(column)
        except Unreadable as problem:
            trace.gap(str(concept.place), concept.text, str(problem))
            continue
        return concept
    return None


def concept_sql(concept: ConceptColumn, catalog: Catalog, key: Sequence[str]) -> tuple[str, str]:
    """The column per key as SQL, and the concept's name for the trace."""
    relation = catalog.find(concept.concept)
    keys = ", ".join(f"{quoted(relation.column(column))} AS {quoted(column)}" for column in key)
    value = quoted(relation.column(concept.column))
    kind = "DOUBLE" if relation.is_number(relation.column(concept.column)) else "VARCHAR"
    sql = f"SELECT {keys}, CAST(max({value}) AS {kind}) AS amount FROM {relation.sql} GROUP BY ALL"
    return sql, relation.shown
