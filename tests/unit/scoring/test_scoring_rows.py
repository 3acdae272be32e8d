"""Keys, duplicates, columns and order."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from scoring_texts import GOOD, REFERENCE, SPEC, Scorer, write_parquet

from m4review.errors import ScoringError
from m4review.scoring import ScoringLimits, ScoringSpec, score_output

HEADER, *ROWS = GOOD.splitlines()


def csv(*rows: str, header: str = HEADER) -> str:
    return "\n".join((header, *rows)) + "\n"


def test_shuffled_rows_change_nothing(scored: Scorer) -> None:
    assert scored(csv(*reversed(ROWS))).reward == 1.0


def test_shuffled_and_extra_columns_change_nothing(scored: Scorer) -> None:
    lines = [line.split(",") for line in (HEADER, *ROWS)]
    text = "\n".join(",".join([row[4], "note", row[2], row[0], row[3], row[1]]) for row in lines) + "\n"
    score = scored(text)
    assert score.reward == 1.0
    assert score.passed


def test_extra_keys_enlarge_every_denominator(scored: Scorer) -> None:
    score = scored(csv(*ROWS, "5,1,1,,", "6,1,1,,"))
    assert [column.rate for column in score.columns] == [round(4 / 6, 8)] * 4
    assert (score.keys.extra, score.keys.duplicate) == (2, 0)
    assert score.keys.precision == pytest.approx(4 / 6)
    assert score.keys.recall == 1.0
    assert score.keys.f1 == pytest.approx(0.8)


def test_the_first_duplicate_counts_and_enlarges_every_denominator(scored: Scorer) -> None:
    wrong = ROWS[0].replace(",3,", ",4,")
    right_first = scored(csv(*ROWS, wrong))
    wrong_first = scored(csv(wrong, *ROWS))
    assert right_first.column("score").matched == 4
    assert wrong_first.column("score").matched == 3
    assert right_first.keys.duplicate == wrong_first.keys.duplicate == 1
    assert right_first.column("score").rate == 0.8


def test_a_repeated_extra_key_is_one_extra_and_one_duplicate(scored: Scorer) -> None:
    keys = scored(csv(*ROWS, "5,1,1,,", "5,1,1,,")).keys
    assert (keys.extra, keys.duplicate, keys.output_rows) == (1, 1, 6)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_the_first_duplicate_by_file_order_counts_whatever_the_thread_count(tmp_path: Path, threads: int) -> None:
    reference = write_parquet("SELECT i AS k, i AS v FROM range(60000) t(i)", tmp_path / "r.parquet")
    output = tmp_path / "output.csv"
    right = "".join(f"{i},{i}\n" for i in range(60000))
    wrong = "".join(f"{i},-1\n" for i in range(60000))
    output.write_text("k,v\n" + right + wrong)
    spec = ScoringSpec(key_columns=("k",), scored_columns=("v",))
    score = score_output(output, reference, spec, limits=ScoringLimits(threads=threads))
    assert (score.columns[0].matched, score.columns[0].denominator) == (60000, 120000)


def test_missing_rows_are_mismatches_even_where_the_reference_is_empty(scored: Scorer) -> None:
    score = scored(csv(*ROWS[:2], ROWS[3]))
    assert [column.matched for column in score.columns] == [3, 3, 3, 3]
    assert score.keys.missing == 1


def test_a_header_alone_scores_zero(scored: Scorer) -> None:
    score = scored(HEADER + "\n")
    assert score.reward == 0.0
    assert score.keys.output_rows == 0
    assert score.keys.f1 == score.keys.precision == 0.0
    assert score.ordered_nmae is None


def test_a_missing_scored_column_scores_zero_and_the_rest_still_counts(scored: Scorer) -> None:
    text = "\n".join(",".join(line.split(",")[:4]) for line in (HEADER, *ROWS)) + "\n"
    score = scored(text)
    assert [column.rate for column in score.columns] == [1.0, 1.0, 1.0, 0.0]
    assert not score.column("status").present
    failed = {check.name for check in score.checks if not check.passed}
    assert failed == {"required_columns", "accuracy:status"}


def test_of_two_columns_with_one_name_the_first_counts(scored: Scorer) -> None:
    lines = [HEADER + ",score", *(f"{row},99" for row in ROWS)]
    score = scored("\n".join(lines) + "\n")
    assert score.reward == 1.0
    assert not score.checks[0].passed
    assert "score" in score.checks[0].detail


@pytest.mark.parametrize(
    ("row", "line"),
    [("30000004,12,40.0,2150-01-04 23:59:59,HFNC,x,y", 5), ("30000004,12,40.0,2150-01-04 23:59:59", 5)],
)
def test_a_line_of_the_wrong_length_is_that_rows_issue(scored: Scorer, row: str, line: int) -> None:
    score = scored(csv(*ROWS[:3], row))
    assert [column.matched for column in score.columns[:3]] == [4, 4, 4]
    assert not score.checks[0].passed
    assert f"line {line}" in score.checks[0].detail


def test_a_quotation_mark_that_never_closes_is_reported(scored: Scorer) -> None:
    score = scored(csv(*ROWS[:3], '30000004,"12,40.0,2150-01-04 23:59:59,HFNC'))
    assert score.column("score").matched == 3
    assert "never closed" in score.checks[0].detail


def test_composite_keys_with_a_missing_part_meet_an_empty_cell(tmp_path: Path, scored: Scorer) -> None:
    query = "SELECT * FROM (VALUES (1, NULL, 10), (1, 7, 20), (2, NULL, 30)) AS t(subject_id, stay_id, v)"
    reference = write_parquet(query, tmp_path / "r.parquet")
    spec = ScoringSpec(key_columns=("subject_id", "stay_id"), scored_columns=("v",))
    assert scored("subject_id,stay_id,v\n1,,10\n1,7,20\n2,,30\n", spec, reference).reward == 1.0
    half = scored("subject_id,stay_id,v\n1,None,10\n1,7,20\n2,,30\n", spec, reference)
    assert (half.keys.matched, half.keys.extra, half.keys.malformed) == (2, 1, 1)


@pytest.mark.parametrize("key", ["2150-01-01", "2150-01-01T00:00:00Z", "2150-01-01 00:00:00.000"])
def test_a_timestamp_key_is_met_however_it_is_written(tmp_path: Path, scored: Scorer, key: str) -> None:
    query = "SELECT 1 AS id, unnest([TIMESTAMP '2150-01-01', TIMESTAMP '2150-01-01 01:00:00']) AS t, 5 AS v"
    reference = write_parquet(query, tmp_path / "r.parquet")
    spec = ScoringSpec(key_columns=("id", "t"), scored_columns=("v",))
    assert scored(f"id,t,v\n1,{key},5\n1,2150-01-01 01:00:00,5\n", spec, reference).reward == 1.0


def test_a_key_with_half_a_second_too_much_costs_its_row_only(tmp_path: Path, scored: Scorer) -> None:
    query = "SELECT unnest([TIMESTAMP '2150-01-01', TIMESTAMP '2150-01-02']) AS t, 5 AS v"
    reference = write_parquet(query, tmp_path / "r.parquet")
    spec = ScoringSpec(key_columns=("t",), scored_columns=("v",))
    score = scored("t,v\n2150-01-01 00:00:00.5,5\n2150-01-02 00:00:00,5\n", spec, reference)
    assert (score.keys.matched, score.keys.extra, score.columns[0].rate) == (1, 1, round(1 / 3, 8))


def test_text_keys_keep_their_leading_zeros(tmp_path: Path, scored: Scorer) -> None:
    reference = write_parquet("SELECT unnest(['007', '7']) AS id, unnest([1, 2]) AS v", tmp_path / "r.parquet")
    spec = ScoringSpec(key_columns=("id",), scored_columns=("v",))
    assert scored("id,v\n007,1\n7,2\n", spec, reference).reward == 1.0


def test_the_mean_error_is_taken_over_given_keys_and_the_references_range(scored: Scorer) -> None:
    rows = [ROWS[0].replace(",3,", ",6,"), ROWS[1].replace(",0,", ",,"), ROWS[2]]
    score = scored(csv(*rows))
    # score: range 0 to 12; errors 3/12, 1 (missing), 0 (both missing) over three given keys
    assert score.column("score").nmae == pytest.approx((0.25 + 1 + 0) / 3)
    assert score.column("temperature").nmae == 0.0
    assert score.column("onset").nmae is None
    assert score.ordered_nmae == pytest.approx((0.25 + 1) / 3 / 2)


def test_an_error_never_counts_more_than_the_whole_range(scored: Scorer) -> None:
    assert scored(GOOD.replace(",12,", ",1e9,")).column("score").nmae == 0.25


def test_a_missing_numeric_column_has_the_whole_error(scored: Scorer) -> None:
    text = "\n".join(",".join(line.split(",")[:2]) for line in (HEADER, *ROWS)) + "\n"
    score = scored(text)
    assert score.column("temperature").nmae == 1.0
    assert score.ordered_nmae == 0.5


def test_thresholds_decide_the_strict_checks(scored: Scorer) -> None:
    spec = SPEC.model_copy(update={"accuracy_threshold": 0.75, "row_coverage_threshold": 0.75})
    assert scored(csv(*ROWS[:3]), spec).passed
    strict = scored(csv(*ROWS[:3]), spec.model_copy(update={"row_coverage_threshold": 0.76}))
    assert [check.name for check in strict.checks if not check.passed] == ["row_coverage"]


def test_a_near_perfect_rate_is_not_rounded_to_one(tmp_path: Path, scored: Scorer) -> None:
    reference = write_parquet("SELECT i AS k, 1 AS v FROM range(200859) t(i)", tmp_path / "r.parquet")
    spec = ScoringSpec(key_columns=("k",), scored_columns=("v",))
    text = "k,v\n" + "".join(f"{i},{int(i > 0)}\n" for i in range(200859))
    assert scored(text, spec, reference).reward == 0.99999502


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
def test_a_reference_may_be_csv_and_is_typed_over_the_whole_file(tmp_path: Path, scored: Scorer, suffix: str) -> None:
    path = tmp_path / f"reference{suffix}"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({REFERENCE}) TO '{path}' (HEADER)").fetchall()
    score = scored(GOOD.replace("30000001,3,36.5", "30000001,3.0,36.50"), SPEC, path)
    assert score.reward == 1.0
    assert [column.kind for column in score.columns] == ["number", "number", "timestamp", "text"]


def test_a_csv_reference_with_leading_zeros_is_text(tmp_path: Path, scored: Scorer) -> None:
    path = tmp_path / "reference.csv"
    path.write_text("id,v,code\n007,1,010\n008,2.5,\n")
    spec = ScoringSpec(key_columns=("id",), scored_columns=("v", "code"))
    assert scored("id,v,code\n007,1.0,010\n008,2.50,\n", spec, path).reward == 1.0
    assert scored("id,v,code\n007,1,10\n008,2.5,\n", spec, path).column("code").matched == 1


def test_a_folder_name_with_pattern_characters_is_just_a_name(tmp_path: Path, reference: Path) -> None:
    folder = tmp_path / "run [1] it's *"
    folder.mkdir()
    output = folder / "output.csv"
    output.write_text(GOOD)
    target = folder / "ref?.parquet"
    target.write_bytes(reference.read_bytes())
    assert score_output(output, target, SPEC).reward == 1.0


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("SELECT 1 AS stay_id, 1 AS score", "lacks temperature"),
        (f"{REFERENCE} LIMIT 0", "no rows"),
        (f"SELECT * FROM ({REFERENCE}) UNION ALL SELECT * FROM ({REFERENCE})", "repeat a key"),
    ],
)
def test_an_unusable_reference_is_refused(tmp_path: Path, scored: Scorer, query: str, says: str) -> None:
    with pytest.raises(ScoringError, match=says):
        scored(GOOD, SPEC, write_parquet(query, tmp_path / "bad.parquet"))


def test_a_missing_reference_says_how_to_make_one(tmp_path: Path, scored: Scorer) -> None:
    with pytest.raises(ScoringError, match="data build"):
        scored(GOOD, SPEC, tmp_path / "nothing.parquet")
