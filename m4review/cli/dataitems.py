"""``m4review data items``: the item ids of a measurement, by its words."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from m4review.cli.datahome import data_home
from m4review.ehr.itemlookup import MOST_ITEMS, Item, ItemAnswer, datasets_to_ask, look_up_items

ITEMS_SCHEMA = "m4review.items.v1"


@click.command("items")
@click.argument("words", nargs=-1, required=True)
@click.option("--dataset", "name", help="Only this dataset; otherwise every dataset that is here.")
@click.option("--limit", type=click.IntRange(1, 1000), default=MOST_ITEMS, show_default=True, help="Items per dataset.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def items_(words: tuple[str, ...], name: str | None, limit: int, as_json: bool) -> None:
    """Look a measurement up: id, label, unit, table, and how often it occurs.

    Every word must stand in the label, abbreviation or category, or begin the id: m4review data items Heart Rate
    """
    datasets = datasets_to_ask(data_home(), name)
    answers = [look_up_items(dataset, " ".join(words), limit=limit) for dataset in datasets]
    if as_json:
        click.echo(
            json.dumps(
                {"schema": ITEMS_SCHEMA, "words": " ".join(words), "answers": [one.model_dump() for one in answers]},
                ensure_ascii=False,
            )
        )
        return
    for answer in answers:
        _print(answer, " ".join(words))


def _print(answer: ItemAnswer, words: str) -> None:
    if not answer.items:
        click.echo(f"{answer.dataset}: nothing is called {words!r}; try fewer or other words")
        return
    click.echo(f"{answer.dataset}:")
    for line in _columns([("id", "label", "unit", "table", "occurs"), *map(_cells, answer.items)]):
        click.echo(f"  {line}")
    if answer.left_out:
        click.echo(f"  … and {answer.left_out:,} more; add a word, or --limit")


def _cells(item: Item) -> tuple[str, ...]:
    label = f"{item.label} ({item.abbreviation})" if item.abbreviation else item.label
    occurs = "table not in the dataset" if item.occurrences is None else f"{item.occurrences:,}"
    return item.id, label, item.unit or "–", item.table, occurs


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
