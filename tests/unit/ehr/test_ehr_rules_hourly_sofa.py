"""SOFA for every hour: which hours a stay has, the points of an hour, and those of the last 24."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from ehr_bench import at
from ehr_ward import Cases, Charting, Patient, Ward, all_of

HEART_RATE, MODE, FOLEY, PRESSURE = 220045, 223849, 226559, 220052
CREATININE, BILIRUBIN, PLATELETS, PO2, FIO2, PCO2 = 50912, 50885, 51265, 50821, 50816, 50818
NOREPINEPHRINE, EPINEPHRINE, DOPAMINE, DOBUTAMINE = 221906, 221289, 221662, 221653
VERBAL, MOTOR, EYES = 223900, 223901, 220739
MINUTE = 1 / 60


def hours(first: tuple[int, int], last: tuple[int, int]) -> Charting:
    """Heart rates only, at two times."""

    def charting(patient: Patient) -> None:
        for time in (first, last):
            patient.chart(HEART_RATE, at(*time), 80.0)

    return charting


HOURS: Cases = {
    "hours start at the next full hour and are counted by the clock": (hours((-1, -1), (0, 0)), (-1, 2)),
    "hours start at once on the full hour": (hours((-2, 0), (-2, 59)), (-2, 0)),
    "one minute past the hour starts at the next": (hours((-2, 1), (-1, 0)), (-1, 1)),
}
"""The end of hour 0 and the number of the last hour; 12:00 is ICU admission."""


def a_day(charting: Charting, *, last: int = 30) -> Charting:
    """Hours 0 to ``last``, and whatever the case is about."""

    def day(patient: Patient) -> None:
        hours((0, 0), (last, 0))(patient)
        charting(patient)

    return day


def lab(hour: float, results: Mapping[int, float | str | None], *, admission: int | None = -1) -> Charting:
    return a_day(lambda patient: patient.lab(at(hour), results, admission=admission))


def infusion(item: int, rate: float | None, start: float = 2, end: float = 3) -> Charting:
    return a_day(lambda patient: patient.infuse(item, at(start), at(end), rate))


def gas(ratio: float, *, ventilated: bool, mode: str = "CMV") -> Charting:
    def charting(patient: Patient) -> None:
        if ventilated:
            for hour in (1, 2.5):
                patient.chart(MODE, at(hour), text=mode)
        patient.gas(at(2.5), {PO2: ratio, FIO2: 100.0, PCO2: 40.0})

    return a_day(charting)


def coma(motor: float, verbal: float, eyes: float) -> Charting:
    def charting(patient: Patient) -> None:
        for item, part in ((MOTOR, motor), (VERBAL, verbal), (EYES, eyes)):
            patient.chart(item, at(2.5), part)

    return a_day(charting)


def urine(volume: float, hours_of_collection: float = 24) -> Charting:
    """One volume at 2:30, collected since the first heart rate."""

    def charting(patient: Patient) -> None:
        patient.chart(HEART_RATE, at(2.5 - hours_of_collection), 80.0)
        patient.output(FOLEY, at(2.5), volume)

    return a_day(charting)


COMA_PARTS = ((6, 5, 4), (6, 5, 3), (6, 4, 3), (6, 3, 3), (4, 3, 3), (4, 3, 2), (3, 2, 1), (3, 1, 1))
"""15, the ends of the bands, and 5."""


def at_hour_3(organ: str, points: Mapping[str, tuple[Charting, int | None]]) -> Cases:
    return {f"{organ}: {what}": (charting, points) for what, (charting, points) in points.items()}


ORGANS: Cases = {
    **at_hour_3(
        "respiration",
        {
            "ventilated below 100": (gas(99, ventilated=True), 4),
            "ventilated 100": (gas(100, ventilated=True), 3),
            "ventilated 200": (gas(200, ventilated=True), 2),
            "ventilated 300": (gas(300, ventilated=True), 1),
            "ventilated 400": (gas(400, ventilated=True), 0),
            "unventilated below 100": (gas(99, ventilated=False), 2),
            "unventilated 299": (gas(299, ventilated=False), 2),
            "unventilated 300": (gas(300, ventilated=False), 1),
            "unventilated 400": (gas(400, ventilated=False), 0),
            "no gas": (a_day(lambda patient: None), None),
        },
    ),
    **at_hour_3(
        "coagulation",
        {
            f"platelets {count}": (lab(2.5, {PLATELETS: float(count)}), points)
            for count, points in ((19, 4), (20, 3), (49, 3), (50, 2), (99, 2), (100, 1), (149, 1), (150, 0))
        },
    ),
    **at_hour_3(
        "liver",
        {
            f"bilirubin {value}": (lab(2.5, {BILIRUBIN: value}), points)
            for value, points in ((1.1, 0), (1.2, 1), (1.9, 1), (2.0, 2), (5.9, 2), (6.0, 3), (11.9, 3), (12.0, 4))
        },
    ),
    **at_hour_3(
        "cardiovascular",
        {
            "norepinephrine above 0.1": (infusion(NOREPINEPHRINE, 0.101), 4),
            "norepinephrine 0.1": (infusion(NOREPINEPHRINE, 0.1), 3),
            "norepinephrine 0 still scores": (infusion(NOREPINEPHRINE, 0.0), 3),
            "epinephrine above 0.1": (infusion(EPINEPHRINE, 0.101), 4),
            "epinephrine 0.1": (infusion(EPINEPHRINE, 0.1), 3),
            "epinephrine 0 still scores": (infusion(EPINEPHRINE, 0.0), 3),
            "dopamine above 15": (infusion(DOPAMINE, 15.1), 4),
            "dopamine 15": (infusion(DOPAMINE, 15.0), 3),
            "dopamine above 5": (infusion(DOPAMINE, 5.1), 3),
            "dopamine 5": (infusion(DOPAMINE, 5.0), 2),
            "dopamine 0 does not score": (infusion(DOPAMINE, 0.0), 0),
            "any dobutamine": (infusion(DOBUTAMINE, 0.5), 2),
            "dobutamine 0 does not score": (infusion(DOBUTAMINE, 0.0), 0),
            "an infusion that starts at the end of the hour does not count": (
                infusion(NOREPINEPHRINE, 0.2, 3, 4),
                None,
            ),
            "an infusion that ends inside the hour does not count": (infusion(NOREPINEPHRINE, 0.2, 2.1, 2.9), None),
            "an infusion that runs on counts": (infusion(NOREPINEPHRINE, 0.2, 2.9, 9), 4),
            "an infusion counts in every hour of its course": (infusion(NOREPINEPHRINE, 0.2, 1.9, 9), 4),
            "an infusion without a rate does not count": (infusion(NOREPINEPHRINE, None), None),
            "pressure below 70": (a_day(lambda patient: patient.chart(PRESSURE, at(2.5), 69.9)), 1),
            "pressure 70": (a_day(lambda patient: patient.chart(PRESSURE, at(2.5), 70.0)), 0),
        },
    ),
    **at_hour_3(
        "cns",
        {
            f"coma {sum(parts)}": (coma(*parts), points)
            for parts, points in zip(COMA_PARTS, (0, 1, 1, 2, 2, 3, 3, 4), strict=True)
        },
    ),
    **at_hour_3(
        "renal",
        {
            **{
                f"creatinine {value}": (lab(2.5, {CREATININE: value}), points)
                for value, points in ((1.1, 0), (1.2, 1), (1.9, 1), (2.0, 2), (3.4, 2), (3.5, 3), (4.9, 3), (5.0, 4))
            },
            "urine below 200": (urine(199.0), 4),
            "urine 200": (urine(200.0), 3),
            "urine below 500": (urine(499.0), 3),
            "urine 500": (urine(500.0), 0),
            "22 hours are scaled to a day": (urine(183.0, 22), 4),
            "less than 22 hours do not count": (urine(10.0, 22 - MINUTE), None),
            "30 hours are scaled to a day": (urine(251.0, 30), 3),
            "more than 30 hours do not count": (urine(10.0, 30 + MINUTE), None),
            "a result without an admission does not count": (lab(2.5, {CREATININE: 5.0}, admission=None), None),
            "a result of another admission does not count": (lab(2.5, {CREATININE: 5.0}, admission=7), None),
            "a result at the start of the hour does not count": (lab(2, {CREATININE: 5.0}), None),
            "a result at the end of the hour counts": (lab(3, {CREATININE: 5.0}), 4),
        },
    ),
}
"""Points of the hour that ends three hours after ICU admission."""


def over_two_hours(item: int, bad: float, good: float, *, by_lab: bool = True) -> Charting:
    """A bad value an hour before a good one."""

    def charting(patient: Patient) -> None:
        for time, value in ((at(1.5), bad), (at(2.5), good)):
            if by_lab:
                patient.lab(time, {item: value, FIO2: 100.0, 52033: "ART."} if item == PO2 else {item: value})
            else:
                patient.chart(item, time, value)

    return charting


BAD_THEN_GOOD: Cases = {
    "respiration": (over_two_hours(PO2, 90.0, 450.0), 2),
    "coagulation": (over_two_hours(PLATELETS, 10.0, 200.0), 4),
    "liver": (over_two_hours(BILIRUBIN, 13.0, 1.0), 4),
    "cardiovascular": (over_two_hours(PRESSURE, 50.0, 90.0, by_lab=False), 1),
    "cns": (over_two_hours(MOTOR, 1.0, 6.0, by_lab=False), 2),
    "renal": (over_two_hours(CREATININE, 6.0, 1.0), 4),
}
"""The points of the day after that."""
TWO_IN_AN_HOUR: Cases = {
    "the lowest ratio": (
        all_of(gas(350, ventilated=False), gas(250, ventilated=False), gas(450, ventilated=False)),
        ("respiration", 2),
    ),
    "the lowest ventilated ratio": (
        all_of(gas(350, ventilated=True), gas(150, ventilated=True)),
        ("respiration", 3),
    ),
    "the lowest platelets": (
        all_of(lab(2.5, {PLATELETS: 200.0}), lab(2.6, {PLATELETS: 90.0})),
        ("coagulation", 2),
    ),
    "the highest bilirubin": (all_of(lab(2.5, {BILIRUBIN: 3.0}), lab(2.6, {BILIRUBIN: 1.0})), ("liver", 2)),
    "the highest creatinine": (all_of(lab(2.5, {CREATININE: 3.0}), lab(2.6, {CREATININE: 1.0})), ("renal", 2)),
    "the highest rate": (
        all_of(infusion(NOREPINEPHRINE, 0.2), infusion(NOREPINEPHRINE, 0.05)),
        ("cardiovascular", 4),
    ),
    "the lowest pressure": (
        a_day(lambda patient: [patient.chart(PRESSURE, at(2.4, minute), 60.0 + 30 * minute) for minute in (0, 1)]),
        ("cardiovascular", 1),
    ),
}
"""Several values of one hour, and the organ's points."""

TRACHEOSTOMY = "a ventilated ratio with a tracheostomy counts as unventilated"


def tracheostomy(patient: Patient) -> None:
    for hour in (1, 2.5):
        patient.chart(MODE, at(hour), text="CMV")
        patient.chart(223834, at(hour), 5.0)
        patient.chart(226732, at(hour), text="Tracheostomy tube")
    patient.gas(at(2.5), {PO2: 80.0, FIO2: 100.0})


@pytest.fixture(scope="module")
def ward() -> Ward:
    others: Cases = {TRACHEOSTOMY: (a_day(tracheostomy), None)}
    bad: Cases = {
        f"bad then good: {organ}": (a_day(charting), points) for organ, (charting, points) in BAD_THEN_GOOD.items()
    }
    return Ward(HOURS, ORGANS, TWO_IN_AN_HOUR, bad, others, concepts=("icustay_hourly", "sofa"))


@pytest.mark.parametrize("case", HOURS)
def test_the_hours_of_a_stay(ward: Ward, case: str) -> None:
    first, last = HOURS[case][1]
    rows = ward.concept("icustay_hourly", case)
    assert [row["hr"] for row in rows] == list(range(-24, last + 1))
    assert rows[0]["endtime"] == at(first - 24)
    assert rows[-1]["endtime"] == at(first + last)


def hour(ward: Ward, case: str, end: int) -> dict[str, Any]:
    (row,) = [row for row in ward.concept("sofa", case) if row["endtime"] == at(end)]
    return row


@pytest.mark.parametrize("case", ORGANS)
def test_the_points_of_an_hour(ward: Ward, case: str) -> None:
    organ = case.split(":")[0]
    assert hour(ward, case, 3)[organ] == ORGANS[case][1]
    until_then = [row[organ] or 0 for row in ward.concept("sofa", case) if row["endtime"] <= at(3)]
    assert hour(ward, case, 3)[f"{organ}_24hours"] == max(until_then)


@pytest.mark.parametrize("organ", BAD_THEN_GOOD)
def test_a_bad_hour_counts_for_the_day(ward: Ward, organ: str) -> None:
    row = hour(ward, f"bad then good: {organ}", 3)
    assert (row[organ], row[f"{organ}_24hours"]) == (0, BAD_THEN_GOOD[organ][1])


@pytest.mark.parametrize("case", TWO_IN_AN_HOUR)
def test_the_worst_of_an_hour_counts(ward: Ward, case: str) -> None:
    organ, points = TWO_IN_AN_HOUR[case][1]
    assert hour(ward, case, 3)[organ] == points


def test_a_tracheostomy_is_not_invasive_ventilation(ward: Ward) -> None:
    assert hour(ward, TRACHEOSTOMY, 3)["respiration"] == 2


def test_points_last_for_24_hours(ward: Ward) -> None:
    rows = ward.concept("sofa", "renal: a result at the end of the hour counts")
    assert [row["endtime"] for row in rows if row["sofa_24hours"]] == [at(end) for end in range(3, 27)]
    assert min(row["hr"] for row in rows) == 0
