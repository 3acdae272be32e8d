"""Panels: results of one sample that were measured together, and what holds for all of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .items import identifier, items_of
from .limits import read_limits
from .markdown import Row, Table
from .terms import Condition
from .trace import Trace
from .wording import SUMMARIES, Unreadable, column_roles, plain


@dataclass(frozen=True, slots=True)
class PanelRow:
    """Items of a panel in one table. ``keeps_empty``: a result without a value speaks for the panel as well."""

    table: str
    items: tuple[int, ...]
    texts: tuple[tuple[str, ...], ...]
    limits: Condition | None
    keeps_empty: bool


@dataclass(frozen=True, slots=True)
class Panel:
    """All items of a panel. ``taken`` are the columns whose summary over the panel holds for each of its results."""

    name: str
    rows: tuple[PanelRow, ...]
    taken: tuple[tuple[str, str], ...]
    per: str
    """The column whose values are the samples."""


_EMPTY = re.compile(r",?\s*(?:with or without a value|or none)\s*$")
_WORDS = {"latest": "max", "last": "max", "earliest": "min", "first": "min"}


def is_panel_table(table: Table) -> bool:
    """Whether a table lists the items of panels."""
    return {"panel", "members", "table", "items", "whole"} <= column_roles(table.header).keys()


def read_panels(tables: Sequence[Table], trace: Trace) -> tuple[dict[str, Panel], set[str]]:
    """The panels by the plain name of each measure that belongs to them, and the measures whose panel cannot be
    read; the reason is listed as a gap."""
    found: dict[str, Panel] = {}
    unclear: set[str] = set()
    for table in tables:
        roles = column_roles(table.header)
        for row in table.rows:
            members = [plain(part) for part in re.split(r"[,;]|\band\b", row.cells[roles["members"]])]
            try:
                _add(row, roles, members, found)
            except Unreadable as problem:
                unclear |= set(members)
                trace.gap(str(row.place), row.text, str(problem))
    return found, unclear


def _add(row: Row, roles: dict[str, int], members: list[str], found: dict[str, Panel]) -> None:
    cell = {role: row.cells[position] for role, position in roles.items()}
    name = plain(cell["panel"])
    if not name or not all(members):
        raise Unreadable("the row does not name the panel and its measures")
    items, texts, *_ = items_of(cell["items"])
    table = identifier(cell["table"])
    if not table or not (items or texts):
        raise Unreadable("the row does not name the table and the items")
    taken, per = _taken(cell["whole"])
    stated = plain(cell.get("range", ""))
    bare = _EMPTY.sub("", stated)
    part = PanelRow(table, items, texts, read_limits(bare, ""), bare != stated)
    for measure in members:
        earlier = found.get(measure)
        if earlier is not None and (earlier.name, earlier.taken, earlier.per) != (name, taken, per):
            raise Unreadable(f"{measure!r} belongs to two panels, or to one that is taken in two ways")
        found[measure] = Panel(name, (*(earlier.rows if earlier else ()), part), taken, per)


def _taken(text: str) -> tuple[tuple[tuple[str, str], ...], str]:
    """``latest `time` and highest `admission` per `sample``` -> the summaries, and the column of the sample."""
    head, word, tail = text.rpartition(" per ")
    per = re.fullmatch(r"`([^`]+)`", tail.strip())
    parts = [re.fullmatch(r"(?:the )?(\w+) `([^`]+)`", part.strip()) for part in re.split(r",|\band\b", head)]
    taken = [
        (match.group(2), _WORDS.get(match.group(1)) or SUMMARIES.get(match.group(1), "")) for match in parts if match
    ]
    if not word or per is None or None in parts or any(summary not in {"min", "max"} for _, summary in taken):
        raise Unreadable(f"cannot read {text!r}; write 'latest `column` and highest `column` per `column`'")
    return tuple(taken), per.group(1)
