"""Vital signs, laboratory panels, urine and infusions: ranges, units, windows."""

from __future__ import annotations

from decimal import Decimal

import pytest
from ehr_bench import Bench, at

CREATININE, BILIRUBIN, PLATELETS, WHITE_CELLS, OTHER_WHITE_CELLS, BANDS = 50912, 50885, 51265, 51301, 51300, 51144
NOREPINEPHRINE, EPINEPHRINE, DOPAMINE, DOBUTAMINE = 221906, 221289, 221662, 221653
FOLEY, IRRIGANT_IN, IRRIGANT_OUT = 226559, 227488, 227489


@pytest.mark.parametrize(
    ("fahrenheit", "celsius"),
    [(100.4, "38.00"), (96.8, "36.00"), (100.5, "38.06"), (70, None), (70.1, "21.17"), (120, None), (119.9, "48.83")],
)
def test_fahrenheit_is_tested_as_charted_and_converted_to_two_decimals(
    bench: Bench, fahrenheit: float, celsius: str | None
) -> None:
    bench.chart(223761, at(1), fahrenheit)
    assert bench.one("vitalsign")["temperature"] == (Decimal(celsius) if celsius else None)


def test_temperatures_of_both_units_at_one_time_are_averaged_and_rounded_half_up(bench: Bench) -> None:
    bench.chart(223761, at(1), 98.6)
    bench.chart(223762, at(1), 37.01)
    assert bench.one("vitalsign")["temperature"] == Decimal("37.01")


def test_arterial_and_cuff_pressures_at_one_time_are_averaged_and_never_computed(bench: Bench) -> None:
    bench.chart(220052, at(1), 60)
    bench.chart(220181, at(1), 70)
    bench.chart(225312, at(1), 300)
    bench.chart(220050, at(2), 120)
    bench.chart(220051, at(2), 60)
    first, second = bench.result("vitalsign")
    assert (first["mbp"], first["mbp_ni"]) == (65, 70)
    assert (second["sbp"], second["dbp"], second["mbp"]) == (120, 60, None)


@pytest.mark.parametrize(
    ("item", "column", "value", "kept"),
    [
        (220045, "heart_rate", 0, False), (220045, "heart_rate", 299, True), (220045, "heart_rate", 300, False),
        (220210, "resp_rate", 69, True), (224690, "resp_rate", 70, False),
        (220277, "spo2", 100, True), (220277, "spo2", 101, False),
        (225664, "glucose", 5000, True), (226537, "glucose", 0, False),
        (220179, "sbp", 400, False), (225310, "dbp", 299, True),
    ],
)  # fmt: skip
def test_values_outside_the_valid_range_are_missing_but_the_time_stays(
    bench: Bench, item: int, column: str, value: float, kept: bool
) -> None:
    bench.chart(item, at(1), value)
    assert bench.one("vitalsign")[column] == (value if kept else None)


def test_the_mean_does_not_depend_on_the_order_of_the_rows(bench: Bench) -> None:
    values = [70.1, 69.7, 70.2]
    for order, hours in (((0, 1, 2), 1), ((2, 1, 0), 2), ((1, 2, 0), 3)):
        for position, item in zip(order, (220052, 220181, 225312), strict=True):
            bench.chart(item, at(hours), values[position])
    assert len({row["mbp"] for row in bench.result("vitalsign")}) == 1


def test_a_result_above_its_cap_is_missing_though_its_specimen_stays(bench: Bench) -> None:
    bench.lab(at(1), {CREATININE: 150.1, 50983: 140.0})
    row = bench.one("chemistry")
    assert (row["creatinine"], row["sodium"]) == (None, 140)


def test_only_the_anion_gap_may_be_zero_or_negative(bench: Bench) -> None:
    bench.lab(at(1), {50868: -2.0, CREATININE: 0.0})
    row = bench.one("chemistry")
    assert (row["aniongap"], row["creatinine"]) == (-2, None)


def test_white_cells_are_item_51301_alone_and_bands_may_be_zero(bench: Bench) -> None:
    bench.lab(at(1), {OTHER_WHITE_CELLS: 15.0, BANDS: 0.0})
    bench.lab(at(2), {WHITE_CELLS: 8.0})
    row = bench.one("first_day_lab")
    assert (row["wbc_min"], row["wbc_max"], row["bands_max"]) == (8, 8, 0)


def test_absolute_counts_come_from_the_percentage_when_the_laboratory_reports_none(bench: Bench) -> None:
    bench.lab(at(1), {WHITE_CELLS: 12.0, 51256: 75.0, 51253: 800.0, 51254: 10.0})
    row = bench.one("blood_differential")
    assert (row["neutrophils_abs"], row["monocytes_abs"]) == (Decimal("9.0000"), Decimal("0.8000"))


@pytest.mark.parametrize(("hours", "seen"), [(-6, True), (-6.1, False), (24, True), (24.1, False)])
def test_laboratory_results_count_from_six_hours_before_to_24_hours_after(
    bench: Bench, hours: float, seen: bool
) -> None:
    bench.lab(at(hours), {PLATELETS: 90.0})
    assert bench.one("first_day_lab")["platelets_min"] == (90 if seen else None)


def test_a_draw_counts_for_every_stay_of_the_patient_in_whose_window_it_lies(bench: Bench) -> None:
    bench.stay(stay_id=4, intime=at(20))
    bench.stay(stay_id=5, subject_id=77, intime=at(0))
    bench.lab(at(18), {BILIRUBIN: 3.0})
    found = {row["stay_id"]: row["bilirubin_total_max"] for row in bench.result("first_day_lab")}
    assert found == {3: 3, 4: 3, 5: None}


def test_irrigant_in_is_subtracted_and_a_sum_may_be_negative(bench: Bench) -> None:
    bench.output(FOLEY, at(1), 100)
    bench.output(IRRIGANT_IN, at(1), 300)
    bench.output(IRRIGANT_OUT, at(2), 50)
    bench.output(IRRIGANT_IN, at(3), -20)
    assert [row["urineoutput"] for row in bench.result("urine_output")] == [-200, 50, -20]
    assert bench.one("first_day_urine_output")["urineoutput"] == -170


@pytest.mark.parametrize(("hours", "seen"), [(0, True), (-0.01, False), (24, True), (24.01, False)])
def test_urine_has_no_look_back(bench: Bench, hours: float, seen: bool) -> None:
    bench.output(FOLEY, at(hours), 100)
    assert bench.one("first_day_urine_output")["urineoutput"] == (100 if seen else None)


def test_other_output_is_not_urine(bench: Bench) -> None:
    bench.output(226588, at(1), 500)
    assert bench.result("urine_output") == []


@pytest.mark.parametrize(
    ("rate", "unit", "weight", "expected"),
    [
        (0.1, "mcg/kg/min", 80, 0.1),
        (0.0001, "mg/kg/min", 80, 0.1),
        (0.1, "mg/kg/min", 1, 0.1),
        (None, "mcg/kg/min", 80, None),
        (0.0, "mcg/kg/min", 80, 0.0),
    ],
)
def test_norepinephrine_in_milligrams_is_converted_unless_the_weight_is_one(
    bench: Bench, rate: float | None, unit: str, weight: float, expected: float | None
) -> None:
    bench.infusion(NOREPINEPHRINE, at(1), rate, unit, weight)
    assert bench.one("norepinephrine")["vaso_rate"] == expected


def test_age_is_counted_in_calendar_years(bench: Bench) -> None:
    bench.insert("mimiciv_hosp.patients", subject_id=1, anchor_age=91, anchor_year=2149)
    bench.insert("mimiciv_hosp.admissions", subject_id=1, hadm_id=2, admittime=at(0))
    assert bench.one("age")["age"] == 92
