"""The documentation says of every query what it reads, as its text does."""

from __future__ import annotations

from pathlib import Path

from m4review.ehr.dependencies import dependency_tables

PAGE = Path(__file__).parents[3] / "docs" / "ehr.md"


def test_the_tables_of_what_reads_what_are_those_of_the_queries() -> None:
    written = PAGE.read_text(encoding="utf-8").partition("## What reads what\n")[2]
    tables = dependency_tables()
    assert tables.strip() in written, "print them again: python -m m4review.ehr.dependencies"
    assert written.count("\n| ") == tables.count("\n| "), "a table that nobody prints"
