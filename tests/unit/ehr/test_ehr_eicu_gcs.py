"""The lowest Glasgow Coma Scale of the first day in eICU, rule by rule."""

from __future__ import annotations

import pytest
from eicu_bench import COMA, ONE_SCORE, OTHER, SCORES, STAY, TOTAL, VITALS, UnitBench, eicu_task


def row(bench: UnitBench) -> tuple[float, float, float, float]:
    found = bench.one("gcs")
    return found["gcs_min"], found["gcs_motor"], found["gcs_verbal"], found["gcs_eyes"]


def test_a_stay_without_any_entry_is_normal(unit_bench: UnitBench) -> None:
    assert row(unit_bench) == (15, 6, 5, 4)


def test_the_row_has_the_columns_of_the_task_card_in_order(unit_bench: UnitBench) -> None:
    assert tuple(unit_bench.one("gcs")) == eicu_task("gcs").output.required_columns


def test_every_stay_has_one_row(unit_bench: UnitBench) -> None:
    unit_bench.insert("patient", patientunitstayid=STAY + 1)
    unit_bench.coma(10, 9)
    unit_bench.coma(20, 9)
    assert [found["patientunitstayid"] for found in unit_bench.result("gcs")] == [STAY, STAY + 1]


def test_the_charted_total_counts_even_when_it_disagrees_with_the_parts(unit_bench: UnitBench) -> None:
    unit_bench.coma(60, 3, motor=6, verbal=5, eyes=4)
    assert row(unit_bench) == (3, 6, 5, 4)


def test_without_a_total_the_parts_are_added_and_missing_ones_are_normal(unit_bench: UnitBench) -> None:
    unit_bench.coma(60, motor=3, eyes=2)
    assert row(unit_bench) == (3 + 5 + 2, 3, 5, 2)


@pytest.mark.parametrize(("part", "total"), [("motor", 1 + 5 + 4), ("verbal", 6 + 1 + 4), ("eyes", 6 + 5 + 1)])
def test_one_part_alone_makes_a_total(unit_bench: UnitBench, part: str, total: int) -> None:
    unit_bench.coma(60, **{part: 1})
    assert unit_bench.one("gcs")["gcs_min"] == total


@pytest.mark.parametrize(("total", "counts"), [("2", False), ("3", True), ("15", True), ("16", False), ("0", False)])
def test_a_total_counts_from_3_to_15(unit_bench: UnitBench, total: str, counts: bool) -> None:
    unit_bench.coma(60, total)
    assert row(unit_bench) == (float(total) if counts else 15, 6, 5, 4)


def test_an_impossible_total_hides_a_possible_one_of_the_same_time(unit_bench: UnitBench) -> None:
    unit_bench.coma(60, 0, motor=5)
    unit_bench.coma(60, 7)
    assert row(unit_bench) == (5 + 5 + 4, 5, 5, 4)


def test_an_impossible_total_alone_makes_a_normal_time_that_can_be_the_earliest_lowest(unit_bench: UnitBench) -> None:
    unit_bench.coma(60, 0)
    unit_bench.coma(120, 15, motor=5)
    assert row(unit_bench) == (15, 6, 5, 4)


def test_parts_have_no_range(unit_bench: UnitBench) -> None:
    unit_bench.coma(60, motor=0, verbal=0, eyes=0)
    assert row(unit_bench) == (0, 0, 0, 0)


def test_of_several_values_at_one_time_the_lowest_counts(unit_bench: UnitBench) -> None:
    unit_bench.coma(60, 12, motor=6)
    unit_bench.coma(60, 10, motor=4)
    assert row(unit_bench) == (10, 4, 5, 4)


def test_both_ways_of_charting_a_total_are_pooled(unit_bench: UnitBench) -> None:
    unit_bench.nurse(60, TOTAL, 11, SCORES)
    unit_bench.nurse(60, ONE_SCORE, 8, OTHER)
    assert unit_bench.one("gcs")["gcs_min"] == 8


def test_of_several_times_with_the_lowest_total_the_earliest_counts(unit_bench: UnitBench) -> None:
    unit_bench.coma(300, 8, motor=3)
    unit_bench.coma(60, 8, motor=4)
    unit_bench.coma(30, 9, motor=1)
    assert row(unit_bench) == (8, 4, 5, 4)


def test_nothing_is_carried_from_one_time_to_another(unit_bench: UnitBench) -> None:
    unit_bench.coma(60, motor=4, verbal=2, eyes=3)
    unit_bench.coma(61, motor=1)
    assert row(unit_bench) == (9, 4, 2, 3)


@pytest.mark.parametrize(("minute", "counts"), [(-361, False), (-360, True), (0, True), (1440, True), (1441, False)])
def test_the_day_reaches_from_six_hours_before_to_24_hours_after_admission(
    unit_bench: UnitBench, minute: int, counts: bool
) -> None:
    unit_bench.coma(minute, 5)
    assert unit_bench.one("gcs")["gcs_min"] == (5 if counts else 15)


@pytest.mark.parametrize(
    ("category", "counts"), [(SCORES, True), (OTHER, True), (VITALS, False), ("Ordered Protocol", False), (None, False)]
)
def test_only_scores_and_other_vital_signs_count(unit_bench: UnitBench, category: str, counts: bool) -> None:
    unit_bench.nurse(60, TOTAL, 5, category)
    assert unit_bench.one("gcs")["gcs_min"] == (5 if counts else 15)


@pytest.mark.parametrize(
    "cell",
    [(COMA, "Value"), ("Score (Glasgow Coma Scale)", "GCS Total"), ("glasgow coma score", "GCS Total"), (COMA, None)],
)
def test_other_cells_do_not_count(unit_bench: UnitBench, cell: tuple[str, str]) -> None:
    unit_bench.nurse(60, cell, 5, SCORES)
    assert row(unit_bench) == (15, 6, 5, 4)


@pytest.mark.parametrize("text", ["Unable to score due to medication", "4 - Spontaneous", "15/15", "", None, "None"])
def test_what_is_no_number_is_no_entry(unit_bench: UnitBench, text: str | None) -> None:
    unit_bench.nurse(30, TOTAL, text, SCORES)
    unit_bench.coma(60, 15, motor=5)
    assert row(unit_bench) == (15, 5, 5, 4), "the time with the text is not even a normal time"


def test_blanks_around_a_number_are_tolerated(unit_bench: UnitBench) -> None:
    unit_bench.coma(60, " 9 ")
    assert unit_bench.one("gcs")["gcs_min"] == 9


def test_the_physicians_exam_is_not_a_source(unit_bench: UnitBench) -> None:
    unit_bench.examine(60, "5", "5")
    assert unit_bench.one("gcs")["gcs_min"] == 15
