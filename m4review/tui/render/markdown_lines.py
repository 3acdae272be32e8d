"""What each line of a skill is, for the editor's quiet colouring: front matter, heading, fence, table or text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

Kind = Literal["front", "heading", "fence", "table", "text"]

STYLES: dict[Kind, str] = {"front": "dim", "heading": "bold", "fence": "dim", "table": "", "text": ""}
HEADING = re.compile(r"#{1,6}(\s|$)")
FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
MOST_LINES = 2000
"""Above this the colouring costs more than a keystroke may; the text is shown plain."""


def line_kinds(lines: Sequence[str]) -> list[Kind]:
    """The kind of every line; an empty list when the text is too long to be coloured."""
    if len(lines) > MOST_LINES:
        return []
    kinds: list[Kind] = []
    in_front = bool(lines) and lines[0].rstrip() == "---"
    fence: str | None = None
    for number, line in enumerate(lines):
        if in_front:
            kinds.append("front")
            in_front = number == 0 or line.rstrip() != "---"
            continue
        mark = FENCE.match(line)
        if fence is not None:
            kinds.append("fence")
            if mark and mark[1].startswith(fence):
                fence = None
        elif mark:
            kinds.append("fence")
            fence = mark[1]
        elif HEADING.match(line):
            kinds.append("heading")
        else:
            kinds.append("table" if line.lstrip().startswith("|") else "text")
    return kinds
