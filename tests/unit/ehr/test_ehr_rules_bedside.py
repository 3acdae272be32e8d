"""Bedside charting: valid ranges of vital signs, ventilator settings and CRRT readings, item by item."""

from __future__ import annotations

import pytest
from ehr_bench import at
from ehr_ward import Cases, Charting, Patient, Ward

MINUTE = 1 / 60
VITALS: dict[str, tuple[tuple[int, ...], float, float]] = {
    "heart_rate": ((220045,), 0, 300),
    "sbp": ((220179, 220050, 225309), 0, 400),
    "dbp": ((220180, 220051, 225310), 0, 300),
    "mbp": ((220181, 220052, 225312), 0, 300),
    "resp_rate": ((220210, 224690), 0, 70),
    "temperature": ((223762,), 10, 50),
}
"""Items of a vital sign and the limits between which, both excluded, a value is valid."""
CUFF = {"sbp_ni": 220179, "dbp_ni": 220180, "mbp_ni": 220181}


def over_hours(item: int, *values: float) -> Charting:
    """One value an hour, from hour 1 on."""

    def charting(patient: Patient) -> None:
        for hour, value in enumerate(values, start=1):
            patient.chart(item, at(hour), value)

    return charting


RANGES: Cases = {
    f"{name} by item {item}": (
        over_hours(item, low, low + 0.01, high - 0.01, high),
        (name, [None, low + 0.01, high - 0.01, None]),
    )
    for name, (items, low, high) in VITALS.items()
    for item in items
} | {
    "saturation": (over_hours(220277, 0, 0.5, 100, 100.1), ("spo2", [None, 0.5, 100, None])),
    **{
        f"glucose by item {item}": (over_hours(item, 0, 0.5, 999_999), ("glucose", [None, 0.5, 999_999]))
        for item in (225664, 220621, 226537)
    },
}


def of_one_time(*readings: tuple[int, float]) -> Charting:
    def charting(patient: Patient) -> None:
        for item, value in readings:
            patient.chart(item, at(1), value)

    return charting


POOLED: Cases = {
    f"{name} of all items": (of_one_time(*((item, 40.0 + 10 * n) for n, item in enumerate(items))), name)
    for name, (items, _, _) in VITALS.items()
}


def around_the_first_day(patient: Patient) -> None:
    for hour, value in ((-6 - MINUTE, 11.0), (-6, 22.0), (1, 45.0), (24, 32.0), (24 + MINUTE, 49.0)):
        for items, _, _ in VITALS.values():
            patient.chart(items[0], at(hour), value)
        patient.chart(220277, at(hour), value)
        patient.chart(225664, at(hour), value)


SETTINGS = {
    "respiratory_rate_set": 224688, "respiratory_rate_total": 224690, "respiratory_rate_spontaneous": 224689,
    "minute_volume": 224687, "tidal_volume_set": 224684, "tidal_volume_observed": 224685,
    "tidal_volume_spontaneous": 224686, "plateau_pressure": 224696, "flow_rate": 224691,
}  # fmt: skip
SETTING_TEXTS = {"ventilator_mode": 223849, "ventilator_mode_hamilton": 229314, "ventilator_type": 223848}
READINGS = {
    "access_pressure": 224149, "blood_flow": 224144, "citrate": 228004, "current_goal": 225183,
    "dialysate_rate": 224154, "effluent_pressure": 224151, "filter_pressure": 224150, "heparin_dose": 224145,
    "hourly_patient_fluid_removal": 224191, "prefilter_replacement_rate": 228005,
    "postfilter_replacement_rate": 228006, "replacement_rate": 224153, "return_pressure": 224152,
    "ultrafiltrate_output": 226457,
}  # fmt: skip
READING_TEXTS = {
    "crrt_mode": 227290, "dialysate_fluid": 225977, "heparin_concentration": 225958, "replacement_fluid": 225976,
}  # fmt: skip


def two_values(item: int) -> Charting:
    return of_one_time((item, 3.5), (item, 2.5), (226732, 9.0))


def two_texts(item: int) -> Charting:
    def charting(patient: Patient) -> None:
        for text in ("B later", "A first"):
            patient.chart(item, at(1), text=text)

    return charting


DEVICES: Cases = {
    **{f"ventilator_setting.{name}": (two_values(item), 3.5) for name, item in SETTINGS.items()},
    **{f"ventilator_setting.{name}": (two_texts(item), "B later") for name, item in SETTING_TEXTS.items()},
    **{f"crrt.{name}": (two_values(item), 3.5) for name, item in READINGS.items()},
    **{f"crrt.{name}": (two_texts(item), "B later") for name, item in READING_TEXTS.items()},
}
FIO2: Cases = {
    "inspired oxygen": (
        over_hours(223835, 0.19, 0.2, 0.5, 1, 1.5, 19.9, 20, 100, 100.1),
        ("fio2", [None, 20, 50, 100, None, None, 20, 100, None]),
    ),
    "PEEP set": (over_hours(220339, -1, 0, 100, 100.1), ("peep", [None, 0, 100, None])),
    "total PEEP": (over_hours(224700, -1, 0, 100, 100.1), ("peep", [None, 0, 100, None])),
}
FLAGS = ("system_active", "clots", "clots_increasing", "clotted")
INTEGRITY: Cases = {
    text: (lambda patient, text=text: patient.chart(224146, at(1), text=text), flags)
    for text, flags in {
        "Active": (1, None, None, None), "Initiated": (1, None, None, None), "Reinitiated": (1, None, None, None),
        "New Filter": (1, None, None, None), "Recirculating": (0, None, None, None),
        "Discontinued": (0, None, None, None), "Clots Present": (None, 1, None, None),
        "No Clot Present": (None, 0, None, None), "Clots Increasing": (None, None, 1, None),
        "Clot Increasing": (None, None, 1, None), "Clotted": (None, None, None, 1), "Line pressure": (None,) * 4,
        "active": (None,) * 4,
    }.items()
}  # fmt: skip


def both_of_one_time(patient: Patient) -> None:
    for text in ("Active", "Discontinued", "Clots Present", "No Clot Present"):
        patient.chart(224146, at(1), text=text)


def without_a_stay(patient: Patient) -> None:
    for item in (220045, 224688):
        patient.insert(
            "mimiciv_icu.chartevents",
            subject_id=patient.number,
            charttime=at(1),
            itemid=item,
            value="20",
            valuenum=20.0,
        )


DAY: Cases = {
    "both of one time": (both_of_one_time, None),
    "without a stay": (without_a_stay, None),
    "around the first day": (around_the_first_day, None),
}


@pytest.fixture(scope="module")
def ward() -> Ward:
    concepts = ("vitalsign", "first_day_vitalsign", "ventilator_setting", "crrt")
    return Ward(RANGES, POOLED, DEVICES, FIO2, INTEGRITY, DAY, concepts=concepts)


@pytest.mark.parametrize("case", RANGES)
def test_a_vital_sign_has_its_range(ward: Ward, case: str) -> None:
    name, expected = RANGES[case][1]
    found = [row[name] for row in ward.concept("vitalsign", case)]
    assert [None if value is None else float(value) for value in found] == pytest.approx(expected)


@pytest.mark.parametrize("case", POOLED)
def test_the_items_of_a_vital_sign_are_averaged_and_the_cuff_is_told_apart(ward: Ward, case: str) -> None:
    name = POOLED[case][1]
    (row,) = ward.concept("vitalsign", case)
    assert float(row[name]) == 40 + 5 * (len(VITALS[name][0]) - 1)
    assert {column: row[column] for column in CUFF} == {
        column: 40 if column == f"{name}_ni" else None for column in CUFF
    }


@pytest.mark.parametrize("name", [*VITALS, "spo2", "glucose"])
def test_the_extremes_and_the_mean_of_the_first_day(ward: Ward, name: str) -> None:
    (row,) = ward.concept("first_day_vitalsign", "around the first day")
    assert [float(row[f"{name}_{which}"]) for which in ("min", "max", "mean")] == [22, 45, 33]


@pytest.mark.parametrize("case", DEVICES)
def test_a_setting_has_its_column_and_the_highest_of_a_time(ward: Ward, case: str) -> None:
    concept, column = case.split(".")
    (row,) = ward.concept(concept, case)
    assert row[column] == DEVICES[case][1]
    others = set(row) - {column, "subject_id", "stay_id", "charttime"}
    assert {name: row[name] for name in others if row[name] is not None} == {}


@pytest.mark.parametrize("case", FIO2)
def test_oxygen_and_pressure_of_the_ventilator_have_their_ranges(ward: Ward, case: str) -> None:
    column, expected = FIO2[case][1]
    assert [row[column] for row in ward.concept("ventilator_setting", case)] == expected


def test_of_two_states_at_one_time_the_running_system_and_the_clot_count(ward: Ward) -> None:
    (row,) = ward.concept("crrt", "both of one time")
    assert (row["system_active"], row["clots"]) == (1, 1)


def test_charting_without_a_stay_is_left_out(ward: Ward) -> None:
    assert ward.concept("vitalsign", "without a stay") == ward.concept("ventilator_setting", "without a stay") == []


@pytest.mark.parametrize("case", INTEGRITY)
def test_the_integrity_of_the_system_is_told_by_its_text(ward: Ward, case: str) -> None:
    (row,) = ward.concept("crrt", case)
    assert tuple(row[flag] for flag in FLAGS) == INTEGRITY[case][1]
