"""A quoted passage is found again after edits, or said to be gone."""

from __future__ import annotations

import pytest

from m4review.errors import LedgerError
from m4review.reviews.anchors import anchor_at, locate

TEXT = """---
name: lactate
---

# Lactate

## Definition

A lactate above 2 mmol/L counts as shock.

## Output

A value of 2 is written as it is.
"""


def test_an_unchanged_passage_is_exact_with_its_line_and_headings() -> None:
    anchor = anchor_at(TEXT, "above 2 mmol/L")
    assert (anchor.path, anchor.line) == (("Lactate", "Definition"), 9)
    found = locate(TEXT, anchor)
    assert (found.place, found.line) == ("exact", 9)
    assert locate(TEXT.replace("\n", "\r\n"), anchor) == found


def test_twenty_lines_inserted_above_move_it() -> None:
    anchor = anchor_at(TEXT, "above 2 mmol/L")
    found = locate(TEXT.replace("# Lactate\n", "# Lactate\n" + "More.\n" * 20), anchor)
    assert (found.place, found.line) == ("moved", 29)


def test_a_passage_under_another_heading_or_in_other_words_around_is_moved() -> None:
    anchor = anchor_at(TEXT, "above 2 mmol/L")
    assert locate(TEXT.replace("## Definition", "## What it is"), anchor).place == "moved"
    assert locate(TEXT.replace("counts as shock", "is shock"), anchor).place == "moved"


def test_a_deleted_passage_is_an_orphan() -> None:
    anchor = anchor_at(TEXT, "above 2 mmol/L")
    found = locate(TEXT.replace("above 2", "above 4"), anchor)
    assert (found.place, found.line) == ("orphan", None)


def test_a_short_passage_is_not_found_again_somewhere_else() -> None:
    anchor = anchor_at(TEXT, "2")
    assert anchor.line == 9
    assert locate(TEXT.replace("above 2 mmol/L ", ""), anchor).place == "orphan"
    assert locate(TEXT.replace("as it is", "out"), anchor).place == "exact"


def test_of_several_occurrences_the_quoted_one_is_found() -> None:
    text = TEXT + "\n## Again\n\nA lactate above 2 mmol/L counts as shock.\n"
    second = anchor_at(text, "above 2 mmol/L", nth=2)
    assert second.path == ("Lactate", "Again")
    assert locate("\n" + text.replace("---\nname: lactate\n---\n", ""), second).line == 15
    with pytest.raises(LedgerError, match="occurs 2 times"):
        anchor_at(text, "above 2 mmol/L", nth=3)
    with pytest.raises(LedgerError, match="occurs 0 times"):
        anchor_at(text, "above 7 mmol/L")
