"""The line under the editor: what is said of the line that the cursor is on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from m4review.tui.render.completeness import unclear_line
from m4review.tui.render.findings import at_line, one_line, tally
from m4review.tui.session.checking import Checked

if TYPE_CHECKING:
    from m4review.skills.unclear import UnclearPlace


def message_line(checked: Checked, unclear: Sequence[UnclearPlace], line: int, column: int) -> Text:
    """The finding of the 1-based line, else what is unclear there, else where the cursor is and how many findings."""
    here = at_line(checked.findings, line)
    if here is not None:
        return one_line(here)
    place = next((place for place in unclear if place.line == line), None)
    if place is not None:
        return unclear_line(place)
    if checked.error is not None:
        return Text(f" The lint could not run: {checked.error.what}", no_wrap=True, overflow="ellipsis")
    return Text(f" line {line}, column {column} · {tally(checked.findings, len(checked.waived))}", no_wrap=True)
