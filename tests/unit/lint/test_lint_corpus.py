"""The corpus: everything contaminated is refused, nothing clean is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from corpus import MUTATIONS, Text, is_refused, lint, load

CONTAMINATED = load("contaminated")
CLEAN = load("clean")
ENCODED = ("base64", "hexadecimal", "percent-encoded link", "entities instead of signs")
"""Already encoded: a line break inside makes them unreadable for everybody."""
CODE = [text for text in CONTAMINATED if text.whole and text.path == "SKILL.md" and "\n" not in text.front[60:]]


def test_the_corpus_is_large_enough_to_say_something() -> None:
    assert len(CONTAMINATED) >= 150
    assert len(CLEAN) >= 150
    assert len({text.name for text in (*CONTAMINATED, *CLEAN)}) == len(CONTAMINATED) + len(CLEAN)


@pytest.mark.parametrize("text", CLEAN, ids=lambda text: text.name)
def test_clean_clinical_text_has_no_error(text: Text) -> None:
    assert [(finding.rule, finding.line) for finding in lint(text).errors] == []


@pytest.mark.parametrize("text", [text for text in CONTAMINATED if text.whole], ids=lambda text: text.name)
def test_every_whole_query_and_program_is_refused_at_its_place(text: Text) -> None:
    found = [finding for finding in lint(text).errors if finding.rule == text.rule]
    assert found, "not refused"
    if text.file_line is not None:
        assert any(abs(finding.line - text.file_line) <= 1 for finding in found), [item.line for item in found]


def test_at_least_95_percent_of_the_contaminated_texts_are_refused() -> None:
    missed = [text.name for text in CONTAMINATED if not is_refused(text)]
    print("missed:", missed)
    assert len(missed) <= 0.05 * len(CONTAMINATED), missed


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_whole_query_stays_refused_in_another_dress(mutation: str) -> None:
    queries = [text for text in CODE if text.rule == "query" and text.id not in ENCODED]
    missed = [text.name for text in queries if not is_refused(text, MUTATIONS[mutation](text.text))]
    print("missed:", missed)
    assert missed == []


@pytest.mark.parametrize(
    "mutation", ["indented", "in a comment", "in a list", "quoted", "with CRLF", "base64", "zero-width"]
)
def test_a_whole_program_stays_refused_in_another_dress(mutation: str) -> None:
    programs = [text for text in CODE if text.rule == "program" and "base64" not in text.id]
    missed = [text.name for text in programs if not is_refused(text, MUTATIONS[mutation](text.text))]
    print("missed:", missed)
    assert missed == []


def test_clean_texts_stay_clean_with_other_line_ends_and_margins() -> None:
    for text in CLEAN:
        for mutation in ("with CRLF", "quoted"):
            assert lint(text, MUTATIONS[mutation](text.text)).errors == (), (text.name, mutation)
