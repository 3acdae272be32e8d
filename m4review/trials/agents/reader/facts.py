"""What is known of one row of the output: its own columns, those of tables matched to it, and its events."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import duckdb

from .catalog import Catalog, Relation, quoted
from .grain import Grain, one_row_per
from .markdown import Passage
from .sourcerow import EPOCH
from .sources import SourceTable, short_name
from .terms import Field
from .trace import Trace
from .windows import Window
from .wording import Unreadable, code_spans, plain


@dataclass
class Facts:
    """Columns and events of the rows, as SQL over the alias ``stay``."""

    grain: Grain
    sources: Mapping[str, SourceTable]
    anchors: Sequence[Passage]
    catalog: Catalog
    connection: duckdb.DuckDBPyConnection
    trace: Trace
    _single: dict[tuple[str, str], bool] = field(default_factory=dict)

    def has(self, column: str) -> bool:
        """Whether a bare column belongs to the row or to exactly one table matched to it."""
        return self.grain.relation.has(column) or len(self._homes(column)) == 1

    def column(self, table: str, column: str) -> str:
        """A column as SQL. A table is one of the row or one that the source map matches to it.

        Raises:
            Unreadable: an unknown column or table, or a table with several rows per match.
        """
        relation = self.grain.relation
        if not table:
            if relation.has(column):
                return f"stay.{quoted(relation.column(column))}"
            homes = self._homes(column)
            if len(homes) != 1:
                raise Unreadable(f"the row has no column {column!r}")
            table = homes[0]
        if short_name(table) == relation.name.casefold():
            return f"stay.{quoted(relation.column(column))}"
        source = self.sources.get(short_name(table))
        if source is None:
            raise Unreadable(f"the source map does not say how {table!r} is matched to the row")
        other = self.catalog.find(source.table)
        match = other.column(source.match)
        own = quoted(relation.column(source.match))
        if not self._is_single(other, match):
            raise Unreadable(f"{other.shown} has several rows per {match}, so its {column!r} is not one value")
        return f"(SELECT f.{quoted(other.column(column))} FROM {other.sql} AS f WHERE f.{quoted(match)} = stay.{own})"

    def _homes(self, column: str) -> list[str]:
        found = []
        for name, source in self.sources.items():
            if source.items or source.time or not source.match or not self.grain.relation.has(source.match):
                continue
            try:
                if self.catalog.find(source.table).has(column):
                    found.append(name)
            except Unreadable:
                continue  # a table that this database does not hold cannot be the one that is meant
        return found

    def _is_single(self, relation: Relation, match: str) -> bool:
        known = (relation.sql, match)
        if known not in self._single:
            self._single[known] = one_row_per(relation, (match,), self.connection, self.trace)
        return self._single[known]

    # -- events ---------------------------------------------------------------------------------------------------

    def anchor(self, name: str) -> str:
        """The moment of an event: minute 0 of offsets, or the column that a sentence gives it.

        Raises:
            Unreadable: no sentence with the event's name gives one time column in backticks, or several do.
        """
        if name.startswith("day of "):
            return f"date_trunc('day', {self.anchor(re.sub(r'^day of (?:the )?', '', name))})"
        if any(source.anchor == name for source in self.sources.values()):
            return EPOCH
        found: set[str] = set()
        for passage in self.anchors:
            for sentence in passage.text.split(". "):
                found |= {column for span in _spans_of(name, sentence) if (column := self._time(span))}
        if len(found) == 1:
            return found.pop()
        named = "several columns are" if found else "no time column is"
        raise Unreadable(f"{named} named for {name!r}; say '{name} is the `column`'")

    def _time(self, span: str) -> str:
        """A time column as SQL, or nothing where the text in backticks is none."""
        relation = self.grain.relation
        table, _, column = span.rpartition(".")
        if not table:
            return (
                f"stay.{quoted(relation.column(span))}"
                if relation.has(span) and relation.is_time(relation.column(span))
                else ""
            )
        try:
            return self.column(table, column)
        except Unreadable:
            return ""  # a qualified table name, not a column

    def window(self, window: Window, moment: str, finish: str = "") -> list[str]:
        """Tests that ``moment`` lies in the window; with ``finish``, that the span from moment to it touches it.

        Raises:
            Unreadable: an event whose time is not known.
        """
        if window.in_progress:
            anchor = self.anchor(window.anchor)
            return [
                f"{moment} {'<=' if window.start_included else '<'} {anchor}",
                f"{anchor} {'<=' if window.end_included else '<'} charted.finish",
            ]
        if window.start is None and window.end is None:
            return []
        anchor = self.anchor(window.anchor)
        tests = []
        if window.start is not None:
            sign = ">=" if window.start_included else ">"
            tests.append(f"{finish or moment} {sign} {anchor}{_steps(window.start, window.start_months)}")
        if window.end is not None:
            last = self.anchor(window.end_anchor) if window.end_anchor else anchor
            end = f"{last}{_steps(window.end, window.end_months)}"
            if window.cut:
                end = f"least({end}, {self.anchor(window.cut)})"
            tests.append(f"{moment} {'<=' if window.end_included else '<'} {end}")
        return tests

    def bounds(self, window: Window) -> tuple[str, str]:
        """Start and end of a window as SQL.

        Raises:
            Unreadable: an open window, or an event whose time is not known.
        """
        if window.start is None or window.end is None:
            raise Unreadable("the window has no start or no end")
        anchor = self.anchor(window.anchor)
        last = self.anchor(window.end_anchor) if window.end_anchor else anchor
        start = f"{anchor}{_steps(window.start, window.start_months)}"
        return start, f"{last}{_steps(window.end, window.end_months)}"

    def of(self, term: Field) -> str:
        """A qualified column."""
        return self.column(term.table, term.column)


def _steps(minutes: int, months: int) -> str:
    """How far from its event a window starts or ends, to be added to it in SQL."""
    return f" + to_minutes({minutes})" + (f" + to_months({months})" if months else "")


def _spans_of(name: str, sentence: str) -> list[str]:
    """The texts in backticks that a sentence gives an event: ``ICU admission is the `a` and discharge the `b```.

    Those right behind the name; where none stands there, all of the sentence.
    """
    flat = re.sub(r"[*]", "", sentence)
    words = re.escape(name).replace(r"\ ", r"[\s-]+")
    direct = re.search(
        rf"\b{words}(?:\s+(?:is|the|a|of|at|=|time|moment|column))*\s+(`[^`]+`(?:(?:,| or| and)+ (?:the )?`[^`]+`)*)",
        flat,
        re.I,
    )
    if direct:
        return code_spans(direct.group(1))
    return code_spans(sentence) if name in plain(sentence) else []
