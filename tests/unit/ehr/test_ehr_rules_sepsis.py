"""Sepsis: the first suspected infection of a stay with organ failure around it."""

from __future__ import annotations

import pytest
from ehr_bench import at
from ehr_ward import Cases, Charting, Patient, Ward

HEART_RATE, CREATININE, PLATELETS = 220045, 50912, 51265


def stays_110_hours(patient: Patient) -> None:
    """SOFA has an hour for every hour between the first and the last heart rate."""
    for hour in (0, 110):
        patient.chart(HEART_RATE, at(hour), 80.0)


def suspected(patient: Patient, hour: float) -> None:
    patient.order("Vancomycin", at(hour))
    patient.culture(at(hour).date(), at(hour + 1), "URINE")


def sepsis(creatinine_at: float, *suspicions: float) -> Charting:
    """Renal failure (3 points) from one creatinine on, and suspicions at some hours."""

    def charting(patient: Patient) -> None:
        stays_110_hours(patient)
        patient.lab(at(creatinine_at), {CREATININE: 3.5})
        for suspicion in suspicions:
            suspected(patient, suspicion)

    return charting


def failing(creatinine: float) -> Charting:
    """One creatinine at the time of the suspicion."""

    def charting(patient: Patient) -> None:
        stays_110_hours(patient)
        patient.lab(at(10), {CREATININE: creatinine})
        suspected(patient, 10)

    return charting


def worse_later(patient: Patient) -> None:
    sepsis(10, 12)(patient)
    patient.lab(at(11), {CREATININE: 5.5, PLATELETS: 10.0})


def not_suspected(patient: Patient) -> None:
    stays_110_hours(patient)
    patient.lab(at(10), {CREATININE: 3.5})
    patient.order("Vancomycin", at(10))


SEPSIS: Cases = {
    "organ failure of exactly 48 hours before counts": (sepsis(0, 71), (71, 23, 3)),
    "the earliest hour of 48 before counts": (sepsis(10, 12), (12, 10, 3)),
    "the earliest hour counts, not the worst": (worse_later, (12, 10, 3)),
    "organ failure of more than 48 hours before does not": (sepsis(0, 72), None),
    "organ failure at exactly 24 hours after counts": (sepsis(36, 12), (12, 36, 3)),
    "organ failure of more than 24 hours after does not": (sepsis(36.1, 12), None),
    "the first suspicion with organ failure counts": (sepsis(100, 12, 90), (90, 100, 3)),
    "the earliest of two suspicions counts": (sepsis(30, 32, 31), (31, 30, 3)),
    "a SOFA of 1 is no organ failure": (failing(1.2), None),
    "a SOFA of 2 is": (failing(2.0), (10, 10, 2)),
    "organ failure without a suspicion is none": (not_suspected, None),
    "an antibiotic before the stay is none": (sepsis(0, -1), None),
}  # fmt: skip
"""Hours of the suspicion and of the SOFA, and the SOFA."""


@pytest.fixture(scope="module")
def ward() -> Ward:
    return Ward(SEPSIS, answers=("sepsis3",))


@pytest.mark.parametrize("case", SEPSIS)
def test_sepsis(ward: Ward, case: str) -> None:
    found = [
        (row["suspected_infection_time"], row["sofa_time"], row["sofa_score"], row["renal"], row["sepsis3"])
        for row in ward.answer("sepsis3", case)
    ]
    expected = SEPSIS[case][1]
    assert found == ([] if expected is None else [(at(expected[0]), at(expected[1]), expected[2], expected[2], 1)])
