"""Charlson: which codes make which condition, what the conditions and the age add up to."""

from __future__ import annotations

import tomllib
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from ehr_ward import Cases, Charting, Patient, Ward

CONDITIONS: dict[str, dict[str, str]] = tomllib.loads(
    (Path(__file__).parent / "charlson_codes.toml").read_text(encoding="utf-8")
)
VERSIONS = {"icd9": 9, "icd10": 10}
JUNE = datetime(2150, 6, 1)


def admitted(
    *, age: int = 45, on: datetime = JUNE, icd9: tuple[str, ...] = (), icd10: tuple[str, ...] = ()
) -> Charting:
    """An admission with its codes; the age is that of the year 2150."""

    def charting(patient: Patient) -> None:
        patient.age, patient.admitted = age, on
        patient.diagnose(9, *icd9)
        patient.diagnose(10, *icd10)

    return charting


def expected(age_points: int, index: int, *conditions: str) -> dict[str, int]:
    flags = {name: int(name in conditions) for name in CONDITIONS}
    return {"age_score": age_points, **flags, "charlson_comorbidity_index": index}


DIABETES, LIVER = ("diabetes_with_cc", "diabetes_without_cc"), ("mild_liver_disease", "severe_liver_disease")
CANCER = ("malignant_cancer", "metastatic_solid_tumor")
INDEX: Cases = {
    "50 years on the last day of the year": (admitted(age=50, on=datetime(2150, 12, 31, 23)), expected(0, 0)),
    "51 years on the first day of the year": (admitted(age=50, on=datetime(2151, 1, 1)), expected(1, 1)),
    "60 years": (admitted(age=60), expected(1, 1)),
    "61 years": (admitted(age=61), expected(2, 2)),
    "70 years": (admitted(age=70), expected(2, 2)),
    "71 years": (admitted(age=71), expected(3, 3)),
    "80 years": (admitted(age=80), expected(3, 3)),
    "81 years": (admitted(age=81), expected(4, 4)),
    "both diabetes flags stay, the heavier counts": (
        admitted(age=81, icd9=("2504",), icd10=("E119",)),
        expected(4, 6, *DIABETES),
    ),
    "both liver flags stay, the heavier counts": (admitted(icd10=("K703", "K721")), expected(0, 3, *LIVER)),
    "both cancer flags stay, the heavier counts": (admitted(icd10=("C509", "C787")), expected(0, 6, *CANCER)),
    "every condition and the highest age": (
        admitted(age=81, icd10=tuple(listed["icd10"].replace("-", " ").split()[0] for listed in CONDITIONS.values())),
        expected(4, 4 + 8 * 1 + 3 + 2 + 6 + 2 + 2 + 6, *CONDITIONS),
    ),
    "a code of the other version is none": (admitted(icd9=("E119",)), expected(0, 0)),
    "a short code is compared as it is": (admitted(icd9=("185",)), expected(0, 2, "malignant_cancer")),
    "cancer of the skin other than melanoma is none": (admitted(icd9=("173", "1739")), expected(0, 0)),
    "a letter sorts after the digits: C4A is inside C45 to C58": (
        admitted(icd10=("C4A0",)),
        expected(0, 2, "malignant_cancer"),
    ),
    "C7A and C7B sort after C79": (admitted(icd10=("C7A0", "C7B0")), expected(0, 0)),
    "a condition counts once": (admitted(icd9=("410", "41001", "412")), expected(0, 1, "myocardial_infarct")),
    "a history of cancer is none": (admitted(icd9=("V1005",), icd10=("Z853",)), expected(0, 0)),
    "a code in small letters is none": (admitted(icd10=("i21",)), expected(0, 0)),
}  # fmt: skip


def codes_of(condition: str) -> dict[int, list[str]]:
    """Every listed beginning and both ends of every range, as they are and with a further digit."""
    found: dict[int, list[str]] = {}
    for name, version in VERSIONS.items():
        ends = [end for beginning in CONDITIONS[condition][name].split() for end in beginning.split("-")]
        found[version] = sorted({*ends, *(f"{end}9" for end in ends)})
    return found


LISTED: Cases = {
    f"{condition}: {code} (version {version})": (admitted(**{f"icd{version}": (code,)}), (condition, code))
    for condition in CONDITIONS
    for version, codes in codes_of(condition).items()
    for code in codes
}
BESIDE: dict[str, tuple[str, str]] = {
    "myocardial_infarct": ("409 411 413", "I20 I23 I251"),
    "congestive_heart_failure": ("427 429 4253 4260 39890", "I42 I424 I44 I49 I51 I256 P291"),
    "peripheral_vascular_disease": ("442 4430 4440 V433", "I72 I730 I770 K550 Z957"),
    "cerebrovascular_disease": ("429 439 36233", "G44 G47 I59 I70 H341"),
    "dementia": ("289 291 2940 3311", "F04 F05 G31 G310"),
    "chronic_pulmonary_disease": ("489 506 4167 5063", "J39 J48 J59 J68 I277"),
    "rheumatic_disease": ("724 726 4464 7105 7143", "M04 M07 M35 M314 M352"),
    "peptic_ulcer_disease": ("530 535", "K24 K29"),
    "mild_liver_disease": ("569 5731 0705 07020", "B17 K72 K75 K704 K761 Z943"),
    "diabetes_without_cc": ("250 2504 2499", "E10 E102 E115 E15"),
    "diabetes_with_cc": ("250 2503 2508", "E10 E101 E116 E15"),
    "paraplegia": ("341 344 3340 3447", "G80 G83 G042 G803"),
    "renal_disease": ("581 583 584 587 5838 5881", "N17 N20 N03 N031 I121 Z493"),
    "malignant_cancer": ("139 173 174 1739 1959 196 209 2385", "C27 C35 C42 C44 C59 C77 C86 C89 C98"),
    "severe_liver_disease": ("4559 4563 572 5721 5729", "I85 I851 K70 K72 K720 K768"),
    "metastatic_solid_tumor": ("195 200", "C76 C7A C81"),
    "aids": ("041 045 42", "B19 B23 B25"),
}
"""Codes next to those of a condition, which are not of it."""
LISTED_BESIDE: Cases = {
    f"beside {condition}: {code} (version {version})": (admitted(**{f"icd{version}": (code,)}), (condition, code))
    for condition, both in BESIDE.items()
    for version, codes in zip((9, 10), both, strict=True)
    for code in codes.split()
}


@pytest.fixture(scope="module")
def ward() -> Ward:
    return Ward(INDEX, LISTED, LISTED_BESIDE, answers=("charlson",))


def row_of(ward: Ward, case: str) -> dict[str, Any]:
    (row,) = ward.answer("charlson", case)
    return row


@pytest.mark.parametrize("case", INDEX)
def test_conditions_age_and_index(ward: Ward, case: str) -> None:
    row = row_of(ward, case)
    assert {name: row[name] for name in INDEX[case][1]} == INDEX[case][1]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_every_listed_code_makes_its_condition(ward: Ward, condition: str) -> None:
    cases = [case for case, (_, (whose, _)) in LISTED.items() if whose == condition]
    assert len(cases) >= 10
    assert [case for case in cases if row_of(ward, case)[condition] != 1] == []


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_code_next_to_those_of_a_condition_does_not(ward: Ward, condition: str) -> None:
    cases = [case for case, (_, (whose, _)) in LISTED_BESIDE.items() if whose == condition]
    assert len(cases) >= 4
    assert [case for case in cases if row_of(ward, case)[condition] != 0] == []


def test_the_concept_gives_the_next_age_point_a_year_earlier(ward: Ward) -> None:
    ages = {50: 1, 60: 2, 70: 3, 80: 4}
    found = {age: ward.concept("charlson", f"{age} years")[0]["age_score"] for age in (60, 70, 80)}
    found[50] = ward.concept("charlson", "50 years on the last day of the year")[0]["age_score"]
    assert found == ages
