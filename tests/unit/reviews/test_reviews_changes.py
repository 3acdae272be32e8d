"""How much a change is, on real texts: what is editorial, what one scope, and what is always substantive."""

from __future__ import annotations

import pytest
from reviews_ward import POLICY

from m4review.reviews.changes import classify
from m4review.workspace import Policy

TEXT = """---
name: lactate
description: How to derive lactate.
---

# Lactate

## Clinical definition

Shock is a lactate of at least 2 mmol/L at any time. It is not counted when the sample is venous.
Patients on metformin are kept.

## Source map

| item | meaning |
|---|---|
| 50813 | lactate |

Use `itemid` in `labevents`.

## Output

One row per stay within 24 hours.

    stay_id

## Remarks

Free text.
"""
RULES = Policy(sections={
    "definition": ("Clinical definition",), "schema": ("Source map",), "output": ("Output",)
})  # fmt: skip


def kind(old: str, new: str) -> str:
    assert old in TEXT
    before, after = TEXT.encode(), TEXT.replace(old, new, 1).encode()
    change = classify({"SKILL.md": before}, {"SKILL.md": after}, RULES)
    back = classify({"SKILL.md": after}, {"SKILL.md": before}, RULES)
    assert (back.kind, back.scopes) == (change.kind, change.scopes), "the way back costs the same"
    assert change.why
    return change.kind


def test_the_rules_of_this_file_are_those_of_the_ward() -> None:
    assert all(word in POLICY for words in RULES.sections.values() for word in words)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("are kept.\n", "are kept.  \n"),
        ("Free text.\n", "Free text.\t\n"),
        ("Free text.\n", "Free text."),
        ("Free text.\n", "Free text.\n\n\n"),
        ("# Lactate\n", "# Lactate \n"),
    ],
)
def test_blanks_at_line_ends_and_final_newlines_are_editorial(old: str, new: str) -> None:
    assert kind(old, new) == "editorial"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("| 50813 | lactate |\n", "| 50813 | lactate | \n"),
        ("    stay_id\n", "    stay_id \n"),
        ("name: lactate\n", "name: lactate \n"),
        ("are kept.\n", "are kept.\r\n"),
        ("are kept.\n", "are kept.\n\n"),
        ("are kept.", " are kept."),
    ],
)
def test_blanks_in_tables_code_and_front_matter_and_inside_lines_are_not(old: str, new: str) -> None:
    assert kind(old, new) in {"scoped", "substantive"}
    assert kind("| 50813 | lactate |\n", "| 50813 | lactate | \n") == "substantive"


@pytest.mark.parametrize(
    ("old", "new"),
    [("are kept", "remain"), ("Patients", "People"), ("the sample is venous", "blood is venous")],
)
def test_words_of_one_scope_are_scoped(old: str, new: str) -> None:
    assert kind(old, new) == "scoped"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("at least 2", "at least 4"),
        ("at least 2", "at least 2.0"),
        ("at least 2", "at least \u22122"),
        ("at least", "at most"),
        ("at least", "above"),
        ("at least 2", "\u2265 2"),
        ("mmol/L", "mg/dL"),
        ("2 mmol/L", "2 stones"),
        ("24 hours", "24 days"),
        ("is not counted", "is counted"),
        ("is not counted", "is now counted"),
        ("are kept", "are never kept"),
        ("at any time", "at every time"),
        ("50813", "50814"),
        ("lactate |", "lactate, blood |"),
        ("| 50813 | lactate |\n", ""),
        ("| 50813 | lactate |\n", "| 50813 | lactate |\n| 52442 | lactate |\n"),
        ("`itemid`", "`label`"),
        ("    stay_id", "    hadm_id"),
        ("within 24", "after 24"),
        ("One row", "Two row"),
        ("Free text.", "Other text."),
        ("description: How", "description: The way"),
        ("## Output", "## Remarks again"),
    ],
)
def test_numbers_comparisons_units_negations_ids_and_tables_are_always_substantive(old: str, new: str) -> None:
    assert kind(old, new) == "substantive"


def test_two_scopes_a_moved_section_another_file_or_another_card_is_substantive() -> None:
    files = {"SKILL.md": TEXT.encode()}
    two = TEXT.replace("are kept", "remain").replace("## Output\n", "## Output\n\nA table.\n")
    assert classify(files, {"SKILL.md": two.encode()}, RULES).kind == "substantive"
    assert classify(files, {**files, "more.md": b"More.\n"}, RULES).kind == "substantive"
    assert classify({**files, "more.md": b"More.\n"}, {**files, "more.md": b"Less.\n"}, RULES).kind == "substantive"
    assert classify({**files, "a.csv": b"a,b\n"}, {**files, "a.csv": b"a,b \n"}, RULES).kind == "substantive"
    assert classify(files, files, RULES, same_cards=False).kind == "substantive"
    assert classify(files, dict(files), RULES).kind == "none"
