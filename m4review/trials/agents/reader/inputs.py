"""Derived inputs: one value per stay, the summary of a measure over a window."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .markdown import Passage, Place, Row
from .restrictions import Restriction, read_restriction
from .windows import Window, any_time, in_progress, parse_window, running_through, speaks_of_window
from .wording import SUMMARIES, Unreadable, code_spans, plain, says_nothing


@dataclass(frozen=True, slots=True)
class Choice:
    """Which charting counts: the one where ``by`` is lowest or highest, and which of several."""

    by: str
    lowest: bool | None
    """Lowest or highest; ``None``: only the time decides."""
    earliest: bool


@dataclass(frozen=True, slots=True)
class DerivedInput:
    """``summary`` of ``measure`` over ``window``, restricted to the values that pass; or its value where ``choice``
    says. ``match`` names another link to the stay than the measure's own."""

    name: str
    measure: str
    summary: str
    window: Window
    only: Restriction
    match: str
    place: Place
    text: str
    choice: Choice | None = None


def read_input(
    row: Row, roles: dict[str, int], series: Sequence[str], episodes: Sequence[str], windows: Sequence[Window]
) -> DerivedInput:
    """Read one row of a table of derived inputs; ``series`` are the names of measures that can be summarised.

    Raises:
        Unreadable: an unknown measure or summary, a window that is not stated, or a restriction that cannot be read.
    """

    def cell(role: str) -> str:
        return row.cells[roles[role]] if role in roles else ""

    measure = plain(cell("measure"))
    known = {plain(name) for name in (*series, *episodes)}
    if measure not in known:
        raise Unreadable(f"the source map has no executable measure {cell('measure')!r}")
    wanted = re.sub(r"^the ", "", plain(cell("summary")))
    choice = _choice(wanted, known)
    summary = "at" if choice else SUMMARIES.get(wanted)
    if summary is None:
        raise Unreadable(f"{cell('summary')!r} is not a summary the reader knows")
    names = [*series, "status"] if measure in map(plain, episodes) else list(series)
    return DerivedInput(
        name=cell("input"),
        measure=measure,
        summary=summary,
        window=read_window(cell("window"), row.place, windows),
        only=read_restriction(cell("only"), names, episodes),
        match=next(iter(code_spans(cell("match"))), ""),
        place=row.place,
        text=row.text,
        choice=choice,
    )


def _choice(text: str, known: set[str]) -> Choice | None:
    """``at the earliest lowest X`` / ``value at the latest highest X``."""
    timed = re.fullmatch(r"(?:value )?at the (first|last) (.+)", text)
    if timed and timed.group(2) in known:
        return Choice(timed.group(2), None, timed.group(1) == "first")
    match = re.fullmatch(
        r"(?:value )?at the (?:(earliest|latest) )?(lowest|highest) (.+?)(?:, (?:the )?(earliest|latest).*)?", text
    )
    if match is None:
        return None
    order = match.group(1) or match.group(4)
    if order is None:
        raise Unreadable("which of several equal values counts is not said; write 'at the earliest lowest …'")
    if match.group(3) not in known:
        raise Unreadable(f"the source map has no executable measure {match.group(3)!r}")
    return Choice(match.group(3), match.group(2) == "lowest", order == "earliest")


def read_window(text: str, place: Place, windows: Sequence[Window]) -> Window:
    """The window a cell names or states; an empty cell means the only one of the text.

    Raises:
        Unreadable: none or several windows, or one that cannot be read.
    """
    if speaks_of_window(text):
        return parse_window(Passage(text, place))
    progress = in_progress(text, place)
    if progress is not None:
        return progress
    if plain(text) in {"any time", "at any time", "whenever", "all times"}:
        return any_time(place)
    if re.fullmatch(r"(?:entries )?running through the (?:row|interval|episode)", plain(text)):
        return running_through(place)
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
