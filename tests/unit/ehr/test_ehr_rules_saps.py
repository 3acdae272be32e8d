"""SAPS II: every line of the fifteen scoring tables, its window without a look-back, and its own groups of codes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import pytest
from ehr_bench import at
from ehr_ward import Cases, Charting, Patient, Ward, all_of, charted, lab, urine

HEART_RATE, SYSTOLIC, CELSIUS, MODE, DEVICE = 220045, 220179, 223762, 223849, 226732
VERBAL, MOTOR, EYES = 223900, 223901, 220739
PO2, FIO2, BUN, SODIUM, POTASSIUM, BICARBONATE, BILIRUBIN, WHITE_CELLS = (
    50821, 50816, 51006, 50983, 50971, 50882, 50885, 51301,
)  # fmt: skip
MINUTE = 1 / 60


def aged(age: int) -> Charting:
    def charting(patient: Patient) -> None:
        patient.age = age

    return charting


def coma(*parts: float) -> Charting:
    return all_of(*(charted(item, part) for item, part in zip((MOTOR, VERBAL, EYES), parts, strict=True)))


def lines(component: str, of: Callable[..., Charting], item: int, points: Mapping[tuple[float, ...], int]) -> Cases:
    """The values that are charted and what the component scores."""
    return {
        f"{component} of {' and '.join(map(str, values))}": (of(item, *values), {component: score})
        for values, score in points.items()
    }


POINTS: Cases = {
    **{
        f"{age} years": (aged(age), {"age_score": points})
        for age, points in (
            (18, 0), (39, 0), (40, 7), (59, 7), (60, 12), (69, 12), (70, 15), (74, 15), (75, 16), (79, 16), (80, 18)
        )
    },
    **lines(
        "hr_score",
        charted,
        HEART_RATE,
        {(39,): 11, (40,): 2, (69,): 2, (70,): 0, (119,): 0, (120,): 4, (159,): 4, (160,): 7, (39, 160): 11,
         (60, 160): 7, (60, 120): 4, (60, 119): 2},
    ),
    **lines(
        "sysbp_score",
        charted,
        SYSTOLIC,
        {(69,): 13, (70,): 5, (99,): 5, (100,): 0, (199,): 0, (200,): 2, (69, 200): 13, (99, 200): 5},
    ),
    **lines("temp_score", charted, CELSIUS, {(38.99,): 0, (39.0,): 3, (30.0,): 0, (36.0, 39.0): 3}),
    **{
        f"urine of {volume}": (urine(volume), {"uo_score": points})
        for volume, points in ((-5, 11), (499, 11), (500, 4), (999, 4), (1000, 0))
    },
    **lines("bun_score", lab, BUN, {(27,): 0, (28,): 6, (83,): 6, (84,): 10, (10, 84): 10}),
    **lines("wbc_score", lab, WHITE_CELLS, {(0.9,): 12, (1.0,): 0, (19.9,): 0, (20.0,): 3, (0.9, 20.0): 12}),
    **lines("potassium_score", lab, POTASSIUM, {(2.9,): 3, (3.0,): 0, (4.9,): 0, (5.0,): 3, (4.0, 5.0): 3}),
    **lines("sodium_score", lab, SODIUM, {(124,): 5, (125,): 0, (144,): 0, (145,): 1, (124, 145): 5}),
    **lines("bicarbonate_score", lab, BICARBONATE, {(14,): 6, (15,): 3, (19,): 3, (20,): 0, (14, 30): 6}),
    **lines("bilirubin_score", lab, BILIRUBIN, {(3.9,): 0, (4.0,): 4, (5.9,): 4, (6.0,): 9, (1.0, 6.0): 9}),
    **{
        f"coma of {parts}": (coma(*parts), {"gcs_score": points})
        for parts, points in (
            ((1, 1, 1), 26), ((2, 2, 1), 26), ((3, 2, 1), 13), ((4, 3, 1), 13), ((4, 3, 2), 7), ((4, 4, 2), 7),
            ((5, 4, 2), 5), ((6, 4, 3), 5), ((6, 4, 4), 0), ((6, 5, 4), 0), ((1, 0, 1), 0), ((0, 1, 1), 0),
        )
    },
    "signs charted under another stay of the patient count": (
        lambda patient: patient.chart(HEART_RATE, at(1), 39.0, stay=7),
        {"hr_score": 11},
    ),
}  # fmt: skip
"""Every line of the tables. A verbal part of 0 stands for a tube; a total below 3 has no points."""


def codes(version: int, *listed: str) -> Charting:
    return lambda patient: patient.diagnose(version, *listed)


COMORBIDITY: Cases = {
    f"{code} of version {version}": (codes(version, code), points)
    for version, points, listed in (
        (9, 17, "042 0429 043 044 0449"),
        (9, 10, "20000 200001 2023 20238 202389 20240 20248 202489 20250 20302 20382 203829 20400 20522"
         " 205229 20580 20702 207029 20720 20892 208929 2386 27330"),
        (9, 9, "1960 19699 1990 1991 19919 20970 20975 209759 20979 209799 78951 789519"),
        (9, 0, "041 045 2000 1999X 20239 20249 20383 2039 20523 20579 20703 20719 20893 2385 2734 1959 1992 196 20969"
         " 20976 20978 78950 78959 B20 C77"),
        (10, 17, "B20 B209 B21 B22 B229 B24"),
        (10, 10, "C81 C810 C88 C8A C96 C969"),
        (10, 9, "C77 C770 C78 C79 C799 C800 C8009"),
        (10, 0, "B19 B23 B25 C80 C801 C97 C76 042 20000"),
    )
    for code in listed.split()
} | {
    "the heaviest of all counts": (all_of(codes(9, "20000", "1960"), codes(10, "B20")), 17),
    "a blood cancer goes before metastases": (codes(10, "C810", "C770"), 10),
    "no code": (codes(10), 0),
}  # fmt: skip


def service(*transfers: tuple[str, float], kind: str = "ELECTIVE") -> Charting:
    def charting(patient: Patient) -> None:
        patient.admission_type = kind
        for name, hour in transfers:
            patient.transfer(name, at(hour))

    return charting


ADMISSION: Cases = {
    "elective surgery": (service(("CSURG", -5)), 0),
    "any part of the name in any case": (service(("x-Surg", -5)), 0),
    "surgery of another kind of admission": (service(("SURG", -5), kind="URGENT"), 8),
    "surgery on the day of admission": (service(("SURG", -5), kind="SURGICAL SAME DAY ADMISSION"), 8),
    "elective in small letters is another kind": (service(("SURG", -5), kind="elective"), 8),
    "orthopaedics is no surgery here": (service(("ORTHO", -5)), 6),
    "only the first service counts": (service(("MED", -5), ("SURG", -4)), 6),
    "the first service stays the first": (service(("SURG", -5), ("MED", -4)), 0),
    "the first service may be after ICU admission": (service(("SURG", 50)), 0),
    "no service": (service(), 6),
}

CHARTED_ON = {
    "hr_score": lambda time: charted(HEART_RATE, 39.0, hour=time),
    "temp_score": lambda time: charted(CELSIUS, 39.0, hour=time),
    "uo_score": lambda time: urine(10.0, time),
    "bun_score": lambda time: lab(BUN, 84.0, hour=time),
    "wbc_score": lambda time: lab(WHITE_CELLS, 20.0, hour=time),
    "bilirubin_score": lambda time: lab(BILIRUBIN, 6.0, hour=time),
    "gcs_score": lambda time: charted(MOTOR, 1.0, hour=time),
}
WINDOW: Cases = {
    f"{component} {when}": (charted(time), (component, counts))
    for component, charted in CHARTED_ON.items()
    for when, time, counts in (
        ("at admission does not count", 0, False),
        ("a minute after counts", MINUTE, True),
        ("at 24 hours counts", 24, True),
        ("a minute later does not", 24 + MINUTE, False),
    )
}


def gas(hour: float, ratio: float = 150.0, specimen: str = "ART.") -> Charting:
    return lambda patient: patient.gas(at(hour), {PO2: ratio, FIO2: 100.0}, specimen)


def ventilated(*hours: float) -> Charting:
    return lambda patient: [patient.chart(MODE, at(hour), text="CMV") for hour in hours]


def mask(*hours: float, text: str = "CPAP mask ") -> Charting:
    return lambda patient: [patient.chart(DEVICE, at(hour), text=text) for hour in hours]


def mask_of_another_stay(patient: Patient) -> None:
    other = patient.number + 1_000_000
    patient.insert(
        "mimiciv_icu.icustays",
        subject_id=patient.number,
        hadm_id=patient.number,
        stay_id=other,
        intime=at(0),
        outtime=at(9),
    )
    patient.chart(DEVICE, at(5), text="CPAP mask ", stay=other)


OXYGENATION: Cases = {
    **{
        f"ratio {ratio}": (all_of(ventilated(1, 3), gas(2, ratio)), points)
        for ratio, points in ((99, 11), (100, 9), (199, 9), (200, 6), (500, 6))
    },
    "the lowest ratio counts": (all_of(ventilated(1, 4), gas(2, 300), gas(3, 99), gas(3.5, 150)), 11),
    "without support nothing scores": (gas(2), 0),
    "ventilated without a gas nothing scores": (ventilated(1, 3), 0),
    "a gas at the start of ventilation does not count": (all_of(ventilated(1, 3), gas(1)), 0),
    "a gas at its end counts": (all_of(ventilated(1, 3), gas(3)), 9),
    "a gas after it does not": (all_of(ventilated(1, 3), gas(3 + MINUTE)), 0),
    "a gas at admission does not count": (all_of(ventilated(-1, 3), gas(0)), 0),
    "a gas at 24 hours counts": (all_of(ventilated(20, 30), gas(24)), 9),
    "a later gas does not": (all_of(ventilated(20, 30), gas(24 + MINUTE)), 0),
    "a venous gas does not count": (all_of(ventilated(1, 3), gas(2, specimen="VEN.")), 0),
    "a mask counts from after an hour before its first mention": (all_of(mask(5, 6), gas(4 + MINUTE)), 9),
    "at exactly an hour before it does not": (all_of(mask(5, 6), gas(4)), 0),
    "a mask counts up to four hours after its last mention": (all_of(mask(5, 6), gas(10)), 9),
    "later it does not": (all_of(mask(5, 6), gas(10 + MINUTE)), 0),
    "a mask counts between two mentions, however far apart": (all_of(mask(2, 20), gas(11)), 9),
    "a mask at admission is not seen": (all_of(mask(0), gas(1)), 0),
    "a mask at 24 hours is": (all_of(mask(24), gas(23.5)), 9),
    "a mask after 24 hours is not": (all_of(mask(24 + MINUTE), gas(23.5)), 0),
    "a mask is told by any part of the text in any case": (all_of(mask(5, text="my BIPAP thing"), gas(6)), 9),
    "a mask of an overlapping stay counts": (all_of(mask_of_another_stay, gas(6)), 9),
    "the word CPAP alone is no mask": (all_of(mask(5, text="CPAP"), gas(6)), 0),
}


@pytest.fixture(scope="module")
def ward() -> Ward:
    return Ward(POINTS, COMORBIDITY, ADMISSION, WINDOW, OXYGENATION, answers=("sapsii-24h",))


def score(ward: Ward, case: str, component: str) -> int:
    (row,) = [row for row in ward.answer("sapsii-24h", case) if row["stay_id"] == ward.patients[case].number]
    components = [points for name, points in row.items() if name.endswith("_score")]
    assert len(components) == 15
    assert row["sapsii"] == sum(components)
    return int(row[component])


def test_the_concept_tells_the_published_probability_of_death(ward: Ward) -> None:
    (row,) = ward.concept("sapsii", "80 years")
    logit = -7.7631 + 0.0737 * row["sapsii"] + 0.9971 * math.log(row["sapsii"] + 1)
    assert row["sapsii_prob"] == pytest.approx(1 / (1 + math.exp(-logit)))


@pytest.mark.parametrize("case", POINTS)
def test_points(ward: Ward, case: str) -> None:
    ((component, points),) = POINTS[case][1].items()
    assert score(ward, case, component) == points


@pytest.mark.parametrize("case", COMORBIDITY)
def test_chronic_disease(ward: Ward, case: str) -> None:
    assert score(ward, case, "comorbidity_score") == COMORBIDITY[case][1]


@pytest.mark.parametrize("case", ADMISSION)
def test_kind_of_admission(ward: Ward, case: str) -> None:
    assert score(ward, case, "admissiontype_score") == ADMISSION[case][1]


@pytest.mark.parametrize("case", WINDOW)
def test_the_window_begins_after_admission(ward: Ward, case: str) -> None:
    component, counts = WINDOW[case][1]
    assert (score(ward, case, component) > 0) is counts


@pytest.mark.parametrize("case", OXYGENATION)
def test_oxygenation_under_support(ward: Ward, case: str) -> None:
    assert score(ward, case, "pao2fio2_score") == OXYGENATION[case][1]
