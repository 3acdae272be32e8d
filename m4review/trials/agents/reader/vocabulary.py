"""All names that the sections of a text define, collected before anything is read that speaks of them."""

from __future__ import annotations

from collections.abc import Sequence

from .markdown import Section, Table
from .names import Vocabulary
from .rules import defined_in, heading_name
from .wording import column_roles, plain, section_purpose


def collect_names(
    kinds: Sequence[tuple[str, Section, Table]],
    sections: Sequence[Section],
    measures: Sequence[str],
    columns: Sequence[str],
    own: Sequence[str],
) -> Vocabulary:
    """The names that tables of known kinds and sentences define; ``own`` are those of the row itself."""
    series, episodes, rows = list(measures), list[str](), list[str]()
    outputs = tuple(plain(column) for column in columns)
    for kind, section, table in kinds:
        roles = column_roles(table.header)
        if kind in {"episodes", "derived", "force"}:
            cells = [plain(row.cells[roles[kind]]) for row in table.rows]
            (episodes if kind == "episodes" else series).extend(cells)
        elif kind == "diagnoses":
            rows += [plain(row.cells[0]) for row in table.rows]
        elif kind in {"input", "input rule"}:
            rows += [plain(row.cells[roles["input"]]) for row in table.rows]
        elif kind in {"rule", "two-way"}:
            place = series if section_purpose(section.titles) == "source" else rows
            column = roles.get("component", roles.get("column"))
            named = [heading_name(section)] if column is None else [plain(row.cells[column]) for row in table.rows]
            place += [name for name in named if name not in outputs]
    for section in sections:
        place = series if section_purpose(section.titles) == "source" else rows
        place += [defined[0] for passage in section.prose() if (defined := defined_in(passage))]
    names = tuple(name for name in dict.fromkeys([*series, *rows, *own]) if name)
    return Vocabulary(names, outputs, tuple(dict.fromkeys(series)), tuple(episodes))
