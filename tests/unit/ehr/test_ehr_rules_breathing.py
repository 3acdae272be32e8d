"""Blood gases with their oxygen, oxygen devices, and ventilation episodes."""

from __future__ import annotations

from datetime import datetime

import pytest
from ehr_bench import Bench, at

FIO2, FLOW, BIPAP_FLOW, MORE_FLOW, DEVICE, MODE, HAMILTON = 223835, 223834, 227582, 227287, 226732, 223849, 229314


@pytest.mark.parametrize(
    ("reported", "percent"),
    [
        (40, 40),
        (100, 100),
        (100.1, None),
        (20, None),
        (20.1, 20.1),
        (0.4, 40),
        (1.0, 100),
        (0.2, None),
        (0.21, 21),
        (5, None),
    ],
)
def test_laboratory_oxygen_is_a_percentage_or_a_fraction(bench: Bench, reported: float, percent: float | None) -> None:
    bench.gas(at(1), 80, reported)
    assert bench.one("bg")["fio2"] == percent


@pytest.mark.parametrize(
    ("charted", "percent"),
    [
        (40, 40),
        (20, 20),
        (100, 100),
        (101, None),
        (0.6, 60),
        (1, 100),
        (0.2, None),
        (0.21, 21),
        (1.5, None),
        (19.9, None),
    ],
)
def test_charted_oxygen_is_a_percentage_or_a_fraction(bench: Bench, charted: float, percent: float | None) -> None:
    bench.gas(at(1), 80)
    bench.chart(FIO2, at(0.5), charted)
    assert bench.one("bg")["fio2_chartevents"] == percent


@pytest.mark.parametrize(("hours", "seen"), [(6, True), (6.001, False), (10, True), (10.001, False)])
def test_charted_oxygen_is_looked_for_in_the_four_hours_up_to_the_gas(bench: Bench, hours: float, seen: bool) -> None:
    bench.gas(at(10), 80)
    bench.chart(FIO2, at(hours) if hours != 6.001 else at(6, seconds=-1), 50)
    assert (bench.one("bg")["fio2_chartevents"] == 50) is seen


def test_the_latest_usable_charted_oxygen_counts_and_of_one_minute_the_highest(bench: Bench) -> None:
    bench.gas(at(10), 80)
    bench.chart(FIO2, at(7), 30)
    bench.chart(FIO2, at(8), 40)
    bench.chart(FIO2, at(8), 0.5)
    bench.chart(FIO2, at(9), 1.5)
    row = bench.one("bg")
    assert (row["fio2_chartevents"], row["pao2fio2ratio"]) == (50, 160)


def test_laboratory_oxygen_goes_before_charted_oxygen(bench: Bench) -> None:
    bench.gas(at(10), 80, 40)
    bench.chart(FIO2, at(9), 80)
    assert bench.one("bg")["pao2fio2ratio"] == 200


def test_room_air_is_never_assumed(bench: Bench) -> None:
    bench.gas(at(10), 80)
    assert bench.one("bg")["pao2fio2ratio"] is None


def test_a_gas_without_oxygen_tension_does_not_exist(bench: Bench) -> None:
    bench.gas(at(10), None, 40)
    assert bench.result("bg") == []


def test_charted_oxygen_of_another_patient_is_not_used(bench: Bench) -> None:
    bench.gas(at(10), 80)
    bench.chart(FIO2, at(9), 50, subject_id=99, stay_id=98)
    assert bench.one("bg")["fio2_chartevents"] is None


def test_a_device_without_a_flow_at_the_same_time_is_dropped(bench: Bench) -> None:
    bench.chart(DEVICE, at(1), text="Endotracheal tube")
    assert bench.result("oxygen_delivery") == []
    bench.chart(BIPAP_FLOW, at(1), 12)
    row = bench.one("oxygen_delivery")
    assert (row["o2_flow"], row["o2_delivery_device_1"]) == (12, "Endotracheal tube")


def test_devices_are_numbered_from_the_one_stored_last_then_from_the_last_in_byte_order(bench: Bench) -> None:
    bench.chart(FLOW, at(1), 5)
    for text, stored in [
        ("Nasal cannula", at(1.2)),
        ("None", at(1.5)),
        ("Bipap mask ", at(1.2)),
        ("Face tent", None),
        ("T-piece", at(1.2)),
    ]:
        bench.chart(DEVICE, at(1), text=text, stored=stored)
    row = bench.one("oxygen_delivery")
    assert [row[f"o2_delivery_device_{slot}"] for slot in range(1, 5)] == [
        "None",
        "T-piece",
        "Nasal cannula",
        "Bipap mask ",
    ]


def test_of_two_flows_the_one_stored_last_counts_and_then_the_higher(bench: Bench) -> None:
    bench.chart(FLOW, at(1), 9, stored=at(1.1))
    bench.chart(BIPAP_FLOW, at(1), 4, stored=at(1.2))
    bench.chart(FLOW, at(1), 6, stored=at(1.2))
    bench.chart(MORE_FLOW, at(1), 3)
    row = bench.one("oxygen_delivery")
    assert (row["o2_flow"], row["o2_flow_additional"]) == (6, 3)


def episodes(bench: Bench) -> list[tuple[str, datetime, datetime]]:
    return [(row["ventilation_status"], row["starttime"], row["endtime"]) for row in bench.result("ventilation")]


def ventilate(bench: Bench, time: datetime, mode: str = "CMV/ASSIST") -> None:
    bench.chart(MODE, time, text=mode)


def give_oxygen(bench: Bench, time: datetime, device: str) -> None:
    bench.chart(FLOW, time, 5)
    bench.chart(DEVICE, time, text=device)


def test_one_isolated_reading_is_no_episode(bench: Bench) -> None:
    ventilate(bench, at(1))
    give_oxygen(bench, at(3), "Nasal cannula")
    give_oxygen(bench, at(5), "Nasal cannula")
    assert episodes(bench) == [("SupplementalOxygen", at(3), at(5))]


def test_an_episode_lasts_to_the_next_reading_of_another_status(bench: Bench) -> None:
    ventilate(bench, at(1))
    ventilate(bench, at(4))
    give_oxygen(bench, at(9), "Nasal cannula")
    give_oxygen(bench, at(12), "Nasal cannula")
    assert episodes(bench) == [
        ("InvasiveVent", at(1), at(9)),
        ("SupplementalOxygen", at(9), at(12)),
    ]


def test_fourteen_clock_hours_end_an_episode_even_if_it_is_less_by_the_minute(bench: Bench) -> None:
    for time in (at(0), at(1, 59), at(15, 0), at(16)):  # 13:59 to 03:00: 14 hour boundaries in 13 h 1 min
        ventilate(bench, time)
    assert episodes(bench) == [("InvasiveVent", at(0), at(1, 59)), ("InvasiveVent", at(15), at(16))]


def test_thirteen_clock_hours_do_not_end_it_even_if_it_is_nearly_fourteen_by_the_minute(bench: Bench) -> None:
    for time in (at(0), at(1, 0), at(14, 59), at(16)):
        ventilate(bench, time)
    assert episodes(bench) == [("InvasiveVent", at(0), at(16))]


def test_the_same_status_after_another_starts_anew(bench: Bench) -> None:
    for hours in (0, 1):
        ventilate(bench, at(hours))
    for hours in (2, 3):
        give_oxygen(bench, at(hours), "High flow nasal cannula")
    for hours in (4, 5):
        ventilate(bench, at(hours))
    assert [status for status, _, _ in episodes(bench)] == ["InvasiveVent", "HFNC", "InvasiveVent"]


@pytest.mark.parametrize(
    ("device", "status"),
    [
        ("Trach mask ", "Tracheostomy"),
        ("Trach mask", None),
        ("Tracheostomy tube", "Tracheostomy"),
        ("Endotracheal tube", "InvasiveVent"),
        ("CPAP mask ", "NonInvasiveVent"),
        ("CPAP mask", None),
        ("Venti mask ", "SupplementalOxygen"),
        ("Ultrasonic neb", "SupplementalOxygen"),
        ("None", "None"),
        ("T-piece", None),
    ],
)
def test_a_device_text_must_fit_to_the_last_blank(bench: Bench, device: str, status: str | None) -> None:
    give_oxygen(bench, at(1), device)
    give_oxygen(bench, at(2), device)
    assert [found for found, _, _ in episodes(bench)] == ([status] if status else [])


@pytest.mark.parametrize(("mode", "status"), [("ASV", "InvasiveVent"), ("NIV", "NonInvasiveVent"), ("SPONT", None)])
def test_hamilton_modes_have_their_own_list(bench: Bench, mode: str, status: str | None) -> None:
    bench.chart(HAMILTON, at(1), text=mode)
    bench.chart(HAMILTON, at(2), text=mode)
    assert [found for found, _, _ in episodes(bench)] == ([status] if status else [])


def test_a_tracheostomy_goes_before_a_ventilator_mode_and_a_mask_counts_in_any_slot(bench: Bench) -> None:
    for hours in (1, 2):
        give_oxygen(bench, at(hours), "Tracheostomy tube")
        ventilate(bench, at(hours))
    for hours in (3, 4):
        give_oxygen(bench, at(hours), "Nasal cannula")
        bench.chart(DEVICE, at(hours), text="Bipap mask ")
    assert [status for status, _, _ in episodes(bench)] == ["Tracheostomy", "NonInvasiveVent"]
