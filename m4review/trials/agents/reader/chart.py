"""The chart: every measure, derived measure, set of episodes and set of intervals that is needed, executed once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from .catalog import Catalog, quoted
from .episodes import Episodes, Period, episodes_sql
from .facts import Facts
from .inforce import InForce, in_force_sql
from .inputs import read_window
from .intervals import Intervals, intervals_sql
from .measures import measure_query
from .rules import Rule
from .series import Series, derived_sql
from .sources import Measure, short_name
from .specification import Specification
from .summaries import needed_during, period_sql, within_sql
from .tables import Tables
from .wording import Unreadable, plain


@dataclass
class Chart:
    """Series by plain name. ``facts`` is set once the rows of the output are known."""

    tables: Tables
    catalog: Catalog
    specification: Specification
    facts: Facts | None = None
    series: dict[str, Series] = field(default_factory=dict)
    _failed: dict[str, str] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)

    def find(self, name: str) -> Series:
        """The series of a name, executed if it was not yet.

        Raises:
            Unreadable: it is not defined, or something it needs cannot be executed.
        """
        if name in self.series:
            return self.series[name]
        if name in self._failed:
            raise Unreadable(self._failed[name])
        if name in self._open:
            raise Unreadable(f"{name!r} is defined by itself")
        self._open.append(name)
        try:
            self.series[name] = self._execute(name)
        except Unreadable as problem:
            self._failed[name] = str(problem)
            raise
        finally:
            self._open.remove(name)
        return self.series[name]

    def _execute(self, name: str) -> Series:
        definitions = self.specification.definitions
        if name in definitions.lost:
            raise Unreadable(definitions.lost[name][1])
        if name in definitions.source.measures:
            return self._measured(definitions.source.measures[name])
        if name in definitions.derived:
            return self._derived(definitions.derived[name])
        if name in definitions.episodes:
            return self._merged(definitions.episodes[name])
        if name in definitions.in_force:
            return self._holding(definitions.in_force[name])
        if name in definitions.intervals:
            return self._cut(definitions.intervals[name])
        raise Unreadable(f"the source map has no executable measure {name!r}")

    def _measured(self, measure: Measure) -> Series:
        trace = self.tables.trace
        if measure.together is None:
            why = "not said what several values at one time become; each stands alone"
            trace.gap(str(measure.place), measure.name, why)
        name = plain(measure.name)
        sources = self.specification.definitions.source.tables
        query = measure_query(measure, sources, self.catalog, self._identifiers(), self.specification)
        table = self.tables.keep(f"measure: {name}", query.sql)
        if self.tables.rows(table) == 0:
            items = ", ".join(str(item) for row in measure.rows for item in (row.items or row.texts))
            trace.gap(str(measure.place), measure.name, f"the database holds no valid value of item {items}")
        if query.uncomputed:
            lost = self.tables.rows(self.tables.keep(f"not computed: {name}", query.uncomputed))
            if lost:
                why = f"the conversion of {lost} values cannot be computed; they are missing"
                trace.gap(str(measure.place), measure.name, why)
        self._list_unknown_items(measure)
        return Series(name, table, query.link, query.ids, query.bundle, query.has_end, query.timed)

    def _list_unknown_items(self, measure: Measure) -> None:
        """Items that the database's own dictionary does not hold, where it has one, are listed."""
        for row in measure.rows:
            source = self.specification.definitions.source.tables[short_name(row.table)]
            if not row.items or not source.items:
                continue
            homes = self.catalog.dictionaries(source.items[0])
            known: set[int] = set()
            for home in homes:
                item = quoted(home.column(source.items[0]))
                sql = f"SELECT DISTINCT {item} FROM {home.sql} WHERE {item} IN ({', '.join(map(str, row.items))})"
                known |= {int(found[0]) for found in self.tables.connection.execute(sql).fetchall()}
            unknown = [str(number) for number in row.items if number not in known]
            if homes and unknown:
                shown = " or ".join(home.shown for home in homes)
                why = f"{'the item' if len(unknown) == 1 else 'the items'} {', '.join(unknown)} not found in {shown}"
                self.tables.trace.gap(str(row.place), row.text, why)

    def _identifiers(self) -> tuple[str, ...]:
        definitions = self.specification.definitions
        named = [table.match for table in definitions.source.tables.values()]
        named += [row.match for measure in definitions.source.measures.values() for row in measure.rows]
        named += [derived.match for derived in definitions.inputs.values()]
        return tuple(dict.fromkeys(name for name in named if name))

    def _derived(self, rule: Rule) -> Series:
        for name in dict.fromkeys((*rule.inputs, *rule.per, *needed_during(rule.only.during))):
            try:
                self.find(name)
            except Unreadable as problem:
                raise Unreadable(f"{name!r} cannot be executed: {problem}") from None
        sql, series = derived_sql(rule, self.series, self.specification.lists)
        found = replace(series, table=self.tables.keep(f"derived measure: {rule.name}", sql))
        if rule.only.within:
            if self.facts is None:
                raise Unreadable("a window of the stay is not known where the charting times are the rows")
            window = read_window(rule.only.within, rule.place, self.specification.windows)
            sql, found = within_sql(found, window, self.facts)
            found = replace(found, table=self.tables.keep(f"per row: {rule.name}", sql))
        return found

    def _merged(self, rule: Episodes | Period) -> Series:
        points = self.find(rule.measure)
        if isinstance(rule, Period):
            if self.facts is None:
                raise Unreadable("a period in a window of the stay is not known where episodes are the rows")
            window = read_window(rule.window, rule.place, self.specification.windows)
            sql, ids = period_sql(rule, window, points, self.facts)
            table = self.tables.keep(f"period: {rule.name}", sql)
            return Series(rule.name, table, points.link, ids, "", has_end=True)
        others = [quoted(f"id_{name}") for name in points.ids]
        table = self.tables.keep(f"episodes: {rule.name}", episodes_sql(rule, quoted(points.table), others))
        return Series(rule.name, table, points.link, points.ids, "", has_end=True)

    def _holding(self, rule: InForce) -> Series:
        parts = [self.find(name) for name in rule.measures]
        facts = self.facts
        if facts is None:
            raise Unreadable("events of the stay are not known where the charting times are the rows")
        link = parts[0].link
        if any(part.link != link for part in parts) or not facts.grain.relation.has(link):
            raise Unreadable("values in force are matched to the stay in one way, by a column of the rows")
        points = [moment for moment in (rule.early_start, rule.last_end, rule.before_first) if moment]
        moments = {moment: f"{facts.anchor(moment.anchor)} + to_minutes({moment.minutes})" for moment in points}
        event = facts.anchor(rule.when_before) if rule.when_before else ""
        tables = [quoted(part.table) for part in parts]
        own = f"stay.{quoted(facts.grain.relation.column(link))}"
        sql = in_force_sql(rule, tables, facts.grain.relation.sql, own, moments, event)
        return Series(rule.name, self.tables.keep(f"in force: {rule.name}", sql), link, (), "", has_end=True)

    def _cut(self, rule: Intervals) -> Series:
        parts = [self.find(name) for name in rule.measures]
        if len({part.link for part in parts}) > 1 or not all(part.has_end for part in parts):
            raise Unreadable("intervals need entries with a start and an end, matched to the stay in one way")
        sql = intervals_sql([quoted(part.table) for part in parts])
        table = self.tables.keep(f"intervals: {rule.name}", sql)
        return Series(rule.name, table, parts[0].link, (), "", has_end=True)
