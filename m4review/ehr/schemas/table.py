"""What a changed schema is made of: native tables going in, rewritten tables coming out, and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from m4review.ehr.engine import identifier
from m4review.ehr.layout import Relation

ITEM_MAP = "item_map"
"""The table of native and new item identifiers while a schema is made or read back: columns ``native``, ``other``."""


@dataclass(frozen=True, slots=True)
class NativeTable:
    """A native table or concept as it lies on disk. ``columns`` maps names to DuckDB types, in file order."""

    relation: Relation
    columns: Mapping[str, str]
    order: tuple[str, ...]
    """Columns by which rows are stored."""

    @property
    def sql(self) -> str:
        """The qualified name as SQL."""
        return sql_name(self.relation)


@dataclass(frozen=True, slots=True)
class RewrittenTable:
    """One table of a changed schema. ``query`` reads the native tables of ``made_from``."""

    relation: Relation
    made_from: tuple[Relation, ...]
    query: str
    about: str
    """What a row is, for the dictionary that the agent is given."""
    columns: Mapping[str, str]
    """Column → what it holds, in order, for the same dictionary."""


@dataclass(frozen=True, slots=True)
class NewPlace:
    """Where the rows of a native table are found: the rewritten tables, and the names of the columns there."""

    tables: tuple[Relation, ...]
    columns: Mapping[str, str]


CHANGED = "changed"
"""The catalog in which the rewritten tables lie while native ones are read back from them."""


def changed_name(relation: Relation) -> str:
    """A rewritten table's qualified name as SQL, where native tables are read back."""
    return f"{CHANGED}.{sql_name(relation)}"


def sql_name(relation: Relation) -> str:
    """A qualified name as SQL."""
    return f"{identifier(relation.schema_name)}.{identifier(relation.name)}"
