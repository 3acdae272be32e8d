"""Item ids that the database's own dictionary does not know."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from m4review.skills.document import Table
from m4review.skills.phrases import ASIDE
from m4review.skills.skill import Skill
from m4review.skills.statements import statements
from m4review.skills.unclear.place import UnclearPlace, column, plain

ID = "unknown-item"
NUMBER = re.compile(r"(?<![\w.])(\d{4,7})(?![\w.]*\d)")
IN_PROSE = re.compile(r"\bitems?(?:\s*ids?)?\s+`?(\d{4,7})\b(?:`?(?:,|\s+(?:and|or|to))\s+`?(\d{4,7})\b)*", re.I)


@dataclass(frozen=True, slots=True)
class ItemDictionary:
    """The items that a database defines: ids by the name of the table that uses them, and all together.

    ``source`` names the database in messages.
    """

    source: str
    by_table: Mapping[str, frozenset[int]]
    anywhere: frozenset[int] = frozenset()
    """Further ids that are known to exist, whatever table uses them."""

    def knows(self, item: int, table: str) -> bool:
        """Whether the id is defined for that table, or for any where the table has no dictionary of its own."""
        own = self.by_table.get(table)
        if item in self.anywhere:
            return True
        return item in own if own is not None else any(item in items for items in self.by_table.values())


def unknown_items(skill: Skill, tables: Sequence[Table], dictionary: ItemDictionary) -> Iterator[UnclearPlace]:
    """Ids in the item columns of tables, and ids called items in sentences."""
    for table in tables:
        place, source = column(table, r"\bitem ?ids?\b|^items?\b"), column(table, r"^(?:source )?table")
        for row in table.rows if place is not None else ():
            name = plain(row.cells[source]).rpartition(".")[2] if source is not None else ""
            for match in NUMBER.finditer(row.cells[place or 0]):
                if not dictionary.knows(int(match[1]), name):
                    yield _unknown(row.line, match[1], name, dictionary)
    for item in statements(skill.body, skill.document, first_line=skill.body_line):
        if not any(ASIDE.search(title) for title in item.headings):
            for match in IN_PROSE.finditer(item.text):
                for number in NUMBER.findall(match.group()):
                    if not dictionary.knows(int(number), ""):
                        yield _unknown(item.line, number, "", dictionary)


def _unknown(line: int, item: str, table: str, dictionary: ItemDictionary) -> UnclearPlace:
    where = f" for {table}" if table in dictionary.by_table else ""
    return UnclearPlace(
        ID,
        line,
        f"item {item} is not in the dictionary of {dictionary.source}{where}",
        "Look the id up in the dictionary of the database, and write its label beside it.",
    )
