"""Cells that are empty or stand for several rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from m4review.skills.document import Table
from m4review.skills.skill import Skill
from m4review.skills.statements import OPEN
from m4review.skills.unclear.place import UnclearPlace, column, plain

MAY_BE_EMPTY = re.compile(
    r"^only (?:rows )?where|^window$|^one value per|\bnotes?\b|remark|comment|explanation|^order$"
)
"""Columns that hold a restriction or a remark: an empty cell says that there is none."""
SAME_AGAIN = re.compile(
    r"[\"”“″〃‚''’^↑⇑]+|ditto|idem|same(?: as above)?|as above|\(?cont(?:inued|\.)?\)?|⋮|\.\.\.|…", re.I
)
SPANNED = re.compile(r"<t[dh]\b[^<>]{0,200}\b(?:row|col)span\s*=", re.I)
WRITE_EACH = "Fill the cell; where it is the same as above, repeat it; where there is nothing, write 'none' or '–'."


def unclear_cells(skill: Skill, tables: Sequence[Table]) -> Iterator[UnclearPlace]:
    """Empty cells, cells merged with others, and rows with more or fewer cells than their header."""
    lines = skill.text.split("\n")
    for table in tables:
        for row in table.rows:
            cells = _cell_count(lines[row.line - 1])
            if cells != len(table.header):
                yield UnclearPlace(
                    "merged-cell",
                    row.line,
                    f"the row has {cells} cell{'s' * (cells != 1)}, its header {len(table.header)}",
                    "Give every row one cell per column; a bar inside a cell is written \\|.",
                )
                continue
            still_open = [name for name, cell in zip(table.header, row.cells, strict=True) if is_open(cell)]
            if still_open:
                named = ", ".join(still_open)
                yield UnclearPlace("empty-cell", row.line, f"still open: {named}", "Write what belongs there.")
            for index, cell in enumerate(row.cells):
                name = table.header[index] or f"column {index + 1}"
                if SAME_AGAIN.fullmatch(cell.strip()):
                    yield UnclearPlace(
                        "merged-cell", row.line, f"the cell under {name!r} only points to another cell", WRITE_EACH
                    )
                elif not cell.strip(" *_`") and not _may_be_empty(table, index):
                    yield UnclearPlace("empty-cell", row.line, f"the cell under {name!r} is empty", WRITE_EACH)
    for number, line in enumerate(lines, start=1):
        if number >= skill.body_line and SPANNED.search(line):
            yield UnclearPlace(
                "merged-cell",
                number,
                "a cell is merged over several rows or columns",
                "Write a plain table of bars, and repeat the value in each row.",
            )


def is_open(cell: str) -> bool:
    """Whether a cell only says that something is still to be said."""
    return cell.strip() == "?" or OPEN.search(cell) is not None


def _may_be_empty(table: Table, index: int) -> bool:
    name = plain(table.header[index])
    unit_of_a_rule = name == "unit" and column(table, r"^rule$") is not None
    return unit_of_a_rule or MAY_BE_EMPTY.search(name) is not None


def _cell_count(line: str) -> int:
    """Cells of a table row as written; bars in code count as Markdown counts them."""
    text = re.sub(r"^\s*(?:>\s?)*", "", line).strip().replace("\\|", "")
    return text.removeprefix("|").removesuffix("|").count("|") + 1
