"""Series: what has a value per charting time or sample, kept as temporary tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .catalog import quoted
from .measures import AGGREGATES
from .rendering import condition_sql, value_sql
from .restrictions import During
from .rules import Rule
from .sourcerow import listed
from .terms import Around, Holding, Name, Previous, SameAs, Since, Value, walk
from .wording import Unreadable


@dataclass(frozen=True, slots=True)
class Series:
    """A temporary table with link, moment, bundle, amount and ``id_COLUMN``; ``link`` is matched by that column."""

    name: str
    table: str
    link: str
    ids: tuple[str, ...]
    bundle: str
    has_end: bool = False
    timed: bool = True
    during: tuple[tuple[During, ...], ...] = ()
    """Episodes its values must lie in, which only a stay can tell; tested where the series meets the stay."""

    def matched_by(self, column: str) -> str:
        """The SQL column that holds the identifier ``column``.

        Raises:
            Unreadable: the series does not carry it.
        """
        if column.casefold() == self.link.casefold():
            return "link"
        for name in self.ids:
            if name.casefold() == column.casefold():
                return quoted(f"id_{name}")
        raise Unreadable(f"{self.name!r} does not carry {column!r}")


def derived_sql(rule: Rule, series: Mapping[str, Series], lists: Mapping[str, tuple[str, ...]]) -> tuple[str, Series]:
    """A derived measure as SQL, and what its table will be (without a name).

    ``series`` holds every measure that the rule speaks of.

    Raises:
        Unreadable: measures of different samples or stays are mixed, or a name is unknown.
    """
    terms = [part for line in rule.lines for part in (line.condition, line.value)] + list(rule.only.conditions)
    around = {part.name for term in terms for part in walk(term) if isinstance(part, Around | Since | Holding)}
    direct = [name for name in rule.inputs if name not in around or _is_direct(name, terms)]
    frame = list(rule.per) or direct
    if not frame:
        raise Unreadable("no measure says at which times there is a value")
    first = series[frame[0]]
    for name in {*frame, *direct}:
        other = series[name]
        if other.bundle.casefold() != first.bundle.casefold():
            raise Unreadable(f"{first.name!r} and {other.name!r} are not kept per the same column")
        if other.link.casefold() != first.link.casefold():
            raise Unreadable(f"{first.name!r} and {other.name!r} are matched to the stay in different ways")
    ids = tuple(name for name in first.ids if all(name in series[other].ids for other in frame))
    scope = _SeriesScope(first.link, ids, direct, series, lists)
    only = " AND ".join(condition_sql(condition, scope) for condition in rule.only.conditions) or "TRUE"
    whens = []
    rest = "NULL"
    for line in rule.lines:
        value = value_sql(line.value, scope)
        test = condition_sql(line.condition, scope)
        whens.append(f"WHEN {test} THEN {value}")
    amount = f"CASE {' '.join(whens)} ELSE {rest} END"
    carried = "".join(f", max({quoted('id_' + name)}) AS {quoted('id_' + name)}" for name in ids)
    kept = "".join(f", {quoted('id_' + name)}" for name in ids)
    union = "\n  UNION ALL ".join(
        f"SELECT link, moment, bundle{kept} FROM {quoted(series[name].table)}" for name in frame
    )
    joins = "".join(
        f"\n  LEFT JOIN {quoted(series[name].table)} AS s{place} ON s{place}.link = frame.link"
        f" AND s{place}.bundle = frame.bundle"
        for place, name in enumerate(direct)
    )
    values = "".join(f", s{place}.amount AS n{place}" for place in range(len(direct)))
    before = "".join(f", {sql} AS {alias}" for sql, alias in scope.before.values())
    sql = (
        f"WITH frame AS (\n  SELECT link, max(moment) AS moment, bundle{carried} FROM (\n  {union}\n  )"
        f" WHERE link IS NOT NULL AND bundle IS NOT NULL GROUP BY link, bundle\n), now AS (\n"
        f"  SELECT frame.*{values} FROM frame{joins}\n), seen AS (\n  SELECT *{before} FROM now"
        f"\n  WINDOW stay AS (PARTITION BY link ORDER BY moment)\n)\n"
        f"SELECT link, moment, bundle{kept}, {amount} AS amount\nFROM seen WHERE {only}"
    )
    pending = tuple(dict.fromkeys(group for name in frame for group in series[name].during)) + rule.only.during
    return sql, Series(rule.name, "", first.link, ids, first.bundle, timed=first.timed, during=pending)


def _is_direct(name: str, terms: Sequence[object]) -> bool:
    parts = (part for term in terms for part in walk(term))  # type: ignore[arg-type]
    return any(isinstance(part, Name | Previous) and part.name == name for part in parts)


@dataclass
class _SeriesScope:
    """One charting time or sample: the values of the measures there, before, and around."""

    link: str
    ids: tuple[str, ...]
    direct: list[str]
    series: Mapping[str, Series]
    lists: Mapping[str, tuple[str, ...]]
    before: dict[Value, tuple[str, str]] = field(default_factory=dict)

    def name(self, name: str) -> str:
        return f"n{self.direct.index(name)}"

    def field(self, table: str, column: str) -> str:
        raise Unreadable(f"the column {column!r} is not part of a measure")

    def has_field(self, column: str) -> bool:
        return False

    def previous(self, term: Previous) -> str:
        value = f"lag({self.name(term.name)}) OVER stay"
        if term.minutes is not None:
            sign = "<=" if term.limit_included else "<"
            value = f"CASE WHEN moment - lag(moment) OVER stay {sign} to_minutes({term.minutes}) THEN {value} END"
        return self.before.setdefault(term, (value, f"p{len(self.before)}"))[1]

    def around(self, term: Around) -> str:
        other = self.series[term.name]
        try:
            match = f"a.{other.matched_by(self.link)} = seen.link"
        except Unreadable:
            if other.link not in self.ids:
                raise
            match = f"a.link = seen.{quoted('id_' + other.link)}"
        low = f"a.moment {'>=' if term.start_included else '>'} seen.moment + to_minutes({term.start})"
        high = f"a.moment {'<=' if term.end_included else '<'} seen.moment + to_minutes({term.end})"
        chosen = {
            "sum": "fsum(a.amount)",
            "first": "arg_min(a.amount, a.moment)",
            "last": "arg_max(a.amount, a.moment)",
        }
        aggregate = chosen.get(term.summary) or AGGREGATES[term.summary].format("a.amount", "a.moment")
        return (
            f"(SELECT {aggregate} FROM {quoted(other.table)} AS a WHERE {match} AND {low} AND {high}"
            " AND a.amount IS NOT NULL)"
        )

    def holding(self, term: Holding) -> str:
        low = f"a.moment {'<=' if term.start_included else '<'} seen.moment"
        high = f"seen.moment {'<=' if term.end_included else '<'} a.finish"
        table = quoted(self.series[term.name].table)
        return f"(SELECT arg_max(a.amount, a.moment) FROM {table} AS a WHERE a.link = seen.link AND {low} AND {high})"

    def since(self, term: Since) -> str:
        if term.name:
            first = f"(SELECT min(a.moment) FROM {quoted(self.series[term.name].table)} AS a WHERE a.link = seen.link)"
            return f"CAST(epoch_us(moment) - epoch_us({first}) AS DOUBLE)"
        value = "CAST(epoch_us(moment) - lag(epoch_us(moment)) OVER stay AS DOUBLE)"
        return self.before.setdefault(term, (value, f"p{len(self.before)}"))[1]

    def same_as(self, condition: SameAs) -> str:
        raise Unreadable("entries with the same columns are written in 'Only rows where' of a measure")

    def words(self, name: str) -> tuple[str, ...]:
        return listed(name, self.lists)
