"""What the database itself says: its tables, their columns, and which table has one row per key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from .wording import Unreadable


def quoted(identifier: str) -> str:
    """An identifier of the catalog as SQL."""
    return '"' + identifier.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or view; ``columns`` maps each column to its type, upper case."""

    database: str
    schema: str
    name: str
    columns: dict[str, str]

    @property
    def sql(self) -> str:
        """The qualified, quoted name."""
        return f"{quoted(self.database)}.{quoted(self.schema)}.{quoted(self.name)}"

    @property
    def shown(self) -> str:
        """The qualified name for a trace."""
        return f"{self.schema}.{self.name}"

    def column(self, name: str) -> str:
        """The column as the catalog spells it.

        Raises:
            Unreadable: the relation has no such column.
        """
        for column in self.columns:
            if column.casefold() == name.casefold():
                return column
        raise Unreadable(f"the database's {self.shown} has no column {name!r}" if name else "no column is named")

    def has(self, name: str) -> bool:
        """Whether there is a column of that name, in any case."""
        return name.casefold() in map(str.casefold, self.columns)

    def is_time(self, column: str) -> bool:
        """Whether a column holds a point in time."""
        return self.columns[column].startswith(("TIMESTAMP", "DATE"))

    def is_number(self, column: str) -> bool:
        """Whether a column holds numbers."""
        kind = self.columns[column]
        return kind.startswith(("DECIMAL", "DOUBLE", "FLOAT", "REAL", "INT")) or kind.endswith("INT")


class Catalog:
    """The relations of an open database."""

    def __init__(self, relations: Sequence[Relation]) -> None:
        self.relations = tuple(relations)

    @classmethod
    def of(cls, connection: duckdb.DuckDBPyConnection) -> Catalog:
        """Read ``information_schema``; temporary tables are not part of it."""
        rows = connection.execute(
            "SELECT table_catalog, table_schema, table_name, column_name, data_type FROM information_schema.columns"
            " WHERE table_catalog = current_database()"
            " AND table_schema NOT IN ('information_schema', 'pg_catalog')"
            " ORDER BY table_schema, table_name, ordinal_position"
        ).fetchall()
        tables: dict[tuple[str, str, str], dict[str, str]] = {}
        for database, schema, table, column, kind in rows:
            tables.setdefault((database, schema, table), {})[column] = str(kind).upper()
        return cls([Relation(*name, columns) for name, columns in tables.items()])

    def find(self, name: str) -> Relation:
        """The relation of a qualified or bare name, any case.

        Raises:
            Unreadable: none, or several in different schemas.
        """
        wanted = [part.strip('" ').casefold() for part in name.split(".")]
        found = [
            relation
            for relation in self.relations
            if [relation.schema.casefold(), relation.name.casefold()][-len(wanted) :] == wanted[-2:]
        ]
        if not found:
            raise Unreadable(f"the database has no table {name!r}")
        if len(found) > 1:
            raise Unreadable(f"{name!r} exists in several schemas: {', '.join(item.schema for item in found)}")
        return found[0]

    def holds(self, name: str) -> bool:
        """Whether exactly one relation has this name."""
        try:
            self.find(name)
        except Unreadable:
            return False
        return True

    def dictionaries(self, item: str) -> list[Relation]:
        """The relations that give items their labels: they have the column ``item`` and one called ``label``."""
        return [relation for relation in self.relations if relation.has(item) and relation.has("label")]

    def with_columns(self, names: Sequence[str]) -> list[Relation]:
        """All relations that have every one of the columns."""
        wanted = {name.casefold() for name in names}
        return [relation for relation in self.relations if wanted <= {column.casefold() for column in relation.columns}]
