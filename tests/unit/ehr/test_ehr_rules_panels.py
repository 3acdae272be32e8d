"""Laboratory panels: every item in its column with its limits, and the extremes of the first day."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import pytest
from ehr_bench import at
from ehr_ward import Cases, Charting, Patient, Ward

MINUTE = 1 / 60
PO2 = 50821


@dataclass(frozen=True)
class Panel:
    """One laboratory concept: the items of its columns, their highest values, the columns that may be 0 or negative,
    whether 0 counts anywhere, and what the table of the first day calls the columns, where not all alike."""

    items: dict[str, int]
    caps: dict[str, float]
    any_sign: tuple[str, ...] = ()
    zero_counts: bool = False
    first_day: dict[str, str] | None = None


PANELS = {
    "chemistry": Panel(
        items={
            "albumin": 50862, "globulin": 50930, "total_protein": 50976, "aniongap": 50868, "bicarbonate": 50882,
            "bun": 51006, "calcium": 50893, "chloride": 50902, "creatinine": 50912, "glucose": 50931, "sodium": 50983,
            "potassium": 50971,
        },
        caps={
            "albumin": 10, "globulin": 10, "total_protein": 20, "aniongap": 10000, "bicarbonate": 10000, "bun": 300,
            "calcium": 10000, "chloride": 10000, "creatinine": 150, "glucose": 10000, "sodium": 200, "potassium": 30,
        },
        any_sign=("aniongap",),
    ),
    "complete_blood_count": Panel(
        items={
            "hematocrit": 51221, "hemoglobin": 51222, "mch": 51248, "mchc": 51249, "mcv": 51250, "platelet": 51265,
            "rbc": 51279, "rdw": 51277, "rdwsd": 52159, "wbc": 51301,
        },
        caps={},
        first_day={"hematocrit": "hematocrit", "hemoglobin": "hemoglobin", "platelet": "platelets", "wbc": "wbc"},
    ),
    "coagulation": Panel(
        items={"d_dimer": 51196, "fibrinogen": 51214, "thrombin": 51297, "inr": 51237, "pt": 51274, "ptt": 51275},
        caps={},
        any_sign=("d_dimer", "fibrinogen", "thrombin", "inr", "pt", "ptt"),
    ),
    "enzyme": Panel(
        items={
            "alt": 50861, "alp": 50863, "ast": 50878, "amylase": 50867, "bilirubin_total": 50885,
            "bilirubin_direct": 50883, "bilirubin_indirect": 50884, "ck_cpk": 50910, "ck_mb": 50911, "ggt": 50927,
            "ld_ldh": 50954,
        },
        caps={},
    ),
    "blood_differential": Panel(
        items={
            "atypical_lymphocytes": 51143, "bands": 51144, "immature_granulocytes": 52135, "metamyelocytes": 51251,
            "nrbc": 51257, "basophils": 51146, "eosinophils": 51200, "lymphocytes": 51244, "monocytes": 51254,
            "neutrophils": 51256,
        },
        caps={},
        zero_counts=True,
        first_day={
            "atypical_lymphocytes": "atyps", "bands": "bands", "immature_granulocytes": "imm_granulocytes",
            "metamyelocytes": "metas", "nrbc": "nrbc",
        },
    ),
    "bg": Panel(
        items={
            "so2": 50817, "pco2": 50818, "aado2": 50801, "ph": 50820, "baseexcess": 50802, "bicarbonate": 50803,
            "totalco2": 50804, "hematocrit": 50810, "hemoglobin": 50811, "carboxyhemoglobin": 50805,
            "methemoglobin": 50814, "chloride": 50806, "calcium": 50808, "temperature": 50825, "potassium": 50822,
            "sodium": 50824, "lactate": 50813, "glucose": 50809,
        },
        caps={"so2": 100, "hematocrit": 100, "lactate": 10000, "glucose": 10000},
        any_sign=(
            "so2", "pco2", "aado2", "ph", "baseexcess", "bicarbonate", "totalco2", "hematocrit", "hemoglobin",
            "carboxyhemoglobin", "methemoglobin", "chloride", "calcium", "temperature", "potassium", "sodium",
            "lactate", "glucose",
        ),
    ),
}  # fmt: skip


def draws(panel: str, *taken: tuple[float, dict[int, float]], specimen: str = "ART.") -> Charting:
    """Specimens by hour; a gas has an oxygen tension, without which it would not exist."""
    of_a_gas: dict[int, float | str | None] = {52033: specimen, PO2: 90.0}

    def charting(patient: Patient) -> None:
        for hour, results in taken:
            patient.lab(at(hour), {**(of_a_gas if panel == "bg" else {}), **results})

    return charting


def limits(name: str, column: str) -> Charting:
    """A value, the cap, more than the cap, zero and a negative value at hours 1 to 5, each beside another result; the
    first value has a lower and earlier one of another admission beside it in its specimen."""
    panel = PANELS[name]
    item, cap = panel.items[column], panel.caps.get(column, 1e6)
    beside = next(other for other in panel.items.values() if other != item)
    one_each = draws(
        name, *((hour, {beside: 1.0, item: v}) for hour, v in enumerate((2.5, cap, cap + 0.1, 0, -3.5), 1))
    )

    def charting(patient: Patient) -> None:
        one_each(patient)
        table, first = next(row for row in patient.rows if row[1]["itemid"] == item)
        patient.insert(table, **{**first, "valuenum": 1.5, "charttime": at(0, 50), "hadm_id": 7})

    return charting


def kept(name: str, column: str) -> list[float | None]:
    panel = PANELS[name]
    cap = panel.caps.get(column)
    signed = column in panel.any_sign
    above = None if cap is not None else 1e6 + 0.1
    return [2.5, cap or 1e6, above, 0 if signed or panel.zero_counts else None, -3.5 if signed else None]


def around_the_first_day(name: str, column: str) -> Charting:
    """1 and 9 lie just outside the window, 2 and 5 at its ends and 3 inside."""
    item = PANELS[name].items[column]
    hours = (-6 - MINUTE, -6, 1, 24, 24 + MINUTE)
    return draws(name, *((hour, {item: value}) for hour, value in zip(hours, (1.0, 2.0, 3.0, 5.0, 9.0), strict=True)))


COLUMNS = [(name, column) for name, panel in PANELS.items() for column in panel.items]
COUNT_ITEMS = {"basophils": 52069, "eosinophils": 52073, "lymphocytes": 51133, "monocytes": 52074, "neutrophils": 52075}
FIRST_DAY = [
    (name, column, told)
    for name, column in COLUMNS
    if (told := column if PANELS[name].first_day is None else (PANELS[name].first_day or {}).get(column))
]
LIMITS: Cases = {f"{name}.{column}": (limits(name, column), kept(name, column)) for name, column in COLUMNS}
EXTREMES: Cases = {
    f"first day, {name}.{column}": (around_the_first_day(name, column), (2.0, 5.0)) for name, column in COLUMNS
}
COUNT_EXTREMES: Cases = {
    f"first day, count of {cell}": (
        draws("blood_differential", (1, {item: 2.0}), (2, {item: 5.0}), (3, {item: 3.0})),
        (2, 5),
    )
    for cell, item in COUNT_ITEMS.items()
}
VENOUS: Cases = {
    f"venous, {column}": (draws("bg", (1, {item: 2.0}), specimen="VEN."), None)
    for column, item in PANELS["bg"].items.items()
}


def twice_in_one_specimen(patient: Patient) -> None:
    patient.lab(at(1), {50983: 130.0, 50971: 4.0})
    specimen = patient.rows[-1][1]["specimen_id"]
    for result, hour in ((135.0, 1.5), (None, 1.2)):
        row = {**patient.rows[-1][1], "valuenum": result, "itemid": 50983, "charttime": at(hour)}
        patient.insert("mimiciv_hosp.labevents", **row)
    assert patient.rows[-1][1]["specimen_id"] == specimen


def white_cells(*results: tuple[int, float]) -> Charting:
    return lambda patient: patient.lab(at(1), dict(results))


COUNTS: Cases = {
    "an absolute count is the percentage of the white cells": (
        white_cells((51301, 12.0), (51256, 75.0), (51146, 1.0), (51200, 2.0), (51245, 20.0), (51254, 2.0)),
        ("0.1200", "0.2400", "2.4000", "0.2400", "9.0000"),
    ),
    "a reported count goes before": (
        white_cells(
            (51301, 12.0), (51256, 75.0), (52069, 1.0), (52073, 2.0), (51133, 3.0), (52074, 4.0), (52075, 5.0)
        ),
        ("1.0000", "2.0000", "3.0000", "4.0000", "5.0000"),
    ),
    "some counts are reported by the microlitre": (
        white_cells((51301, 12.0), (51199, 1500.0), (52769, 2500.0), (51253, 3500.0), (51218, 4500.0)),
        (None, "1.5000", "2.5000", "3.5000", "4.5000"),
    ),
    "the higher of two counts goes in": (
        white_cells(
            (52073, 2.0), (51199, 1500.0), (51133, 2.0), (52769, 2500.0), (52074, 4.0), (51253, 3500.0), (52075, 4.0),
            (51218, 4500.0),
        ),
        (None, "2.0000", "2.5000", "4.0000", "4.5000"),
    ),
    "counts have 4 decimals": (
        white_cells((51301, 12.34567), *((item, 12.3) for item in (51146, 51200, 51244, 51254, 51256))),
        ("1.5185",) * 5,
    ),
    "few white cells and small percentages are some": (
        white_cells((51301, 0.5), (51146, 0.5), (51200, 0.0), (51256, 1.0)),
        ("0.0025", "0.0000", None, None, "0.0050"),
    ),
    "without white cells there is no count": (white_cells((51256, 75.0)), (None, None, None, None, None)),
    "with white cells of 0 there is none": (white_cells((51301, 0.0), (51256, 75.0)), (None,) * 5),
    "with percentages of 0 alone there is none": (white_cells((51301, 9.0), (51256, 0.0)), (None,) * 5),
    "white cells by other methods serve as well": (
        white_cells((51755, 10.0), (51300, 8.0), (51256, 50.0)),
        (None, None, None, None, "5.0000"),
    ),
}  # fmt: skip


GRADIENT: Cases = {
    "with the oxygen of the laboratory": (draws("bg", (1, {50816: 33.333333, 50818: 40.0})), "97.6667"),
    "with the oxygen of the chart": (
        lambda patient: (patient.chart(223835, at(1), 50.0), draws("bg", (1, {50818: 40.0}))(patient)),
        "216.5000",
    ),
    "two gases": (draws("bg", (1, {50816: 50.0, 50818: 40.0}), (2, {50816: 40.0, 50818: 40.0, PO2: 80.0})), None),
    "without oxygen": (draws("bg", (1, {50818: 40.0})), None),
    "without carbon dioxide": (draws("bg", (1, {50816: 33.0})), None),
}


@pytest.fixture(scope="module")
def ward() -> Ward:
    twice: Cases = {"twice": (twice_in_one_specimen, None)}
    concepts = (*PANELS, "first_day_lab", "first_day_bg", "first_day_bg_art")
    return Ward(LIMITS, EXTREMES, COUNT_EXTREMES, GRADIENT, VENOUS, COUNTS, twice, concepts=concepts)


@pytest.mark.parametrize(("name", "column"), COLUMNS)
def test_an_item_has_its_column_and_its_limits(ward: Ward, name: str, column: str) -> None:
    case = f"{name}.{column}"
    rows = ward.concept(name, case)
    assert [row[column] for row in rows] == LIMITS[case][1]
    assert (rows[0]["charttime"], rows[0]["hadm_id"]) == (at(1), ward.patients[case].number)


@pytest.mark.parametrize(("name", "column", "told"), FIRST_DAY)
def test_the_extremes_of_the_first_day(ward: Ward, name: str, column: str, told: str) -> None:
    for table in ("first_day_bg", "first_day_bg_art") if name == "bg" else ("first_day_lab",):
        (row,) = ward.concept(table, f"first day, {name}.{column}")
        assert (row[f"{told}_min"], row[f"{told}_max"]) == EXTREMES[f"first day, {name}.{column}"][1]


@pytest.mark.parametrize("cell", COUNT_ITEMS)
def test_the_extremes_of_absolute_counts(ward: Ward, cell: str) -> None:
    (row,) = ward.concept("first_day_lab", f"first day, count of {cell}")
    assert (row[f"abs_{cell}_min"], row[f"abs_{cell}_max"]) == (2, 5)


@pytest.mark.parametrize("column", PANELS["bg"].items)
def test_a_venous_gas_counts_in_one_of_the_two_tables(ward: Ward, column: str) -> None:
    (every,), (arterial,) = (ward.concept(table, f"venous, {column}") for table in ("first_day_bg", "first_day_bg_art"))
    assert (every[f"{column}_max"], arterial[f"{column}_max"]) == (2.0, None)


def test_the_extremes_of_what_is_computed_of_a_gas(ward: Ward) -> None:
    for table in ("first_day_bg", "first_day_bg_art"):
        (row,) = ward.concept(table, "two gases")
        assert [row[f"po2_{which}"] for which in ("min", "max")] == [80, 90]
        assert [row[f"pao2fio2ratio_{which}"] for which in ("min", "max")] == [180, 200]
        assert [row[f"aado2_calc_{which}"] for which in ("min", "max")] == [Decimal("155.2000"), Decimal("216.5000")]


@pytest.mark.parametrize("case", [case for case in GRADIENT if case != "two gases"])
def test_the_gradient_is_computed_at_sea_level_to_4_decimals(ward: Ward, case: str) -> None:
    (row,) = ward.concept("bg", case)
    expected = GRADIENT[case][1]
    assert row["aado2_calc"] == (None if expected is None else Decimal(expected))


def test_of_two_results_in_a_specimen_the_higher_counts_at_the_later_time(ward: Ward) -> None:
    (row,) = ward.concept("chemistry", "twice")
    assert (row["sodium"], row["potassium"], row["charttime"]) == (135.0, 4.0, at(1.5))


@pytest.mark.parametrize("case", COUNTS)
def test_absolute_counts(ward: Ward, case: str) -> None:
    (row,) = ward.concept("blood_differential", case)
    (first_day,) = ward.concept("first_day_lab", case)
    cells = ("basophils", "eosinophils", "lymphocytes", "monocytes", "neutrophils")
    expected = tuple(None if count is None else Decimal(count) for count in COUNTS[case][1])
    assert tuple(row[f"{cell}_abs"] for cell in cells) == expected
    assert tuple(first_day[f"abs_{cell}_min"] for cell in cells) == expected
    assert tuple(first_day[f"abs_{cell}_max"] for cell in cells) == expected
