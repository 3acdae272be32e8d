"""What tables and columns of MIMIC-IV hold, in plain words, for the dictionary that goes with a changed schema."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from m4review.ehr.layout import Relation


def about_table(relation: Relation) -> str:
    """What a row of the table is."""
    known = _words()["tables"].get(relation.name)
    return known or "derived: " + relation.name.replace("_", " ")


def about_column(column: str) -> str:
    """What the column holds: its own entry, or its name's parts as words; a part that names a table is told as one."""
    words = _words()
    known = words["columns"].get(column)
    if known:
        return known
    return " ".join(words["parts"].get(part) or words["tables"].get(part, part) for part in column.split("_"))


@cache
def _words() -> dict[str, dict[str, str]]:
    text = (files("m4review.ehr") / "schemas" / "words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
