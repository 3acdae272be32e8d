"""Rolling urine rates, in exact time (the expected output) and by the clock (the concept), and body weights."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from ehr_bench import at
from ehr_ward import Cases, Charting, Patient, Ward, all_of

HEART_RATE, FOLEY, ADMISSION_WEIGHT, DAILY_WEIGHT = 220045, 226559, 226512, 224639
RATE = "urine-output-rate"


def urine(first_heart_rate: datetime, *volumes: tuple[datetime, float | None], weight: float | None = 80.0) -> Charting:
    def charting(patient: Patient) -> None:
        patient.chart(HEART_RATE, first_heart_rate, 80.0)
        if weight is not None:
            patient.chart(ADMISSION_WEIGHT, at(0), weight)
        for time, volume in volumes:
            patient.output(FOLEY, time, volume)

    return charting


def six_hours(volume: float, hours: float, rate: str | None) -> tuple[float, Decimal, Decimal | None]:
    """What the last row must say of its 6-hour window."""
    return volume, Decimal(f"{hours:.2f}"), None if rate is None else Decimal(rate)


LAST_SIX_HOURS: Cases = {
    "five hours back is inside": (
        urine(at(8), (at(9), 60.0), (at(10), 40.0), (at(14), 200.0)),
        (six_hours(300.0, 6, "0.625"), six_hours(300.0, 6, "0.6250")),
    ),
    "six hours back is outside": (
        urine(at(8), (at(9), 60.0), (at(10), 40.0), (at(14), 200.0), (at(15), 50.0)),
        (six_hours(290.0, 6, "0.604"), six_hours(290.0, 6, "0.6042")),
    ),
    "a minute more than five hours is inside by the clock only": (
        urine(at(7, 10), (at(8, 5), 100.0), (at(10), 40.0), (at(13, 10), 60.0)),
        (six_hours(100.0, 5.08, None), six_hours(200.0, 6, "0.4167")),
    ),
    "a minute more than five hours is outside when the sixth hour has struck": (
        urine(at(7, 10), (at(8, 59), 100.0), (at(14), 60.0)),
        (six_hours(60.0, 5.02, None), six_hours(60.0, 5.02, None)),
    ),
    "hours are rounded to 3 and then to 2 decimals, the clock counts minutes": (
        urine(at(8), (at(9, 0, 17), 60.0)),
        (six_hours(60.0, 1.01, None), six_hours(60.0, 1.00, None)),
    ),
    "twenty seconds may cross a minute of the clock": (
        urine(at(8, 0, 50), (at(8, 1, 10), 60.0)),
        (six_hours(60.0, 0.01, None), six_hours(60.0, 0.02, None)),
    ),
    "urine before the first heart rate has a negative time": (
        urine(at(8), (at(7), 60.0)),
        (six_hours(60.0, -1, None), six_hours(60.0, -1, None)),
    ),
    "a missing volume adds its time and nothing else": (
        urine(at(8), (at(9), None), (at(10), 40.0), (at(14, 30), None)),
        (six_hours(40.0, 5.5, None), six_hours(40.0, 6.5, "0.0769")),
    ),
    "six hours exactly have a rate": (
        urine(at(2), (at(8), 48.0)),
        (six_hours(48.0, 6, "0.100"), six_hours(48.0, 6, "0.1000")),
    ),
    "a second less than six hours has none in exact time": (
        urine(at(2, 0, 1), (at(8), 48.0)),
        (six_hours(48.0, 6, None), six_hours(48.0, 6, "0.1000")),
    ),
    "of several heart rates the earliest counts": (
        all_of(urine(at(4), (at(8), 48.0)), urine(at(2), weight=None), urine(at(9), weight=None)),
        (six_hours(48.0, 6, "0.100"), six_hours(48.0, 6, "0.1000")),
    ),
    "there is no upper limit of the hours": (
        urine(at(0), (at(30), 240.0)),
        (six_hours(240.0, 30, "0.100"), six_hours(240.0, 30, "0.1000")),
    ),
    "without a weight there is no rate": (
        urine(at(2), (at(8), 48.0), weight=None),
        (six_hours(48.0, 6, None), six_hours(48.0, 6, None)),
    ),
    "a weight that rounds to 0 is none": (
        urine(at(2), (at(8), 48.0), weight=0.0004),
        (six_hours(48.0, 6, None), six_hours(48.0, 6, None)),
    ),
    "rates are rounded half up, to 3 and to 4 decimals": (
        urine(at(2), (at(8), 48.12)),
        (six_hours(48.12, 6, "0.100"), six_hours(48.12, 6, "0.1003")),
    ),
}


def every_hour(patient: Patient) -> None:
    urine(at(0), *((at(hour), 80.0) for hour in range(1, 26)))(patient)


def sparse(patient: Patient) -> None:
    urine(at(0), (at(1), 1.0), (at(1, 1), 2.0), (at(13), 4.0), (at(24), 8.0), (at(24, 1), 16.0))(patient)


def irrigated(patient: Patient) -> None:
    urine(at(8), (at(-2), 10.0), (at(9), 100.0))(patient)
    patient.output(227488, at(9), 30.0)
    patient.output(227488, at(9), -5.0)
    patient.output(227489, at(9), 7.0)
    patient.output(226588, at(9), 1000.0)


def to_the_last_digit(patient: Patient) -> None:
    urine(at(0), *((at(0, 0, second), ml) for second, ml in ((7136, 0.1), (20260, 0.2), (21600, 0.3))))(patient)


TIMES: Cases = {
    "every hour": (every_hour, None),
    "sparse": (sparse, None),
    "irrigated": (irrigated, None),
    "to the last digit": (to_the_last_digit, None),
}
HEART_RATES: Cases = {
    "a heart rate a month before admission is too early": (urine(datetime(2149, 12, 10, 12), (at(3), 10.0)), 0),
    "a second later it counts": (urine(datetime(2149, 12, 10, 12, 0, 1), (at(3), 10.0)), 1),
    "a heart rate a month after discharge is too late": (urine(datetime(2150, 2, 15, 12), (at(3), 10.0)), 0),
    "a second earlier it counts": (urine(datetime(2150, 2, 15, 11, 59, 59), (at(3), 10.0)), 1),
}


def weights(*charted: tuple[int, float, float]) -> Charting:
    """Item, hours since ICU admission, kilograms."""

    def charting(patient: Patient) -> None:
        for item, hours, kilograms in charted:
            patient.chart(item, at(hours), kilograms)

    return charting


A, D = ADMISSION_WEIGHT, DAILY_WEIGHT
WEIGHTS: Cases = {
    "an admission weight holds from 2 hours before admission to 2 hours after discharge": (
        weights((A, 3, 70.0)),
        [(-2, 122, "70.000", "admit")],
    ),
    "a first daily weight reaches back in an interval of its own": (
        weights((D, 5, 80.0)),
        [(-2, 5, "80.000", "daily"), (5, 122, "80.000", "daily")],
    ),
    "a daily weight at admission does not reach back": (weights((D, 0, 80.0)), [(0, 122, "80.000", "daily")]),
    "a weight ends where the next begins": (
        weights((A, 3, 70.0006), (D, 9, 0.0004), (D, 12, 1500.0), (D, 13, 0.0), (D, 14, -3.0)),
        [(-2, 9, "70.001", "admit"), (9, 122, "0.000", "daily")],
    ),
    "only the first admission weight reaches back": (
        weights((A, 6, 71.0), (A, 3, 70.0)),
        [(-2, 6, "70.000", "admit"), (6, 122, "71.000", "admit")],
    ),
    "of equal starts the admission weight gets the empty interval": (
        weights((D, -2, 82.0), (A, 3, 70.0)),
        [(-2, -2, "70.000", "admit"), (-2, 122, "82.000", "daily")],
    ),
    "weights are rounded half up": (weights((A, 0, 70.0005)), [(-2, 122, "70.001", "admit")]),
    "a weight before that is used from its charting": (
        weights((D, -5, 60.0), (D, 4, 61.0)),
        [(-5, 4, "60.000", "daily"), (4, 122, "61.000", "daily")],
    ),
}


@pytest.fixture(scope="module")
def ward() -> Ward:
    return Ward(
        LAST_SIX_HOURS, TIMES, HEART_RATES, WEIGHTS, answers=(RATE,), concepts=("urine_output_rate", "weight_durations")
    )


def window(row: dict[str, Any], hours: int) -> tuple[Any, ...]:
    return row[f"urineoutput_{hours}hr"], row[f"uo_tm_{hours}hr"], row[f"uo_mlkghr_{hours}hr"]


@pytest.mark.parametrize("case", LAST_SIX_HOURS)
def test_the_last_six_hours(ward: Ward, case: str) -> None:
    exact, by_the_clock = LAST_SIX_HOURS[case][1]
    assert window(ward.answer(RATE, case)[-1], 6) == exact
    assert window(ward.concept("urine_output_rate", case)[-1], 6) == by_the_clock


@pytest.mark.parametrize("which", ["exact", "clock"])
def test_rates_of_12_and_24_hours_need_as_many(ward: Ward, which: str) -> None:
    rows = ward.answer(RATE, "every hour") if which == "exact" else ward.concept("urine_output_rate", "every hour")
    by_hour = dict(enumerate(rows, start=1))
    for hours in (6, 12, 24):
        assert by_hour[hours - 1][f"uo_mlkghr_{hours}hr"] is None
        assert by_hour[hours][f"uo_mlkghr_{hours}hr"] == 1
        assert by_hour[25][f"urineoutput_{hours}hr"] == hours * 80.0


def test_windows_look_back_11_and_23_hours_with_both_ends(ward: Ward) -> None:
    exact, clock = ward.answer(RATE, "sparse"), ward.concept("urine_output_rate", "sparse")
    assert [(row["urineoutput_12hr"], row["urineoutput_24hr"]) for row in exact[-2:]] == [(12.0, 15.0), (24.0, 30.0)]
    assert [(row["urineoutput_12hr"], row["urineoutput_24hr"]) for row in clock[-2:]] == [(12.0, 15.0), (28.0, 30.0)]


def test_minutes_and_volumes_are_added_from_the_newest_to_the_oldest(ward: Ward) -> None:
    last = ward.answer(RATE, "to the last digit")[-1]
    assert last["urineoutput_6hr"] == 0.3 + 0.2 + 0.1 != 0.1 + 0.2 + 0.3
    assert last["uo_mlkghr_6hr"] is not None, "added from the oldest on, the minutes miss 6 hours by a last digit"
    assert ward.concept("urine_output_rate", "to the last digit")[-1]["urineoutput_6hr"] == 0.3 + 0.2 + 0.1


@pytest.mark.parametrize("case", HEART_RATES)
def test_a_stay_needs_a_heart_rate_within_a_month(ward: Ward, case: str) -> None:
    assert len(ward.answer(RATE, case)) == HEART_RATES[case][1]
    assert len(ward.concept("urine_output_rate", case)) == HEART_RATES[case][1]


def test_volumes_of_one_time_are_one_row_and_irrigant_in_is_taken_off(ward: Ward) -> None:
    rows = ward.answer(RATE, "irrigated")
    assert [row["uo"] for row in rows] == [10.0, 100.0 - 30.0 - 5.0 + 7.0]


def test_a_weight_holds_after_its_start_up_to_its_end(ward: Ward) -> None:
    assert [row["weight"] for row in ward.answer(RATE, "irrigated")] == [None, Decimal("80.000")]
    assert [row["weight"] for row in ward.concept("urine_output_rate", "irrigated")] == [None, Decimal("80.000")]


@pytest.mark.parametrize("case", WEIGHTS)
def test_body_weights(ward: Ward, case: str) -> None:
    intervals = [
        (row["starttime"], row["endtime"], row["weight"], row["weight_type"])
        for row in ward.concept("weight_durations", case)
    ]
    assert intervals == [(at(start), at(end), Decimal(kg), kind) for start, end, kg, kind in WEIGHTS[case][1]]
