"""A reference query that stands alone: every concept that its task may not see becomes a named step of the query."""

from __future__ import annotations

import re

import duckdb

from m4review.ehr.derivations import load_derivations, relations_named
from m4review.ehr.layout import Relation
from m4review.errors import DatasetError
from m4review.tasks import Task

TOKEN = re.compile(r"(?P<kept>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\")|(?P<comment>--[^\n]*|/\*.*?\*/)", re.S)
STEP = "step_"
"""What the name of a concept that became a step begins with."""


def standalone_query(task: Task) -> str:
    """The task's reference query on source tables and on the concepts that the task shows; without comments.

    Raises:
        DatasetError: the layout has no such reference.
    """
    derivations = load_derivations(task.database)
    reference = derivations.reference(task.reference)
    schema = derivations.layout.derived_schema
    shown = visible_concepts(task)
    steps = [
        concept
        for concept in derivations.concepts_behind([reference])
        if Relation(schema_name=schema, name=concept.name) not in shown
    ]
    hidden = {step.name for step in steps}
    parts = [f"{STEP}{step.name} AS (\n{_indented(_plain(step.sql, schema, hidden))}\n)" for step in steps]
    query = _plain(reference.sql, schema, hidden)
    if not parts:
        return query
    before = ",\n\n".join(parts)
    own_steps = re.match(r"WITH\s+", query, re.I)
    return f"WITH {before}\n\n{query}" if own_steps is None else f"WITH {before},\n\n{query[own_steps.end() :]}"


def visible_concepts(task: Task) -> frozenset[Relation]:
    """The derived relations that the task's database shows."""
    if task.mode == "raw":
        return frozenset()
    derivations = load_derivations(task.database)
    removed = {name.lower() for name in task.removed}
    schema = derivations.layout.derived_schema
    relations = (Relation(schema_name=schema, name=name) for name in derivations.concepts)
    return frozenset(relation for relation in relations if str(relation).lower() not in removed)


def require_visible_only(query: str, task: Task) -> None:
    """Check that a text is one query on what the task's database shows.

    Raises:
        DatasetError: it is not one SELECT statement, or names another relation.
    """
    layout = load_derivations(task.database).layout
    with duckdb.connect(":memory:") as parser:
        named = relations_named(parser, query)
    allowed = {table.relation for table in layout.tables} | visible_concepts(task)
    for relation in named:
        if relation not in allowed:
            raise DatasetError(f"it names {relation}, which the task {task.name} does not show")


def _plain(sql: str, schema: str, hidden: set[str]) -> str:
    """The query without comments, blank lines and closing mark, with steps in the place of hidden concepts."""

    def code(text: str) -> str:
        return re.sub(
            rf"\b{re.escape(schema)}\.(\w+)",
            lambda match: f"{STEP}{match[1]}" if match[1] in hidden else match[0],
            text,
        )

    parts, position = [], 0
    for match in TOKEN.finditer(sql):
        parts.append(code(sql[position : match.start()]))
        parts.append(match["kept"] or " ")
        position = match.end()
    parts.append(code(sql[position:]))
    lines = (line.rstrip() for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line).strip().rstrip(";")


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))
