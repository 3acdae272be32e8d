"""A query on native tables as a query on a changed schema: each native table becomes a named step that leads back."""

from __future__ import annotations

import re

import duckdb

from m4review.ehr.derivations import relations_named
from m4review.ehr.engine import quoted
from m4review.ehr.schemas.mapping import ITEM
from m4review.ehr.schemas.rewriting import ITEMS_FILE, ChangedSchema
from m4review.ehr.schemas.table import CHANGED, ITEM_MAP
from m4review.errors import DatasetError

STEP = "native_"
"""What the name of a native table that became a step begins with."""


def query_on_schema(query: str, schema: ChangedSchema) -> str:
    """The query on the changed schema; ``query`` holds no comments.

    Of the item identifiers only those that the query names are translated; it can only tell the others apart.

    Raises:
        DatasetError: the query names a table that the schema does not lead back to.
    """
    with duckdb.connect(":memory:") as parser:
        named = sorted(relations_named(parser, query), key=str)
    steps = []
    for relation in named:
        back = schema.plan.inverse.get(relation)
        if back is None:
            raise DatasetError(f"the {schema.plan.name} schema does not lead back to {relation}")
        steps.append(f"{STEP}{relation.name} AS (\n{_indented(back.replace(f'{CHANGED}.', ''))}\n)")
        query = re.sub(rf"\b{relation.schema_name}\.{relation.name}\b", f"{STEP}{relation.name}", query)
    if schema.plan.seed:
        steps.insert(0, _item_step(query, schema))
    before = ",\n\n".join(steps)
    own_steps = re.match(r"WITH\s+", query, re.I)
    return f"WITH {before}\n\n{query}" if own_steps is None else f"WITH {before},\n\n{query[own_steps.end() :]}"


def _item_step(query: str, schema: ChangedSchema) -> str:
    items = sorted({int(found) for found in ITEM.findall(query)})
    with duckdb.connect(":memory:") as connection:
        rows = connection.execute(
            f"SELECT native, other FROM read_parquet({quoted(schema.folder / ITEMS_FILE)}) "
            "WHERE list_contains(?, native) ORDER BY native",
            [items],
        ).fetchall()
    pairs = ", ".join(f"({native}, {other})" for native, other in rows) or "(NULL::INTEGER, NULL::INTEGER)"
    return f"{ITEM_MAP} (native, other) AS (\n    VALUES {pairs}\n)"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))
