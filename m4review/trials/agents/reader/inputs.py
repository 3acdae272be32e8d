"""Derived inputs: one number per stay, the summary of a measure over a window."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .conditions import Condition, parse_condition
from .formulas import ColumnTest, parse_column_tests
from .markdown import Passage, Place, Row, Table
from .sources import Measure
from .trace import Trace
from .windows import Window, parse_window, speaks_of_window
from .wording import SUMMARIES, Unreadable, column_roles, plain, says_nothing


@dataclass(frozen=True, slots=True)
class MeasureTest:
    """Another measure of the same sample or time is present, is exactly a text, or meets a condition."""

    measure: str
    text: str | None
    condition: Condition | None


@dataclass(frozen=True, slots=True)
class DerivedInput:
    """``summary`` of ``measure`` over ``window``, restricted to the values that pass all tests."""

    name: str
    measure: str
    summary: str
    window: Window
    tests: tuple[MeasureTest, ...]
    columns: tuple[ColumnTest, ...]
    unit: str
    place: Place
    text: str


def read_inputs(
    tables: Sequence[Table], measures: dict[str, Measure], windows: Sequence[Window], trace: Trace
) -> tuple[dict[str, DerivedInput], dict[str, str]]:
    """Read the tables of derived inputs.

    Returns the inputs that can be executed, and the names of those that cannot with the reason.
    """
    found: dict[str, DerivedInput] = {}
    lost: dict[str, str] = {}
    for table in tables:
        roles = column_roles(table.header)
        if not {"input", "measure", "summary"} <= roles.keys():
            trace.gap(
                str(table.place),
                " | ".join(table.header),
                "a table of derived inputs needs the headers 'Input', 'Measure' and 'Summary'",
            )
            continue
        for row in table.rows:
            name = plain(row.cells[roles["input"]])
            try:
                if not name:
                    raise Unreadable("the row names no input")
                if name in found or name in lost:
                    found.pop(name, None)
                    raise Unreadable("the input is defined twice")
                found[name] = _input(row, roles, measures, windows)
            except Unreadable as problem:
                lost[name] = str(problem)
                trace.gap(str(row.place), row.text, str(problem))
    return found, lost


def _input(row: Row, roles: dict[str, int], measures: dict[str, Measure], windows: Sequence[Window]) -> DerivedInput:
    def cell(role: str) -> str:
        return row.cells[roles[role]] if role in roles else ""

    measure = measures.get(plain(cell("measure")))
    if measure is None:
        raise Unreadable(f"the source map has no executable measure {cell('measure')!r}")
    summary = SUMMARIES.get(re.sub(r"^the ", "", plain(cell("summary"))))
    if summary is None:
        raise Unreadable(f"{cell('summary')!r} is not a summary the reader knows")
    tests, columns = _tests(cell("only"), measures)
    return DerivedInput(
        name=cell("input"),
        measure=plain(cell("measure")),
        summary=summary,
        window=_window(cell("window"), row, windows),
        tests=tests,
        columns=columns,
        unit=measure.unit,
        place=row.place,
        text=row.text,
    )


def _window(text: str, row: Row, windows: Sequence[Window]) -> Window:
    if speaks_of_window(text):
        return parse_window(Passage(text, row.place))
    if says_nothing(text) or plain(text) in {"the window", "the window above", "window above", "as above"}:
        if not windows:
            raise Unreadable("no time window can be read")
        if len({window.same_as for window in windows}) > 1:
            raise Unreadable("there are several time windows and the row names none")
        return windows[0]
    wanted = re.sub(r"^the ", "", plain(text))
    named = [window for window in windows if window.label and window.label == wanted]
    if len({window.same_as for window in named}) != 1:
        raise Unreadable(f"the time window {text!r} is {'stated in two ways' if named else 'not stated'}")
    return named[0]


def _tests(text: str, measures: dict[str, Measure]) -> tuple[tuple[MeasureTest, ...], tuple[ColumnTest, ...]]:
    if says_nothing(text):
        return (), ()
    tests: list[MeasureTest] = []
    columns: list[ColumnTest] = []
    for part in (piece.strip() for piece in text.split(";")):
        if not part:
            continue
        if part.startswith("`"):
            columns.extend(parse_column_tests(part))
            continue
        tests.append(_measure_test(part, measures))
    return tuple(tests), tuple(columns)


def _measure_test(part: str, measures: dict[str, Measure]) -> MeasureTest:
    exact = re.fullmatch(r"(?:the )?(.+?) is (?:exactly )?`([^`]*)`", part)
    if exact:
        name = plain(exact.group(1))
        if name in measures:
            return MeasureTest(name, exact.group(2), None)
        raise Unreadable(f"the source map has no executable measure {exact.group(1)!r}")
    present = re.fullmatch(r"(?:with (?:a |an )?)?(.+?)(?: (?:is )?(?:present|measured|available))", plain(part))
    if present:
        if present.group(1) in measures:
            return MeasureTest(present.group(1), None, None)
        raise Unreadable(f"the source map has no executable measure {present.group(1)!r}")
    for name in sorted(measures, key=len, reverse=True):
        if plain(part).startswith(name):
            return MeasureTest(name, None, parse_condition(plain(part), (name,)))
    raise Unreadable(f"cannot read the restriction {part!r}")
