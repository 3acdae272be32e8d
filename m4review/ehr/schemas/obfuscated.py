"""The obfuscated schema: schemas, tables, columns and item identifiers under other names, every value untouched.

A name's stand-in follows from the seed and the name alone, so that the same column is called the same in every table,
and the same in every dataset made with that seed.
"""

from __future__ import annotations

import hashlib
import string
from collections.abc import Iterable

from m4review.ehr.engine import identifier, quoted
from m4review.ehr.layout import Relation
from m4review.ehr.schemas.table import ITEM_MAP, NativeTable, NewPlace, RewrittenTable, changed_name
from m4review.ehr.schemas.words import about_column, about_table
from m4review.errors import DatasetError

LETTERS = 7
TABLE_NAMES_COLUMN = "linksto"
"""The column whose values are names of tables; they are renamed with the tables."""


def obfuscated_tables(
    natives: Iterable[NativeTable], seed: int
) -> tuple[tuple[RewrittenTable, ...], dict[Relation, str], dict[Relation, NewPlace]]:
    """The rewritten tables, and per native table the query that gives it back and the place of its rows.

    Raises:
        DatasetError: two names have the same stand-in; another seed avoids it.
    """
    natives = tuple(natives)
    names = _Names(seed)
    tables, inverse, places = [], {}, {}
    linked = sorted({native.relation.name for native in natives})
    for native in natives:
        other = Relation(
            schema_name=names.of("schema", native.relation.schema_name), name=names.of("table", native.relation.name)
        )
        columns = {name: names.of("column", name) for name in native.columns}
        forward, backward = [], []
        for name, new in columns.items():
            forward.append(f"{_forward(name, linked, names)} AS {identifier(new)}")
            kind = native.columns[name]
            backward.append(f"{_backward(name, new, linked, names)}::{kind} AS {identifier(name)}")
        order = ", ".join(identifier(name) for name in native.order) or "ALL"
        tables.append(
            RewrittenTable(
                relation=other,
                made_from=(native.relation,),
                query=f"SELECT {', '.join(forward)}\nFROM (SELECT * FROM {native.sql} ORDER BY {order})",
                about=about_table(native.relation),
                columns={new: about_column(name) for name, new in columns.items()},
            )
        )
        inverse[native.relation] = f"SELECT {', '.join(backward)}\nFROM {changed_name(other)}"
        places[native.relation] = NewPlace((other,), columns)
    return tuple(tables), inverse, places


def is_item_column(column: str) -> bool:
    """Whether the column holds item identifiers."""
    return column.endswith("itemid")


class _Names:
    """Stand-ins for names; refuses a seed that gives two names the same one."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._taken: dict[tuple[str, str], str] = {}

    def of(self, kind: str, name: str) -> str:
        """The stand-in of a name: its kind's first letter and ``LETTERS`` letters."""
        number = int.from_bytes(hashlib.sha256(f"{self._seed}\0{kind}\0{name}".encode()).digest())
        letters = []
        for _ in range(LETTERS):
            number, letter = divmod(number, 26)
            letters.append(string.ascii_lowercase[letter])
        stand_in = f"{kind[0]}_{''.join(letters)}"
        if self._taken.setdefault((kind, stand_in), name) != name:
            raise DatasetError(f"the seed {self._seed} gives two names the same stand-in", fix="take another --seed")
        return stand_in


def _forward(name: str, linked: list[str], names: _Names) -> str:
    column = identifier(name)
    if is_item_column(name):
        return f"(SELECT other FROM {ITEM_MAP} WHERE native = {column})"
    if name == TABLE_NAMES_COLUMN:
        pairs = " ".join(f"WHEN {quoted(table)} THEN {quoted(names.of('table', table))}" for table in linked)
        return f"CASE {column} {pairs} ELSE {column} END"
    return column


def _backward(name: str, new: str, linked: list[str], names: _Names) -> str:
    column = identifier(new)
    if is_item_column(name):  # an identifier that the map lacks stays itself, so that items stay apart
        return f"COALESCE((SELECT native FROM {ITEM_MAP} WHERE other = {column}), {column})"
    if name == TABLE_NAMES_COLUMN:
        pairs = " ".join(f"WHEN {quoted(names.of('table', table))} THEN {quoted(table)}" for table in linked)
        return f"CASE {column} {pairs} ELSE {column} END"
    return column
