"""What of an agent's words may be shown on a page that is passed on: never rows of data.

The raw trace stays in the private run folder. What is shown passes three rules, which need no knowledge of the data:

- What a tool returned is never shown, only its size: it may be a table of patients or a note about one.
- In what the agent wrote, a line of values (a CSV line, a row of a printed table, a tuple, a record) is left out and
  counted.
- Elsewhere numbers of five or more digits, dates and times of day are masked, unless the agent was given them: item ids
  of the instruction or a skill, or of our own queries, are no patient's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from m4review.ehr.itemdictionary import shipped_items
from m4review.trials.printable import REPLACEMENT

MASK = "•••"
LONGEST = 2_000
"""Characters of one text that are shown."""

MOST_READ = 4 * LONGEST
"""Characters of one text that are looked at, so that an endless line costs nothing."""

LONG_NUMBER = re.compile(r"\d{5,}")
MOMENT = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[ T]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
    r"|\b\d{1,2}/\d{1,2}/\d{2,4}\b|\b\d{1,2}:\d{2}:\d{2}(?:\.\d+)?\b"
)
VALUE = re.compile(
    r"[-+]?\d[\d_]*(?:[.,]\d+)?(?:e[-+]?\d+)?|[-+]?\.\d+|null|none|nan|nat|na|n/a|true|false|<na>|inf(?:inity)?"
    rf"|{MOMENT.pattern}",
    re.IGNORECASE,
)
SEPARATORS = (re.compile(r"[|│┃]"), re.compile(r"\t"), re.compile(r";"), re.compile(r","), re.compile(r"\s{2,}"))
RECORD = re.compile(
    r"[\"']?\b\w{1,60}[\"']?\s{0,8}[:=]\s{0,8}[\"']?(?:" + VALUE.pattern + r")(?![\w.])[\"']?", re.IGNORECASE
)
AROUND = " \t()[]{}'\"`"


class Discretion:
    """The rules for one run. ``given`` are the numbers and dates that the agent was given."""

    def __init__(self, given: Iterable[str] = ()) -> None:
        self._given = {str(item) for item in shipped_items()} | set(given)

    @classmethod
    def for_materials(cls, folder: Path) -> Discretion:
        """The rules for an agent that was given the texts under ``folder``."""
        texts = (path.read_text(encoding="utf-8", errors="replace") for path in folder.rglob("*") if path.is_file())
        return cls(number for text in texts for form in (LONG_NUMBER, MOMENT) for number in form.findall(text))

    def text(self, text: str) -> str:
        """``text`` as it may be shown, over several lines, cut after :data:`LONGEST` characters."""
        shown: list[str] = []
        rows = cells = 0
        for line in text[:MOST_READ].splitlines():
            width = self._row_of(line)
            if width:
                rows, cells = rows + 1, max(cells, width)
                continue
            if rows:
                shown.append(_left_out(rows, cells))
                rows = cells = 0
            shown.append(self.masked(line))
        if rows:
            shown.append(_left_out(rows, cells))
        whole = "\n".join(shown).strip("\n")
        more = max(len(whole) - LONGEST, 0) + max(len(text) - MOST_READ, 0)
        return f"{whole[:LONGEST]}… ({more:,} characters more)" if more else whole

    def result(self, values: Mapping[str, Any]) -> str:
        """The size of what a tool returned."""
        parts = []
        rows, text, code = values.get("rows"), values.get("text"), values.get("exit_code")
        if isinstance(rows, int):
            parts.append(f"{rows:,} row{'s' if rows != 1 else ''}")
        if isinstance(text, str) and text:
            lines = len(text.splitlines())
            parts.append(f"{lines:,} line{'s' if lines != 1 else ''}, {len(text):,} characters, not shown")
        if isinstance(code, int) and not isinstance(code, bool):
            parts.append(f"exit code {code}")
        return "; ".join(parts) or "nothing"

    def masked(self, line: str) -> str:
        """A line that is no row, without long numbers and moments that the agent was not given."""
        return LONG_NUMBER.sub(self._unless_given, MOMENT.sub(self._unless_given, _clean(line)))

    def _unless_given(self, found: re.Match[str]) -> str:
        return found.group() if found.group() in self._given else MASK

    def _row_of(self, line: str) -> int:
        """How many cells the line has if it is a row of data, else 0."""
        if len(RECORD.findall(line)) >= 2 and not re.search(r"[<>]=?|\b(?:and|or|where|when|then)\b", line.lower()):
            return len(RECORD.findall(line))
        for separator in SEPARATORS:
            cells = [cell.strip(AROUND) for cell in separator.split(line.strip().strip("|│┃"))]
            if len(cells) < 2:
                continue
            values = [cell for cell in cells if not cell or VALUE.fullmatch(cell)]
            filled = [value for value in values if value]
            if len(filled) >= 2 and 2 * len(values) >= len(cells) and not self._given.issuperset(filled):
                return len(cells)
            if filled and separator in SEPARATORS[:2] and self.masked(line) != _clean(line):
                return len(cells)
        return 0


def _clean(line: str) -> str:
    return "".join(sign if sign.isprintable() else REPLACEMENT for sign in line.expandtabs(4))


def _left_out(rows: int, cells: int) -> str:
    return f"[{rows:,} row{'s' if rows != 1 else ''} of up to {cells} cells, not shown]"
