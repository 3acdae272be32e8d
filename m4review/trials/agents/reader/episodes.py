"""Episodes: charted points of one status merged with a gap rule, or one period per stay around its first and last."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .markdown import Place, Row
from .wording import Unreadable, number, plain, says_nothing

_HOURS = r"(\d+(?:\.\d+)?|[a-z]+) (?:clock )?(hours?|minutes?)"


@dataclass(frozen=True, slots=True)
class Episodes:
    """Points of ``measure`` merged while the status stays and the gap is shorter than ``minutes``.

    An episode ends at the next point of any status when that lies within the gap, else at its own last point.
    """

    name: str
    measure: str
    minutes: int
    clock_hours: bool
    keep_single: bool
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Period:
    """One period per stay: from ``before`` minutes before the first value in a window to ``after`` the last."""

    name: str
    measure: str
    window: str
    before: int
    after: int
    cut: bool
    place: Place
    text: str


def read_episodes(row: Row, roles: dict[str, int], series: Sequence[str]) -> Episodes | Period:
    """Read one row of a table of episodes.

    Raises:
        Unreadable: an unknown measure, or a rule that is not one of the documented forms.
    """

    def cell(role: str) -> str:
        return plain(row.cells[roles[role]]) if role in roles else ""

    name, built = cell("episodes"), cell("built")
    measure = max((plain(item) for item in series if built.startswith(plain(item))), key=len, default="")
    if not measure:
        raise Unreadable(f"the source map has no executable measure {built!r}")
    rest = built[len(measure) :].strip(" ,")
    if rest:
        return _period(name, measure, rest, row)
    opens, closes, kept = cell("opens"), cell("closes"), cell("kept")
    gap = re.search(rf"{_HOURS} or more", opens)
    if gap is None or "status changes" not in opens:
        raise Unreadable(
            "when a new episode starts is written 'the status changes, or the last point of the same status lies "
            "N hours or more back'"
        )
    minutes = _minutes(*gap.groups())
    reach = re.search(rf"less than {_HOURS}", closes)
    if reach is None or "next point" not in closes or _minutes(*reach.groups()) != minutes:
        raise Unreadable(
            "where an episode ends is written 'at the next point of the stay when it lies less than N hours ahead, "
            "else at its own last point', with the N of its start"
        )
    if not says_nothing(kept) and "more than one" not in kept:
        raise Unreadable("which episodes are kept is written 'it has more than one charting time', or left empty")
    clock = "clock hour" in opens or "clock hour" in closes
    return Episodes(name, measure, minutes, clock, says_nothing(kept), row.place, row.text)


def _period(name: str, measure: str, rest: str, row: Row) -> Period:
    match = re.fullmatch(
        rf"(?:in|within) (?:the )?(.+?), from (?:{_HOURS} before )?the first to (?:{_HOURS} after )?the last"
        r"(, cut to the window)?",
        rest,
    )
    if match is None:
        raise Unreadable(
            "a period is written 'MEASURE in the window, from 1 hour before the first to 4 hours after the last'"
        )
    window, before, before_unit, after, after_unit, cut = match.groups()
    return Period(
        name,
        measure,
        "" if window == "window" else window,
        _minutes(before, before_unit) if before else 0,
        _minutes(after, after_unit) if after else 0,
        cut is not None,
        row.place,
        row.text,
    )


def _minutes(figure: str, unit: str) -> int:
    minutes = number(figure) * (60 if unit.startswith("hour") else 1)
    if minutes != int(minutes):
        raise Unreadable(f"{figure} {unit} is not a whole number of minutes")
    return int(minutes)


def episodes_sql(rule: Episodes, points: str, others: Sequence[str]) -> str:
    """Episodes of a table of points (link, moment, amount): link, start as ``moment``, ``finish``, status, number."""
    gap = f"{_gap(rule, 'before.moment', 'moment')} >= {rule.minutes}"
    gap = gap.replace("before.moment", "same_before")
    ahead = f"{_gap(rule, 'moment', 'next_point')} < {rule.minutes}"
    kept = "" if rule.keep_single else "\nHAVING min(moment) <> max(moment)"
    carried = "".join(f", max({other}) AS {other}" for other in others)
    return (
        "WITH points AS (\n"
        f"  SELECT DISTINCT * EXCLUDE (bundle) FROM {points} WHERE amount IS NOT NULL AND link IS NOT NULL\n"
        "), seen AS (\n"
        "  SELECT *, lag(amount) OVER stay AS status_before, lead(moment) OVER stay AS next_point,\n"
        "    lag(moment) OVER same AS same_before FROM points\n"
        "  WINDOW stay AS (PARTITION BY link ORDER BY moment),"
        " same AS (PARTITION BY link, amount ORDER BY moment)\n), numbered AS (\n"
        "  SELECT *, sum(CASE WHEN status_before IS NULL OR status_before <> amount"
        f" OR (same_before IS NOT NULL AND {gap}) THEN 1 ELSE 0 END)\n"
        "    OVER (PARTITION BY link ORDER BY moment) AS episode,\n"
        f"    CASE WHEN next_point IS NOT NULL AND {ahead} THEN next_point ELSE moment END AS reach FROM seen\n"
        "), kept AS (\n"
        "  SELECT link, min(moment) AS moment, max(reach) AS finish, any_value(amount) AS amount"
        f"{carried}\n  FROM numbered GROUP BY link, episode{kept}\n)\n"
        "SELECT *, moment AS bundle, row_number() OVER (PARTITION BY link ORDER BY moment) AS place FROM kept"
    )


def _gap(rule: Episodes, start: str, end: str) -> str:
    """Minutes between two moments: exact, or in clock hours (boundaries crossed by the hour hand)."""
    if rule.clock_hours:
        return f"60 * date_diff('hour', {start}, {end})"
    return f"(epoch_us({end}) - epoch_us({start})) / 60e6"
