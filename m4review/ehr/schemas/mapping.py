"""Native names in a text, replaced word by word by those of a changed schema.

A skill is written for the native tables. Mapped, it says the same of the changed ones as far as words can: a table that
was split is called by the names of its parts, and no procedure is rewritten.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import duckdb

from m4review.ehr.engine import quoted
from m4review.ehr.layout import Relation
from m4review.ehr.schemas.rewriting import ITEMS_FILE, ChangedSchema
from m4review.ehr.schemas.table import NewPlace
from m4review.ehr.schemas.words import about_column, about_table

CODE = re.compile(r"^(?P<fence>```|~~~).*?^(?P=fence)|`[^`\n]+`", re.M | re.S)
NAME = re.compile(r"(?<![\w.])[A-Za-z]\w*(?:\.[A-Za-z]\w*){0,2}(?!\w)")
ITEM = re.compile(r"(?<![\w.,-])\d{5,6}(?!\w|[.,]\d)")
COMPOUND = re.compile(r"_|\w(?:events|time|date|num|uom|id|stays|codes|items)$")
"""What marks a word of running prose as the name of a table or column."""


@dataclass(frozen=True, slots=True)
class SchemaWords:
    """What each native name is called in a changed schema."""

    schemas: Mapping[str, str]
    tables: Mapping[str, NewPlace]
    columns: Mapping[str, str]
    """Columns with one new name, whichever table they stood in."""
    items: Mapping[str, str]
    """Item identifiers, as they are written."""
    prose: frozenset[str]
    """Words that are names in running prose too, and not only between marks of code."""

    def text(self, text: str) -> str:
        """``text`` with native names and item identifiers replaced.

        Between marks of code every name is one. In prose a name that could be a word of the language, such as *value*
        or *patients*, is taken for the word.
        """
        parts, at = [], 0
        for code in CODE.finditer(text):
            parts.append(NAME.sub(self._in_prose, text[at : code.start()]))
            span = code.group()
            whole = NAME.fullmatch(span[1:-1])
            if whole is not None:
                parts.append(", ".join(f"`{name}`" for name in self._names(whole.group())))
            else:
                parts.append(NAME.sub(lambda found: ", ".join(self._names(found.group())), span))
            at = code.end()
        parts.append(NAME.sub(self._in_prose, text[at:]))
        return ITEM.sub(lambda found: self.items.get(found.group(), found.group()), "".join(parts))

    def _in_prose(self, found: re.Match[str]) -> str:
        words = found.group().split(".")
        if len(words) == 1 and words[0] not in self.prose:
            return words[0]
        return ", ".join(self._names(found.group()))

    def _names(self, name: str) -> list[str]:
        """A name with up to two qualifiers as the names that stand for it; several for a table that was split."""
        match name.split("."):
            case [word]:
                if word in self.tables:
                    return [table.name for table in self.tables[word].tables]
                return [self.columns.get(word, self.schemas.get(word, word))]
            case [_, table] if name in self.tables:
                return [str(new) for new in self.tables[name].tables]
            case [table, column] if table in self.tables:
                place = self.tables[table]
                return [f"{new.name}.{place.columns.get(column, column)}" for new in place.tables]
            case [schema, table, column] if f"{schema}.{table}" in self.tables:
                place = self.tables[f"{schema}.{table}"]
                return [f"{new}.{place.columns.get(column, column)}" for new in place.tables]
            case [*before, column]:
                return [".".join([*before, self.columns.get(column, column)])]
        return [name]


def schema_words(schema: ChangedSchema) -> SchemaWords:
    """The names of a changed schema by the native ones."""
    places = schema.plan.places
    schemas: dict[str, set[str]] = defaultdict(set)
    columns: dict[str, set[str]] = defaultdict(set)
    named: dict[str, list[NewPlace]] = defaultdict(list)
    for native, place in places.items():
        named[str(native)].append(place)
        named[native.name].append(place)
        schemas[native.schema_name] |= {table.schema_name for table in place.tables}
        for old, new in place.columns.items():
            columns[old].add(new)
    return SchemaWords(
        schemas=_single(schemas),
        tables={name: found[0] for name, found in named.items() if len(found) == 1},
        columns=_single(columns),
        items=_items(schema),
        prose=_names_in_prose({native.name for native in places} | columns.keys(), places),
    )


def _single(found: Mapping[str, set[str]]) -> dict[str, str]:
    """Those with exactly one counterpart."""
    return {name: next(iter(others)) for name, others in found.items() if len(others) == 1}


def _names_in_prose(names: Iterable[str], places: Mapping[Relation, NewPlace]) -> frozenset[str]:
    """Names that are formed like one and are no word of the plain descriptions."""
    described = [about_table(native) for native in places]
    described += [about_column(column) for place in places.values() for column in place.columns]
    plain = set(re.findall(r"[a-z]+", " ".join(described).lower()))
    return frozenset(name for name in names if COMPOUND.search(name) and name not in plain)


def _items(schema: ChangedSchema) -> dict[str, str]:
    path = schema.folder / ITEMS_FILE
    if not schema.plan.seed:
        return {}
    with duckdb.connect(":memory:") as connection:
        rows = connection.execute(f"SELECT native, other FROM read_parquet({quoted(path)})").fetchall()
    return {str(native): str(other) for native, other in rows}
