"""Values in force: each charted value holds from its start until the next one starts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .markdown import Place, Row
from .wording import NUMBER_WORDS, Unreadable, number, plain, says_nothing

_AMOUNT = rf"(?:\d+(?:\.\d+)?|{'|'.join(NUMBER_WORDS)})"
_POINT = rf"(?:({_AMOUNT}) (minutes?|hours?|days?) (before|after) )?([a-z][a-z -]*[a-z])"


@dataclass(frozen=True, slots=True)
class Moment:
    """Minutes after an event of the stay (negative: before)."""

    anchor: str
    minutes: int


@dataclass(frozen=True, slots=True)
class InForce:
    """Records of ``measures``, the earlier named first where two start together.

    A record starts at its charting time, the first record of ``early`` at ``early_start``. It ends where the next one
    starts, the last one at ``last_end``. The first one also holds from ``before_first`` when ``when_before`` lies
    before its start.
    """

    name: str
    measures: tuple[str, ...]
    early: str
    early_start: Moment | None
    last_end: Moment | None
    before_first: Moment | None
    when_before: str
    place: Place
    text: str


def read_in_force(row: Row, roles: dict[str, int], series: Sequence[str]) -> InForce:
    """Read one row of a table of values in force.

    Raises:
        Unreadable: an unknown measure, or a start or end that is not one of the documented forms.
    """

    def cell(role: str) -> str:
        return plain(row.cells[roles[role]]).rstrip(".") if role in roles else ""

    built, left = [], cell("built")
    for name in sorted(map(plain, series), key=len, reverse=True):
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", left):
            built.append((cell("built").find(name), name))
            left = left.replace(name, " ")
    if not built or set(left.replace(",", " ").replace(";", " ").split()) - {"and"}:
        raise Unreadable(f"the source map has no executable measure {cell('built')!r}")
    starts = re.fullmatch(rf"(?:its|the) (?:own )?charting time(?:; the first (.+?) from {_POINT})?", cell("from"))
    ends = re.fullmatch(
        rf"(?:the )?next (?:one|record)(?: starts)?(?:; the last (?:one )?until {_POINT})?", cell("until")
    )
    if starts is None or ends is None:
        raise Unreadable(
            "a value is in force from 'its charting time; the first A from 2 hours before EVENT' until "
            "'the next one starts; the last until 2 hours after EVENT'"
        )
    early = starts.group(1) or ""
    if early and early not in [name for _, name in built]:
        raise Unreadable(f"{early!r} is not one of the measures in force")
    before = None
    if not says_nothing(cell("earlier")):
        before = re.fullmatch(
            rf"the first one (?:also )?from {_POINT},? when ([a-z][a-z -]*[a-z]) lies before it", cell("earlier")
        )
        if before is None:
            raise Unreadable(
                "before the first one is written 'the first one also from 2 hours before EVENT when EVENT lies before "
                "it'"
            )
    return InForce(
        plain(row.cells[roles["force"]]),
        tuple(name for _, name in sorted(built)),
        early,
        _moment(starts.groups()[1:]) if early else None,
        _moment(ends.groups()) if ends.group(4) else None,
        _moment(before.groups()[:4]) if before else None,
        before.group(5) if before else "",
        row.place,
        row.text,
    )


def _moment(parts: Sequence[str | None]) -> Moment:
    figure, unit, side, anchor = parts
    minutes = 0
    if figure and unit:
        minutes = int(number(figure) * {"m": 1, "h": 60, "d": 1440}[unit[0]])
    return Moment(anchor or "", -minutes if side == "before" else minutes)


def in_force_sql(
    rule: InForce, tables: Sequence[str], stays: str, link: str, moments: dict[Moment, str], event: str
) -> str:
    """Link, start as ``moment``, ``finish`` and amount of every value in force.

    ``tables`` are those of ``rule.measures``, ``stays`` the rows of the output with alias ``stay``, ``link`` their
    column; ``moments`` and ``event`` are the events of the rule as SQL.
    """
    parts = []
    for rank, (name, table) in enumerate(zip(rule.measures, tables, strict=True)):
        start = "v.moment"
        if name == rule.early and rule.early_start is not None:
            first = "row_number() OVER (PARTITION BY v.link ORDER BY v.moment, v.amount) = 1"
            start = f"CASE WHEN {first} THEN stays.early_start ELSE v.moment END"
        parts.append(
            f"SELECT v.link, {start} AS moment, {rank} AS rank, v.moment AS charted, v.amount, stays.* EXCLUDE (link)\n"
            f"  FROM {table} AS v JOIN stays ON stays.link = v.link WHERE v.amount IS NOT NULL"
        )
    events = {
        "early_start": rule.early_start,
        "last_end": rule.last_end,
        "before_first": rule.before_first,
    }
    columns = "".join(f", {moments[moment] if moment else 'NULL'} AS {name}" for name, moment in events.items())
    records = "\n  UNION ALL ".join(parts)
    earlier = (
        "\nUNION ALL SELECT link, before_first AS moment, moment AS finish, amount FROM ordered"
        " WHERE place = 1 AND event < moment"
        if rule.before_first
        else ""
    )
    return (
        f"WITH stays AS (\n  SELECT DISTINCT {link} AS link{columns}, {event or 'NULL'} AS event FROM {stays} AS stay\n"
        f"), records AS (\n  {records}\n), ordered AS (\n"
        "  SELECT *, row_number() OVER stay AS place, coalesce(lead(moment) OVER stay, last_end) AS finish\n"
        "  FROM records\n"
        "  WINDOW stay AS (PARTITION BY link ORDER BY moment, rank, charted, amount)\n), spans AS (\n"
        f"  SELECT link, moment, finish, amount FROM ordered{earlier}\n)\n"
        "SELECT link, moment, moment AS bundle, finish, amount FROM spans"
    )
