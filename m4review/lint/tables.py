"""Readings of a text in which tables stand line by line: without list markers, and with lost line ends put back."""

from __future__ import annotations

import re
from collections.abc import Iterator

from m4review.lint.pattern import Pattern
from m4review.lint.views import View

LIST_MARK = Pattern(r"^(?P<margin>[ \t>]{0,20})(?P<mark>[-*+]|\d{1,3}[.)])(?=[ \t]+[^\n]{0,80}[|,;\t:])", re.M)
RULER = Pattern(r"\|(?:\s{0,3}:?-{3,40}:?\s{0,3}\|){2,40}")
HEADER_REACH = 900
TABLE_REACH = 6000
RECORD = Pattern(
    r"[A-Za-z_](?<!\S[A-Za-z_])\w*(?P<sign>[,;])[A-Za-z_]\w*(?:(?P=sign)[A-Za-z_]\w*)*(?=\s+[-\w.]+(?P=sign))"
)
MOST_FLAT = 60
"""Flat tables read in one text."""


def readings(plain: View) -> Iterator[View]:
    """``plain``, and what its tables look like when every row has a line of its own."""
    yield plain
    text = plain.text
    if "\n" in text:
        unlisted = LIST_MARK.sub(lambda match: match.group("margin") + " " * len(match.group("mark")), text)
        if unlisted != text:
            yield View(unlisted, parent=plain, anchor=plain.anchor, label=plain.label, alike=plain)
    flat = [*_flat_pipes(plain), *_flat_records(plain)]
    yield from flat[:MOST_FLAT]


def _flat_pipes(plain: View) -> Iterator[View]:
    """Markdown tables whose rows run on: the ruler says how many cells a row has."""
    text = plain.text
    for number, ruler in enumerate(RULER.finditer(text) if "---" in text else ()):
        if number == MOST_FLAT:
            return
        before = text[max(0, ruler.start() - HEADER_REACH) : ruler.start()]
        after = text[ruler.end() : ruler.end() + TABLE_REACH]
        width = ruler.group().count("|") - 1
        head = before.split("|")
        if len(head) < width + 1 or head[-1].strip():
            continue
        cells = after.split("|")
        rows = []
        taken = 0
        while taken + width < len(cells) and not cells[taken].strip():
            rows.append(cells[taken + 1 : taken + 1 + width])
            taken += width + 1
        if rows:
            header = head[-1 - width : -1]
            start = ruler.start() - len("|".join(head[-1 - width :])) - 1
            end = ruler.end() + len("|".join(cells[:taken]))
            yield _view(plain, start, end, "|", [header, ["---"] * width, *rows])


def _flat_records(plain: View) -> Iterator[View]:
    """Records separated by blanks: each has as many commas as the header before them."""
    text = plain.text
    if "," not in text and ";" not in text:
        return
    for number, header in enumerate(RECORD.finditer(text)):
        if number == MOST_FLAT:
            return
        sign = header.group("sign")
        names = header.group().split(sign)
        rows = []
        end = header.end()
        for token in re.finditer(r"\S+", text[header.end() : header.end() + TABLE_REACH]):
            cells = token.group().split(sign)
            if len(cells) != len(names):
                break
            rows.append(cells)
            end = header.end() + token.end()
        if rows:
            yield _view(plain, header.start(), end, sign, [names, *rows])


def _view(plain: View, start: int, end: int, sign: str, rows: list[list[str]]) -> View:
    ends = ("| ", " |") if sign == "|" else ("", "")
    joint = f" {sign} " if sign == "|" else sign
    lines = [ends[0] + joint.join(" ".join(cell.split()) for cell in row) + ends[1] for row in rows]
    return View("\n".join(lines) + "\n", anchor=plain.raw(max(start, 0), end), label=plain.label)
