"""OASIS of the first day in eICU, rule by rule, on and beside each cut-off."""

from __future__ import annotations

from typing import Any

import pytest
from eicu_bench import EXAM, ONE_SCORE, OTHER, OUTPUT, SCORES, STAY, TOTAL, VITALS, UnitBench, eicu_task

HEART, BREATHS, CELSIUS = (
    ("Heart Rate", "Heart Rate"),
    ("Respiratory Rate", "Respiratory Rate"),
    ("Temperature", "Temperature (C)"),
)
FAHRENHEIT = ("Temperature", "Temperature (F)")
LINE, CUFF = ("Invasive BP", "Invasive BP Mean"), ("Non-Invasive BP", "Non-Invasive BP Mean")
MAP, ARTERIAL = ("MAP (mmHg)", "Value"), ("Arterial Line MAP (mmHg)", "Value")


def score(bench: UnitBench, component: str) -> int:
    value = bench.one("oasis")[component]
    assert isinstance(value, int)
    return value


def test_a_stay_of_which_nothing_is_known_scores_only_what_needs_no_data(unit_bench: UnitBench) -> None:
    unit_bench.admit(age=None, hospitaladmitoffset=None, unitadmitsource=None)
    found = unit_bench.one("oasis")
    assert {name: value for name, value in found.items() if name.endswith("_score") and value} == {
        "electivesurgery_score": 6
    }
    assert found["oasis"] == 6


def test_the_row_has_the_columns_of_the_task_card_in_order(unit_bench: UnitBench) -> None:
    assert tuple(unit_bench.one("oasis")) == eicu_task("oasis").output.required_columns


def test_the_total_adds_the_ten_components(unit_bench: UnitBench) -> None:
    unit_bench.admit(hospitaladmitoffset=0, age="80")
    for cell, value in [(HEART, 130), (BREATHS, 4), (CELSIUS, 41), (CUFF, 40)]:
        unit_bench.nurse(60, cell, value)
    unit_bench.coma(60, 5)
    unit_bench.fluid(60, OUTPUT + "Urine", 100)
    unit_bench.insert("apacheapsvar", patientunitstayid=STAY, intubated=1)
    found = unit_bench.one("oasis")
    assert found["oasis"] == 5 + 9 + 10 + 6 + 3 + 10 + 6 + 10 + 9 + 6
    assert found["oasis"] == sum(value for name, value in found.items() if name.endswith("_score"))


def test_every_stay_has_one_row_of_its_own_values(unit_bench: UnitBench) -> None:
    unit_bench.insert("patient", patientunitstayid=STAY + 1, age="30")
    unit_bench.nurse(60, HEART, 130)
    first, second = unit_bench.result("oasis")
    assert (first["heart_rate_score"], second["heart_rate_score"]) == (6, 0)
    assert (first["age_score"], second["age_score"]) == (6, 3)


@pytest.mark.parametrize(
    ("offset", "points"),
    [
        (30, 5), (0, 5), (-10, 5), (-11, 3), (-296, 3), (-297, 0), (-1440, 0), (-1441, 2), (-18708, 2), (-18709, 1),
        (None, 0),
    ],
)  # fmt: skip
def test_time_in_hospital_before_the_unit(unit_bench: UnitBench, offset: int | None, points: int) -> None:
    unit_bench.admit(hospitaladmitoffset=offset)
    assert score(unit_bench, "preiculos_score") == points


@pytest.mark.parametrize(
    ("age", "points"),
    [
        ("0", 0), ("23", 0), ("24", 3), ("53", 3), ("54", 6), ("77", 6), ("78", 9), ("89", 9), ("> 89", 7), ("90", 7),
        ("", 0), (None, 0), ("old", 0), (">89", 0),
    ],
)  # fmt: skip
def test_age(unit_bench: UnitBench, age: str | None, points: int) -> None:
    unit_bench.admit(age=age)
    assert score(unit_bench, "age_score") == points


@pytest.mark.parametrize(
    ("total", "points"), [(2, 0), (3, 10), (7, 10), (8, 4), (13, 4), (13.5, 0), (14, 3), (15, 0), (16, 0)]
)
def test_coma_scale(unit_bench: UnitBench, total: float, points: int) -> None:
    unit_bench.coma(60, total)
    assert score(unit_bench, "gcs_score") == points


def test_the_parts_of_the_coma_scale_are_not_used(unit_bench: UnitBench) -> None:
    unit_bench.coma(60, motor=1, verbal=1, eyes=1)
    assert score(unit_bench, "gcs_score") == 0


def test_both_ways_of_charting_the_coma_scale_count_but_not_under_vital_signs(unit_bench: UnitBench) -> None:
    unit_bench.nurse(60, ONE_SCORE, 10, OTHER)
    assert score(unit_bench, "gcs_score") == 4
    unit_bench.nurse(60, TOTAL, 5, VITALS)
    assert score(unit_bench, "gcs_score") == 4
    unit_bench.nurse(90, TOTAL, 5, SCORES)
    assert score(unit_bench, "gcs_score") == 10


def test_an_impossible_coma_scale_hides_a_possible_one_of_the_same_time_only(unit_bench: UnitBench) -> None:
    unit_bench.coma(60, 0)
    unit_bench.coma(60, 5)
    assert score(unit_bench, "gcs_score") == 0
    unit_bench.coma(61, 14)
    assert score(unit_bench, "gcs_score") == 3


def test_the_physicians_exam_counts_only_without_a_valid_nurse_entry(unit_bench: UnitBench) -> None:
    unit_bench.examine(60, "9", "9")
    unit_bench.examine(70, "12", "12")
    assert score(unit_bench, "gcs_score") == 4
    unit_bench.coma(60, 1)
    assert score(unit_bench, "gcs_score") == 4
    unit_bench.coma(90, 15)
    assert score(unit_bench, "gcs_score") == 0


@pytest.mark.parametrize(
    ("tail", "value", "points"),
    [
        ("7", "7", 10), ("14", "14", 3), ("7", "20", 0), ("7", "2", 10), ("score not available", "7", 0),
        ("Motor Score/5", "5", 0), ("", "5", 0), ("123", "5", 0), ("5", "not testable", 0),
    ],
)  # fmt: skip
def test_of_the_exam_only_paths_with_one_or_two_more_characters_count(
    unit_bench: UnitBench, tail: str, value: str, points: int
) -> None:
    unit_bench.examine(60, tail, value)
    assert score(unit_bench, "gcs_score") == points


def test_another_page_of_the_exam_does_not_count(unit_bench: UnitBench) -> None:
    unit_bench.insert(
        "physicalexam",
        patientunitstayid=STAY,
        physicalexamoffset=60,
        physicalexampath=EXAM.lower() + "5",
        physicalexamvalue="5",
    )
    assert score(unit_bench, "gcs_score") == 0


@pytest.mark.parametrize(
    ("values", "points"),
    [
        ([25], 4), ([32], 4), ([33], 0), ([88], 0), ([88.5], 0), ([89], 1), ([106], 1), ([106.5], 0), ([107], 3),
        ([125], 3), ([125.5], 6), ([126], 6), ([225], 6), ([32, 180], 4), ([24.9], 0), ([225.1], 0), ([60, 110], 3),
        ([24, 300, 90], 1),
    ],
)  # fmt: skip
def test_heart_rate(unit_bench: UnitBench, values: list[float], points: int) -> None:
    for value in values:
        unit_bench.nurse(60, HEART, value)
    assert score(unit_bench, "heart_rate_score") == points


PRESSURES = [
    ([20.64], 4), ([20.65], 3), ([50.99], 3), ([50.995], 0), ([51], 2), ([61.32], 2), ([61.33], 0), ([143.44], 0),
    ([143.45], 3), ([250], 3), ([80, 200], 0), ([145, 200], 3), ([1], 4), ([0.9], 0), ([250.1], 0), ([55, 20], 4),
]  # fmt: skip


@pytest.mark.parametrize("cell", [LINE, MAP, ARTERIAL, CUFF], ids=lambda cell: cell[0])
@pytest.mark.parametrize(("values", "points"), PRESSURES)
def test_mean_pressure(unit_bench: UnitBench, cell: tuple[str, str], values: list[float], points: int) -> None:
    for value in values:
        unit_bench.nurse(60, cell, value)
    assert score(unit_bench, "mbp_score") == points


@pytest.mark.parametrize(
    ("line", "cuff", "points"),
    [(80, 40, 0), (55, 15, 2), (None, 15, 4), (0, 15, 4), (50.995, 15, 4), (150, 15, 3), (50.995, 80, 0)],
)
def test_the_line_goes_before_the_cuff_unless_it_fits_no_band(
    unit_bench: UnitBench, line: float | None, cuff: float, points: int
) -> None:
    unit_bench.nurse(60, LINE, line)
    unit_bench.nurse(60, CUFF, cuff)
    assert score(unit_bench, "mbp_score") == points


def test_all_three_cells_of_the_line_are_one_pressure(unit_bench: UnitBench) -> None:
    unit_bench.nurse(60, LINE, 80)
    unit_bench.nurse(60, ARTERIAL, 55, OTHER)
    assert score(unit_bench, "mbp_score") == 2
    unit_bench.nurse(60, MAP, 45, SCORES)
    assert score(unit_bench, "mbp_score") == 3


@pytest.mark.parametrize(
    ("values", "points"),
    [
        ([0.5], 10), ([5], 10), ([5.9], 10), ([6], 1), ([12], 1), ([12.5], 0), ([13], 0), ([22], 0), ([22.5], 0),
        ([22.5, 23], 1), ([23], 1), ([30], 1), ([30.5], 0), ([31], 6), ([44], 6), ([45], 9), ([60], 9), ([61], 0),
        ([14, 50], 0), ([12, 50], 1), ([23, 50], 9), ([0, 23], 1), ([0], 0), ([-1], 0),
    ],
)  # fmt: skip
def test_respiratory_rate_lets_a_normal_lowest_value_win(
    unit_bench: UnitBench, values: list[float], points: int
) -> None:
    for value in values:
        unit_bench.nurse(60, BREATHS, value)
    assert score(unit_bench, "resp_rate_score") == points


@pytest.mark.parametrize(
    ("values", "points"),
    [
        ([25], 3), ([33.21], 3), ([33.22], 4), ([35.93], 4), ([35.935], 0), ([35.94], 2), ([36.39], 2), ([36.395], 0),
        ([36.40], 0), ([36.88], 0), ([36.885], 0), ([36.89], 2), ([39.88], 2), ([39.881], 6), ([46], 6), ([46.1], 0),
        ([24.9], 0), ([33, 41], 3), ([35, 41], 4), ([36, 41], 2), ([37, 41], 6), ([33, 35], 3), ([35.935, 36.5], 0),
    ],
)  # fmt: skip
def test_temperature_lets_the_lowest_value_go_first(unit_bench: UnitBench, values: list[float], points: int) -> None:
    for value in values:
        unit_bench.nurse(60, CELSIUS, value)
    assert score(unit_bench, "temp_score") == points


def test_fahrenheit_is_not_converted(unit_bench: UnitBench) -> None:
    unit_bench.nurse(60, FAHRENHEIT, 41)
    assert score(unit_bench, "temp_score") == 0


@pytest.mark.parametrize(("minute", "counts"), [(-1, False), (0, False), (1, True), (1440, True), (1441, False)])
def test_the_day_begins_after_admission_and_ends_with_its_last_minute(
    unit_bench: UnitBench, minute: int, counts: bool
) -> None:
    unit_bench.nurse(minute, HEART, 130)
    unit_bench.examine(minute, "5", "5")
    unit_bench.fluid(minute, OUTPUT + "Urine", 100)
    unit_bench.insert("respiratorycare", patientunitstayid=STAY, respcarestatusoffset=minute, airwaytype="Oral ETT")
    found = unit_bench.one("oasis")
    names = ("heart_rate_score", "gcs_score", "urineoutput_score", "mechvent_score")
    assert [found[name] for name in names] == ([6, 10, 10, 9] if counts else [0, 0, 0, 0])


@pytest.mark.parametrize(
    ("category", "counts"), [(VITALS, True), (SCORES, True), (OTHER, True), ("Ordered Protocol", False), (None, False)]
)
def test_vital_signs_count_in_three_categories(unit_bench: UnitBench, category: str, counts: bool) -> None:
    unit_bench.nurse(60, HEART, 130, category)
    assert score(unit_bench, "heart_rate_score") == (6 if counts else 0)


@pytest.mark.parametrize("text", ["unable", "", None, "130 bpm"])
def test_what_is_no_number_is_missing(unit_bench: UnitBench, text: str | None) -> None:
    unit_bench.nurse(60, HEART, text)
    assert score(unit_bench, "heart_rate_score") == 0


@pytest.mark.parametrize(
    ("volume", "points"),
    [
        (-5, 10), (0, 10), (670, 10), (670.9, 10), (671, 5), (1426.99, 5), (1426.995, 0), (1427, 1), (2543.99, 1),
        (2543.995, 0), (2544, 0), (6896, 0), (6896.5, 8), (6897, 8), (None, 0),
    ],
)  # fmt: skip
def test_urine(unit_bench: UnitBench, volume: float | None, points: int) -> None:
    unit_bench.fluid(60, OUTPUT + "Urine", volume)
    assert score(unit_bench, "urineoutput_score") == points


def test_urine_of_all_its_cells_is_added_with_negative_volumes(unit_bench: UnitBench) -> None:
    for cell, volume in [("Urine", 500), ("Foley", 300), ("Urine", 500), ("Urine Output-foley", -100)]:
        unit_bench.fluid(60, OUTPUT + cell, volume)
    assert score(unit_bench, "urineoutput_score") == 5
    unit_bench.fluid(61, OUTPUT + "urine", 227)
    assert score(unit_bench, "urineoutput_score") == 1


@pytest.mark.parametrize(
    ("label", "counts"),
    [
        ("Urine", True), ("URINE", True), ("urine", True), ("uRine", False), ("Urine ", False), ("Urine Count", False),
        ("URINE OUTPUT", False), ("urine output", True), ("urine output OR", False), ("Straight  Cath", True),
        ("Straight   Cath", False), ("Urine, L neph:", True), ("Straight cath ml's", True), ("3 Way Foley", True),
        ("Foley", True), ("fOLEY 16 Fr", True), ("Foley irrigation", False), ("foley-OR", False), ("Foley PACU", False),
        ("foley from IR", False), ("Foley for urine", False), ("Urine Output-Foley", True), ("A Foley", False),
        ("Output (mL) Urethral Catheter 16 Fr", True), ("Output (ml) Indwelling Urinary Catheter", True),
        ("OutputUrinary Catheter", True), ("output Urinary Catheter", False), ("Urine Output (mL)", True),
        ("Urine Output (mL) Void", True), ("Urine Output (ml)", False), ("Output (mL) External Urethral", True),
        ("Urinary Catheter Output: Foley", True), ("Urinary catheter Output", False), ("Stool", False), ("", False),
        ("Outpu%Urinary Catheter", False),
    ],
)  # fmt: skip
def test_which_cells_are_urine(unit_bench: UnitBench, label: str, counts: bool) -> None:
    unit_bench.fluid(60, OUTPUT + label, 100)
    assert score(unit_bench, "urineoutput_score") == (10 if counts else 0)


@pytest.mark.parametrize(
    "path",
    [
        "flowsheet|flowsheet cell labels|I&O|Output (ml)|Urine",
        "flowsheet|Flowsheet Cell Labels|I&O|Intake (ml)|Urine",
        "x|flowsheet|Flowsheet Cell Labels|I&O|Output (ml)|Urine",
        "Urine",
        None,
    ],
)
def test_urine_elsewhere_is_no_output(unit_bench: UnitBench, path: str | None) -> None:
    unit_bench.insert(
        "intakeoutput", patientunitstayid=STAY, intakeoutputoffset=60, cellpath=path, cellvaluenumeric=100
    )
    assert score(unit_bench, "urineoutput_score") == 0


@pytest.mark.parametrize(("urine", "points"), [(100, 10), (0.5, 10), (0, 0), (-1, 0), (None, 0), (1500, 1)])
def test_without_a_urine_cell_the_apache_volume_counts_above_0(
    unit_bench: UnitBench, urine: float | None, points: int
) -> None:
    unit_bench.insert("apacheapsvar", patientunitstayid=STAY, urine=urine)
    assert score(unit_bench, "urineoutput_score") == points


@pytest.mark.parametrize(
    ("label", "volume", "points"), [("Urine", 0, 10), ("Urine", None, 1), ("Stool", 50, 1), ("Urine", 700, 5)]
)
def test_any_charted_urine_even_0_replaces_the_apache_volume(
    unit_bench: UnitBench, label: str, volume: float | None, points: int
) -> None:
    unit_bench.insert("apacheapsvar", patientunitstayid=STAY, urine=1500)
    unit_bench.fluid(60, OUTPUT + label, volume)
    assert score(unit_bench, "urineoutput_score") == points


@pytest.mark.parametrize(
    ("table", "values", "points"),
    [
        ("apacheapsvar", {"intubated": 1}, 9),
        ("apacheapsvar", {"intubated": 0}, 0),
        ("apacheapsvar", {"intubated": -1}, 0),
        ("apacheapsvar", {"vent": 1}, 0),
        ("apachepredvar", {"oobintubday1": 1}, 9),
        ("apachepredvar", {"oobintubday1": 0}, 0),
        ("apachepredvar", {"oobventday1": 1, "ventday1": 1}, 0),
        ("respiratorycare", {"airwaytype": "Tracheostomy"}, 9),
        ("respiratorycare", {"airwaysize": "8.0"}, 9),
        ("respiratorycare", {"airwayposition": "22 @ lip"}, 9),
        ("respiratorycare", {"cuffpressure": 0.0}, 9),
        ("respiratorycare", {"setapneatv": "450"}, 9),
        ("respiratorycare", {"airwaytype": "", "airwaysize": "", "airwayposition": "", "setapneatv": ""}, 0),
        ("respiratorycare", {"peeplimit": 5.0, "ventstartoffset": 10}, 0),
    ],
)
def test_ventilation(unit_bench: UnitBench, table: str, values: dict[str, Any], points: int) -> None:
    if table == "respiratorycare":
        values = {**values, "respcarestatusoffset": 60}
    unit_bench.insert(table, patientunitstayid=STAY, **values)
    assert score(unit_bench, "mechvent_score") == points


@pytest.mark.parametrize(
    ("elective", "source", "points"),
    [
        (1, "Operating Room", 0), (1, None, 0), (1, "Emergency Department", 6), (1, "emergency department", 0),
        (0, "Operating Room", 6), (None, "Operating Room", 6), (0, "Emergency Department", 6), (2, "Floor", 0),
    ],
)  # fmt: skip
def test_elective_surgery(unit_bench: UnitBench, elective: int | None, source: str | None, points: int) -> None:
    unit_bench.admit(unitadmitsource=source)
    unit_bench.insert("apachepredvar", patientunitstayid=STAY, electivesurgery=elective)
    assert score(unit_bench, "electivesurgery_score") == points


def test_several_notes_of_the_airway_do_not_double_a_stay(unit_bench: UnitBench) -> None:
    for minute in (30, 60, 90):
        unit_bench.insert("respiratorycare", patientunitstayid=STAY, respcarestatusoffset=minute, airwaysize="7.5")
        unit_bench.examine(minute, "5", "5")
        unit_bench.fluid(minute, OUTPUT + "Urine", 100)
    assert len(unit_bench.result("oasis")) == 1
