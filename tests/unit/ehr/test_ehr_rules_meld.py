"""MELD with sodium: bounds of the four values, rounding twice, and every sign of dialysis."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime

import pytest
from ehr_bench import at
from ehr_ward import Cases, Charting, Patient, Ward

CREATININE, BILIRUBIN, INR, SODIUM = 50912, 50885, 51237, 50983
MINUTE = 1 / 60
LOW_SODIUM = {SODIUM: 120.0}


def labs(*taken: tuple[float, Mapping[int, float]]) -> Charting:
    def charting(patient: Patient) -> None:
        for hour, results in taken:
            patient.lab(at(hour), results)

    return charting


def lab(results: Mapping[int, float]) -> Charting:
    return labs((1, results))


def bilirubin_for(total: float) -> float:
    """The bilirubin that makes the sum of the terms ``total`` when everything else is normal."""
    return math.exp((total - 0.643) / 0.378)


def value_for(total: float, coefficient: float) -> float:
    """The creatinine or INR that makes the sum of the terms ``total`` when everything else is normal."""
    return math.exp((total - 0.643) / coefficient)


def total_of(total: float, sodium: float | None = None) -> Charting:
    return lab({BILIRUBIN: bilirubin_for(total)} | ({} if sodium is None else {SODIUM: sodium}))


SCORE: Cases = {
    "nothing measured": (labs(), 6),
    "everything normal": (lab({CREATININE: 0.9, BILIRUBIN: 0.5, INR: 0.9, SODIUM: 140.0}), 6),
    "values of 1 add nothing": (lab({CREATININE: 1.0, BILIRUBIN: 1.0, INR: 1.0}), 6),
    "creatinine 1.5": (lab({CREATININE: 1.5}), 10),
    "bilirubin 1.5": (lab({BILIRUBIN: 1.5}), 8),
    "INR 1.5": (lab({INR: 1.5}), 11),
    "creatinine 2": (lab({CREATININE: 2.0}), 13),
    "bilirubin 10": (lab({BILIRUBIN: 10.0}), 15),
    "INR 2": (lab({INR: 2.0}), 14),
    "an INR of 0 counts as 1": (lab({INR: 0.0}), 6),
    "creatinine 4": (lab({CREATININE: 4.0}), 20),
    "creatinine above 4 counts as 4": (lab({CREATININE: 9.0}), 20),
    "creatinine above 150 is none": (lab({CREATININE: 151.0}), 6),
    "1.0496 is rounded to 1.050 and then to 1.1": (total_of(1.0496), 11),
    "1.0494 is rounded to 1.0": (total_of(1.0494), 10),
    "just below 2.0 by creatinine": (lab({CREATININE: value_for(1.9493, 0.957)}), 19),
    "just below 2.0 by bilirubin": (lab({BILIRUBIN: bilirubin_for(1.9493)}), 19),
    "just below 2.0 by INR": (lab({INR: value_for(1.9493, 1.120)}), 19),
    "just 2.0 by creatinine": (lab({CREATININE: value_for(1.9497, 0.957)}), 20),
    "just 2.0 by bilirubin": (lab({BILIRUBIN: bilirubin_for(1.9497)}), 20),
    "just 2.0 by INR": (lab({INR: value_for(1.9497, 1.120)}), 20),
    "a score of 11 takes no sodium": (total_of(1.1494, 124.0), 11),
    "a score of 12 takes it": (total_of(1.1496, 124.0), 23.088),
    "a sodium below 125 counts as 125": (total_of(1.1496, 110.0), 23.088),
    "a sodium of 125 is 12 short of 137": (total_of(1.1496, 125.0), 23.088),
    "a sodium of 125.5 is 11.5 short": (total_of(1.1496, 125.5), 12 + 1.32 * 11.5 - 0.033 * 12 * 11.5),
    "a sodium of 126 is 11 short": (total_of(1.1496, 126.0), 12 + 1.32 * 11 - 0.033 * 12 * 11),
    "a sodium of 137 changes nothing": (total_of(2.8, 137.0), 28),
    "a sodium of 136.5 does": (total_of(2.8, 136.5), 28 + 1.32 * 0.5 - 0.033 * 28 * 0.5),
    "a higher sodium changes nothing": (total_of(2.8, 150.0), 28),
    "sodium 124 at a score of 28": (total_of(2.8, 124.0), 28 + 1.32 * 12 - 0.033 * 28 * 12),
    "sodium 125.5 at a score of 28": (total_of(2.8, 125.5), 28 + 1.32 * 11.5 - 0.033 * 28 * 11.5),
    "sodium 137.5 at a score of 28": (total_of(2.8, 137.5), 28),
    "sodium 130 at a score of 28": (total_of(2.8, 130.0), 30.772),
    "a sum of 4 is a score of 40": (total_of(4.0), 40),
    "a higher sum is capped, and sodium cancels out": (total_of(4.2, 120.0), 40),
    "the highest creatinine counts": (labs((1, {CREATININE: 1.0}), (2, {CREATININE: 2.0}), (3, {CREATININE: 1.0})), 13),
    "the lowest sodium counts": (labs((1, {CREATININE: 2.0, SODIUM: 137.0}), (2, {SODIUM: 130.0})), 13 + 9.24 - 3.003),
    "values of different times are put together": (labs((1, {CREATININE: 2.0}), (20, {BILIRUBIN: 10.0})), 22),
    "a result of another admission counts": (lambda patient: patient.lab(at(1), {CREATININE: 2.0}, admission=7), 13),
    "six hours before admission count": (labs((-6, {CREATININE: 2.0})), 13),
    "earlier does not": (labs((-6 - MINUTE, {CREATININE: 2.0})), 6),
    "24 hours after admission count": (labs((24, {CREATININE: 2.0})), 13),
    "later does not": (labs((24 + MINUTE, {CREATININE: 2.0})), 6),
}  # fmt: skip


def charted(item: int, hour: float = 2, text: str | None = "Transparent") -> Charting:
    return lambda patient: patient.chart(item, at(hour), text=text)


def treated(item: int, start: datetime, end: datetime, value: float | None = 1.0) -> Charting:
    return lambda patient: patient.treat(item, start, end, value)


def fluid(item: int, start: datetime, end: datetime, amount: float | None = 1.0) -> Charting:
    return lambda patient: patient.infuse(item, start, end, amount=amount)


BOXES = (226118, 227357, 225725)
NUMBERS = (
    226499, 224154, 225810, 225959, 227639, 225183, 227438, 224191, 225806, 225807, 228004, 228005, 228006, 224144,
    224145, 224149, 224150, 224151, 224152, 224153, 224404, 224406, 226457,
)  # fmt: skip
TEXTS = (
    224135, 224139, 224146, 225323, 225740, 225776, 225951, 225952, 225953, 225954, 225956, 225958, 225961, 225963,
    225965, 225976, 225977, 227124, 227290, 227638, 227640, 227753,
)  # fmt: skip
PROCEDURES = {
    225441: "IHD", 225802: "CRRT", 225803: "CVVHD", 225805: "Peritoneal", 225809: "CVVHDF", 225955: "SCUF",
    224270: None, 225436: None,
}  # fmt: skip
FLUIDS = (227536, 227525)
DIALYSIS: Cases = {
    **{f"charted {item}": (charted(item), 20) for item in (*BOXES, *NUMBERS, *TEXTS)},
    **{f"procedure {item}": (treated(item, at(2), at(5)), 20) for item in PROCEDURES},
    **{f"fluid {item}": (fluid(item, at(2), at(5)), 20) for item in FLUIDS},
    "a sign without a text is none": (charted(225776, text=None), 6),
    "the text None is a sign": (charted(225776, text="None"), 20),
    "another item is no sign": (charted(226732), 6),
    "a fluid without an amount is none": (fluid(227536, at(2), at(5), None), 6),
    "a fluid of amount 0 is none": (fluid(227536, at(2), at(5), 0.0), 6),
    "a procedure without a value is none": (treated(225441, at(2), at(5), None), 6),
    "a sign six hours before admission counts": (charted(225776, -6), 20),
    "an earlier sign does not": (charted(225776, -6 - MINUTE), 6),
    "a sign 24 hours after admission counts": (charted(225776, 24), 20),
    "a later sign does not": (charted(225776, 24 + MINUTE), 6),
    "a procedure that began before and still runs does not": (treated(225802, at(-7), at(30)), 6),
    "a procedure that begins six hours before counts": (treated(225802, at(-6), at(-5)), 20),
    "a normal creatinine does not matter": (
        lambda patient: (charted(225776)(patient), lab({CREATININE: 0.5})(patient)),
        20,
    ),
}


def during_crrt(patient: Patient) -> None:
    patient.treat(225802, at(2), at(4))
    for hour in (2 - MINUTE, 2, 4, 4 + MINUTE):
        charted(225776, hour)(patient)


PERITONEAL = (
    225810, 225806, 225807, 227639, 225959, 225951, 225952, 225961, 225953, 225963, 225965, 227638, 227640
)  # fmt: skip
ACTIVE = (
    226499, 224154, 225183, 227438, 224191, 225806, 225807, 228004, 228005, 228006, 224144, 224145, 224153, 226457
)  # fmt: skip
AROUND = "a sign takes over what runs around it, both ends included, and the start is a sign itself"
KINDS: Cases = {
    "a peritoneal catheter in use": (charted(225965, text="In use"), [(1, 1, "Peritoneal")]),
    "a CRRT mode names the kind": (charted(227290, text="CVVHDF"), [(1, 0, "CVVHDF")]),
    AROUND: (
        during_crrt,
        [(1, 0, None), (1, 1, "CRRT"), (1, 1, "CRRT"), (1, 1, "CRRT"), (1, 0, None)],
    ),
}


@pytest.fixture(scope="module")
def ward() -> Ward:
    return Ward(SCORE, DIALYSIS, KINDS, answers=("meld-24h",), concepts=("meld",))


@pytest.mark.parametrize("case", [*SCORE, *DIALYSIS])
def test_the_score(ward: Ward, case: str) -> None:
    (row,) = ward.answer("meld-24h", case)
    assert row["meld"] == pytest.approx({**SCORE, **DIALYSIS}[case][1], abs=1e-9)


ROUNDED_TWICE = ("1.0496", "just 2.0", "a score of 12", "a sodium below 125", "a sodium of 125", "a sodium of 126")


@pytest.mark.parametrize("case", [case for case in SCORE if not case.startswith(ROUNDED_TWICE)])
def test_the_concept_has_the_same_terms(ward: Ward, case: str) -> None:
    (row,) = ward.concept("meld", case)
    assert row["meld"] == pytest.approx(SCORE[case][1], abs=1e-9)


def test_the_concept_rounds_to_9_decimals_first(ward: Ward) -> None:
    (row,) = ward.concept("meld", "1.0496 is rounded to 1.050 and then to 1.1")
    assert row["meld"] == 10


def test_the_first_day_has_the_most_active_sign_and_every_kind(ward: Ward) -> None:
    (row,) = ward.concept("first_day_rrt", AROUND)
    assert (row["dialysis_present"], row["dialysis_active"], row["dialysis_type"]) == (1, 1, "CRRT")


@pytest.mark.parametrize("item", [*BOXES, *NUMBERS, *TEXTS])
def test_a_charted_sign_runs_and_has_a_kind_or_not(ward: Ward, item: int) -> None:
    (row,) = ward.concept("rrt", f"charted {item}")
    kind = {**dict.fromkeys(PERITONEAL, "Peritoneal"), 226499: "IHD", 227290: "Transparent"}.get(item)
    assert (row["dialysis_present"], row["dialysis_active"], row["dialysis_type"]) == (1, int(item in ACTIVE), kind)


@pytest.mark.parametrize("item", [*PROCEDURES, *FLUIDS])
def test_a_procedure_runs_and_has_a_kind_or_not(ward: Ward, item: int) -> None:
    (row,) = ward.concept("rrt", f"{'fluid' if item in FLUIDS else 'procedure'} {item}")
    kind = PROCEDURES.get(item, "CRRT")
    assert (row["dialysis_present"], row["dialysis_active"], row["dialysis_type"]) == (1, int(kind is not None), kind)


@pytest.mark.parametrize("case", KINDS)
def test_kinds_of_dialysis(ward: Ward, case: str) -> None:
    names = ("dialysis_present", "dialysis_active", "dialysis_type")
    rows = ward.concept("rrt", case)
    assert [tuple(row[name] for name in names) for row in rows] == KINDS[case][1]
