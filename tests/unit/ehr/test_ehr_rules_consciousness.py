"""The Glasgow Coma Scale rules, one by one."""

from __future__ import annotations

import pytest
from ehr_bench import Bench, at

VERBAL, MOTOR, EYES = 223900, 223901, 220739


def chart(bench: Bench, hours: float, motor: float | None, verbal: float | str | None, eyes: float | None) -> None:
    if motor is not None:
        bench.chart(MOTOR, at(hours), motor)
    if verbal == "ETT":
        bench.chart(VERBAL, at(hours), 1, "No Response-ETT")
    elif verbal is not None:
        bench.chart(VERBAL, at(hours), float(verbal))
    if eyes is not None:
        bench.chart(EYES, at(hours), eyes)


def test_all_three_parts_add_up(bench: Bench) -> None:
    chart(bench, 1, 4, 2, 3)
    row = bench.one("gcs")
    assert (row["gcs"], row["gcs_motor"], row["gcs_verbal"], row["gcs_eyes"], row["gcs_unable"]) == (9, 4, 2, 3, 0)


def test_an_intubated_verbal_makes_the_scale_15_whatever_eyes_and_motor_say(bench: Bench) -> None:
    chart(bench, 1, 1, "ETT", 1)
    row = bench.one("gcs")
    assert (row["gcs"], row["gcs_verbal"], row["gcs_unable"]) == (15, 0, 1)


def test_a_carried_forward_intubated_verbal_makes_15_but_does_not_set_the_flag(bench: Bench) -> None:
    chart(bench, 1, 1, "ETT", 1)
    chart(bench, 3, 1, None, 1)
    later = bench.result("gcs")[1]
    assert (later["gcs"], later["gcs_verbal"], later["gcs_unable"]) == (15, 0, 0)


def test_after_an_intubated_row_a_charted_verbal_counts_with_current_parts_alone(bench: Bench) -> None:
    chart(bench, 1, 1, "ETT", 1)
    chart(bench, 3, None, 2, None)
    later = bench.result("gcs")[1]
    assert later["gcs"] == 6 + 2 + 4, "missing parts are normal, not those of the row before"
    assert (later["gcs_motor"], later["gcs_eyes"]) == (1, 1), "the reported parts are carried forward all the same"


def test_a_missing_part_is_taken_from_the_row_before(bench: Bench) -> None:
    chart(bench, 1, 3, 2, 1)
    chart(bench, 4, 5, None, None)
    later = bench.result("gcs")[1]
    assert (later["gcs"], later["gcs_verbal"], later["gcs_eyes"]) == (5 + 2 + 1, 2, 1)


@pytest.mark.parametrize(("hours", "expected"), [(6.9, 3 + 2 + 1), (7.0, 3 + 5 + 4)])
def test_the_row_before_must_be_less_than_six_hours_old(bench: Bench, hours: float, expected: float) -> None:
    chart(bench, 1, 4, 2, 1)
    chart(bench, hours, 3, None, None)
    assert bench.result("gcs")[1]["gcs"] == expected


def test_nothing_is_carried_over_two_rows(bench: Bench) -> None:
    chart(bench, 1, 4, 2, 1)
    chart(bench, 2, 4, None, 1)
    chart(bench, 3, 4, None, 1)
    assert [row["gcs"] for row in bench.result("gcs")] == [7, 7, 4 + 5 + 1]
    assert bench.result("gcs")[2]["gcs_verbal"] is None


def test_a_never_charted_part_counts_as_normal_but_is_reported_missing(bench: Bench) -> None:
    chart(bench, 1, 4, None, None)
    row = bench.one("gcs")
    assert (row["gcs"], row["gcs_verbal"], row["gcs_eyes"]) == (13, None, None)


def test_of_several_verbal_entries_at_one_time_the_highest_counts(bench: Bench) -> None:
    bench.chart(VERBAL, at(1), 1, "No Response-ETT")
    bench.chart(VERBAL, at(1), 3, "Inappropriate Words")
    row = bench.one("gcs")
    assert (row["gcs"], row["gcs_verbal"], row["gcs_unable"]) == (13, 3, 1)


def test_the_lowest_row_of_the_first_day_is_the_latest_of_equals(bench: Bench) -> None:
    chart(bench, 1, 4, 2, 3)
    chart(bench, 5, 3, 4, 2)
    chart(bench, 9, 6, 5, 4)
    row = bench.one("first_day_gcs")
    assert (row["gcs_min"], row["gcs_motor"], row["gcs_verbal"]) == (9, 3, 4)


@pytest.mark.parametrize(("hours", "counts"), [(-6, True), (-6.01, False), (24, True), (24.01, False)])
def test_the_first_day_reaches_from_six_hours_before_to_24_hours_after_admission(
    bench: Bench, hours: float, counts: bool
) -> None:
    chart(bench, hours, 1, 1, 1)
    assert bench.one("first_day_gcs")["gcs_min"] == (3 if counts else None)
