"""Every text is parsed once, whichever way it reaches the lint, and its views are shared by all rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from m4review.lint import LintContext, SourceFile, TaskIndex, engine, lint_files, lint_text
from m4review.lint.context import NOTES
from m4review.lint.pattern import Pattern
from m4review.lint.views import View, plain_view

BODY = (
    "---\nname: example\ndescription: d\n---\n# Example\n\n- Bilirubin.\n\n| Points | mg/dL |\n|---|---|\n| 1 | 2 |\n"
)


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each kind of view is made."""
    made: Counter[str] = Counter()

    def counted(name: str) -> Callable[..., Any]:
        make = getattr(engine, name)

        def call(*arguments: Any) -> Any:
            made[name] += 1
            return make(*arguments)

        return call

    for name in ("plain_view", "flow_view", "readings"):
        monkeypatch.setattr(engine, name, counted(name))
    return made


@pytest.mark.parametrize("name", ["SKILL.md", "operational-spec.md", "notes.md"])
def test_a_file_is_parsed_once_for_all_rules(parses: Counter[str], name: str) -> None:
    data = BODY.encode()
    lint_files([SourceFile(f"skills/example/{name}", data, len(data), skill="skills/example")], TaskIndex())
    assert parses == {"plain_view": 1, "flow_view": 1, "readings": 1}


@pytest.mark.parametrize("families", [None, NOTES])
def test_what_somebody_types_is_parsed_once_with_and_without_the_rules_of_whole_files(
    parses: Counter[str], families: frozenset[str] | None
) -> None:
    lint_text(BODY, "skills/example/operational-spec.md", LintContext(families=families))
    assert parses == {"plain_view": 1, "flow_view": 1, "readings": 1}


def test_a_text_in_another_encoding_is_parsed_once(parses: Counter[str], tmp_path: Path) -> None:
    data = BODY.encode("utf-16")
    lint_files([SourceFile("skills/example/notes.md", data, len(data), skill="skills/example")], TaskIndex())
    assert parses == {"plain_view": 1, "flow_view": 1, "readings": 1}


def test_a_view_finds_each_literal_whether_it_is_a_word_a_part_of_one_or_a_sign() -> None:
    view = plain_view("Runs/ and trial-runs; 3runs, éruns. RUN_7 -- runs")
    text = view.text.lower()
    for literal in ("run", "runs", "runs/", "un", "--", "s;", "trial-runs", "walks", "="):
        expected = [place for place in range(len(text)) if text.startswith(literal, place)]
        assert view.places((literal,)) == expected, literal
        assert view.holds((literal,)) == bool(expected), literal
    assert view.places(("trial", "runs/", "run")) == sorted({*view.places(("trial",)), *view.places(("run",))})


def test_matching_at_the_places_of_its_first_literal_gives_what_searching_gives() -> None:
    text = "run 1, runs of runs; run-run run"
    pattern = Pattern(r"\bruns?(?:\s+of)?\b")
    places = View(text).places(("run",))
    assert [match.span() for match in pattern.matches_at(text, places)] == [m.span() for m in pattern.finditer(text)]
