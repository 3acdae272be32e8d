"""The instruction of a task: output columns, key, grain, totals and the missing rule. Nothing clinical."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from .markdown import Page, Place
from .missing import MissingRule, missing_rule_in
from .trace import Trace
from .wording import code_spans, column_roles, plain


@dataclass(frozen=True, slots=True)
class Instruction:
    """What the task card asks for. ``total_of_all`` is the place that calls one column the sum of the others."""

    columns: tuple[str, ...]
    key: tuple[str, ...]
    one_row_per: str
    missing: MissingRule | None
    place: Place
    types: dict[str, str] = field(default_factory=dict)
    """Column -> what the card calls its type, plain."""


def read_columns(
    page: Page, sections: Sequence[str] | None = None
) -> tuple[tuple[str, ...], tuple[str, ...], Place | None]:
    """Output columns in order and those marked as key, from the first table headed ``Column``."""
    for table in page.tables():
        roles = column_roles(table.header)
        if "column" not in roles or "input" in roles or "concept" in roles:
            continue
        columns: list[str] = []
        key: list[str] = []
        for row in table.rows:
            spans = code_spans(row.cells[roles["column"]]) or [row.cells[roles["column"]].strip()]
            if not re.fullmatch(r"\w+", spans[0]) or spans[0] in columns:
                continue
            columns.append(spans[0])
            if re.search(r"\bkey\b", plain(row.text)):
                key.append(spans[0])
        if columns:
            return tuple(columns), tuple(key), table.place
    return (), (), None


def read_instruction(page: Page, trace: Trace) -> Instruction:
    """Read the instruction; what it leaves open is listed."""
    columns, key, place = read_columns(page)
    grain = ""
    missing: MissingRule | None = None
    for passage in page.passages():
        if not grain:
            grain = grain_in(passage.text)
        missing = missing or missing_rule_in(passage)
    start = Place(page.file, 1)
    if not columns:
        trace.gap(str(start), "", "the instruction has no table of output columns headed 'Column'")
    if not grain:
        trace.gap(str(start), "", "the instruction does not say what one row stands for")
    return Instruction(columns, key, grain, missing, place or start, _types(page, place))


def _types(page: Page, place: Place | None) -> dict[str, str]:
    table = next((table for table in page.tables() if table.place == place), None)
    roles = column_roles(table.header) if table else {}
    if table is None or not {"column", "type"} <= roles.keys():
        return {}
    cells = ((code_spans(row.cells[roles["column"]]), plain(row.cells[roles["type"]])) for row in table.rows)
    return {spans[0]: kind for spans, kind in cells if spans}


def grain_in(text: str) -> str:
    """``one row per ICU stay`` -> ``icu stay``."""
    match = re.search(r"\bone row (?:per|for (?:each|every)) ([a-z][a-z -]*)", plain(text))
    return match.group(1).strip() if match else ""


def key_in(text: str, columns: Sequence[str]) -> tuple[str, ...]:
    """``the key is `stay_id``` -> its columns."""
    match = re.search(r"\bkeys?(?: columns?)? (?:is|are|being) ((?:`\w+`(?:, | and )?)+)", text)
    if match is None:
        return ()
    spans = code_spans(match.group(1))
    return tuple(spans) if all(span in columns for span in spans) else ()
