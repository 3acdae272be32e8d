"""The SIRS skill in the reader's hands, and what an edit of it does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from reader_texts import Reading, expected_rows, instruction_text, match_rate, skill_text

TASK = "mimic-sirs-24h-raw"
SKILL = "sirs-criteria"
SCORED = ("sirs", "temp_score", "heart_rate_score", "resp_score", "wbc_score")

Read = Callable[..., Reading]


def edited(*changes: tuple[str, str]) -> str:
    text = skill_text(SKILL)
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def rates(reading: Reading) -> dict[str, float]:
    expected = expected_rows(TASK)
    return {column: match_rate(reading, expected, column) for column in SCORED}


def test_with_the_skill_every_cell_is_right(read: Read, oracle_database: Path) -> None:
    reading = read(oracle_database, instruction_text(TASK), {SKILL: skill_text(SKILL)})
    assert reading.code == 0
    assert reading.rows == expected_rows(TASK)
    assert reading.real_gaps() == []


def test_without_a_skill_the_rows_are_there_and_every_score_is_the_missing_value(
    read: Read, oracle_database: Path
) -> None:
    reading = read(oracle_database, instruction_text(TASK))
    expected = expected_rows(TASK)
    assert {row["stay_id"] for row in reading.rows} == {row["stay_id"] for row in expected}
    assert match_rate(reading, expected, "subject_id") == match_rate(reading, expected, "hadm_id") == 1.0
    assert all(set(reading.column(column)) == {"0"} for column in SCORED)
    assert {gap["text"] for gap in reading.gaps("not executed")} == set(SCORED)
    assert sum(rates(reading).values()) / 5 < 0.5


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("highest heart rate > 90", "highest heart rate > 100", "heart_rate_score"),
        ("lowest temperature < 36.0", "lowest temperature ≤ 36.0", "temp_score"),
        ("highest band forms > 10", "highest band forms > 20", "wbc_score"),
        ("220045 (Heart Rate)", "220046 (Heart Rate)", "heart_rate_score"),
        ("220210 (Respiratory Rate); ", "", "resp_score"),
        ("both ends included", "start excluded", "heart_rate_score"),
        ("both ends included", "both ends excluded", "heart_rate_score"),
        ("from 6 hours before to", "from 2 hours before to", "heart_rate_score"),
        ("24 hours after ICU", "12 hours after ICU", "heart_rate_score"),
        ("> 0 and < 300", "> 0 and < 100", "heart_rate_score"),
        ("(°F − 32) ÷ 1.8", "(°F − 30) ÷ 1.8", "temp_score"),
        ("mean, rounded to 2 decimals", "mean, rounded to 0 decimals", "temp_score"),
        ("mean |\n| Respiratory", "lowest |\n| Respiratory", "heart_rate_score"),
        ("exactly `ART.`; PaO2 present", "exactly `VEN.`; PaO2 present", "resp_score"),
        ("51301 (White Blood Cells)", "51300 (WBC Count)", "wbc_score"),
        ("| Temperature | highest |", "| Temperature | lowest |", "temp_score"),
    ],
)
def test_an_edit_of_the_text_moves_exactly_the_columns_it_touches(
    read: Read, oracle_database: Path, old: str, new: str, changed: str
) -> None:
    reading = read(oracle_database, instruction_text(TASK), {SKILL: edited((old, new))})
    found = rates(reading)
    assert reading.code == 0
    assert len(reading.rows) == 300
    assert found[changed] < 1.0
    assert found["sirs"] < 1.0
    if "hours" not in old and "ends" not in old:
        assert all(rate == 1.0 for column, rate in found.items() if column not in {changed, "sirs"})


def test_an_item_id_the_database_does_not_hold_is_listed(read: Read, oracle_database: Path) -> None:
    text = edited(("220045 (Heart Rate)", "229999 (Heart Rate)"))
    reading = read(oracle_database, instruction_text(TASK), {SKILL: text})
    assert set(reading.column("heart_rate_score")) == {"0"}
    assert reading.explains("229999", "no valid value")


def test_an_emptied_valid_range_takes_every_value_and_is_listed(read: Read, oracle_database: Path) -> None:
    reading = read(oracle_database, instruction_text(TASK), {SKILL: edited(("| /min | > 0 and < 300 |", "| /min | |"))})
    assert rates(reading)["heart_rate_score"] < 1.0
    assert reading.explains("Heart rate", "no valid range is stated")


def test_the_missing_rule_decides_what_an_unmeasured_stay_counts_as(read: Read, oracle_database: Path) -> None:
    text = edited(("no temperature in the window | 0", "no temperature in the window | 1"))
    usual = read(oracle_database, instruction_text(TASK), {SKILL: skill_text(SKILL)})
    reading = read(oracle_database, instruction_text(TASK), {SKILL: text})
    assert reading.explains("lets missing count as 0")
    assert usual.column("temp_score").count("1") < reading.column("temp_score").count("1")


@pytest.mark.parametrize(
    ("heading", "lost"),
    [
        ("Scoring", "nothing is scored"),
        ("Derived inputs", "no inputs"),
        ("Source map", "no measures"),
        ("Time window", "no window"),
    ],
)
def test_a_renamed_heading_is_not_read_and_its_columns_are_lost(
    read: Read, oracle_database: Path, heading: str, lost: str
) -> None:
    text = edited((f"## {heading}\n", "## Further remarks\n"))
    reading = read(oracle_database, instruction_text(TASK), {SKILL: text})
    assert len(reading.rows) == 300
    assert all(set(reading.column(column)) == {"0"} for column in SCORED), lost
    assert reading.real_gaps()


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ("| Highest heart rate | Heart rate | highest | |\n", "heart_rate_score"),
        (
            "| Heart rate | `chartevents` | 220045 (Heart Rate) | /min | > 0 and < 300 | none | mean |\n",
            "heart_rate_score",
        ),
        ("| `heart_rate_score` | highest heart rate > 90 /min | 1 |\n", "heart_rate_score"),
        ("| `mimiciv_hosp.labevents` | `itemid` | `valuenum` | `charttime` | `subject_id` |\n", "wbc_score"),
    ],
)
def test_a_deleted_row_loses_the_column_that_needs_it(read: Read, oracle_database: Path, row: str, column: str) -> None:
    reading = read(oracle_database, instruction_text(TASK), {SKILL: edited((row, ""))})
    assert set(reading.column(column)) == {"0"}
    assert rates(reading)["temp_score"] == 1.0


def test_without_its_sum_the_total_is_not_invented(read: Read, oracle_database: Path) -> None:
    text = edited(("`sirs` is the sum of", "`sirs` follows from"))
    reading = read(oracle_database, instruction_text(TASK), {SKILL: text})
    assert set(reading.column("sirs")) == {"0"}
    assert reading.explains("sirs", "no text says how it is derived")


def test_a_window_without_a_word_on_its_ends_is_not_guessed(read: Read, oracle_database: Path) -> None:
    text = edited((", both ends included. ICU admission", ". ICU admission"))
    reading = read(oracle_database, instruction_text(TASK), {SKILL: text})
    assert set(reading.column("heart_rate_score")) == {"0"}
    assert reading.explains("both ends of the window")


def test_an_unfitting_skill_is_left_aside(read: Read, oracle_database: Path) -> None:
    skills = {SKILL: skill_text(SKILL), "sofa-score": skill_text("sofa-score")}
    both = read(oracle_database, instruction_text(TASK), skills)
    assert both.rows == expected_rows(TASK)
    assert both.explains("sofa-score/SKILL.md", "not followed")


def test_a_decoy_changes_nothing(read: Read, oracle_database: Path) -> None:
    without = read(oracle_database, instruction_text(TASK))
    decoy = read(oracle_database, instruction_text(TASK), {"sofa-score": skill_text("sofa-score")})
    assert decoy.rows == without.rows


def test_the_trace_names_the_opened_files_and_shows_no_rows(read: Read, oracle_database: Path) -> None:
    reading = read(oracle_database, instruction_text(TASK), {SKILL: skill_text(SKILL)})
    opened = [str(event["path"]) for event in reading.events if event.get("name") == "open"]
    assert [path.split("/")[-2:] for path in opened][1] == [SKILL, "SKILL.md"]
    queries = [event for event in reading.events if event["event"] == "tool_call" and event["name"] == "query"]
    results = [event for event in reading.events if event["event"] == "tool_result"]
    assert len(queries) == len(results) > 5
    assert all(set(event) == {"event", "name", "title", "rows"} for event in results)
    assert [event["event"] for event in reading.events[-2:]] == ["usage", "end"]


def test_two_runs_say_and_write_the_same(read: Read, oracle_database: Path) -> None:
    runs = [read(oracle_database, instruction_text(TASK), {SKILL: skill_text(SKILL)}) for _ in range(2)]
    assert runs[0].events == runs[1].events
    assert runs[0].rows == runs[1].rows


def test_two_units_without_a_conversion_are_not_pooled(read: Read, oracle_database: Path) -> None:
    reading = read(oracle_database, instruction_text(TASK), {SKILL: edited(("(°F − 32) ÷ 1.8", "none"))})
    assert set(reading.column("temp_score")) == {"0"}
    assert reading.explains("different units", "°c, °f")
