"""KDIGO: the stage of acute kidney injury by creatinine, urine and renal replacement, on and next to every limit."""

from __future__ import annotations

from decimal import Decimal

import pytest
from ehr_bench import at
from ehr_ward import Cases, Charting, Patient, Ward

CREATININE, FOLEY, IRRIGANT_IN, ADMISSION_WEIGHT, DAILY_WEIGHT, CRRT_MODE = (
    50912,
    226559,
    227488,
    226512,
    224639,
    227290,
)
MINUTE = 1 / 60


def creatinine(*results: tuple[float, float | None]) -> Charting:
    """Results by hours since ICU admission."""

    def charting(patient: Patient) -> None:
        for hours, result in results:
            patient.lab(at(hours), {CREATININE: result})

    return charting


def discharged_at(hours: float, charting: Charting) -> Charting:
    def discharged(patient: Patient) -> None:
        patient.outtime = at(hours)
        charting(patient)

    return discharged


def of_another_admission(patient: Patient) -> None:
    patient.lab(at(-100), {CREATININE: 1.0}, admission=7)
    patient.lab(at(1), {CREATININE: 2.0}, admission=None)


CREATININE_STAGE: Cases = {
    "1.1 to 1.4 is no rise of 0.3 in double arithmetic": (creatinine((0, 1.1), (10, 1.4)), 0),
    "1.0 to 1.3 is a rise of 0.3 in double arithmetic": (creatinine((0, 1.0), (10, 1.3)), 1),
    "a rise of less than 0.3 is none": (creatinine((0, 1.0), (10, 1.29)), 0),
    "the value of exactly 48 hours before counts": (creatinine((0, 1.0), (48, 1.3)), 1),
    "a value of more than 48 hours before does not": (creatinine((-MINUTE, 1.0), (48, 1.3)), 0),
    "the value of exactly 7 days before counts": (creatinine((-168, 1.0), (0, 1.5)), 1),
    "nothing older than 7 days before admission is seen": (creatinine((-168 - MINUTE, 1.0), (0, 1.5)), 0),
    "exactly 7 days are counted from the value itself": (creatinine((-148, 1.0), (20, 1.5)), 1),
    "a value of more than 7 days before does not count": (creatinine((-148 - MINUTE, 1.0), (20, 1.5)), 0),
    "1.5-fold in 7 days is stage 1": (creatinine((-100, 2.0), (0, 3.0)), 1),
    "less than 1.5-fold in 7 days is none": (creatinine((-100, 2.0), (0, 2.99)), 0),
    "2-fold in 7 days is stage 2": (creatinine((-100, 1.0), (0, 2.0)), 2),
    "less than 2-fold in 7 days is stage 1": (creatinine((-100, 1.0), (0, 1.99)), 1),
    "3-fold in 7 days is stage 3": (creatinine((-100, 1.0), (0, 3.0)), 3),
    "less than 3-fold in 7 days is stage 2": (creatinine((-100, 1.0), (0, 2.99)), 2),
    "4.0 after 3.7 is stage 3": (creatinine((0, 3.7), (10, 4.0)), 3),
    "4.1 after 3.8 is stage 3": (creatinine((0, 3.8), (10, 4.1)), 3),
    "4.0 after 3.8 is none": (creatinine((0, 3.8), (10, 4.0)), 0),
    "3.99 after a rise of 0.3 is stage 1": (creatinine((0, 3.6), (10, 3.99)), 1),
    "4.5 as 1.5-fold of 7 days is stage 3": (creatinine((-110, 3.0), (0, 4.3), (10, 4.5)), 3),
    "4.0 after 2.7 of more than 48 hours before is none": (creatinine((-48, 2.7), (10, 4.0)), 0),
    "4.0 as 1.5-fold without a value in 48 hours is stage 3": (creatinine((-48, 2.6), (10, 4.0)), 3),
    "the first value has no stage, however high": (creatinine((1, 5.0)), 0),
    "1.6 at exactly 48 hours counts": (creatinine((0, 1.0), (48, 1.6)), 1),
    "1.6 after 48 hours does not": (creatinine((1, 1.0), (48 + MINUTE, 1.6)), 0),
    "a rise before admission is not staged": (creatinine((-2, 1.0), (-MINUTE, 3.0)), 0),
    "a rise at admission is": (creatinine((-2, 1.0), (0, 3.0)), 3),
    "0 is accepted, and 0 after 0 is 3-fold": (creatinine((1, 0.0), (5, 0.0)), 3),
    "150 is accepted": (creatinine((1, 1.0), (5, 150.0)), 3),
    "more than 150 is not": (creatinine((1, 1.0), (5, 150.1)), 0),
    "values at one time are averaged": (creatinine((0, 1.0), (0, 1.2), (5, 1.65)), 1),
    "the mean of values at one time, not the lowest, is compared": (creatinine((0, 1.0), (0, 1.2), (5, 1.39)), 0),
    "the current value is no minimum of its own": (creatinine((0, 1.0), (0, 3.0)), 0),
    "a result without a number is none": (creatinine((0, None), (5, 2.0)), 0),
    "creatinine at discharge counts": (discharged_at(5, creatinine((1, 1.0), (5, 3.0))), 3),
    "creatinine after discharge does not": (discharged_at(5, creatinine((1, 1.0), (5 + MINUTE, 3.0))), 0),
    "another admission of the patient counts": (of_another_admission, 2),
}  # fmt: skip


def urine(*volumes: tuple[float, float | None], weight: float | None = 100.0, item: int = FOLEY) -> Charting:
    """Volumes by hours since ICU admission, and an admission weight."""

    def charting(patient: Patient) -> None:
        if weight is not None:
            patient.chart(ADMISSION_WEIGHT, at(0), weight)
        for hours, volume in volumes:
            patient.output(item, at(hours), volume)

    return charting


def hourly(volume: float, hours: int, *, first: float = 1, weight: float | None = 100.0, item: int = FOLEY) -> Charting:
    return urine(*((first + hour, volume) for hour in range(hours)), weight=weight, item=item)


URINE_STAGE: Cases = {
    "a 6-hour rate of exactly 0.5 is none": (hourly(50.0, 8), 0),
    "0.49995 rounds to 0.5": (hourly(49.995, 8), 0),
    "0.49994 rounds to 0.4999 and is stage 1": (hourly(49.994, 8), 1),
    "0.4996 is not rounded away": (hourly(49.96, 8), 1),
    "a 12-hour rate of exactly 0.5 is not stage 2": (urine(*((h, 60.0 if h <= 6 else 40.0) for h in range(1, 13))), 1),
    "rates of exactly 0.5 over 12 hours are none": (hourly(50.0, 14), 0),
    "a 12-hour rate of 0.4999 is stage 2": (hourly(49.994, 14), 2),
    "11 hours below 0.5 are stage 1": (hourly(40.0, 11), 1),
    "12 hours below 0.5 are stage 2": (hourly(40.0, 12), 2),
    "23 hours below 0.3 are stage 2": (hourly(20.0, 23), 2),
    "24 hours below 0.3 are stage 3": (hourly(20.0, 24), 3),
    "a 24-hour rate of exactly 0.3 is stage 2": (hourly(30.0, 30), 2),
    "0.29995 rounds to 0.3": (hourly(29.995, 30), 2),
    "0.2999 is stage 3": (hourly(29.99, 30), 3),
    "0.299949 rounds to 0.2999": (hourly(29.9949, 30), 3),
    "11 hours without urine are stage 1": (hourly(0.0, 11), 1),
    "12 hours without urine are stage 3": (hourly(0.0, 12), 3),
    "0.00004 rounds to no urine": (hourly(0.004, 20), 3),
    "0.00005 does not": (hourly(0.005, 20), 2),
    "net irrigation is below 0.5 but not without urine": (hourly(5.0, 20, item=IRRIGANT_IN), 2),
    "five hours of collection are too few": (hourly(1.0, 5, first=3), 0),
    "six hours of collection are enough": (hourly(1.0, 6, first=2), 1),
    "a collection of 12 hours or more in the last 6 has no rate": (urine((1, 500.0), (13, 10.0)), 0),
    "a collection of nearly 12 hours has one": (urine((1, 500.0), (13 - MINUTE, 10.0)), 2),
    "the first 6 hours are never staged": (hourly(1.0, 9, first=-2), 0),
    "a minute more than 6 hours is": (urine(*((h, 1.0) for h in range(-2, 6)), (6 + MINUTE, 1.0)), 1),
    "without a weight there is no rate": (hourly(1.0, 8, weight=None), 0),
    "a weight of 1500 kg is none": (hourly(1.0, 8, weight=1500.0), 0),
    "a weight of 1499 kg is one": (hourly(1.0, 8, weight=1499.0), 1),
    "a weight of 0 is none": (hourly(1.0, 8, weight=0.0), 0),
    "the weight is rounded to 3 decimals": (hourly(35.0, 8, weight=70.0006), 0),
    "urine at exactly 48 hours counts": (hourly(1.0, 6, first=43), 1),
    "urine after 48 hours does not": (hourly(1.0, 6, first=43 + MINUTE), 0),
    "urine after discharge counts while the weight holds": (discharged_at(6, hourly(1.0, 8)), 1),
    "a missing volume adds nothing but its time": (urine(*((h, None if h == 4 else 60.0) for h in range(1, 8))), 0),
}  # fmt: skip


def crrt(hours: float, text: str | None = "CVVHDF", item: int = CRRT_MODE) -> Charting:
    return lambda patient: patient.chart(item, at(hours), text=text)


CRRT_STAGE: Cases = {
    "a CRRT mode at admission is stage 3": (crrt(0), 3),
    "a CRRT mode before admission is none": (crrt(-MINUTE), 0),
    "a CRRT mode at exactly 48 hours is stage 3": (crrt(48), 3),
    "a CRRT mode after 48 hours is none": (crrt(48 + MINUTE), 0),
    "a CRRT mode without a text is none": (crrt(5, None), 0),
    "the text None is a CRRT mode": (crrt(5, "None"), 3),
    "haemodialysis is no CRRT": (crrt(5, "800", 226499), 0),
    "a running CRRT machine without a mode is none": (crrt(5, "Active", 224146), 0),
}


def of_all_three(patient: Patient) -> None:
    creatinine((0, 1.0), (10, 1.3))(patient)
    hourly(40.0, 12)(patient)
    crrt(40)(patient)


def every_twenty_minutes(patient: Patient) -> None:
    patient.chart(ADMISSION_WEIGHT, at(0), 100.0)
    for step in range(23):
        patient.output(FOLEY, at(1, 20 * step), 10.0)


def two_weights(patient: Patient) -> None:
    patient.chart(ADMISSION_WEIGHT, at(1), 70.0)
    patient.chart(DAILY_WEIGHT, at(5), 80.0)
    for hours in (-2 - MINUTE, -2, 5 - MINUTE, 5, 121, 122):
        patient.output(FOLEY, at(hours), 10.0)


SPREAD = ((0, 1.0), (12 - MINUTE, 64.0), (12, 2.0), (18 - MINUTE, 128.0), (18, 4.0), (24, 8.0), (48, 16.0))


def spread(patient: Patient) -> None:
    for hours, volume in ((-MINUTE, 32.0), *SPREAD):
        patient.output(FOLEY, at(hours), volume)


def nothing(patient: Patient) -> None:
    """Only admitted."""


OTHERS: Cases = {
    "all three": (of_all_three, None),
    "every twenty minutes": (every_twenty_minutes, None),
    "two weights": (two_weights, None),
    "spread": (spread, None),
    "nothing": (nothing, None),
    "a peak": (creatinine((0, 1.0), (10, 3.0), (16, 1.0), (16 + MINUTE, 1.0)), None),
}


@pytest.fixture(scope="module")
def ward() -> Ward:
    return Ward(CREATININE_STAGE, URINE_STAGE, CRRT_STAGE, OTHERS, answers=("kdigo-48h",))


def stages(ward: Ward, case: str) -> tuple[int, ...]:
    (row,) = ward.answer("kdigo-48h", case)
    return tuple(row[name] for name in ("aki_stage", "aki_stage_creat", "aki_stage_uo", "aki_stage_crrt"))


@pytest.mark.parametrize("case", CREATININE_STAGE)
def test_creatinine(ward: Ward, case: str) -> None:
    stage = CREATININE_STAGE[case][1]
    assert stages(ward, case) == (stage, stage, 0, 0)


@pytest.mark.parametrize("case", URINE_STAGE)
def test_urine(ward: Ward, case: str) -> None:
    stage = URINE_STAGE[case][1]
    assert stages(ward, case) == (stage, 0, stage, 0)


@pytest.mark.parametrize("case", CRRT_STAGE)
def test_renal_replacement(ward: Ward, case: str) -> None:
    stage = CRRT_STAGE[case][1]
    assert stages(ward, case) == (stage, 0, 0, stage)


def test_the_highest_of_the_three_counts(ward: Ward) -> None:
    assert stages(ward, "all three") == (3, 1, 2, 3)
    assert stages(ward, "nothing") == (0, 0, 0, 0)


def test_twenty_minute_steps_that_miss_6_hours_by_a_last_digit_are_6_hours(ward: Ward) -> None:
    rows = {row["charttime"]: row for row in ward.concept("kdigo_uo", "every twenty minutes")}
    hours = [rows[at(*time)]["uo_tm_6hr"] for time in ((6,), (7,), (7, 20))]
    assert hours == [Decimal("6.000000"), Decimal("7.000000"), Decimal("6.333333")]
    assert rows[at(6)]["uo_rt_6hr"] is not None


def test_a_weight_holds_from_its_start_up_to_the_next(ward: Ward) -> None:
    weights = [row["weight"] for row in ward.concept("kdigo_uo", "two weights")]
    assert weights == [None, *(Decimal(kg) for kg in ("70.000", "70.000", "80.000", "80.000")), None]


def test_a_window_holds_both_its_ends(ward: Ward) -> None:
    rows = {row["charttime"]: row for row in ward.concept("kdigo_uo", "spread")}
    sums = [rows[at(24)][f"urineoutput_{hours}hr"] for hours in (6, 12, 24)]
    assert sums == [4 + 8, 2 + 128 + 4 + 8, 1 + 64 + 2 + 128 + 4 + 8]
    assert rows[at(48)]["urineoutput_24hr"] == 8 + 16


def test_a_stay_without_creatinine_has_a_row_without_a_time(ward: Ward) -> None:
    assert [(row["charttime"], row["aki_stage"]) for row in ward.concept("kdigo_stages", "nothing")] == [(None, 0)]


def test_the_smoothed_stage_looks_back_six_hours_with_both_ends(ward: Ward) -> None:
    rows = ward.concept("kdigo_stages", "a peak")
    assert [row["aki_stage"] for row in rows] == [0, 3, 0, 0]
    assert [row["aki_stage_smoothed"] for row in rows] == [0, 3, 3, 0]
