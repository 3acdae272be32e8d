"""One place that cannot be taken as it stands, and the tables in which such places are looked for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from m4review.skills.document import Table
from m4review.skills.phrases import ASIDE
from m4review.skills.skill import Skill


@dataclass(frozen=True, slots=True)
class UnclearPlace:
    """``message`` says what stands there, ``to_write`` what would make it clear; one sentence each."""

    id: str
    line: int
    message: str
    to_write: str


def method_tables(skill: Skill) -> tuple[Table, ...]:
    """The tables that a reader executes: not those under limitations, literature and ready-made concepts."""
    return tuple(
        table
        for table in skill.document.tables
        if table.rows and not any(ASIDE.search(title) for title in table.section)
    )


def plain(text: str) -> str:
    """A cell or title as it is compared: no emphasis or code marks, single blanks, lower case."""
    return " ".join(re.sub(r"[`*]|\\(?=\|)", "", text).lower().split())


def column(table: Table, title: str) -> int | None:
    """The first column whose header reads like the pattern ``title``."""
    return next((index for index, name in enumerate(table.header) if re.search(title, plain(name))), None)


def code_name(text: str) -> str | None:
    """The one name in backticks, ``None`` for none or several."""
    names = set(re.findall(r"`(\w+)`", text))
    return names.pop() if len(names) == 1 else None
