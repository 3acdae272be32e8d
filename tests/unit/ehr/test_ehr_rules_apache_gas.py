"""APACHE III: oxygenation and acid-base from arterial gases, and points for coma."""

from __future__ import annotations

import pytest
from ehr_bench import at
from ehr_ward import Cases, Charting, Patient, Ward, all_of

MODE, VERBAL, MOTOR, EYES = 223849, 223900, 223901, 220739
PO2, PCO2, PH, FIO2, GRADIENT, CHARTED_FIO2 = 50821, 50818, 50820, 50816, 50801, 223835
MINUTE = 1 / 60


def gas(
    hour: float = 1,
    *,
    po2: float | None = 45.0,
    fio2: float | None = None,
    gradient: float | None = None,
    specimen: str = "ART.",
    ventilated: bool = False,
    charted_fio2: float | None = None,
    ph: float | None = None,
    pco2: float | None = None,
    admission: int | None = -1,
) -> Charting:
    """One gas; a PaO2 of 45 scores 15 where it counts."""

    def charting(patient: Patient) -> None:
        if ventilated:
            for time in (hour, hour + 1):
                patient.chart(MODE, at(time), text="CMV")
        if charted_fio2 is not None:
            patient.chart(CHARTED_FIO2, at(hour), charted_fio2)
        results = {PO2: po2, FIO2: fio2, GRADIENT: gradient, PH: ph, PCO2: pco2}
        found = {item: result for item, result in results.items() if result is not None}
        patient.lab(at(hour), {52033: specimen, **found}, admission=admission)

    return charting


def stay_until(hour: float, charting: Charting) -> Charting:
    def charted(patient: Patient) -> None:
        patient.outtime = at(hour)
        charting(patient)

    return charted


def ventilated_gas(gradient: float) -> Charting:
    return gas(fio2=50.0, gradient=gradient, ventilated=True)


OXYGENATION: Cases = {
    **{
        f"PaO2 of {po2}": (gas(po2=po2), points)
        for po2, points in ((49, 15), (50, 5), (69, 5), (70, 2), (79, 2), (80, 0))
    },
    **{
        f"gradient of {gradient}": (ventilated_gas(gradient), points)
        for gradient, points in ((99, 0), (100, 7), (249, 7), (250, 9), (349, 9), (350, 11), (499, 11), (500, 14))
    },
    "the highest PaO2 scores": (all_of(gas(1), gas(2, po2=75.0), gas(3, po2=60.0)), 2),
    "the highest gradient scores": (all_of(ventilated_gas(120), ventilated_gas(400), ventilated_gas(300)), 11),
    "PaO2 goes before a gradient": (all_of(gas(9), ventilated_gas(600)), 15),
    "a normal PaO2 goes before a gradient too": (all_of(gas(9, po2=90.0), ventilated_gas(600)), 0),
    "room air is assumed for a PaO2": (gas(), 15),
    "FiO2 below 50 scores the PaO2": (gas(fio2=49.0), 15),
    "FiO2 of 50 does not": (gas(fio2=50.0), 0),
    "a charted FiO2 counts where the laboratory has none": (gas(charted_fio2=60.0), 0),
    "the FiO2 of the laboratory goes before": (gas(fio2=30.0, charted_fio2=60.0), 15),
    "ventilated with FiO2 below 50 nothing scores": (gas(fio2=49.0, gradient=600.0, ventilated=True), 0),
    "ventilated without an FiO2 nothing scores": (gas(gradient=600.0, ventilated=True), 0),
    "ventilated with a charted FiO2 the gradient scores": (gas(charted_fio2=0.6, gradient=600.0, ventilated=True), 14),
    "ventilated without a reported gradient nothing scores": (gas(fio2=60.0, ventilated=True), 0),
    "not ventilated the gradient does not score": (gas(fio2=60.0, gradient=600.0), 0),
    "at the start of ventilation a gas is ventilated": (gas(3, fio2=60.0, gradient=600.0, ventilated=True), 14),
    "at its end too": (all_of(gas(2, po2=None, ventilated=True), gas(3, fio2=60.0, gradient=600.0)), 14),
    "after it no more": (all_of(gas(2, po2=None, ventilated=True), gas(3 + MINUTE, po2=45.0)), 15),
    "before it not yet": (all_of(gas(2, po2=None, ventilated=True), gas(2 - MINUTE, po2=45.0)), 15),
    "a gas at admission counts": (gas(0), 15),
    "a gas before admission does not": (gas(-MINUTE), 0),
    "a gas just before 24 hours counts": (gas(24 - MINUTE), 15),
    "a gas at 24 hours does not": (gas(24), 0),
    "a gas just before discharge counts": (stay_until(10, gas(10 - MINUTE)), 15),
    "a gas at discharge does not": (stay_until(10, gas(10)), 0),
    "a venous gas does not count": (gas(specimen="VEN."), 0),
    "a gas of another admission does not count": (gas(admission=7), 0),
    "a gas without an admission does not count": (gas(admission=None), 0),
}

CARBON_DIOXIDE = (24.9, 25.0, 29.9, 30.0, 34.9, 35.0, 39.9, 40.0, 44.9, 45.0, 49.9, 50.0)
ACID_BASE_POINTS = {
    7.19: (12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 4),
    7.20: (9, 9, 9, 6, 6, 6, 6, 3, 3, 3, 3, 2),
    7.29: (9, 9, 9, 6, 6, 6, 6, 3, 3, 3, 3, 2),
    7.30: (9, 9, 9, 0, 0, 0, 0, 0, 0, 1, 1, 1),
    7.34: (9, 9, 9, 0, 0, 0, 0, 0, 0, 1, 1, 1),
    7.35: (5, 5, 5, 0, 0, 0, 0, 0, 0, 1, 1, 1),
    7.44: (5, 5, 5, 0, 0, 0, 0, 0, 0, 1, 1, 1),
    7.45: (5, 5, 5, 0, 0, 2, 2, 2, 2, 12, 12, 12),
    7.49: (5, 5, 5, 0, 0, 2, 2, 2, 2, 12, 12, 12),
    7.50: (3, 3, 3, 3, 3, 3, 3, 12, 12, 12, 12, 12),
    7.59: (3, 3, 3, 3, 3, 3, 3, 12, 12, 12, 12, 12),
    7.60: (0, 3, 3, 3, 3, 3, 3, 12, 12, 12, 12, 12),
}
"""By pH: the points at each of the carbon dioxide tensions above."""
ACID_BASE: Cases = {
    **{
        f"pH {ph} and PaCO2 {pco2}": (gas(po2=90.0, ph=ph, pco2=pco2), points)
        for ph, line in ACID_BASE_POINTS.items()
        for pco2, points in zip(CARBON_DIOXIDE, line, strict=True)
    },
    "the gas with most points counts": (
        all_of(gas(1, po2=90.0, ph=7.25, pco2=28.0), gas(2, po2=90.0, ph=7.4, pco2=38.0)),
        9,
    ),
    "without a pH nothing scores": (gas(po2=90.0, pco2=60.0), 0),
    "without a PaCO2 nothing scores": (gas(po2=90.0, ph=7.1), 0),
    "without a PaO2 the gas does not exist": (gas(po2=None, ph=7.1, pco2=30.0), 0),
    "a gas at 24 hours does not score": (gas(24, po2=90.0, ph=7.1, pco2=30.0), 0),
}


def coma(motor: float | None, verbal: float | str | None, eyes: float | None, hour: float = 1) -> Charting:
    def charting(patient: Patient) -> None:
        for item, part in ((MOTOR, motor), (EYES, eyes)):
            if part is not None:
                patient.chart(item, at(hour), part)
        if isinstance(verbal, str):
            patient.chart(VERBAL, at(hour), 1.0, verbal)
        elif verbal is not None:
            patient.chart(VERBAL, at(hour), verbal)

    return charting


EYES_CLOSED = {
    1: (48, 48, 33, 33, 16, 16), 2: (29, 29, 24, 24, 0, 0), 3: (29, 29, 24, 24, 0, 0), 4: (0,) * 6, 5: (0,) * 6,
}  # fmt: skip
EYES_OPEN = {
    1: (29, 29, 24, 24, 15, 15), 2: (29, 29, 24, 24, 13, 10), 3: (29, 29, 24, 24, 13, 10), 4: (13, 13, 13, 13, 8, 3),
    5: (3, 3, 3, 3, 3, 0),
}  # fmt: skip
"""By the verbal part: the points of the motor parts 1 to 6."""
COMA: Cases = {
    **{
        f"motor {motor}, verbal {verbal}, eyes {eyes}": (coma(motor, verbal, eyes), points)
        for eyes, by_verbal in ((1, EYES_CLOSED), (2, EYES_OPEN), (4, EYES_OPEN))
        for verbal, line in by_verbal.items()
        for motor, points in enumerate(line, start=1)
    },
    "a tube cannot be scored": (coma(1, "No Response-ETT", 1), 0),
    "a verbal part carried from a tube cannot either": (
        all_of(coma(1, "No Response-ETT", 1, hour=-7), coma(1, None, 1, hour=-6)),
        0,
    ),
    "a part never charted has no points": (coma(1, 1, None), 0),
    "of equal totals the latest row scores": (all_of(coma(6, 1, 4, 1), coma(4, 4, 3, 2)), 13),
    "and not the row with fewer points": (all_of(coma(4, 4, 3, 1), coma(6, 1, 4, 2)), 15),
    "the row with the lowest total scores": (all_of(coma(4, 4, 4, 1), coma(1, 1, 1, 2), coma(6, 5, 4, 3)), 48),
}


@pytest.fixture(scope="module")
def ward() -> Ward:
    return Ward(OXYGENATION, ACID_BASE, COMA, answers=("apsiii-24h",))


@pytest.mark.parametrize("case", OXYGENATION)
def test_oxygenation(ward: Ward, case: str) -> None:
    (row,) = ward.answer("apsiii-24h", case)
    assert row["pao2_aado2_score"] == OXYGENATION[case][1]


@pytest.mark.parametrize("case", ACID_BASE)
def test_acid_base(ward: Ward, case: str) -> None:
    (row,) = ward.answer("apsiii-24h", case)
    assert row["acidbase_score"] == ACID_BASE[case][1]


@pytest.mark.parametrize("case", COMA)
def test_coma(ward: Ward, case: str) -> None:
    (row,) = ward.answer("apsiii-24h", case)
    assert row["gcs_score"] == COMA[case][1]


LATE = {"a gas at 24 hours does not", "a gas at 24 hours does not score"}


@pytest.mark.parametrize("case", [case for case in (*OXYGENATION, *ACID_BASE) if case not in LATE])
def test_the_concept_has_the_same_rules_for_gases(ward: Ward, case: str) -> None:
    (answer,), (concept,) = ward.answer("apsiii-24h", case), ward.concept("apsiii", case)
    for score in ("pao2_aado2_score", "acidbase_score", "apsiii"):
        assert (concept[score] or 0) == answer[score]


def test_the_concept_takes_gases_of_the_whole_stay(ward: Ward) -> None:
    (oxygenation,) = ward.concept("apsiii", "a gas at 24 hours does not")
    (acid_base,) = ward.concept("apsiii", "a gas at 24 hours does not score")
    (discharge,) = ward.concept("apsiii", "a gas at discharge does not")
    assert (oxygenation["pao2_aado2_score"], acid_base["acidbase_score"]) == (15, 12)
    assert discharge["pao2_aado2_score"] is None
