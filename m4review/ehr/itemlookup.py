"""Looking up a measurement by its words: "Heart Rate" is item 220045, in /min, in ``mimiciv_icu.chartevents``.

MIMIC-IV lists its items in dictionary tables. eICU has none: there the names in the records themselves are what a
measurement is found by. Only names, units and counts are read, never a value of a patient.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from pydantic import BaseModel, ConfigDict

from m4review.ehr.dataset import Dataset, TableFile, list_datasets, open_dataset
from m4review.ehr.engine import quoted
from m4review.errors import DatasetError

MOST_ITEMS = 50
"""Items of one answer: more is no answer but a list to read."""
SHORTEST_WORDS = 2
"""Characters below which nearly everything would be found."""


class Item(BaseModel):
    """One thing that a dataset records. ``id`` is a number in MIMIC-IV and a name in eICU."""

    model_config = ConfigDict(frozen=True)

    dataset: str
    id: str
    label: str
    abbreviation: str = ""
    category: str = ""
    unit: str = ""
    """As recorded most often, else as the dictionary says; empty where neither knows one."""
    table: str
    """The qualified name of the table that holds the measurements."""
    occurrences: int | None = None
    """Rows of that table with this item; ``None`` where they are not counted, or the table is not in the dataset."""


class ItemAnswer(BaseModel):
    """The items of one dataset that fit, best first, and how many more would."""

    model_config = ConfigDict(frozen=True)

    dataset: str
    items: tuple[Item, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Dictionary:
    """A table that lists items. ``uses`` is the column that names where an item is used, or the one such table."""

    label: str
    abbreviation: str
    category: str
    unit: str
    uses: str
    used_in: str = ""


DICTIONARIES: Mapping[str, Dictionary] = {
    "d_items": Dictionary("label", "abbreviation", "category", "unitname", "linksto"),
    "d_labitems": Dictionary("label", "''", "fluid || ', ' || category", "''", "", "labevents"),
}
"""Dictionary table → where it says what, as SQL over its columns."""

UNIT_COLUMNS = ("valueuom", "amountuom")


@dataclass(frozen=True, slots=True)
class NamedRecords:
    """A table whose records name what they measure."""

    id: str
    label: str
    category: str
    unit: str = "''"


NAMED_RECORDS: Mapping[str, NamedRecords] = {
    "lab": NamedRecords("labname", "labname", "'laboratory'", "labmeasurenameinterface"),
    "nursecharting": NamedRecords(
        "nursingchartcelltypevalname", "nursingchartcelltypevallabel", "nursingchartcelltypecat"
    ),
    "respiratorycharting": NamedRecords("respchartvaluelabel", "respchartvaluelabel", "respcharttypecat"),
}


def datasets_to_ask(data_home: Path, name: str | None = None, layout: str | None = None) -> tuple[Dataset, ...]:
    """The dataset of that name, else all of that layout, else all; the one with most stays first.

    Raises:
        DatasetError: no such dataset, or none at all; says how to get one.
    """
    if name is not None:
        return (open_dataset(data_home, name),)
    found = [dataset for dataset in list_datasets(data_home) if layout in (None, dataset.layout_name)]
    if not found:
        made = layout or "mimic-iv"
        kind = f" of the layout {layout}" if layout else ""
        raise DatasetError(
            f"no dataset{kind} is here, so there is nothing to look items up in",
            where=data_home,
            fix=f"make one: m4review data synth --layout {made} --stays 300 --seed 1 --name synthetic; "
            f"or import yours: m4review data import --layout {made} --source FOLDER --name NAME",
        )
    return tuple(sorted(found, key=lambda dataset: -dataset.stays()))


def look_up_items(dataset: Dataset, words: str, *, limit: int = MOST_ITEMS) -> ItemAnswer:
    """The items whose label, abbreviation, category or id holds every word, and how often each occurs.

    Raises:
        DatasetError: too few characters to look for, or a table cannot be read.
    """
    answer = find_items(dataset, words, limit=limit)
    return answer.model_copy(update={"items": count_items(dataset, answer.items)})


def find_items(dataset: Dataset, words: str, *, limit: int = MOST_ITEMS) -> ItemAnswer:
    """The same without reading the tables of measurements where a dictionary lists the items.

    Raises:
        DatasetError: too few characters to look for, or a table cannot be read.
    """
    wanted = words.casefold().split()
    if len("".join(wanted)) < SHORTEST_WORDS:
        raise DatasetError(
            "that is too little to look for",
            expected=f"at least {SHORTEST_WORDS} characters of a label, such as: heart rate",
        )
    found = sorted(_fitting(dataset, wanted), key=lambda item: _rank(item, " ".join(wanted)))
    return ItemAnswer(dataset=dataset.name, items=tuple(found[:limit]), left_out=max(len(found) - limit, 0))


def count_items(dataset: Dataset, items: Sequence[Item]) -> tuple[Item, ...]:
    """The items with how often each occurs, and the unit it is recorded in most often.

    Reads one or two columns of each table that holds one of them: seconds on the largest.

    Raises:
        DatasetError: a table cannot be read.
    """
    counted: dict[tuple[str, str], tuple[int, str]] = {}
    for table in dataset.tables:
        name = str(table.relation)
        ids = sorted({int(item.id) for item in items if item.table == name and item.occurrences is None})
        if ids and "itemid" in table.columns:
            unit = next((column for column in UNIT_COLUMNS if column in table.columns), "''")
            query = (
                f"SELECT itemid::VARCHAR, count(*), coalesce(mode({unit}), '') FROM {_read(dataset, table)} "
                f"WHERE itemid IN ({', '.join(map(str, ids))}) GROUP BY itemid"
            )
            rows = {item: (int(count), unit) for item, count, unit in _rows(dataset, table, query)}
            counted.update({(name, str(item)): rows.get(str(item), (0, "")) for item in ids})
    return tuple(_counted(item, counted.get((item.table, item.id))) for item in items)


def _counted(item: Item, count: tuple[int, str] | None) -> Item:
    if count is None:
        return item
    return item.model_copy(update={"occurrences": count[0], "unit": count[1] or item.unit})


def _fitting(dataset: Dataset, wanted: Sequence[str]) -> Iterator[Item]:
    for table in dataset.tables:
        if table.name in DICTIONARIES:
            yield from _listed(dataset, table, wanted)
        elif table.name in NAMED_RECORDS:
            yield from _named(dataset, table, wanted)


def _listed(dataset: Dataset, table: TableFile, wanted: Sequence[str]) -> Iterator[Item]:
    lists = DICTIONARIES[table.name]
    query = (
        f"SELECT itemid::VARCHAR AS id, coalesce({lists.label}, '') AS label, coalesce({lists.abbreviation}, '') AS "
        f"abbreviation, coalesce({lists.category}, '') AS category, coalesce({lists.unit}, '') AS unit, "
        f"{f'lower({lists.uses})' if lists.uses else quoted(lists.used_in)} AS uses FROM {_read(dataset, table)}"
    )
    places = {entry.name: str(entry.relation) for entry in dataset.tables}
    for row in _rows(dataset, table, f"SELECT * FROM ({query}) WHERE {_holds_all(wanted)}", wanted):
        item, label, abbreviation, category, unit, uses = map(str, row)
        yield Item(
            dataset=dataset.name,
            id=item,
            label=label,
            abbreviation="" if abbreviation == label else abbreviation,
            category=category,
            unit=unit,
            table=places.get(uses, uses),
        )


def _named(dataset: Dataset, table: TableFile, wanted: Sequence[str]) -> Iterator[Item]:
    named = NAMED_RECORDS[table.name]
    names = (
        f"SELECT {named.id} AS id, {named.label} AS label, '' AS abbreviation, {named.category} AS category, "
        f"{named.unit} AS unit FROM {_read(dataset, table)} WHERE {named.id} IS NOT NULL"
    )
    query = (
        "SELECT id, any_value(label), coalesce(any_value(category), ''), coalesce(mode(unit), ''), count(*) "
        f"FROM ({names}) WHERE {_holds_all(wanted)} GROUP BY id, label"
    )
    for item, label, category, unit, count in _rows(dataset, table, query, wanted):
        yield Item(
            dataset=dataset.name,
            id=str(item),
            label=str(label or item),
            category=str(category),
            unit=str(unit),
            table=str(table.relation).lstrip("."),
            occurrences=int(count),
        )


def _holds_all(wanted: Sequence[str]) -> str:
    """One parameter per word: it stands in a label, abbreviation or category, or is how an id begins."""
    text = "lower(concat_ws(' ', label, abbreviation, category))"
    return " AND ".join(f"(contains({text}, ${n}) OR starts_with(lower(id), ${n}))" for n in range(1, len(wanted) + 1))


def _rank(item: Item, words: str) -> tuple[int, int, str, str]:
    """The very label first, then what begins with the words, then what holds them together, then the rest."""
    label, names = item.label.casefold(), (item.label.casefold(), item.abbreviation.casefold(), item.id.casefold())
    if words in names:
        place = 0
    elif label.startswith(words):
        place = 1
    else:
        place = 2 if words in label else 3
    return place, len(label), label, item.id


def _read(dataset: Dataset, table: TableFile) -> str:
    return f"read_parquet({quoted(dataset.table_path(table))})"


def _rows(dataset: Dataset, table: TableFile, query: str, words: Sequence[str] = ()) -> list[tuple[Any, ...]]:
    """What a query of one table gives; an in-memory engine on Parquet files cannot write to them."""
    with duckdb.connect(":memory:", config={"threads": 2}) as connection:
        try:
            return connection.execute(query, list(words)).fetchall()
        except duckdb.Error as error:
            raise DatasetError(
                f"the table {table.name} cannot be read ({type(error).__name__})",
                where=dataset.table_path(table),
                fix=f"remove the dataset ('m4review data rm {dataset.name}') and make it again",
            ) from None
