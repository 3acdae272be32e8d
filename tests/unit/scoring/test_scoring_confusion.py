"""How levels were mistaken: counts that are right, and small ones that nobody can work out."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scoring_texts import write_parquet

from m4review.errors import ScoringError
from m4review.scoring import ScoringSpec, score_output
from m4review.scoring.confusion import MISSING, _hidden, confusion_of
from m4review.scoring.mistakes import SMALLEST, Confusion

SPEC = ScoringSpec(key_columns=("stay_id",), scored_columns=("stage", "points", "kind", "temperature"))
ROWS = 400


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """400 stays: stages 0 to 3, points 0 to 99, one rare word, temperatures with decimals."""
    query = f"""
        SELECT i AS stay_id, (i % 4)::INTEGER AS stage, (i % 100)::INTEGER AS points,
               CASE WHEN i = 7 THEN 'Dr. Rare' WHEN i % 2 = 0 THEN 'HFNC' ELSE 'None' END AS kind,
               36 + (i % 30) / 10.0 AS temperature
        FROM range({ROWS}) AS stays(i)
    """
    return write_parquet(query, tmp_path_factory.mktemp("confusion") / "reference.parquet")


def answer(folder: Path, stage_of, rows: range = range(ROWS), more: str = "") -> Path:
    lines = [
        f"{i},{stage_of(i)},{i % 100},{'Dr. Rare' if i == 7 else 'HFNC' if i % 2 == 0 else 'None'},{36 + (i % 30) / 10}"
        for i in rows
    ]
    path = folder / "output.csv"
    path.write_text("stay_id,stage,points,kind,temperature\n" + "\n".join(lines) + "\n" + more)
    return path


def count(found: Confusion, reference: str, given: str) -> int | None:
    return found.counts[found.reference.index(reference)][found.given.index(given)]


def test_a_right_answer_stands_on_the_diagonal_and_agrees_with_the_score(tmp_path, reference) -> None:
    output = answer(tmp_path, lambda i: i % 4)
    found = confusion_of(output, reference, SPEC, "stage")
    assert [count(found, level, level) for level in "0123"] == [100] * 4
    matched = score_output(output, reference, SPEC).column("stage").matched
    assert sum(count(found, level, level) or 0 for level in "0123") == matched


def test_each_kind_of_mistake_has_its_place(tmp_path, reference) -> None:
    def stage(i: int) -> str:
        return {0: "1", 1: "", 2: "9", 3: "n/a"}[i % 4]

    more = "".join(f"{1000 + i},0,0,None,36\n" for i in range(20))
    found = confusion_of(answer(tmp_path, stage, range(200), more), reference, SPEC, "stage")
    assert count(found, "0", "1") == 50
    assert count(found, "1", "(empty)") == 50
    assert count(found, "2", "(other value)") == 50
    assert count(found, "3", "(not a value)") == 50
    assert count(found, "2", MISSING) == 50
    assert count(found, "(no such row)", "0") == 20


def test_counts_below_ten_are_hidden_together_with_what_would_give_them_away(tmp_path, reference) -> None:
    def stage(i: int) -> int:
        return 1 if i in {0, 4, 8} else i % 4

    found = confusion_of(answer(tmp_path, stage), reference, SPEC, "stage")
    assert count(found, "0", "1") is None
    hidden = [[value is None for value in row] for row in found.counts]
    assert sum(hidden[found.reference.index("0")]) >= 2, "the rows of a level are known, so one hidden count is none"
    assert not any(0 < value < SMALLEST for row in found.counts for value in row if value is not None)


def test_many_points_are_counted_in_round_bands(tmp_path, reference) -> None:
    found = confusion_of(answer(tmp_path, lambda i: 0), reference, SPEC, "points")
    assert found.band == 10
    assert found.reference[:2] == ("0–9", "10–19")
    assert count(found, "90–99", "90–99") == 40


def test_a_word_of_few_rows_is_never_shown(tmp_path, reference) -> None:
    found = confusion_of(answer(tmp_path, lambda i: 0), reference, SPEC, "kind")
    assert "Dr. Rare" not in found.model_dump_json()
    assert "(rarer values)" in found.reference


@pytest.mark.parametrize("column", ["temperature", "stay_id", "nothing"])
def test_a_column_without_levels_is_refused(column, tmp_path, reference) -> None:
    with pytest.raises(ScoringError, match=r"no levels|no scored column"):
        confusion_of(answer(tmp_path, lambda i: 0), reference, SPEC, column)


def test_an_output_without_the_column_is_counted_as_empty(tmp_path, reference) -> None:
    path = tmp_path / "output.csv"
    path.write_text("stay_id\n" + "".join(f"{i}\n" for i in range(ROWS)))
    assert count(confusion_of(path, reference, SPEC, "stage"), "3", "(empty)") == 100


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 6), st.integers(0, 10_000))
def test_no_hidden_count_follows_from_what_is_known(size: int, seed: int) -> None:
    draw = random.Random(seed)
    names = [str(level) for level in range(size)]
    cells = [*names, MISSING]
    counts = np.array([[draw.choice([0, 0, 3, 8, 40, 900]) for _ in cells] for _ in names])
    shown = _hidden(counts, names, cells)
    unknown = [(i, j) for i in range(size) for j in range(len(cells)) if shown[i][j] is None]
    if not unknown or len(unknown) == counts.size:
        return
    for i, j in np.argwhere((counts > 0) & (counts < SMALLEST)):
        assert shown[i][j] is None
    known = [[1.0 if i == row else 0.0 for i, _ in unknown] for row in range(size)]
    known.append([1.0 if i == j else 0.0 for i, j in unknown])
    known.append([1.0 if j == size else 0.0 for _, j in unknown])
    for place in range(len(unknown)):
        alone = np.zeros(len(unknown))
        alone[place] = 1.0
        with_it = np.linalg.matrix_rank(np.vstack([known, alone]))
        assert with_it > np.linalg.matrix_rank(np.array(known)), f"{unknown[place]} can be worked out"
