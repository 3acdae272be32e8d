"""Several values at one time: ``mean``, ``highest per `sample```, ``latest by `stored`, then highest``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .conversions import split_rounding
from .wording import SUMMARIES, Unreadable, plain, says_nothing

EACH = "each"
"""The summary that keeps every value."""


@dataclass(frozen=True, slots=True)
class Together:
    """How several values at one time become one: ``summary`` per ``column`` (empty: per charting time)."""

    summary: str
    column: str
    digits: int | None
    latest: str = ""
    """Column of which only the latest entries are kept before the summary."""
    keeps_empty: bool = False
    """An entry without a value makes a charting time all the same."""
    range_after: bool = False
    """The valid range is tested on the summary, not on each value."""


def read_together(text: str) -> Together | None:
    """Read a cell 'Several values at one time'; ``None`` where it says nothing.

    Raises:
        Unreadable: a summary or form that is not known.
    """
    if says_nothing(text) or plain(text).startswith("only its times"):
        return None
    if plain(text) in {"each counts", "each stands alone", "each by itself"}:
        return Together(EACH, "", None)
    bare, digits = split_rounding(text)
    empty = re.search(r",\s*(?:also )?entries without a (?:value|number) included", bare)
    if empty:
        bare = bare[: empty.start()] + bare[empty.end() :]
    after = re.search(r",\s*then the (?:valid )?range is tested(?: on it)?", bare)
    if after:
        bare = bare[: after.start()] + bare[after.end() :]
    latest = re.match(r"(?:the )?latest by `([^`]+)`,? then (?:the )?", bare)
    if latest:
        bare = bare[latest.end() :]
    match = re.fullmatch(
        r"(?:the )?([a-z]+)(?: (?:per|of one|of the same|by|within one) `([^`]+)`)?(?: value)?",
        bare.strip().rstrip(".,"),
    )
    if match is None or match.group(1) not in SUMMARIES:
        raise Unreadable(f"cannot read {text!r}; write 'mean', 'highest per `column`' and the like")
    return Together(
        SUMMARIES[match.group(1)],
        match.group(2) or "",
        digits,
        latest=latest.group(1) if latest else "",
        keeps_empty=empty is not None,
        range_after=after is not None,
    )
