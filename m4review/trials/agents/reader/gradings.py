"""Two-sided grading: of two values the one further from a reference gives the points."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from .markdown import Place, Table
from .wording import Unreadable, code_spans, column_roles, number, plain

GRADED = "graded value"
"""The name under which the lines of a grading speak of the value that is graded."""


@dataclass(frozen=True, slots=True)
class Grading:
    """Both ``values`` are graded by the same lines; the one further from ``reference`` counts."""

    values: tuple[str, ...]
    reference: Decimal
    place: Place
    text: str

    @property
    def common(self) -> str:
        """What the values have in common: ``heart rate`` of the lowest and the highest heart rate."""
        words = [name.split() for name in self.values]
        shared = 0
        while all(len(name) > shared + 1 for name in words) and len({name[-shared - 1] for name in words}) == 1:
            shared += 1
        return " ".join(words[0][len(words[0]) - shared :])


def read_gradings(table: Table) -> dict[str, Grading]:
    """Which values of a component are graded: a table ``Component | Graded values | Further from | At equal distance``.

    Raises:
        Unreadable: a reference that is no number, or another rule for equal distance than the higher points.
    """
    roles = column_roles(table.header)
    found: dict[str, Grading] = {}
    for row in table.rows:
        spans = code_spans(row.cells[roles["component"]])
        name = plain(spans[0]) if spans else plain(row.cells[roles["component"]])
        values = tuple(plain(part) for part in re.split(r";|\band\b", row.cells[roles["graded"]]) if part.strip())
        reference = re.match(r"[-+]?[\d.,]+", plain(row.cells[roles["reference"]]))
        if reference is None or len(values) < 2:
            raise Unreadable("'Further from' is a number and 'Graded values' names two inputs")
        if "equal" in roles and "higher points" not in plain(row.cells[roles["equal"]]):
            raise Unreadable("at equal distance the 'higher points' count; nothing else is understood")
        found[name] = Grading(values, number(reference.group(0)), row.place, row.text)
    return found
