"""Every line of the SIRS and SOFA scoring tables, on and next to its cut-off."""

from __future__ import annotations

import pytest
from ehr_bench import Bench, at
from test_ehr_rules_measurements import (
    BANDS,
    BILIRUBIN,
    CREATININE,
    DOBUTAMINE,
    DOPAMINE,
    EPINEPHRINE,
    FOLEY,
    IRRIGANT_IN,
    NOREPINEPHRINE,
    PLATELETS,
    WHITE_CELLS,
)

MODE = 223849


def sofa(bench: Bench, organ: str) -> int:
    row = bench.one("sofa-24h")
    organs = ("respiration", "coagulation", "liver", "cardiovascular", "cns", "renal")
    assert row["sofa"] == sum(row[name] for name in organs)
    return int(row[organ])


def test_a_stay_without_any_data_scores_zero_and_still_has_a_row(bench: Bench) -> None:
    assert set(bench.one("sofa-24h").values()) == {1, 2, 3, 0}
    assert set(bench.one("sirs-24h").values()) == {1, 2, 3, 0}


@pytest.mark.parametrize(
    ("platelets", "points"), [(19.9, 4), (20, 3), (49, 3), (50, 2), (99, 2), (100, 1), (149, 1), (150, 0)]
)
def test_platelets(bench: Bench, platelets: float, points: int) -> None:
    bench.lab(at(1), {PLATELETS: float(platelets)})
    assert sofa(bench, "coagulation") == points


@pytest.mark.parametrize(
    ("bilirubin", "points"), [(1.1, 0), (1.2, 1), (1.9, 1), (2.0, 2), (5.9, 2), (6.0, 3), (11.9, 3), (12.0, 4)]
)
def test_bilirubin_of_exactly_twelve_scores_four(bench: Bench, bilirubin: float, points: int) -> None:
    bench.lab(at(1), {BILIRUBIN: bilirubin})
    assert sofa(bench, "liver") == points


@pytest.mark.parametrize(
    ("creatinine", "points"), [(1.1, 0), (1.2, 1), (2.0, 2), (3.4, 2), (3.5, 3), (4.9, 3), (5.0, 4)]
)
def test_creatinine_of_exactly_five_scores_four(bench: Bench, creatinine: float, points: int) -> None:
    bench.lab(at(1), {CREATININE: creatinine})
    assert sofa(bench, "renal") == points


@pytest.mark.parametrize(("urine", "points"), [(199, 4), (200, 3), (499, 3), (500, 0)])
def test_urine_of_the_first_day(bench: Bench, urine: float, points: int) -> None:
    bench.output(FOLEY, at(1), urine)
    assert sofa(bench, "renal") == points


def test_a_negative_urine_sum_is_oliguria_and_a_missing_one_is_not(bench: Bench) -> None:
    assert sofa(bench, "renal") == 0
    bench.output(IRRIGANT_IN, at(1), 50)
    assert sofa(bench, "renal") == 4


def test_the_worse_of_creatinine_and_urine_counts(bench: Bench) -> None:
    bench.lab(at(1), {CREATININE: 2.5})
    bench.output(FOLEY, at(1), 300)
    assert sofa(bench, "renal") == 3


@pytest.mark.parametrize(
    ("item", "rate", "points"),
    [
        (NOREPINEPHRINE, 0.1001, 4), (NOREPINEPHRINE, 0.1, 3), (NOREPINEPHRINE, 0.001, 3), (NOREPINEPHRINE, 0.0, 0),
        (EPINEPHRINE, 0.11, 4), (EPINEPHRINE, 0.1, 3), (EPINEPHRINE, 0.0, 0),
        (DOPAMINE, 15.1, 4), (DOPAMINE, 15, 3), (DOPAMINE, 5.1, 3), (DOPAMINE, 5, 2), (DOPAMINE, 0.0, 0),
        (DOBUTAMINE, 0.5, 2), (DOBUTAMINE, 40, 2), (DOBUTAMINE, 0.0, 0), (NOREPINEPHRINE, None, 0),
    ],
)  # fmt: skip
def test_vasopressors(bench: Bench, item: int, rate: float | None, points: int) -> None:
    bench.infusion(item, at(1), rate)
    assert sofa(bench, "cardiovascular") == points


@pytest.mark.parametrize(("pressure", "points"), [(69.9, 1), (70, 0)])
def test_mean_pressure(bench: Bench, pressure: float, points: int) -> None:
    bench.chart(220052, at(1), pressure)
    assert sofa(bench, "cardiovascular") == points


@pytest.mark.parametrize(("hours", "points"), [(-6, 3), (-6.001, 0), (24, 3), (24.001, 0)])
def test_an_infusion_counts_by_its_start_alone(bench: Bench, hours: float, points: int) -> None:
    bench.infusion(NOREPINEPHRINE, at(hours), 0.05)
    assert sofa(bench, "cardiovascular") == points


@pytest.mark.parametrize(
    ("total", "points"),
    [((6, 5, 4), 0), ((6, 4, 4), 1), ((6, 4, 3), 1), ((6, 3, 3), 2), ((4, 3, 3), 2), ((4, 3, 2), 3),
     ((3, 2, 1), 3), ((3, 1, 1), 4), ((1, 1, 1), 4)],
)  # fmt: skip
def test_coma(bench: Bench, total: tuple[int, int, int], points: int) -> None:
    for item, part in zip((223901, 223900, 220739), total, strict=True):
        bench.chart(item, at(1), part)
    assert sofa(bench, "cns") == points


def ventilate(bench: Bench, start: float, end: float) -> None:
    bench.chart(MODE, at(start), text="CMV/ASSIST")
    bench.chart(MODE, at(end), text="CMV/ASSIST")


@pytest.mark.parametrize(("ratio", "points"), [(99.9, 4), (100, 3), (199, 3), (200, 0), (399, 0)])
def test_a_ventilated_ratio_counts_only_below_200(bench: Bench, ratio: float, points: int) -> None:
    ventilate(bench, 0, 10)
    bench.gas(at(5), ratio, 100)
    assert sofa(bench, "respiration") == points


@pytest.mark.parametrize(("ratio", "points"), [(60, 2), (299, 2), (300, 1), (399, 1), (400, 0)])
def test_an_unventilated_ratio_scores_two_at_most(bench: Bench, ratio: float, points: int) -> None:
    bench.gas(at(5), ratio, 100)
    assert sofa(bench, "respiration") == points


@pytest.mark.parametrize(("hours", "points"), [(2, 4), (1.99, 2), (8, 4), (8.01, 2)])
def test_both_ends_of_an_episode_count_as_ventilated(bench: Bench, hours: float, points: int) -> None:
    ventilate(bench, 2, 8)
    bench.gas(at(hours), 80, 100)
    assert sofa(bench, "respiration") == points


def test_an_unventilated_ratio_counts_beside_a_good_ventilated_one(bench: Bench) -> None:
    ventilate(bench, 2, 8)
    bench.gas(at(5), 250, 100)
    bench.gas(at(12), 350, 100)
    assert sofa(bench, "respiration") == 1


@pytest.mark.parametrize("specimen", ["VEN.", "ART", "art.", None])
def test_only_gases_labelled_arterial_count(bench: Bench, specimen: str | None) -> None:
    bench.gas(at(5), 80, 100, specimen)
    assert sofa(bench, "respiration") == 0


def sirs(bench: Bench, criterion: str) -> int:
    return int(bench.one("sirs-24h")[criterion])


@pytest.mark.parametrize(
    ("item", "value", "point"),
    [(223761, 100.4, 0), (223761, 100.5, 1), (223761, 96.8, 0), (223761, 96.7, 1), (223762, 38.0, 0), (223762, 38.1, 1),
     (223762, 36.0, 0), (223762, 35.9, 1)],
)  # fmt: skip
def test_temperature_is_compared_after_rounding(bench: Bench, item: int, value: float, point: int) -> None:
    bench.chart(item, at(1), value)
    assert sirs(bench, "temp_score") == point


@pytest.mark.parametrize(("rate", "point"), [(90, 0), (91, 1)])
def test_heart_rate(bench: Bench, rate: float, point: int) -> None:
    bench.chart(220045, at(1), rate)
    assert sirs(bench, "heart_rate_score") == point


@pytest.mark.parametrize(
    ("breaths", "carbon_dioxide", "point"), [(20, 32, 0), (21, None, 1), (None, 31.9, 1), (12, 31, 1)]
)
def test_either_breaths_or_carbon_dioxide(
    bench: Bench, breaths: float | None, carbon_dioxide: float | None, point: int
) -> None:
    if breaths is not None:
        bench.chart(220210, at(1), breaths)
    if carbon_dioxide is not None:
        bench.lab(at(1), {52033: "ART.", 50821: 90.0, 50818: float(carbon_dioxide)})
    assert sirs(bench, "resp_score") == point


def test_carbon_dioxide_without_an_oxygen_tension_or_from_a_vein_does_not_count(bench: Bench) -> None:
    bench.lab(at(1), {52033: "ART.", 50818: 20.0})
    bench.lab(at(2), {52033: "VEN.", 50821: 40.0, 50818: 20.0})
    assert sirs(bench, "resp_score") == 0


@pytest.mark.parametrize(
    ("results", "point"),
    [({WHITE_CELLS: 12.0}, 0), ({WHITE_CELLS: 12.1}, 1), ({WHITE_CELLS: 4.0}, 0), ({WHITE_CELLS: 3.9}, 1),
     ({BANDS: 10.0}, 0), ({BANDS: 11.0}, 1), ({WHITE_CELLS: 8.0, BANDS: 11.0}, 1)],
)  # fmt: skip
def test_white_cells_or_bands(bench: Bench, results: dict[int, float | str | None], point: int) -> None:
    bench.lab(at(1), results)
    assert sirs(bench, "wbc_score") == point
