"""Derivations: the concept and reference queries of a layout, one SQL file each, and what each of them reads.

What depends on what is read from the SQL itself, through DuckDB's own parser; it is typed nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import duckdb

from m4review.ehr.layout import Layout, Relation, load_layout
from m4review.errors import DatasetError

Kind = Literal["concept", "reference"]


@dataclass(frozen=True, slots=True)
class Derivation:
    """One query. ``reads`` are the qualified relations that its text names."""

    kind: Kind
    name: str
    sql: str
    reads: tuple[Relation, ...]


@dataclass(frozen=True, slots=True)
class Derivations:
    """All queries of one layout, by name. ``concepts`` is in dependency order."""

    layout: Layout
    concepts: dict[str, Derivation]
    references: dict[str, Derivation]

    def concepts_read(self, derivation: Derivation) -> tuple[Derivation, ...]:
        """The concepts that the query names itself."""
        schema = self.layout.derived_schema
        return tuple(self.concepts[read.name] for read in derivation.reads if read.schema_name == schema)

    def tables_read(self, derivation: Derivation) -> tuple[Relation, ...]:
        """The source tables that the query names itself."""
        return tuple(read for read in derivation.reads if read.schema_name != self.layout.derived_schema)

    def concepts_behind(self, wanted: Iterable[Derivation]) -> tuple[Derivation, ...]:
        """Every concept that the wanted queries need, directly or not, in dependency order."""
        needed: set[str] = set()
        open_ends = [concept for derivation in wanted for concept in self.concepts_read(derivation)]
        while open_ends:
            concept = open_ends.pop()
            if concept.name not in needed:
                needed.add(concept.name)
                open_ends.extend(self.concepts_read(concept))
        return tuple(concept for name, concept in self.concepts.items() if name in needed)

    def readers(self, table: Relation) -> tuple[Derivation, ...]:
        """The queries whose text names that source table."""
        everything = (*self.concepts.values(), *self.references.values())
        return tuple(derivation for derivation in everything if table in derivation.reads)

    def references_behind(self, derivation: Derivation) -> tuple[str, ...]:
        """The references that need the query, itself included, sorted."""
        return tuple(
            sorted(
                reference.name
                for reference in self.references.values()
                if derivation == reference or derivation in self.concepts_behind([reference])
            )
        )

    def reference(self, name: str) -> Derivation:
        """The reference query of that name.

        Raises:
            DatasetError: the layout has none.
        """
        if name not in self.references:
            raise DatasetError(
                f"no reference query {name!r} for the layout {self.layout.name}",
                expected="one of " + ", ".join(sorted(self.references)),
                fix="correct 'reference' in task.toml",
            )
        return self.references[name]


@cache
def load_derivations(layout_name: str) -> Derivations:
    """Every query of the layout.

    Raises:
        DatasetError: no such layout; a query cannot be parsed, names an unknown relation, or concepts depend on
            each other in a circle.
    """
    layout = load_layout(layout_name)
    with duckdb.connect(":memory:") as parser:
        concepts = _load(parser, layout, "concept")
        references = _load(parser, layout, "reference")
    for derivation in (*concepts.values(), *references.values()):
        _require_known_relations(layout, concepts, derivation)
    ordered = dict(_in_dependency_order(layout, concepts))
    return Derivations(layout, ordered, references)


def relations_named(parser: duckdb.DuckDBPyConnection, sql: str) -> tuple[Relation, ...]:
    """The schema-qualified relations in the FROM clauses of one SELECT statement, sorted.

    Raises:
        DatasetError: not one SELECT statement.
    """
    row = parser.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
    tree: dict[str, Any] = json.loads(row[0]) if row else {"error": True}
    if tree["error"]:
        raise DatasetError(f"the query cannot be parsed: {tree.get('error_message', 'no statement')}")
    found = {
        (node["schema_name"], node["table_name"])
        for node in _nodes(tree)
        if node.get("type") == "BASE_TABLE" and node.get("schema_name")
    }
    return tuple(Relation(schema_name=schema, name=name) for schema, name in sorted(found))


def _load(parser: duckdb.DuckDBPyConnection, layout: Layout, kind: Kind) -> dict[str, Derivation]:
    folder = files("m4review.ehr") / f"{kind}s" / layout.resources
    loaded: dict[str, Derivation] = {}
    if not folder.is_dir():  # a layout without concepts
        return loaded
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        if entry.name.endswith(".sql"):
            name, sql = entry.name.removesuffix(".sql"), entry.read_text(encoding="utf-8")
            try:
                loaded[name] = Derivation(kind, name, sql, relations_named(parser, sql))
            except DatasetError as error:
                raise DatasetError(error.what, where=f"{kind}s/{layout.resources}/{entry.name}") from None
    return loaded


def _nodes(tree: object) -> Iterator[dict[str, Any]]:
    if isinstance(tree, dict):
        yield tree
        for value in tree.values():
            yield from _nodes(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _nodes(value)


def _require_known_relations(layout: Layout, concepts: dict[str, Derivation], derivation: Derivation) -> None:
    for read in derivation.reads:
        known = read.name in concepts if read.schema_name == layout.derived_schema else layout.table(read) is not None
        if not known:
            raise DatasetError(f"{derivation.kind} {derivation.name} reads {read}, which nobody defines")


def _in_dependency_order(layout: Layout, concepts: dict[str, Derivation]) -> Iterator[tuple[str, Derivation]]:
    placed: set[str] = set()
    while len(placed) < len(concepts):
        ready = [
            name
            for name, concept in concepts.items()
            if name not in placed
            and all(read.name in placed for read in concept.reads if read.schema_name == layout.derived_schema)
        ]
        if not ready:
            raise DatasetError("concepts depend on each other in a circle: " + ", ".join(sorted({*concepts} - placed)))
        for name in ready:
            placed.add(name)
            yield name, concepts[name]
