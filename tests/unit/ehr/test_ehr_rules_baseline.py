"""Baseline creatinine: measured when normal or with kidney disease, else estimated from age and gender."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import pytest
from ehr_bench import at
from ehr_ward import Cases, Charting, Patient, Ward

CREATININE, POINT_OF_CARE = 50912, 52502
MAN_OF_50 = 1.1039437397667253
"""The estimate for a man of 50."""


def aged(age: int, gender: str | None = "M", *, in_year: int = 2150) -> Charting:
    def charting(patient: Patient) -> None:
        patient.age, patient.gender, patient.admitted = age, gender, datetime(in_year, 6, 1)

    return charting


ESTIMATE: Cases = {
    "a man of 18": (aged(18), 1.321288680169664),
    "a man of 50": (aged(50), MAN_OF_50),
    "an unknown gender is taken as a man": (aged(50, None), MAN_OF_50),
    "a gender in small letters is taken as a man": (aged(50, "f"), MAN_OF_50),
    "a woman of 50": (aged(50, "F"), 0.8524036469698663),
    "a man of 51": (aged(51), 1.1001048664919217),
    "a man of 50 in the next calendar year": (aged(50, in_year=2151), 1.1001048664919217),
    "a woman of 69": (aged(69, "F"), 0.8054511131158693),
    "a woman of 91": (aged(91, "F"), 0.7671780575200279),
    "a man of 17 is no adult": (aged(17), None),
    "he is one in the next calendar year": (aged(17, in_year=2151), 1.321288680169664),
}


def measured(*results: float, icd9: str | None = None, icd10: str | None = None) -> Charting:
    """Creatinines of the admission of a man of 50, and a code."""

    def charting(patient: Patient) -> None:
        patient.age = 50
        for hour, result in enumerate(results):
            patient.lab(at(hour), {CREATININE: result})
        if icd9:
            patient.diagnose(9, icd9)
        if icd10:
            patient.diagnose(10, icd10)

    return charting


def labs(*taken: tuple[float, Mapping[int, float | str | None], int | None]) -> Charting:
    def charting(patient: Patient) -> None:
        patient.age = 50
        for hour, results, admission in taken:
            patient.lab(at(hour), results, admission=admission)

    return charting


BASELINE: Cases = {
    "1.1 is normal": (measured(1.1), (1.1, 0, 1.1)),
    "more than 1.1 is not": (measured(1.101), (1.101, 0, MAN_OF_50)),
    "the lowest counts": (measured(2.0, 0.9, 1.0), (0.9, 0, 0.9)),
    "with kidney disease the lowest counts, however high": (measured(3.0, 4.0, icd10="N186"), (3.0, 1, 3.0)),
    "every stage of kidney disease counts": (measured(3.0, icd10="N181"), (3.0, 1, 3.0)),
    "N17 is no chronic disease": (measured(3.0, icd10="N179"), (3.0, 0, MAN_OF_50)),
    "585 of version 9 is kidney disease": (measured(3.0, icd9="5856"), (3.0, 1, 3.0)),
    "585 of version 10 is not": (measured(3.0, icd10="585"), (3.0, 0, MAN_OF_50)),
    "N18 of version 9 is not": (measured(3.0, icd9="N18"), (3.0, 0, MAN_OF_50)),
    "without creatinine it is the estimate": (measured(), (None, 0, MAN_OF_50)),
    "without creatinine but with kidney disease it is missing": (measured(icd9="585"), (None, 1, None)),
    "a result without the admission does not count": (labs((1, {CREATININE: 0.5}, None)), (None, 0, MAN_OF_50)),
    "a result of another admission does not count": (labs((1, {CREATININE: 0.5}, 7)), (None, 0, MAN_OF_50)),
    "a result long before the admission counts if it carries it": (labs((-999, {CREATININE: 0.5}, -1)), (0.5, 0, 0.5)),
    "0 is no result": (measured(0.0), (None, 0, MAN_OF_50)),
    "150 is one": (measured(150.0), (150.0, 0, MAN_OF_50)),
    "more than 150 is none": (measured(150.1), (None, 0, MAN_OF_50)),
    "creatinine at the bedside does not count": (labs((1, {POINT_OF_CARE: 0.5}, -1)), (None, 0, MAN_OF_50)),
}


@pytest.fixture(scope="module")
def ward() -> Ward:
    return Ward(ESTIMATE, BASELINE, answers=("creatinine-baseline",))


@pytest.mark.parametrize("case", ESTIMATE)
def test_the_estimate(ward: Ward, case: str) -> None:
    expected = ESTIMATE[case][1]
    rows = ward.answer("creatinine-baseline", case)
    assert [row["mdrd_est"] for row in rows] == ([] if expected is None else [expected])


@pytest.mark.parametrize("case", BASELINE)
def test_the_baseline(ward: Ward, case: str) -> None:
    (row,) = ward.answer("creatinine-baseline", case)
    assert (row["scr_min"], row["ckd"], row["scr_baseline"]) == BASELINE[case][1]
    assert (row["gender"], row["age"], row["mdrd_est"]) == ("M", 50, MAN_OF_50)
