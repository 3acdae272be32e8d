"""OASIS: every line of the ten scoring tables, on and next to its limits, with the gaps between them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime, timedelta

import pytest
from ehr_bench import INTIME, at
from ehr_ward import Cases, Charting, Patient, Ward, charted, urine

HEART_RATE, PRESSURE, BREATHS, CELSIUS, MODE = 220045, 220052, 220210, 223762, 223849
VERBAL, MOTOR, EYES = 223900, 223901, 220739
MINUTE = 1 / 60


def vital(component: str, item: int, lines: Iterable[tuple[tuple[float, ...], int]]) -> Cases:
    """Values charted one after the other, and the points that they make."""
    return {
        f"{component} of {' and '.join(map(str, values))}": (charted(item, *values), {component: points})
        for values, points in lines
    }


def admitted_before(seconds: float, *, to_icu: datetime = INTIME) -> Charting:
    def charting(patient: Patient) -> None:
        patient.intime, patient.admitted = to_icu, to_icu - timedelta(seconds=seconds)

    return charting


def aged(age: int) -> Charting:
    def charting(patient: Patient) -> None:
        patient.age = age

    return charting


def coma(*parts: tuple[int, float]) -> Charting:
    def charting(patient: Patient) -> None:
        for item, part in parts:
            patient.chart(item, at(1), part)

    return charting


def ventilated(*hours: float, mode: str = "CMV") -> Charting:
    def charting(patient: Patient) -> None:
        for hour in hours:
            patient.chart(MODE, at(hour), text=mode)

    return charting


def surgery(service: str | None, hour: float = 1, kind: str = "ELECTIVE") -> Charting:
    def charting(patient: Patient) -> None:
        patient.admission_type = kind
        if service is not None:
            patient.transfer("MED", at(-100))
            patient.transfer(service, at(hour))

    return charting


BEFORE_ICU = [
    (-60, 5), (0, 5), (10.19, 5), (10.2, 3), (296.99, 3), (297, 0), (1439.99, 0), (1440, 2), (18707.99, 2), (18708, 1)
]  # fmt: skip
COMA = [
    ((1, 1, 1), 10), ((2, 3, 2), 10), ((3, 3, 2), 4), ((6, 4, 3), 4), ((6, 4, 4), 3), ((6, 5, 4), 0)
]  # fmt: skip
PARTS = (MOTOR, VERBAL, EYES)
POINTS: Cases = {
    **{
        f"{minutes} minutes before the ICU": (admitted_before(minutes * 60), {"preiculos_score": points})
        for minutes, points in BEFORE_ICU
    },
    **{
        f"{age} years": (aged(age), {"age_score": points})
        for age, points in ((23, 0), (24, 3), (53, 3), (54, 6), (77, 6), (78, 9), (89, 9), (90, 7), (91, 7))
    },
    **{
        f"coma of {sum(parts)}": (coma(*zip(PARTS, parts, strict=True)), {"gcs_score": points})
        for parts, points in COMA
    },
    **vital(
        "heart_rate_score",
        HEART_RATE,
        [((88,), 0), ((88.5,), 0), ((89,), 1), ((106,), 1), ((106.5,), 0), ((107,), 3), ((125,), 3), ((126,), 6),
         ((33,), 0), ((32,), 4), ((32, 126), 6), ((32, 110), 4), ((32, 95), 4), ((40, 110), 3)],
    ),
    **vital(
        "mbp_score",
        PRESSURE,
        [((20.64,), 4), ((20.65,), 3), ((50.99,), 3), ((51,), 2), ((61.32,), 2), ((61.33,), 0), ((143.44,), 0),
         ((143.45,), 3), ((55, 144), 3), ((20, 144), 4), ((50, 144), 3)],
    ),
    **vital(
        "resp_rate_score",
        BREATHS,
        [((5,), 10), ((6,), 1), ((12,), 1), ((12.9,), 1), ((13,), 0), ((22,), 0), ((22.5,), 1), ((30,), 1), ((31,), 6),
         ((44,), 6), ((45,), 9), ((5, 45), 10), ((10, 45), 9), ((10, 35), 6), ((10, 25), 1)],
    ),
    **vital(
        "temp_score",
        CELSIUS,
        [((33.21,), 3), ((33.22,), 4), ((35.93,), 4), ((35.94,), 2), ((36.39,), 2), ((36.4,), 0), ((36.88,), 0),
         ((36.89,), 2), ((39.88,), 2), ((39.89,), 6), ((34, 40), 6), ((33, 35), 4), ((33, 37), 3), ((36, 36.5), 2),
         ((36.5, 37), 2), ((35.93, 36.5), 4), ((33.22, 37), 4), ((33, 35.93), 4), ((33, 33.22), 4)],
    ),
    **{
        f"urine of {volume}": (urine(volume), {"urineoutput_score": points})
        for volume, points in (
            (-5.0, 10), (671.08, 10), (671.09, 5), (1426.99, 5), (1426.995, 0), (1427.0, 1), (2544.14, 1),
            (2544.145, 0), (6896.8, 0), (6896.81, 8),
        )
    },
    "urine at admission counts": (urine(100.0, 0), {"urineoutput_score": 10}),
    "urine before admission does not": (urine(100.0, -MINUTE), {"urineoutput_score": 0}),
    "urine at 24 hours counts": (urine(100.0, 24), {"urineoutput_score": 10}),
    "urine after 24 hours does not": (urine(100.0, 24 + MINUTE), {"urineoutput_score": 0}),
    "vital signs count from six hours before": (charted(HEART_RATE, 126.0, hour=-6), {"heart_rate_score": 6}),
    "earlier ones do not": (charted(HEART_RATE, 126.0, hour=-6 - MINUTE), {"heart_rate_score": 0}),
    "vital signs count up to 24 hours": (charted(HEART_RATE, 126.0, hour=24), {"heart_rate_score": 6}),
    "later ones do not": (charted(HEART_RATE, 126.0, hour=24 + MINUTE), {"heart_rate_score": 0}),
    "signs charted under another stay of the patient do not": (
        lambda patient: patient.chart(HEART_RATE, at(1), 126.0, stay=7),
        {"heart_rate_score": 0},
    ),
    "ventilation that starts on the first day counts": (ventilated(24, 30), {"mechvent_score": 9}),
    "ventilation that starts later does not": (ventilated(24 + MINUTE, 30), {"mechvent_score": 0}),
    "ventilation that ends on the first day counts": (ventilated(-5, 0), {"mechvent_score": 9}),
    "ventilation that ends earlier does not": (ventilated(-5, -MINUTE), {"mechvent_score": 0}),
    "ventilation that spans the first day counts": (
        ventilated(*range(-2, 28, 3)),
        {"mechvent_score": 9},
    ),
    "ventilation that began before and ends late on the first day counts": (
        ventilated(-5, 2, 9, 16, 23.5),
        {"mechvent_score": 9},
    ),
    "ventilation that began before and ends just after the first day counts": (
        ventilated(-5, 2, 9, 16, 24 + MINUTE),
        {"mechvent_score": 9},
    ),
    "noninvasive ventilation does not count": (
        lambda patient: [patient.chart(229314, at(hour), text="NIV") for hour in (1, 2)],
        {"mechvent_score": 0},
    ),
    "an elective operation": (surgery("CSURG"), {"electivesurgery_score": 0}),
    "any part of the name": (surgery("Surg-X"), {"electivesurgery_score": 0}),
    "orthopaedics is surgery": (surgery("ORTHO"), {"electivesurgery_score": 0}),
    "orthopaedics in small letters is not": (surgery("ortho"), {"electivesurgery_score": 6}),
    "trauma is not": (surgery("TRAUM"), {"electivesurgery_score": 6}),
    "no service is not": (surgery(None), {"electivesurgery_score": 6}),
    "surgery long before counts": (surgery("SURG", -500), {"electivesurgery_score": 0}),
    "surgery up to 24 hours after counts": (surgery("SURG", 24 - MINUTE), {"electivesurgery_score": 0}),
    "surgery at 24 hours does not": (surgery("SURG", 24), {"electivesurgery_score": 6}),
    "surgery on the day of admission is not elective": (
        surgery("SURG", kind="SURGICAL SAME DAY ADMISSION"),
        {"electivesurgery_score": 6},
    ),
    "an urgent operation is not elective": (surgery("SURG", kind="URGENT"), {"electivesurgery_score": 6}),
    "nothing charted": (
        lambda patient: None,
        {"oasis": 15, "preiculos_score": 3, "age_score": 6, "electivesurgery_score": 6},
    ),
}  # fmt: skip
COMPONENTS = (
    "preiculos_score", "age_score", "gcs_score", "heart_rate_score", "mbp_score", "resp_rate_score", "temp_score",
    "urineoutput_score", "mechvent_score", "electivesurgery_score",
)  # fmt: skip
BY_THE_CLOCK: Cases = {
    "10 min 5 s across 11 minutes of the clock": (admitted_before(605), (5, 11, 3)),
    "10 min 15 s across 11 minutes": (admitted_before(615), (3, 11, 3)),
    "10 min 5 s across 10 minutes": (admitted_before(605, to_icu=at(0, 0, 30)), (5, 10, 5)),
    "10 min 15 s across 10 minutes": (admitted_before(615, to_icu=at(0, 0, 30)), (3, 10, 5)),
}
"""Points of the expected output; minutes and points of the concept."""


TOLD = {
    "heartrate": (HEART_RATE, [
        ((88,), 88), ((32, 126), 126), ((32, 110), 32), ((40, 110), 110), ((40, 95), 95), ((60, 80), 70),
        ((33, 80), 56.5), ((70, 125), 125), ((70, 107), 107), ((70, 89), 89), ((70, 106.5), 88.25),
    ]),
    "meanbp": (PRESSURE, [
        ((20, 144), 20), ((50, 144), 50), ((55, 144), 144), ((55, 100), 55), ((70, 100), 85), ((70, 143.44), 106.72),
        ((70, 143.45), 143.45),
        ((61.33, 100), 80.665), ((51, 100), 51), ((20.65, 100), 20.65),
    ]),
    "resprate": (BREATHS, [
        ((5, 45), 5), ((10, 45), 45), ((10, 20), 10), ((14, 20), 17), ((14, 22), 18), ((13, 20), 16.5), ((6, 20), 6),
    ]),
    "temp": (CELSIUS, [
        ((34, 40), 40), ((34, 37), 34), ((33, 35), 35), ((33, 37), 33), ((36, 36.5), 36), ((36.5, 37), 37),
        ((36.5, 36.7), 36.6), ((36.5, 39.88), 39.88), ((35.93, 36.5), 35.93), ((36.39, 36.5), 36.39),
        ((36.5, 36.88), 36.69), ((36.5, 36.89), 36.89), ((33.22, 37), 33.22), ((30, 33.22), 33.22),
        ((30, 35.93), 35.93), ((30, 35.94), 30), ((36.4, 36.5), 36.45),
    ]),
}  # fmt: skip
"""The value that the concept tells beside its points: the one that scored, else the middle of lowest and highest."""
VALUES_TOLD: Cases = {
    f"{column} of {' and '.join(map(str, values))}": (charted(item, *values), (column, told))
    for column, (item, lines) in TOLD.items()
    for values, told in lines
}


@pytest.fixture(scope="module")
def ward() -> Ward:
    return Ward(POINTS, BY_THE_CLOCK, VALUES_TOLD, answers=("oasis-24h",))


@pytest.mark.parametrize("case", POINTS)
def test_points(ward: Ward, case: str) -> None:
    (row,) = ward.answer("oasis-24h", case)
    expected = POINTS[case][1]
    assert {name: row[name] for name in expected} == expected
    assert row["oasis"] == sum(row[name] for name in COMPONENTS)


def test_the_concept_tells_the_published_probability_of_death(ward: Ward) -> None:
    (row,) = ward.concept("oasis", "coma of 3")
    assert row["oasis_prob"] == pytest.approx(1 / (1 + math.exp(6.1746 - 0.1275 * row["oasis"])))


@pytest.mark.parametrize(("minutes", "points"), [pair for pair in BEFORE_ICU if pair[0] == int(pair[0])])
def test_whole_minutes_before_the_icu_score_alike_in_the_concept(ward: Ward, minutes: int, points: int) -> None:
    (concept,) = ward.concept("oasis", f"{minutes} minutes before the ICU")
    assert (concept["preiculos"], concept["preiculos_score"]) == (minutes, points)


@pytest.mark.parametrize("case", VALUES_TOLD)
def test_the_concept_tells_the_value_that_scored(ward: Ward, case: str) -> None:
    column, told = VALUES_TOLD[case][1]
    (concept,) = ward.concept("oasis", case)
    assert float(concept[column]) == pytest.approx(told)


@pytest.mark.parametrize("case", BY_THE_CLOCK)
def test_time_before_the_icu_is_exact_in_the_output_and_by_the_clock_in_the_concept(ward: Ward, case: str) -> None:
    (answer,), (concept,) = ward.answer("oasis-24h", case), ward.concept("oasis", case)
    found = answer["preiculos_score"], concept["preiculos"], concept["preiculos_score"]
    assert found == BY_THE_CLOCK[case][1]
