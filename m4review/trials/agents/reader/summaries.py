"""Inputs as SQL: a series meets the rows of the output, in a window and under restrictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .catalog import literal, quoted
from .episodes import Period
from .facts import Facts
from .inputs import DerivedInput
from .measures import AGGREGATES
from .rendering import condition_sql
from .restrictions import During
from .series import Series
from .sourcerow import listed
from .terms import Around, Holding, Previous, SameAs, Since, names_in
from .windows import Window
from .wording import Unreadable

ZERO_WHEN_ABSENT = {"present", "count"}
"""Summaries that are never missing: no value is an answer too."""


def link_of(series: Series, facts: Facts, match: str = "") -> str:
    """The join of a series, alias ``charted``, with the rows.

    Raises:
        Unreadable: the rows do not have the column, or the series does not carry it.
    """
    relation = facts.grain.relation
    if match:
        return f"charted.{series.matched_by(match)} = stay.{quoted(relation.column(match))}"
    for name in (series.link, *series.ids):
        if relation.has(name):
            return f"charted.{series.matched_by(name)} = stay.{quoted(relation.column(name))}"
    raise Unreadable(f"{series.name!r} is matched by {series.link!r}, which the rows of the output do not have")


def within_sql(series: Series, window: Window, facts: Facts) -> tuple[str, Series]:
    """The values of a series that lie in a window of each row, matched to the row by its key from then on.

    Raises:
        Unreadable: the window's event or the link cannot be resolved, or the key is not one column.
    """
    if len(facts.grain.key) != 1:
        raise Unreadable("a window of the stay needs rows with one key")
    key = facts.grain.key[0]
    tests = " AND ".join(["TRUE", *facts.window(window, "charted.moment")])
    sql = (
        f"SELECT stay.{quoted(key)} AS link, charted.moment, charted.bundle, charted.amount\n"
        f"FROM {facts.grain.relation.sql} AS stay JOIN {quoted(series.table)} AS charted ON {link_of(series, facts)}\n"
        f"WHERE {tests}"
    )
    return sql, Series(series.name, "", key, (), series.bundle, timed=series.timed, during=series.during)


def input_sql(
    derived: DerivedInput, series: Mapping[str, Series], facts: Facts, lists: Mapping[str, tuple[str, ...]]
) -> str:
    """One row per row of the output that has a value: its key and the summary.

    Raises:
        Unreadable: the window's event, the link or a restriction cannot be resolved.
    """
    values = series[derived.measure]
    if not values.timed and (derived.window.start, derived.window.end) != (None, None):
        raise Unreadable(f"no column is named that holds the time of {values.name!r}")
    keys = ", ".join(f"stay.{quoted(column)}" for column in facts.grain.key)
    leading = series[derived.choice.by] if derived.choice else values
    scope = _CandidateScope(leading, series, lists)
    touches = leading.has_end and derived.summary == "present"
    conditions = facts.window(derived.window, "charted.moment", "charted.finish" if touches else "")
    if derived.window.in_progress and not values.has_end:
        raise Unreadable(f"no column is named that holds the end of {values.name!r}")
    if derived.window.through:
        conditions += _through(values, facts)
    conditions += [condition_sql(condition, scope) for condition in derived.only.conditions]
    for group in (*leading.during, *derived.only.during):
        conditions.append("(" + " OR ".join(_during_sql(item, leading, series, facts) for item in group) + ")")
    conditions.append("charted.amount IS NOT NULL")
    chosen = scope.name(derived.measure)
    source = (
        f"FROM {facts.grain.relation.sql} AS stay\n"
        f"JOIN {quoted(leading.table)} AS charted ON {link_of(leading, facts, derived.match)}"
        f"{scope.joins()}\nWHERE {' AND '.join(conditions)}"
    )
    if derived.choice is None:
        summary = AGGREGATES[derived.summary].format(chosen, "charted.moment")
        return f"SELECT {keys}, {summary} AS amount\n{source}\nGROUP BY {keys}"
    order = "" if derived.choice.lowest is None else f"charted.amount {'ASC' if derived.choice.lowest else 'DESC'}, "
    order += f"charted.moment {'ASC' if derived.choice.earliest else 'DESC'}, charted.bundle"
    return (
        f"SELECT {keys}, {chosen} AS amount\n{source}"
        f"\nQUALIFY row_number() OVER (PARTITION BY {keys} ORDER BY {order}) = 1"
    )


def _through(values: Series, facts: Facts) -> list[str]:
    """Tests that an entry runs through the whole row."""
    row = facts.grain.relation
    if not values.has_end or not (row.has("row moment") and row.has("row finish")):
        raise Unreadable("entries and rows need a start and an end")
    return ['charted.moment <= stay."row moment"', 'charted.finish >= stay."row finish"']


def _during_sql(during: During, charted: Series, series: Mapping[str, Series], facts: Facts) -> str:
    episodes = series[during.episodes]
    if during.same_patient:
        match = f"e.{episodes.matched_by(charted.link)} = charted.link"
    else:
        match = link_of(episodes, facts).replace("charted.", "e.")
    start = f"charted.moment {'>=' if during.start_included else '>'} e.moment"
    end = f"charted.moment {'<=' if during.end_included else '<'} e.finish"
    status = f" AND e.amount IN ({', '.join(literal(text) for text in during.texts)})" if during.texts else ""
    found = f"EXISTS (SELECT 1 FROM {quoted(episodes.table)} AS e WHERE {match} AND {start} AND {end}{status})"
    return f"(NOT {found})" if during.negated else found


def period_sql(period: Period, window: Window, charted: Series, facts: Facts) -> tuple[str, tuple[str, ...]]:
    """One period per row of the output, from around the first to around the last value in the window; and the
    identifiers it carries.

    Raises:
        Unreadable: the window's event cannot be resolved.
    """
    start, end = (
        f"min(charted.moment) - to_minutes({period.before})",
        f"max(charted.moment) + to_minutes({period.after})",
    )
    if period.cut:
        low, high = facts.bounds(window)
        start, end = f"greatest({start}, min({low}))", f"least({end}, min({high}))"
    relation = facts.grain.relation
    link = next((name for name in (charted.link, *charted.ids) if relation.has(name)), "")
    if not link:
        raise Unreadable(f"{charted.name!r} is matched by {charted.link!r}, which the rows of the output do not have")
    column = f"stay.{quoted(relation.column(link))}"
    ids = tuple(name for name in charted.ids if relation.has(name) and name != link)
    carried = "".join(f", any_value(stay.{quoted(relation.column(name))}) AS {quoted('id_' + name)}" for name in ids)
    tests = " AND ".join([*facts.window(window, "charted.moment"), "charted.amount IS NOT NULL"])
    sql = (
        f"SELECT {column} AS link, {start} AS moment, {start} AS bundle, {end} AS finish, 1 AS amount{carried}\n"
        f"FROM {relation.sql} AS stay JOIN {quoted(charted.table)} AS charted ON {link_of(charted, facts)}\n"
        f"WHERE {tests}\nGROUP BY {column}"
    )
    return sql, ids


@dataclass
class _CandidateScope:
    """One value that may count: other measures of the same charting time or sample."""

    leading: Series
    series: Mapping[str, Series]
    lists: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        self._joined: list[str] = []

    def name(self, name: str) -> str:
        if name in {"status", self.leading.name}:
            return "charted.amount"
        other = self.series[name]
        if other.bundle.casefold() != self.leading.bundle.casefold():
            raise Unreadable(f"{self.leading.name!r} and {other.name!r} are not kept per the same column")
        if other.link.casefold() != self.leading.link.casefold():
            raise Unreadable(f"{self.leading.name!r} and {other.name!r} are matched to the stay in different ways")
        if name not in self._joined:
            self._joined.append(name)
        return f"t{self._joined.index(name)}.amount"

    def joins(self) -> str:
        """The joins of the measures that were spoken of."""
        return "".join(
            f"\nLEFT JOIN {quoted(self.series[name].table)} AS t{place} ON t{place}.link = charted.link"
            f" AND t{place}.bundle = charted.bundle"
            for place, name in enumerate(self._joined)
        )

    def field(self, table: str, column: str) -> str:
        raise Unreadable(f"the column {column!r} is not part of a measure")

    def has_field(self, column: str) -> bool:
        return False

    def previous(self, term: Previous) -> str:
        raise Unreadable("the charting before is written in a table of derived measures")

    def around(self, term: Around) -> str:
        raise Unreadable("a time around the value is written in a table of derived measures")

    def holding(self, term: Holding) -> str:
        raise Unreadable("a value in force is written in a table of derived measures")

    def since(self, term: Since) -> str:
        raise Unreadable("the charting before is written in a table of derived measures")

    def same_as(self, condition: SameAs) -> str:
        raise Unreadable("entries with the same columns are written in 'Only rows where' of a measure")

    def words(self, name: str) -> tuple[str, ...]:
        return listed(name, self.lists)


def needed_series(derived: DerivedInput) -> tuple[str, ...]:
    """The series that an input speaks of, each once."""
    named: dict[str, None] = {derived.measure: None}
    if derived.choice:
        named[derived.choice.by] = None
    for condition in derived.only.conditions:
        named |= dict.fromkeys(name for name in names_in(condition) if name != "status")
    named |= dict.fromkeys(item.episodes for group in derived.only.during for item in group)
    return tuple(named)


def needed_during(groups: Sequence[tuple[During, ...]]) -> tuple[str, ...]:
    """The episodes that restrictions speak of."""
    return tuple(dict.fromkeys(item.episodes for group in groups for item in group))
