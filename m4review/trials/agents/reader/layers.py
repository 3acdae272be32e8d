"""The rows of the output, built up in layers: inputs and columns first, then rules on them, then rules on those."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .catalog import quoted
from .facts import Facts
from .gradings import GRADED
from .grain import Grain
from .instruction import Instruction
from .missing import MissingRule
from .rendering import condition_sql, value_sql
from .rules import Rule
from .sourcerow import listed
from .terms import Around, Condition, Figure, Holding, Nothing, Otherwise, Previous, SameAs, Since, names_in
from .wording import Unreadable, plain


@dataclass(frozen=True, slots=True)
class _Column:
    sql: str
    layer: int


@dataclass
class Layers:
    """Named columns of the rows; each is SQL over the columns of the layers below it."""

    grain: Grain
    instruction: Instruction
    facts: Facts | None
    lists: Mapping[str, tuple[str, ...]]
    _columns: dict[str, _Column] = field(default_factory=dict)
    _inputs: list[str] = field(default_factory=list)
    _fields: dict[str, str] = field(default_factory=dict)
    _constants: set[str] = field(default_factory=set)
    _graded: set[str] = field(default_factory=set)
    _kept: str = ""

    def has(self, name: str) -> bool:
        """Whether the column is there."""
        return name in self._columns

    def is_constant(self, name: str) -> bool:
        """Whether the column is only what missing counts as, because it could not be executed."""
        return name in self._constants

    def is_graded(self, name: str) -> bool:
        """Whether the column has lines of which one should apply to every row."""
        return name in self._graded

    def constant(self, name: str, column: str, missing: MissingRule | None) -> None:
        """A column that cannot be executed: what missing counts as, else empty."""
        scope = _LayerScope(self, 0)
        self._constants.add(name)
        self._columns[name] = _Column("NULL" if missing is None else value_sql(missing.counts_as, scope), 1)

    def input(self, name: str, table: str, zero: bool) -> None:
        """A temporary table with the key and one amount; ``zero``: no row means 0."""
        self._inputs.append(table)
        amount = f"{quoted(table)}.amount"
        self._columns[name] = _Column(f"coalesce({amount}, 0)" if zero else amount, 0)

    def rule(self, name: str, rule: Rule, missing: MissingRule | None, is_output: bool) -> None:
        """A rule over columns that are there.

        Raises:
            Unreadable: it speaks of something that is no column of the rows.
        """
        inputs = rule.inputs
        layer = 1 + max((self._columns[item].layer for item in inputs), default=0)
        scope = _LayerScope(self, layer)
        absent = "NULL" if missing is None else value_sql(missing.counts_as, scope)
        if rule.grading is None:
            sql = self._lines(rule, missing, absent, scope, is_output)
        else:
            sql = self._graded_sql(rule, absent, scope)
        if is_output and all(isinstance(line.value, Figure) for line in rule.lines):
            self._graded.add(name)
        self._columns[name] = _Column(sql, layer)

    def own(self, name: str, column: str) -> None:
        """A column of the row itself."""
        self._columns[name] = _Column(f"stay.{quoted(column)}", 0)

    def keep(self, condition: Condition) -> None:
        """Only the rows that meet a condition over columns are written.

        Raises:
            Unreadable: it speaks of something that is no column of the rows.
        """
        top = 1 + max((column.layer for column in self._columns.values()), default=0)
        self._kept = condition_sql(condition, _LayerScope(self, top))

    def _lines(self, rule: Rule, missing: MissingRule | None, absent: str, scope: _LayerScope, is_output: bool) -> str:
        lines: list[str] = []
        rest = "NULL"
        outputs = {plain(column) for column in self.instruction.columns}
        for line in rule.lines:
            value = absent if isinstance(line.value, Nothing) else value_sql(line.value, scope)
            parts = names_in(line.value)
            if is_output and missing is not None and parts and not outputs & {*parts}:
                value = f"coalesce({value}, {absent})"
            if not isinstance(line.default, Nothing):
                value = f"coalesce({value}, {value_sql(line.default, scope)})"
            if isinstance(line.condition, Otherwise):
                rest = value
            else:
                lines.append(f"WHEN {condition_sql(line.condition, scope, rule.inputs)} THEN {value}")
        if is_output and rule.inputs and (missing is not None or lines):
            when = missing.when if missing is not None else None
            test = condition_sql(when, scope, rule.inputs) if when else ""
            everything = " AND ".join(f"{scope.name(name)} IS NULL" for name in rule.inputs)
            lines.append(f"WHEN {test or everything} THEN {absent}")
        return f"CASE {' '.join(lines)} ELSE {rest} END" if lines else rest

    def _graded_sql(self, rule: Rule, absent: str, scope: _LayerScope) -> str:
        """The points of the graded value further from the reference; at equal distance the higher points."""
        assert rule.grading is not None
        reference = value_sql(Figure(rule.grading.reference), scope)
        best: tuple[str, str] | None = None
        for name in rule.grading.values:
            value = scope.name(name)
            graded = _LayerScope(self, scope.layer, value)
            whens = " ".join(
                f"WHEN {condition_sql(line.condition, graded)} THEN"
                f" {absent if isinstance(line.value, Nothing) else value_sql(line.value, graded)}"
                for line in rule.lines
            )
            points, distance = f"CASE {whens} END", f"abs({value} - {reference})"
            if best is None:
                best = points, distance
                continue
            held, held_distance = best
            best = (
                f"CASE WHEN {distance} > {held_distance} THEN {points} WHEN {distance} < {held_distance} THEN {held}"
                f" ELSE greatest({points}, {held}) END",
                f"greatest({distance}, {held_distance})",
            )
        assert best is not None
        everything = " AND ".join(f"{scope.name(name)} IS NULL" for name in rule.grading.values)
        return f"CASE WHEN {everything} THEN {absent} ELSE {best[0]} END"

    def field_alias(self, table: str, column: str) -> str:
        """A column of the database as a column of the lowest layer.

        Raises:
            Unreadable: it is not one value per row.
        """
        if self.facts is None:
            raise Unreadable(f"{column!r} is not a column of the rows")
        sql = self.facts.column(table, column)
        return self._fields.setdefault(sql, f"f{len(self._fields)}")

    def alias(self, name: str, layer: int) -> str:
        """The SQL name of a column, for a rule in ``layer``.

        Raises:
            Unreadable: there is no such column below that layer.
        """
        if name not in self._columns or self._columns[name].layer >= layer:
            raise Unreadable(f"{name!r} is not a value of the row")
        return quoted(f"_{name}")

    def by_layer(self, columns: Sequence[str]) -> list[str]:
        """Output columns, those first on which others may rest."""
        return sorted(columns, key=lambda column: self._columns[plain(column)].layer)

    def output_sql(self) -> str:
        """The whole output as one query."""
        relation = self.grain.relation
        base = [f"stay.{quoted(relation.column(name))} AS {quoted('=' + name)}" for name in self.grain.identifiers]
        base += [f"{sql} AS {alias}" for sql, alias in self._fields.items()]
        base += [f"{column.sql} AS {quoted('_' + name)}" for name, column in self._columns.items() if column.layer == 0]
        joins = "".join(
            f"\nLEFT JOIN {quoted(table)} ON "
            + " AND ".join(f"{quoted(table)}.{quoted(key)} = stay.{quoted(key)}" for key in self.grain.key)
            for table in self._inputs
        )
        sql = f"SELECT {', '.join(base)}\nFROM {relation.sql} AS stay{joins}"
        for layer in range(1, 1 + max((column.layer for column in self._columns.values()), default=0)):
            here = [
                f"{column.sql} AS {quoted('_' + name)}"
                for name, column in self._columns.items()
                if column.layer == layer
            ]
            sql = f"SELECT *{''.join(', ' + part for part in here)}\nFROM (\n{sql}\n)"
        where = f"\nWHERE {self._kept}" if self._kept else ""
        chosen = [self._output(column) for column in self.instruction.columns]
        sorted_by = {*self.grain.identifiers, *self.instruction.key}
        order = ", ".join(quoted(column) for column in self.instruction.columns if column in sorted_by)
        return f"SELECT {', '.join(chosen)}\nFROM (\n{sql}\n){where}" + (f"\nORDER BY {order}" if order else "")

    def _output(self, column: str) -> str:
        if column in self.grain.identifiers:
            return f"{quoted('=' + column)} AS {quoted(column)}"
        value = quoted("_" + plain(column))
        if self.instruction.types.get(column, "").startswith("integer"):
            value = f"TRY_CAST({value} AS BIGINT)"
        return f"{value} AS {quoted(column)}"


@dataclass
class _LayerScope:
    """One row of the output: the columns below a layer. ``graded`` is the value that a grading is about."""

    layers: Layers
    layer: int
    graded: str = ""

    def name(self, name: str) -> str:
        if name == GRADED and self.graded:
            return self.graded
        return self.layers.alias(name, self.layer)

    def field(self, table: str, column: str) -> str:
        return self.layers.field_alias(table, column)

    def has_field(self, column: str) -> bool:
        return self.layers.facts is not None and self.layers.facts.has(column)

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

    @property
    def lists(self) -> Mapping[str, tuple[str, ...]]:
        return self.layers.lists
