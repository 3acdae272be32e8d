"""Properties that hold for any table, and agreement with a plain Python statement of the rules."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scoring_oracle import key_counts, rates
from scoring_texts import Scorer

from m4review.scoring import ScoringSpec

KEYS = {"id": "number", "at": "timestamp"}
SCORED = {"n": "number", "t": "timestamp", "s": "text"}
TOLERANCES = {"n": 0.5, "t": 60.0}
SPEC = ScoringSpec(
    key_columns=tuple(KEYS),
    scored_columns=tuple(SCORED),
    number_tolerances={"n": 0.5},
    second_tolerances={"t": 60.0},
)

times = st.sampled_from(["2150-01-01 00:00:00", "2150-01-01 00:00:30", "2150-01-01 00:02:00", "2150-01-02 00:00:00"])
ids = st.integers(1, 6).map(str)
numbers = st.one_of(st.just(""), st.integers(-3, 3).map(str), st.sampled_from(["0.25", "-1.5", "2.75"]))
words = st.sampled_from(["", "None", "A", "a", "B c", 'with "quotes"', "comma, here", "two\nlines"])
reference_rows = st.lists(
    st.fixed_dictionaries(
        {"id": ids, "at": st.one_of(times, st.just("")), "n": numbers, "t": st.one_of(st.just(""), times), "s": words}
    ),
    min_size=1,
    max_size=12,
    unique_by=lambda row: (row["id"], row["at"]),
)
odd_numbers = st.one_of(numbers, st.sampled_from(["3.0", " 1 ", "N/A", "nan", "inf", "1e0", "1,5", "+2", "00"]))
odd_times = st.one_of(
    times, st.sampled_from(["", "2150-01-01", "2150-01-01T00:00:30Z", "2150-01-02 00:00:00.5", "soon", "12"])
)
output_rows = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.one_of(ids, st.sampled_from(["", "x", "1.0", "002", "2.5"])),
            "at": odd_times,
            "n": odd_numbers,
            "t": odd_times,
            "s": st.one_of(words, st.sampled_from(["A ", " None"])),
        }
    ),
    max_size=16,
)
one_folder = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)


def written(rows: list[dict[str, str]], columns: list[str] | None = None) -> str:
    names = columns or [*KEYS, *SCORED]
    stream = io.StringIO()
    writer = csv.DictWriter(stream, names, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


TYPES = {"id": "BIGINT", "at": "TIMESTAMP", "n": "DOUBLE", "t": "TIMESTAMP", "s": "VARCHAR"}


def as_parquet(rows: list[dict[str, str]], path: Path) -> Path:
    import duckdb

    columns = ", ".join(f"nullif(row.{name}, '')::{kind} AS {name}" for name, kind in TYPES.items())
    with duckdb.connect() as connection:
        query = f"COPY (SELECT {columns} FROM (SELECT unnest($rows) AS row)) TO '{path}' (FORMAT parquet)"
        connection.execute(query, {"rows": rows}).fetchall()
    return path


@one_folder
@given(rows=reference_rows, data=st.data())
def test_a_reference_against_itself_in_any_order_scores_one(
    tmp_path: Path, scored: Scorer, rows: list[dict[str, str]], data: st.DataObject
) -> None:
    reference = as_parquet(rows, tmp_path / "r.parquet")
    shuffled = data.draw(st.permutations(rows))
    columns = data.draw(st.permutations([*KEYS, *SCORED]))
    score = scored(written(shuffled, columns), SPEC, reference)
    assert score.reward == 1.0
    assert score.passed
    assert score.keys.f1 == 1.0
    assert score.ordered_nmae in {0.0, None}


@settings(one_folder, max_examples=15)
@given(rows=reference_rows, output=output_rows, data=st.data())
def test_repeated_rows_count_once_and_the_first_decides(
    tmp_path: Path, scored: Scorer, rows: list[dict[str, str]], output: list[dict[str, str]], data: st.DataObject
) -> None:
    reference = as_parquet(rows, tmp_path / "r.parquet")
    again = data.draw(st.lists(st.sampled_from(rows), min_size=1, max_size=6))
    given_rows = data.draw(st.permutations([*rows, *again, *output]))
    without_quotes = [{**row, "s": row["s"].translate(str.maketrans('",\n', "   "))} for row in given_rows]
    for written_rows in (given_rows, without_quotes):
        score = scored(written(written_rows), SPEC, reference)
        expected = rates(rows, written_rows, KEYS, SCORED, TOLERANCES)
        assert {column.name: column.rate for column in score.columns} == expected
        assert score.keys.duplicate == key_counts(rows, written_rows, KEYS)["duplicate"] >= len(again)


@one_folder
@given(rows=reference_rows, output=output_rows)
def test_every_rate_is_what_the_plain_rules_say(
    tmp_path: Path, scored: Scorer, rows: list[dict[str, str]], output: list[dict[str, str]]
) -> None:
    reference = as_parquet(rows, tmp_path / "r.parquet")
    score = scored(written(output), SPEC, reference)
    expected = rates(rows, output, KEYS, SCORED, TOLERANCES)
    assert {column.name: column.rate for column in score.columns} == expected
    assert score.reward == pytest.approx(sum(expected.values()) / 3)
    keys = score.keys
    counts = {name: getattr(keys, name) for name in ("matched", "extra", "duplicate", "malformed")}
    assert counts == key_counts(rows, output, KEYS)
    assert keys.matched + keys.extra + keys.duplicate == keys.output_rows == len(output)
    assert keys.matched + keys.missing == keys.reference_rows == len(rows)
