"""The SOFA skill in the reader's hands: what can be read literally is exact, the rest is listed and never guessed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
from reader_texts import ORACLE, Reading, expected_rows, instruction_text, match_rate, skill_text

TASK = "mimic-sofa-24h-raw"
SKILL = "sofa-score"

Read = Callable[..., Reading]


ORGANS = ("respiration", "coagulation", "liver", "cardiovascular", "cns", "renal")


def test_all_organs_are_exact(read: Read, oracle_database: Path) -> None:
    reading = read(oracle_database, instruction_text(TASK), {SKILL: skill_text(SKILL)})
    expected = expected_rows(TASK)
    for column in ("sofa", *ORGANS):
        assert match_rate(reading, expected, column) == 1.0, column
    assert reading.real_gaps() == []


def test_what_cannot_be_executed_is_listed_and_left_at_the_missing_value(read: Read, oracle_database: Path) -> None:
    text = skill_text(SKILL)
    assert "100 × PaO2 ÷ sample FiO2" in text
    reading = read(
        oracle_database, instruction_text(TASK), {SKILL: text.replace("100 × PaO2 ÷ sample FiO2", "as usual")}
    )
    assert set(reading.column("respiration")) == {"0"}
    assert reading.explains("PaO2/FiO2 ratio", "cannot read 'as'")
    assert reading.explains('"text": "respiration"', "not executed")
    assert reading.explains("the sum holds respiration, not executed")
    for row in reading.rows:
        assert int(row["sofa"]) == sum(int(row[part]) for part in ORGANS)


def test_an_episode_rule_that_changes_moves_the_result(read: Read, oracle_database: Path) -> None:
    text = skill_text(SKILL)
    assert "it has more than one charting time" in text
    reading = read(
        oracle_database, instruction_text(TASK), {SKILL: text.replace("it has more than one charting time", "")}
    )
    assert match_rate(reading, expected_rows(TASK), "respiration") < 1.0


def test_irrigant_counts_as_the_text_says(read: Read, oracle_database: Path) -> None:
    text = skill_text(SKILL)
    assert "sign reversed when > 0" in text
    reading = read(oracle_database, instruction_text(TASK), {SKILL: text.replace("sign reversed when > 0", "none")})
    assert match_rate(reading, expected_rows(TASK), "renal") < 1.0


def test_each_window_serves_the_inputs_that_name_it(read: Read, oracle_database: Path) -> None:
    text = skill_text(SKILL).replace("| sum | urine window |", "| sum | first-day window |")
    reading = read(oracle_database, instruction_text(TASK), {SKILL: text})
    expected = expected_rows(TASK)
    assert match_rate(reading, expected, "renal") < 1.0
    assert match_rate(reading, expected, "liver") == 1.0


def test_where_concepts_are_available_they_may_stand_in(read: Read, oracle_database: Path, tmp_path: Path) -> None:
    database = tmp_path / "standard.duckdb"
    shutil.copy(oracle_database, database)
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE SCHEMA mimiciv_derived")
        for file in sorted((ORACLE / "derived").glob("*.parquet")):
            connection.execute(f"CREATE VIEW mimiciv_derived.{file.stem} AS SELECT * FROM read_parquet('{file}')")
    reading = read(database, instruction_text("mimic-sofa-24h"), {SKILL: skill_text(SKILL)})
    expected = expected_rows("mimic-sofa-24h")
    for column in ORGANS:
        assert match_rate(reading, expected, column) == 1.0, column
    assert any("taken from mimiciv_derived.first_day_gcs" in str(event.get("text")) for event in reading.events)
