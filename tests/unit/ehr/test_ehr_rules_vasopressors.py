"""Norepinephrine equivalents: intervals between changes, unit conversions, parallel rows, rounding."""

from __future__ import annotations

from decimal import Decimal

import pytest
from ehr_bench import at
from ehr_ward import Cases, Charting, Patient, Ward

NOREPINEPHRINE, EPINEPHRINE, PHENYLEPHRINE, DOPAMINE, VASOPRESSIN = 221906, 221289, 221749, 221662, 222315
DOBUTAMINE, MILRINONE = 221653, 221986
BY_WEIGHT, BY_WEIGHT_MILLIGRAM, BY_MINUTE = "mcg/kg/min", "mg/kg/min", "mcg/min"


def infusions(*rows: tuple[int, float | None, str, float | None]) -> Charting:
    """Drug, rate, unit and weight of rows that all run from hour 1 to 2."""

    def charting(patient: Patient) -> None:
        for item, rate, unit, weight in rows:
            patient.infuse(item, at(1), at(2), rate, unit, weight=weight)

    return charting


def alone(item: int, rate: float | None, unit: str = BY_WEIGHT, weight: float | None = 80.0) -> Charting:
    return infusions((item, rate, unit, weight))


DOSE: Cases = {
    "norepinephrine counts as it is": (alone(NOREPINEPHRINE, 0.25), ["0.250"]),
    "epinephrine counts as it is": (alone(EPINEPHRINE, 0.25), ["0.250"]),
    "phenylephrine counts a tenth": (alone(PHENYLEPHRINE, 2.5), ["0.250"]),
    "dopamine counts a hundredth": (alone(DOPAMINE, 25.0), ["0.250"]),
    "vasopressin of 2.4 units an hour counts 0.1": (alone(VASOPRESSIN, 2.4, "units/hour"), ["0.100"]),
    "vasopressin of 0.04 units a minute counts 0.1": (alone(VASOPRESSIN, 0.04, "units/min"), ["0.100"]),
    "dobutamine alone has no dose": (alone(DOBUTAMINE, 5.0), []),
    "milrinone alone has no dose": (alone(MILRINONE, 0.5), []),
    "the drugs are added": (
        infusions(
            (NOREPINEPHRINE, 0.1, BY_WEIGHT, 80.0),
            (EPINEPHRINE, 0.02, BY_WEIGHT, 80.0),
            (PHENYLEPHRINE, 1.0, BY_WEIGHT, 80.0),
            (DOPAMINE, 5.0, BY_WEIGHT, 80.0),
            (VASOPRESSIN, 2.4, "units/hour", 80.0),
            (DOBUTAMINE, 5.0, BY_WEIGHT, 80.0),
            (MILRINONE, 0.5, BY_WEIGHT, 80.0),
        ),
        ["0.370"],
    ),
    "parallel rows of one drug are not added, the highest counts": (
        infusions((NOREPINEPHRINE, 0.1, BY_WEIGHT, 80.0), (NOREPINEPHRINE, 0.15, BY_WEIGHT, 80.0)),
        ["0.150"],
    ),
    "norepinephrine in milligrams is converted": (alone(NOREPINEPHRINE, 0.0001, BY_WEIGHT_MILLIGRAM), ["0.100"]),
    "in milligrams with a weight of 1 it is not": (alone(NOREPINEPHRINE, 0.1, BY_WEIGHT_MILLIGRAM, 1.0), ["0.100"]),
    "in milligrams without a weight it is": (alone(NOREPINEPHRINE, 0.0001, BY_WEIGHT_MILLIGRAM, None), ["0.100"]),
    "in micrograms with a weight of 1 it stays": (alone(NOREPINEPHRINE, 0.1, BY_WEIGHT, 1.0), ["0.100"]),
    "epinephrine in milligrams is taken at face value": (alone(EPINEPHRINE, 0.1, BY_WEIGHT_MILLIGRAM), ["0.100"]),
    "phenylephrine by the minute is divided by the weight": (alone(PHENYLEPHRINE, 80.0, BY_MINUTE), ["0.100"]),
    "phenylephrine by the minute without a weight has no row": (alone(PHENYLEPHRINE, 80.0, BY_MINUTE, None), []),
    "phenylephrine by the minute at weight 0 has a row without a dose": (
        alone(PHENYLEPHRINE, 80.0, BY_MINUTE, 0.0),
        [None],
    ),
    "nothing by the minute at weight 0 has a row without a dose": (alone(PHENYLEPHRINE, 0.0, BY_MINUTE, 0.0), [None]),
    "another row beside it gives the dose": (
        infusions((PHENYLEPHRINE, 80.0, BY_MINUTE, 0.0), (PHENYLEPHRINE, 1.0, BY_WEIGHT, 80.0)),
        ["0.100"],
    ),
    "a rate of 0 has a row": (alone(NOREPINEPHRINE, 0.0), ["0.000"]),
    "a missing rate has none": (alone(NOREPINEPHRINE, None), []),
    "0.0005 rounds up to 3 decimals": (alone(NOREPINEPHRINE, 0.0005), ["0.001"]),
    "0.0004 rounds down": (alone(NOREPINEPHRINE, 0.0004), ["0.000"]),
    "there is no upper limit": (alone(VASOPRESSIN, 2400.0, "units/hour"), ["100.000"]),
}
"""The dose from hour 1 to 2."""


def changing(patient: Patient) -> None:
    patient.infuse(NOREPINEPHRINE, at(10), at(12), 0.1234)
    patient.infuse(VASOPRESSIN, at(11), at(13), 2.4, "units/hour")
    patient.infuse(MILRINONE, at(11, 30), at(14), 0.3)


def with_a_bolus(patient: Patient) -> None:
    patient.infuse(NOREPINEPHRINE, at(1), at(3), 0.1)
    patient.infuse(EPINEPHRINE, at(2), at(2), 9.0)


def with_a_gap(patient: Patient) -> None:
    patient.infuse(NOREPINEPHRINE, at(1), at(2), 0.1)
    patient.infuse(NOREPINEPHRINE, at(3), at(4), 0.1)


def unchanged(patient: Patient) -> None:
    patient.infuse(NOREPINEPHRINE, at(1), at(2), 0.1)
    patient.infuse(NOREPINEPHRINE, at(2), at(3), 0.1)


INTERVALS: Cases = {
    "every start and stop of seven drugs begins an interval": (
        changing,
        [(10, 11, "0.123"), (11, 11.5, "0.223"), (11.5, 12, "0.223"), (12, 13, "0.100")],
    ),
    "a row that ends at its start only sets a boundary": (with_a_bolus, [(1, 2, "0.100"), (2, 3, "0.100")]),
    "between two infusions there is no row": (with_a_gap, [(1, 2, "0.100"), (3, 4, "0.100")]),
    "equal doses are not merged": (unchanged, [(1, 2, "0.100"), (2, 3, "0.100")]),
}


DRUGS = {
    "dopamine": DOPAMINE, "epinephrine": EPINEPHRINE, "norepinephrine": NOREPINEPHRINE, "phenylephrine": PHENYLEPHRINE,
    "vasopressin": VASOPRESSIN, "dobutamine": DOBUTAMINE, "milrinone": MILRINONE,
}  # fmt: skip


def beside_nothing(item: int) -> Charting:
    """A drug from hour 1 to 3, with a boundary at hour 2."""

    def charting(patient: Patient) -> None:
        patient.infuse(item, at(1), at(3), 2.5)
        patient.infuse(item, at(2), at(2), 7.0)

    return charting


ALONE: Cases = {f"{drug} beside nothing": (beside_nothing(item), None) for drug, item in DRUGS.items()}


@pytest.fixture(scope="module")
def ward() -> Ward:
    return Ward(
        DOSE, INTERVALS, ALONE, answers=("vasopressor-equivalents",), concepts=("norepinephrine_equivalent_dose",)
    )


@pytest.mark.parametrize("case", DOSE)
def test_the_dose(ward: Ward, case: str) -> None:
    doses = [row["norepinephrine_equivalent_dose"] for row in ward.answer("vasopressor-equivalents", case)]
    assert doses == [None if dose is None else Decimal(dose) for dose in DOSE[case][1]]


@pytest.mark.parametrize("case", INTERVALS)
def test_intervals(ward: Ward, case: str) -> None:
    names = ("starttime", "endtime", "norepinephrine_equivalent_dose")
    found = [tuple(row[name] for name in names) for row in ward.answer("vasopressor-equivalents", case)]
    assert found == [(at(start), at(end), Decimal(dose)) for start, end, dose in INTERVALS[case][1]]


@pytest.mark.parametrize("drug", DRUGS)
def test_a_drug_holds_over_its_whole_interval(ward: Ward, drug: str) -> None:
    rows = ward.concept("vasoactive_agent", f"{drug} beside nothing")
    assert [(row["starttime"], row["endtime"], row[drug]) for row in rows] == [(at(1), at(2), 2.5), (at(2), at(3), 2.5)]
    assert {row[other] for row in rows for other in DRUGS if other != drug} == {None}


def test_the_concept_has_4_decimals_and_keeps_parallel_rows(ward: Ward) -> None:
    def doses(case: str) -> list[Decimal]:
        rows = ward.concept("norepinephrine_equivalent_dose", case)
        return [row["norepinephrine_equivalent_dose"] for row in rows]

    changed = doses("every start and stop of seven drugs begins an interval")
    assert changed == [Decimal(dose) for dose in ("0.1234", "0.2234", "0.2234", "0.1000")]
    parallel = doses("parallel rows of one drug are not added, the highest counts")
    assert parallel == [Decimal("0.1000"), Decimal("0.1500")]
    assert doses("0.0005 rounds up to 3 decimals") == [Decimal("0.0005")]
