"""The aid for tables: found where Markdown sees one, laid out without changing a cell, stepped through cell by cell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from m4review.skills.document import parse_document
from m4review.tui.session.markdown_table import cell_index, cell_place, cells_of, next_cell, table_at

TABLE = """| Measure | Unit |
|:--|--:|
| Heart rate | /min |
| pH \\| pCO2 | 検査値 |"""


def read(text: str) -> list[tuple[str, ...]]:
    """The cells as Markdown reads them."""
    (table,) = parse_document(text).tables
    return [table.header, *(row.cells for row in table.rows)]


def test_a_table_is_laid_out_evenly_and_keeps_its_sides() -> None:
    table = table_at(TABLE.split("\n"), 2)
    assert table is not None
    assert table.lines() == [
        "| Measure    |   Unit |",
        "| :--------- | -----: |",
        "| Heart rate |   /min |",
        "| pH \\| pCO2 | 検査値 |",
    ]


@given(st.lists(st.lists(st.text("ab |\\`-:*é検 ", max_size=6), min_size=2, max_size=4), min_size=1, max_size=5))
def test_laying_out_never_changes_what_a_cell_holds(rows: list[list[str]]) -> None:
    width = len(rows[0])
    lines = ["| " + " | ".join(cell.replace("\\", "").replace("|", "\\|") for cell in row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * width)
    table = table_at(lines, 0)
    assert table is not None
    again = table_at(table.lines(), 0)
    assert again is not None
    assert (again.rows, again.sides) == (table.rows, table.sides)
    assert again.lines() == table.lines()


@pytest.mark.parametrize(
    "text",
    [
        "no table | here\nnor | here",
        "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```",
        "| a | b |\n|---|\n| 1 | 2 |",
        "---\nname: |\n  a | b\n---",
        "a\nb",
        "",
    ],
    ids=["pipes in prose", "in a code block", "dashes of another width", "front matter", "prose", "nothing"],
)
def test_where_markdown_sees_no_table_there_is_none(text: str) -> None:
    lines = text.split("\n")
    assert [table_at(lines, line) for line in range(len(lines))] == [None] * len(lines)


def test_pipes_at_the_edges_may_be_left_out_and_short_rows_are_filled() -> None:
    table = table_at(["a | b", "--- | ---", "1", "1 | 2 | 3"], 0)
    assert table is not None
    assert table.rows == (("a", "b"),)
    table = table_at(["a | b", "--- | ---", "1 | 2 | 3", "| 4 |"], 3)
    assert table is not None
    assert table.rows == (("a", "b", ""), ("1", "2", "3"), ("4", "", ""))


def test_text_above_a_table_is_not_part_of_it() -> None:
    table = table_at(["either | or", "| a | b |", "|---|---|", "| 1 | 2 |"], 3)
    assert table is not None
    assert (table.top, table.bottom) == (1, 3)


def test_a_row_and_a_column_come_behind_the_one_of_the_cursor() -> None:
    table = table_at(TABLE.split("\n"), 2)
    assert table is not None
    more = table.with_row(table.row_at(2), ("SpO2",)).with_column(0)
    assert read("\n".join(more.lines())) == [
        ("Measure", "", "Unit"),
        ("Heart rate", "", "/min"),
        ("SpO2", "", ""),
        ("pH | pCO2", "", "検査値"),
    ]
    less = more.without_row(2).without_column(1)
    assert (less.rows, less.sides) == (table.rows, table.sides)


def test_tab_steps_from_cell_to_cell_past_the_dashes_and_ends_behind_the_last() -> None:
    lines = TABLE.split("\n")
    steps, place = [], (0, 3)
    while (after := next_cell(lines, place)) is not None:
        place = after
        steps.append((place[0], lines[place[0]][: place[1]].rpartition("| ")[2]))
    assert steps == [(0, "Unit"), (2, "Heart rate"), (2, "/min"), (3, "pH \\| pCO2".rpartition("| ")[2]), (3, "検査値")]
    back = [place]
    while (before := next_cell(lines, back[-1], backwards=True)) is not None:
        back.append(before)
    assert len(back) == 6
    assert next_cell(lines, (1, 2)) == (2, 12)


def test_an_empty_cell_is_entered_behind_its_first_blank() -> None:
    assert cell_place("|   | b |", 0) == 2
    assert cell_place("||b|", 0) == 1
    assert [cell_index("| a | b |", column) for column in (0, 2, 4, 6, 9)] == [0, 0, 0, 1, 1]
    assert cells_of("| a \\| b | c |") == ["a \\| b", "c"]
