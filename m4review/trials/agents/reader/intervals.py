"""Intervals: the time between successive moments at which an entry of some measures starts or ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .markdown import Place, Row
from .wording import Unreadable, plain


@dataclass(frozen=True, slots=True)
class Intervals:
    """Cut at every start and end of the entries of ``measures``."""

    name: str
    measures: tuple[str, ...]
    place: Place
    text: str


def read_intervals(row: Row, roles: dict[str, int], series: Sequence[str]) -> Intervals:
    """Read one row of a table of intervals: ``every start and end of A, B and C``.

    Raises:
        Unreadable: the boundaries are written in another way, or a measure is not known.
    """
    text = plain(row.cells[roles["boundaries"]])
    head = next((form for form in ("every start and end of ", "all starts and ends of ") if text.startswith(form)), "")
    if not head:
        raise Unreadable("boundaries are written 'every start and end of A, B and C'")
    rest = text[len(head) :]
    found: dict[int, str] = {}
    for name in sorted(series, key=len, reverse=True):
        start = rest.find(name)
        if start >= 0:
            found[start] = name
            rest = rest.replace(name, "\x02" * len(name), 1)
    left = rest.replace("\x02", "").replace(",", " ").split()
    if not found or set(left) - {"and", "or", "the"}:
        raise Unreadable(f"the source map has no executable measure in {text!r}")
    name = plain(row.cells[roles["intervals"]])
    return Intervals(name, tuple(found[start] for start in sorted(found)), row.place, row.text)


def intervals_sql(tables: Sequence[str]) -> str:
    """Link, start as ``moment``, ``finish`` and number of the intervals between successive different boundaries."""
    boundaries = " UNION ".join(
        f"SELECT link, {side} AS moment FROM {table} WHERE {side} IS NOT NULL"
        for table in tables
        for side in ("moment", "finish")
    )
    return (
        f"WITH boundaries AS (\n  {boundaries}\n), cut AS (\n"
        "  SELECT link, moment, lead(moment) OVER (PARTITION BY link ORDER BY moment) AS finish FROM boundaries\n)\n"
        "SELECT link, moment, moment AS bundle, finish, 1 AS amount,"
        " row_number() OVER (PARTITION BY link ORDER BY moment) AS place FROM cut WHERE finish IS NOT NULL"
    )
