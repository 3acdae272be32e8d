"""The items that the datasets here define, as a skill's item ids are looked up."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path

import duckdb

from m4review.ehr.dataset import Dataset, TableFile, list_datasets
from m4review.ehr.engine import identifier, quoted
from m4review.errors import DatasetError
from m4review.skills.unclear import ItemDictionary

DICTIONARIES = {"d_items": "linksto", "d_labitems": None}
"""Dictionary table → its column that names the table an item is used in; laboratory items are used in one."""
LABORATORY = "labevents"
ITEM_ID = re.compile(r"(?<![\w.])\d{5,6}(?![\w.])")


def item_dictionary(data_home: Path) -> ItemDictionary | None:
    """What the dictionaries of all datasets of this machine hold together; ``None`` when no dataset has one.

    Raises:
        DatasetError: a dataset's manifest or dictionary cannot be read.
    """
    found: dict[str, set[int]] = {}
    sources = []
    for dataset in list_datasets(data_home):
        tables = [table for table in dataset.tables if table.name in DICTIONARIES]
        for table in tables:
            for used_in, item in _items(dataset, table):
                found.setdefault(used_in, set()).add(item)
        if tables:
            sources.append(dataset.name)
    if not found:
        return None
    by_table = {table: frozenset(items) for table, items in found.items()}
    return ItemDictionary(" and ".join(sources), by_table, shipped_items())


@cache
def shipped_items() -> frozenset[int]:
    """The items that our own queries use. They are of the published dictionary, which small datasets hold in part."""
    rooms = [files("m4review.ehr") / kind for kind in ("concepts", "references")]
    queries = [entry for room in rooms for layout in room.iterdir() if layout.is_dir() for entry in layout.iterdir()]
    texts = (entry.read_text(encoding="utf-8") for entry in queries if entry.name.endswith(".sql"))
    return frozenset(int(number) for text in texts for number in ITEM_ID.findall(text))


def _items(dataset: Dataset, table: TableFile) -> Iterable[tuple[str, int]]:
    column = DICTIONARIES[table.name]
    used_in = f"lower({identifier(column)})" if column else quoted(LABORATORY)
    path = dataset.table_path(table)
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        try:
            query = f"SELECT DISTINCT {used_in}, itemid FROM read_parquet({quoted(path)})"
            rows = connection.execute(query).fetchall()
        except duckdb.Error as error:
            raise DatasetError(
                f"the dictionary {table.name} cannot be read ({type(error).__name__})", where=path
            ) from None
    return ((str(name), int(item)) for name, item in rows if name is not None and item is not None)
