"""Ventilation episodes: the expected output counts exact hours and one device, the concept clock hours and four."""

from __future__ import annotations

from datetime import datetime

import pytest
from ehr_bench import at
from ehr_ward import Cases, Charting, Patient, Ward

FLOW, BIPAP_FLOW, MORE_FLOW, DEVICE, MODE, HAMILTON = 223834, 227582, 227287, 226732, 223849, 229314
INVASIVE, NONINVASIVE, OXYGEN = "InvasiveVent", "NonInvasiveVent", "SupplementalOxygen"


def modes(*times: datetime, mode: str = "CMV", item: int = MODE) -> Charting:
    def charting(patient: Patient) -> None:
        for time in times:
            patient.chart(item, time, text=mode)

    return charting


def give(
    patient: Patient, time: datetime, *devices: str | None, stored: tuple[float, ...] = (), flow: int = FLOW
) -> None:
    """Devices with an oxygen flow; ``stored`` gives the minutes after which each was stored, else together."""
    patient.chart(flow, time, 5.0)
    for position, device in enumerate(devices):
        patient.chart(
            DEVICE, time, text=device, stored=time.replace(second=1 + int(stored[position])) if stored else time
        )


def devices(*names: str | None, stored: tuple[float, ...] = (), flow: int = FLOW) -> Charting:
    """The same devices at hours 1 and 2."""

    def charting(patient: Patient) -> None:
        for hour in (1, 2):
            give(patient, at(hour), *names, stored=stored, flow=flow)

    return charting


STATUS: Cases = {
    "of devices stored together the last in byte order counts": (
        devices("High flow nasal cannula", "Nasal cannula"),
        OXYGEN,
    ),
    "a tube stored after a cannula counts": (devices("Nasal cannula", "Endotracheal tube", stored=(1, 5)), INVASIVE),
    "a cannula stored after a tube counts": (devices("Nasal cannula", "Endotracheal tube", stored=(5, 1)), OXYGEN),
    "None stored together with a tube hides it": (devices("Endotracheal tube", "None"), "None"),
    "the text None is a status": (devices("None"), "None"),
    "a missing text is none": (devices(None), None),
    "a missing text comes after any other": (devices(None, "Face tent"), OXYGEN),
    "a T-piece is none": (devices("T-piece"), None),
    "another device is none": (devices("Other"), None),
    "a tracheostomy goes before a mode": (
        lambda patient: (devices("Trach mask ")(patient), modes(at(1), at(2))(patient)),
        "Tracheostomy",
    ),
    "a tracheostomy mask without its trailing blank is none": (
        lambda patient: (devices("Trach mask")(patient), modes(at(1), at(2), mode="NIV-ST", item=HAMILTON)(patient)),
        NONINVASIVE,
    ),
    "a mode goes before a mask": (
        lambda patient: (devices("Bipap mask ")(patient), modes(at(1), at(2))(patient)),
        INVASIVE,
    ),
    "a mask stored last counts": (
        devices("Nasal cannula", "Bipap mask ", stored=(1, 5)),
        NONINVASIVE,
    ),
    "a BiPAP flow keeps a device": (devices("CPAP mask ", flow=BIPAP_FLOW), NONINVASIVE),
    "the flow of an additional cannula keeps a device": (devices("Nasal cannula", flow=MORE_FLOW), OXYGEN),
    "high flow has a status of its own": (devices("High flow nasal cannula"), "HFNC"),
    "high flow by nebuliser is oxygen": (devices("High flow neb"), OXYGEN),
    "a mode in lower case is none": (modes(at(1), at(2), mode="cmv"), None),
    "ambient counts as invasive": (modes(at(1), at(2), mode="Ambient"), INVASIVE),
    "spontaneous breathing on the Hamilton is none": (modes(at(1), at(2), mode="SPONT", item=HAMILTON), None),
    "a Hamilton mode in the other item is none": (modes(at(1), at(2), mode="DuoPaP"), None),
    "of two modes at one time the last in byte order counts": (
        lambda patient: (modes(at(1), at(2), mode="SPONT")(patient), modes(at(1), at(2), mode="CMV")(patient)),
        None,
    ),
}  # fmt: skip
"""What is charted at hours 1 and 2, and the status of the episode that comes of it."""

MODES = [
    "(S) CMV", "APRV", "APRV/Biphasic+ApnPress", "APRV/Biphasic+ApnVol", "APV (cmv)", "Ambient", "Apnea Ventilation",
    "CMV", "CMV/ASSIST", "CMV/ASSIST/AutoFlow", "CMV/AutoFlow", "CPAP/PPS", "CPAP/PSV", "CPAP/PSV+Apn TCPL",
    "CPAP/PSV+ApnPres", "CPAP/PSV+ApnVol", "MMV", "MMV/AutoFlow", "MMV/PSV", "MMV/PSV/AutoFlow", "P-CMV", "PCV+",
    "PCV+/PSV", "PCV+Assist", "PRES/AC", "PRVC/AC", "PRVC/SIMV", "PSV/SBT", "SIMV", "SIMV/AutoFlow", "SIMV/PRES",
    "SIMV/PSV", "SIMV/PSV/AutoFlow", "SIMV/VOL", "SYNCHRON MASTER", "SYNCHRON SLAVE", "VOL/AC",
]  # fmt: skip
HAMILTON_MODES = ["APRV", "APV (cmv)", "Ambient", "(S) CMV", "P-CMV", "SIMV", "APV (simv)", "P-SIMV", "VS", "ASV"]
DEVICES = {
    "Tracheostomy": ("Tracheostomy tube", "Trach mask "),
    INVASIVE: ("Endotracheal tube",),
    NONINVASIVE: ("Bipap mask ", "CPAP mask "),
    OXYGEN: (
        "Non-rebreather", "Face tent", "Aerosol-cool", "Venti mask ", "Medium conc mask ", "Ultrasonic neb", "Vapomist",
        "Oxymizer", "High flow neb", "Nasal cannula",
    ),
}  # fmt: skip
LISTED: Cases = {
    **{f"mode {name}": (modes(at(1), at(2), mode=name), INVASIVE) for name in MODES},
    **{f"Hamilton mode {name}": (modes(at(1), at(2), mode=name, item=HAMILTON), INVASIVE) for name in HAMILTON_MODES},
    **{
        f"Hamilton mode {name}": (modes(at(1), at(2), mode=name, item=HAMILTON), NONINVASIVE)
        for name in ("DuoPaP", "NIV", "NIV-ST")
    },
    **{f"device {name}": (devices(name), status) for status, names in DEVICES.items() for name in names},
}


def on_and_off(patient: Patient) -> None:
    modes(at(8), at(10), at(13), at(20), at(34))(patient)
    give(patient, at(12), "Nasal cannula")


def one_device_of_another(patient: Patient) -> None:
    modes(at(1), at(2))(patient)
    give(patient, at(3), "Nasal cannula", "None")
    modes(at(4), at(5))(patient)


def between(patient: Patient) -> None:
    modes(at(1), at(2), at(14))(patient)
    patient.chart(MODE, at(8), text="Standby")


def tube_without_flow(patient: Patient) -> None:
    for hour in (1, 2):
        patient.chart(DEVICE, at(hour), text="Endotracheal tube")


def far_outside_the_stay(patient: Patient) -> None:
    modes(at(-100), at(-99), at(400), at(401))(patient)


def change_after_a_gap(patient: Patient) -> None:
    modes(at(0), at(1))(patient)
    give(patient, at(15), "Nasal cannula")
    give(patient, at(16), "Nasal cannula")


EPISODES: Cases = {
    "a single reading is dropped before the numbering": (
        on_and_off,
        ([(8, 12, INVASIVE), (13, 20, INVASIVE)],) * 2,
    ),
    "a dropped reading still separates": (one_device_of_another, ([(1, 3, INVASIVE), (4, 5, INVASIVE)],) * 2),
    "a gap of 14 hours of the clock splits in the concept only": (
        modes(at(10 - 12, 59), at(12), at(12, 30)),  # 10:59, and 00:00 and 00:30 of the next day
        ([(-2 + 59 / 60, 12.5, INVASIVE)], [(12, 12.5, INVASIVE)]),
    ),
    "a gap of exactly 14 hours splits": (modes(at(10), at(24)), ([], [])),
    "a gap of a second less than 14 hours does not": (
        modes(at(10, 0, 1), at(24)),
        ([(10 + 1 / 3600, 24, INVASIVE)], []),
    ),
    "a gap of 13 hours of the clock does not split": (
        modes(at(10), at(23, 59)),
        ([(10, 23 + 59 / 60, INVASIVE)],) * 2,
    ),
    "an episode ends at its last reading when the next is 14 hours away": (
        change_after_a_gap,
        ([(0, 1, INVASIVE), (15, 16, OXYGEN)],) * 2,
    ),
    "an episode lasts to the next reading that is less than 14 hours away": (
        lambda patient: (
            [modes(at(0), at(1))(patient)] + [give(patient, time, "Nasal cannula") for time in (at(14, 59, 59), at(16))]
        ),
        ([(0, 15 - 1 / 3600, INVASIVE), (15 - 1 / 3600, 16, OXYGEN)],) * 2,
    ),
    "times without a status neither split nor extend": (between, ([(1, 14, INVASIVE)],) * 2),
    "a tube without a flow is no reading": (tube_without_flow, ([], [])),
    "charting outside the stay counts": (
        far_outside_the_stay,
        ([(-100, -99, INVASIVE), (400, 401, INVASIVE)],) * 2,
    ),
    "a mask in another slot counts in the concept only": (
        devices("Nasal cannula", "Bipap mask ", stored=(5, 1)),
        ([(1, 2, OXYGEN)], [(1, 2, NONINVASIVE)]),
    ),
    "a mask in the fourth slot counts in the concept": (
        devices("Nasal cannula", "Face tent", "Oxymizer", "CPAP mask ", stored=(9, 8, 7, 6)),
        ([(1, 2, OXYGEN)], [(1, 2, NONINVASIVE)]),
    ),
    "a mask in a fifth slot does not": (
        devices("Nasal cannula", "Face tent", "Oxymizer", "Vapomist", "CPAP mask ", stored=(9, 8, 7, 6, 5)),
        ([(1, 2, OXYGEN)],) * 2,
    ),
    "a tube goes before a mask in another slot": (
        devices("Endotracheal tube", "Bipap mask ", stored=(5, 1)),
        ([(1, 2, INVASIVE)],) * 2,
    ),
}


@pytest.fixture(scope="module")
def ward() -> Ward:
    return Ward(STATUS, LISTED, EPISODES, answers=("ventilation",), concepts=("ventilation",))


@pytest.mark.parametrize("case", [*STATUS, *LISTED])
def test_the_status_of_a_time(ward: Ward, case: str) -> None:
    status = {**STATUS, **LISTED}[case][1]
    expected = [] if status is None else [(1, at(1), at(2), status)]
    keys = ("ventilation_seq", "starttime", "endtime", "ventilation_status")
    assert [tuple(row[key] for key in keys) for row in ward.answer("ventilation", case)] == expected
    assert [row["ventilation_status"] for row in ward.concept("ventilation", case)] == [row[3] for row in expected]


@pytest.mark.parametrize("case", EPISODES)
def test_episodes(ward: Ward, case: str) -> None:
    exact, by_the_clock = (
        [(at(start), at(end), status) for start, end, status in episodes] for episodes in EPISODES[case][1]
    )
    keys = ("starttime", "endtime", "ventilation_status")
    answer = ward.answer("ventilation", case)
    assert [tuple(row[key] for key in keys) for row in answer] == exact
    assert [row["ventilation_seq"] for row in answer] == list(range(1, len(exact) + 1))
    assert [tuple(row[key] for key in keys) for row in ward.concept("ventilation", case)] == by_the_clock
