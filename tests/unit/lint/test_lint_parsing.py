"""Every text is parsed once, whichever way it reaches the lint, and its views are shared by all rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from corpus import load
from lint_repository import CLEAN, Repo

from m4review.lint import (
    LintContext,
    SourceFile,
    TaskIndex,
    answerplaces,
    encodings,
    engine,
    instructions,
    lint_files,
    lint_text,
    personal,
    program,
    query,
    removed,
    resultfigures,
    resultsayings,
    rows,
    rowtables,
)
from m4review.lint.context import NOTES
from m4review.lint.gate import lint_message_file
from m4review.lint.pattern import Pattern
from m4review.lint.signals import FENCES
from m4review.lint.views import View, plain_view
from m4review.reviews.notes import refuse_unfit_notes

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


@pytest.mark.parametrize("words", [["lint", "--staged"], ["lint", "skills/liver-score"], ["lint", "--all"]])
def test_each_file_is_parsed_once_by_the_hook_and_by_the_command(
    parses: Counter[str], repo: Repo, words: list[str]
) -> None:
    (repo.root / "tasks/liver/liver-24h/instruction.md").unlink(missing_ok=True)
    repo.write("skills/liver-score/SKILL.md", CLEAN + "\nMore.\n")
    repo.git("add", ".")
    assert repo.run(*words).code == 0
    assert parses == {"plain_view": 1, "flow_view": 1, "readings": 1}


def test_a_message_is_parsed_once(parses: Counter[str], tmp_path: Path) -> None:
    message = tmp_path / "message"
    message.write_text("Say how ties are broken\n", encoding="utf-8")
    assert lint_message_file(message).exit_code == 0
    assert parses == {"plain_view": 1, "flow_view": 1, "readings": 1}


def test_a_review_note_is_parsed_once(parses: Counter[str]) -> None:
    refuse_unfit_notes("The window of the first day is clear.")
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


def _opened() -> list[tuple[tuple[str, ...], Pattern]]:
    """Every pattern that is tried only where certain literals stand, with these."""
    names = frozenset(("sofa", "first_day_sofa", "kdigo_stages"))
    return [
        *((starts, pattern) for _, _, starts, pattern in answerplaces.PATTERNS),
        *((starts, pattern) for _, starts, pattern in instructions.ORDERS),
        *((starts, pattern) for pattern, starts, _ in resultsayings.SAID),
        *((starts, pattern) for pattern, starts, _ in resultfigures.UNPUBLISHED if starts),
        (resultfigures.MEANS, resultfigures.MOMENT_OF),
        *removed._patterns(names, frozenset()),
        (resultfigures.OUTPUT_WORDS, resultfigures.OF_OUTPUT),
        (rows.EICU_LABELS, rows.EICU_LABELLED),
        (rowtables.ID_WORDS, rowtables.ID_COLUMN),
        (personal.RECORDS, personal.RECORD),
        (personal.BIRTHS, personal.BORN),
        (personal.DWELLS, personal.ADDRESS),
        (personal.STAYED, personal.STAY_DATE),
        (encodings.ROTATIONS, encodings.ROTATED),
        (encodings.REFLECTIONS, encodings.MIRRORED),
        (FENCES, query.SQL_FENCE),
        (FENCES, program.PROGRAM_FENCE),
    ]


def test_no_pattern_matches_elsewhere_than_at_its_literals() -> None:
    view = plain_view("\n\n".join(text.text for text in load("contaminated")))
    for starts, pattern in _opened():
        everywhere = [match.span() for match in pattern.finditer(view.lower)]
        assert [match.span() for match in pattern.matches_at(view.lower, view.places(starts))] == everywhere, starts


def test_patterns_of_numbers_match_only_where_a_number_begins() -> None:
    view = plain_view("\n\n".join(text.text for text in load("contaminated")))
    for pattern in (
        resultfigures.ARROWS,
        resultfigures.COUNTED_LEVEL,
        resultfigures.SHARE_OF_LEVEL,
        resultfigures.LEVELS_IN_BRACKETS,
        resultfigures.LEVEL_OF_COUNT,
        personal.SOCIAL,
    ):
        everywhere = [match.span() for match in pattern.finditer(view.lower)]
        assert [match.span() for match in pattern.matches_at(view.lower, view.numbers)] == everywhere
    phones = sorted((*view.numbers, *view.places("+(")))
    assert list(map(str, personal.PHONE.matches_at(view.lower, phones))) == list(
        map(str, personal.PHONE.finditer(view.lower))
    )
    dates = sorted((*view.numbers, *view.places(rows.MONTHS)))
    assert list(map(str, rows.DATE.matches_at(view.lower, dates))) == list(map(str, rows.DATE.finditer(view.lower)))


def test_what_stands_behind_a_wide_gap_is_read_with_it_and_found_at_its_place() -> None:
    gap, lines = " " * 5_000, "\n" * 1_000
    text = f"select a_b,{gap}c_d from labevents where itemid = 5{lines}df.groupby('x').max()\n"
    found = {(finding.rule, finding.line, finding.end_column) for finding in lint_text(text, "notes.md")}
    assert found == {("query", 1, text.index(" 5\n") + 1), ("program", 1_001, 22)}
    assert len(plain_view(text).text) < 800
