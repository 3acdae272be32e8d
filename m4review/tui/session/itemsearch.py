"""Items looked up from the editor: in the datasets that the skill is written for, as a line of its table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from m4review.workspace import Workspace

if TYPE_CHECKING:
    from m4review.ehr.itemlookup import Item, ItemAnswer

COLUMNS = (
    (re.compile(r"\bitem ?ids?\b|^items?\b", re.I), "id"),
    (re.compile(r"^(source )?table", re.I), "table"),
    (re.compile(r"^(measure|label|name|component|input)", re.I), "label"),
    (re.compile(r"^unit", re.I), "unit"),
)
"""Title of a column → what of an item stands there."""


class ItemSearch:
    """Finds items in the datasets of the layout of the skill's task cards; in all, where the cards name several."""

    def __init__(self, workspace: Workspace, skill: str, environment: Mapping[str, str]) -> None:
        self._home = workspace.data_home(environment)
        layouts = {task.database for task in workspace.tasks_of_skill(skill)}
        self._layout = layouts.pop() if len(layouts) == 1 else None

    def find(self, words: str) -> list[ItemAnswer]:
        """The items of each dataset that hold the words, not counted yet. Slow the first time: loads the data room.

        Raises:
            DatasetError: no dataset is here (it says how to get one), too few characters, or a table cannot be read.
        """
        from m4review.ehr.itemlookup import datasets_to_ask, find_items

        return [find_items(dataset, words) for dataset in datasets_to_ask(self._home, layout=self._layout)]

    def count(self, answers: Sequence[ItemAnswer]) -> list[ItemAnswer]:
        """The same with how often each item occurs. Seconds on a large dataset.

        Raises:
            DatasetError: a table cannot be read.
        """
        from m4review.ehr import open_dataset
        from m4review.ehr.itemlookup import count_items

        return [
            answer.model_copy(update={"items": count_items(open_dataset(self._home, answer.dataset), answer.items)})
            for answer in answers
        ]


def written_item(item: Item) -> str:
    """An item as a skill names it: ``220045 (Heart Rate)``; where the name is the id, just that, in backticks."""
    return f"{item.id} ({item.label})" if item.id.isdigit() else f"`{item.id}`"


def item_row(item: Item, header: Sequence[str]) -> list[str]:
    """The item as a row of a table with these titles; what is not known of it stays open."""
    titles = [name.strip("*` ") for name in header]
    labelled = any(title.lower() == "label" for title in titles)
    said = {
        "id": item.id if labelled else written_item(item),
        "label": item.label,
        "table": f"`{item.table}`",
        "unit": item.unit,
        "": "",
    }
    kinds = [next((kind for pattern, kind in COLUMNS if pattern.search(title)), "") for title in titles]
    return [said[kind].replace("|", "\\|") for kind in kinds]
