"""Which part of a text made which scope stale, in the words of its headings."""

from __future__ import annotations

from pathlib import Path

import pytest

from m4review.reviews.scopes import changed_parts
from m4review.workspace import SCOPES, Policy, Workspace

SHIPPED = Path(__file__).resolve().parents[3]

POLICY = Policy(sections={"definition": ("Scoring",), "schema": ("Time window",), "output": ("Edge cases",)})
TEXT = """---
name: sirs
description: d
---

Words at the top.

# Scoring

38.0

## Temperature

fever

# Time window

24 h

# Notes

free

# Edge cases

none
"""


def changed(old: str, new: str) -> dict[str, tuple[str, ...]]:
    assert old in TEXT
    before, after = ({"SKILL.md": text.encode()} for text in (TEXT, TEXT.replace(old, new)))
    return dict(changed_parts(before, after, POLICY))


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("38.0", "39.0", {"Scoring": ("definition",)}),
        ("fever", "cold", {"Temperature": ("definition",)}),
        ("none", "one", {"Edge cases": ("output",)}),
        ("free", "bound", {"Notes": SCOPES}),
        ("Words at the top.", "Other words.", {"what stands before the first heading": SCOPES}),
        ("description: d", "description: e", {"what stands before the first heading": SCOPES}),
        ("# Edge cases\n\nnone\n", "", {"Edge cases": ("output",)}),
        ("# Notes", "# Scoring", {"Scoring": ("definition",), "Notes": SCOPES}),
        ("none\n", "none\r\n", {"Edge cases": ("output",)}),
    ],
)  # fmt: skip
def test_a_change_is_named_by_its_heading_with_the_scopes_it_belongs_to(
    old: str, new: str, parts: dict[str, tuple[str, ...]]
) -> None:
    assert changed(old, new) == parts


def test_the_same_text_has_no_changed_part_and_another_file_belongs_to_every_scope() -> None:
    files = {"SKILL.md": TEXT.encode(), "table.md": b"1"}
    assert changed_parts(files, files, POLICY) == {}
    assert changed_parts(files, files | {"table.md": b"2"}, POLICY) == {"table.md": SCOPES}


def test_the_page_on_states_names_the_headings_of_the_shipped_policy() -> None:
    page = (SHIPPED / "docs" / "review-states.md").read_text(encoding="utf-8")
    policy = Workspace(SHIPPED).policy
    for scope in policy.scopes:
        assert f"| {scope} | {', '.join(policy.sections[scope])} |" in page
