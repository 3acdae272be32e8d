"""The views of a screen on one line, each with the digit that shows it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style
from rich.text import Text


def views_line(views: Sequence[tuple[str, str]], current: str, width: int) -> Text:
    """Every view (id, title) with its digit, the current one in brackets; a click on one shows it.

    Where the width is too small, only the current one is named.
    """
    line = Text(no_wrap=True, overflow="ellipsis", end="")
    for number, (view, title) in enumerate(views, start=1):
        words = f"[{number} {title}]" if view == current else f" {number} {title} "
        line.append(words, Style(bold=view == current, meta={"@click": f"screen.show_view('{view}')"}))
    if line.cell_len <= width:
        return line
    titles = dict(views)
    number = [view for view, _ in views].index(current) + 1
    return Text(f"[{number} {titles[current]}] of {len(views)}", "bold", no_wrap=True, overflow="ellipsis", end="")
