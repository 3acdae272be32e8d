"""A bad cell costs that cell, and nothing more."""

from __future__ import annotations

from pathlib import Path

import pytest
from scoring_texts import GOOD, SPEC, Scorer, write_parquet

from m4review.scoring import ScoringSpec


def rates(score) -> list[float]:
    return [column.rate for column in score.columns]


def test_a_complete_answer_earns_one(scored: Scorer) -> None:
    score = scored(GOOD)
    assert score.reward == 1.0
    assert score.passed
    assert score.keys.f1 == 1.0
    assert score.ordered_nmae == 0.0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("30000001,3,", "30000001,3.0,"),
        ("30000001,3,", "30000001,+3,"),
        ("30000001,3,", "30000001,3e0,"),
        ("30000001,3,", "30000001, 3 ,"),
        ("30000001,3,", "030000001,3,"),
        ("30000001,3,", "30000001.0,3,"),
        ("2150-01-01 00:00:00", "2150-01-01"),
        ("2150-01-01 00:00:00", "2150-01-01T00:00:00"),
        ("2150-01-01 00:00:00", "2150-01-01T00:00:00Z"),
        ("2150-01-01 00:00:00", "2150-01-01 00:00:00.000000"),
        ("InvasiveVent", "InvasiveVent  "),
        ("InvasiveVent", '"InvasiveVent"'),
        ("30000003,,38.25,,", '30000003,"",38.25,"",""'),
        ("30000003,,38.25,,", "30000003,,38.25"),
        ("38.25,,\n", "38.25,,,,,\n"),
        ("\n", "\r\n"),
        ("\n", "\r"),
        ("stay_id,score", "\ufeffstay_id,score"),
        ("\n30000003", "\n\n30000003"),
        ("stay_id,score", "\n\nstay_id,score"),
        ("stay_id,score", " stay_id , score "),
    ],
)
def test_the_same_value_written_another_way_is_the_same_value(scored: Scorer, old: str, new: str) -> None:
    assert old in GOOD
    assert scored(GOOD.replace(old, new)).reward == 1.0


@pytest.mark.parametrize(
    ("old", "new", "column"),
    [
        ("30000001,3,", "30000001,N/A,", "score"),
        ("30000001,3,", "30000001,nan,", "score"),
        ("30000001,3,", "30000001,inf,", "score"),
        ("30000001,3,", "30000001,three,", "score"),
        ("30000001,3,", "30000001,3_0,", "score"),
        ("30000001,3,", "30000001,3.4,", "score"),
        ("30000001,3,", "30000001,,", "score"),
        ("30000003,,", "30000003,0,", "score"),
        ("30000003,,", "30000003,None,", "score"),
        ("30000003,,", "30000003,nan,", "score"),
        ("36.5,", '"36,5",', "temperature"),
        ("2150-01-01 00:00:00", "2150-01-01 00:00:01", "onset"),
        ("2150-01-01 00:00:00", "01/01/2150", "onset"),
        ("2150-01-01 00:00:00", "infinity", "onset"),
        ("2150-01-01 00:00:00", "nonsense", "onset"),
        ("38.25,,", "38.25,epoch,", "onset"),
        (",None\n", ",\n", "status"),
        ("38.25,,\n", "38.25,,None\n", "status"),
        ("InvasiveVent", "invasivevent", "status"),
        ("InvasiveVent", '"Invasive\nVent"', "status"),
    ],
)
def test_one_wrong_cell_is_one_mismatch_in_its_column_alone(scored: Scorer, old: str, new: str, column: str) -> None:
    assert GOOD.count(old) == 1
    score = scored(GOOD.replace(old, new))
    assert {entry.name: entry.rate for entry in score.columns if entry.rate != 1.0} == {column: 0.75}
    assert score.reward == pytest.approx(0.9375)


@pytest.mark.parametrize("key", ["", "x", "30000001.5", "nan", "3000_0001", "99999999999999999999999", "0x1c9c381"])
def test_one_unreadable_key_costs_its_row_and_counts_as_an_extra_key(scored: Scorer, key: str) -> None:
    score = scored(GOOD.replace("30000001,", f"{key},"))
    assert rates(score) == [0.6] * 4
    assert (score.keys.matched, score.keys.missing, score.keys.extra, score.keys.duplicate) == (3, 1, 1, 0)


def test_a_byte_that_is_not_utf8_spoils_its_cell_only(scored: Scorer) -> None:
    score = scored(GOOD.encode().replace(b"HFNC", b"HF\xffNC"))
    assert rates(score) == [1.0, 1.0, 1.0, 0.75]
    assert "not UTF-8, first at line 5" in score.checks[0].detail


def test_a_nul_byte_spoils_its_cell_only(scored: Scorer) -> None:
    assert rates(scored(GOOD.encode().replace(b"HFNC", b"HF\x00NC"))) == [1.0, 1.0, 1.0, 0.75]


def test_a_decimal_after_twenty_five_thousand_integers_is_read_as_written(tmp_path: Path, scored: Scorer) -> None:
    query = "SELECT i AS stay_id, CASE WHEN i = 25000 THEN 1.5 ELSE i END::DOUBLE AS v FROM range(30000) t(i)"
    spec = ScoringSpec(key_columns=("stay_id",), scored_columns=("v",))
    text = "stay_id,v\n" + "".join(f"{i},{1.5 if i == 25000 else i}\n" for i in range(30000))
    reference = write_parquet(query, tmp_path / "r.parquet")
    assert scored(text, spec, reference).reward == 1.0
    broken = scored(text.replace("25000,1.5", "25000,N/A"), spec, reference)
    assert broken.columns[0].matched == 29999


@pytest.mark.parametrize(
    ("given", "hit"), [("36.45", 1), ("36.6", 1), ("36.4", 1), ("36.6000001", 0), ("36.39", 0), ("inf", 0), ("", 0)]
)
def test_a_number_matches_up_to_and_including_its_tolerance(scored: Scorer, given: str, hit: int) -> None:
    spec = SPEC.model_copy(update={"number_tolerances": {"temperature": 0.1}})
    score = scored(GOOD.replace("36.5", given), spec)
    assert score.column("temperature").matched == 3 + hit


@pytest.mark.parametrize(
    ("given", "hit"), [("2150-01-01 00:01:00", 1), ("2149-12-31 23:59:00", 1), ("2150-01-01 00:01:00.5", 0)]
)
def test_a_timestamp_matches_within_its_seconds(scored: Scorer, given: str, hit: int) -> None:
    spec = SPEC.model_copy(update={"second_tolerances": {"onset": 60.0}})
    score = scored(GOOD.replace("2150-01-01 00:00:00", given), spec)
    assert score.column("onset").matched == 3 + hit


def test_without_a_tolerance_a_number_must_be_equal(scored: Scorer) -> None:
    assert scored(GOOD.replace("36.5", "36.5000000001")).column("temperature").matched == 3


def test_infinity_and_not_a_number_match_themselves_in_a_reference_that_holds_them(
    tmp_path: Path, scored: Scorer
) -> None:
    query = "SELECT * FROM (VALUES (1, 'inf'::DOUBLE), (2, 'nan'), (3, 1), (4, NULL)) AS t(k, v)"
    reference = write_parquet(query, tmp_path / "r.parquet")
    spec = ScoringSpec(key_columns=("k",), scored_columns=("v",))
    assert scored("k,v\n1,inf\n2,nan\n3,1\n4,\n", spec, reference).reward == 1.0
    assert scored("k,v\n1,nan\n2,inf\n3,inf\n4,nan\n", spec, reference).reward == 0.0


@pytest.mark.parametrize(
    ("kind", "value", "same", "other"),
    [
        ("VARCHAR", "'007'", "007", "7"),
        ("BIGINT", "9007199254740993", "9007199254740993", "9007199254740992"),
        ("HUGEINT", "170141183460469231", "170141183460469231", "170141183460469232"),
        ("FLOAT", "0.1", "0.1", "0.11"),
        ("DECIMAL(18,3)", "0.1", "0.100", "0.101"),
        ("BOOLEAN", "true", "True", "false"),
        ("BOOLEAN", "true", "1", "0"),
        ("INTEGER", "1", "TRUE", "False"),
        ("DOUBLE", "0", "false", "none"),
        ("DATE", "'2150-01-01'", "2150-01-01 00:00:00", "2150-01-01 00:00:01"),
        ("TIMESTAMPTZ", "'2150-01-01 02:00:00+02'", "2150-01-01 00:00:00", "2150-01-01 02:00:00"),
        ("TIMESTAMP_NS", "'2150-01-01 00:00:01'", "2150-01-01T00:00:01", "2150-01-01"),
        ("VARCHAR", "'3.0'", "3.0", "3"),
        ("VARCHAR", "''", "", "x"),
        ("VARCHAR", "'a,\"b\"\nc'", '"a,""b""\nc"', '"a,""b"" c"'),
    ],
)
def test_every_type_of_reference_column_is_met_by_its_text(
    tmp_path: Path, scored: Scorer, kind: str, value: str, same: str, other: str
) -> None:
    reference = write_parquet(f"SELECT 1 AS k, CAST({value} AS {kind}) AS v", tmp_path / "r.parquet")
    spec = ScoringSpec(key_columns=("k",), scored_columns=("v",))
    assert scored(f"k,v\n1,{same}\n", spec, reference).reward == 1.0
    assert scored(f"k,v\n1,{other}\n", spec, reference).reward == 0.0
