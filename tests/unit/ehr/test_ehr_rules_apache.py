"""APACHE III physiology: bands, the value further from normal, oxygenation, acid-base, coma and renal failure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest
from ehr_bench import at
from ehr_ward import FOLEY, Cases, Charting, Patient, Ward, all_of, charted, lab, urine

MODE, VERBAL, MOTOR, EYES = 223849, 223900, 223901, 220739
PO2, PCO2, PH, FIO2, GRADIENT, CHARTED_FIO2 = 50821, 50818, 50820, 50816, 50801, 223835
MINUTE = 1 / 60

VITALS = {
    "hr_score": (220045, "39:8 40:5 49:5 50:0 99:0 100:1 109:1 110:5 119:5 120:7 139:7 140:13 154:13 155:17"),
    "mbp_score": (
        220052,
        "39:23 40:15 59:15 60:7 69:7 70:6 79:6 80:0 99:0 100:4 119:4 120:7 129:7 130:9 139:9 140:10",
    ),
    "temp_score": (
        223762,
        "32.99:20 33:16 33.49:16 33.5:13 33.99:13 34:8 34.99:8 35:2 35.99:2 36:0 39.99:0 40:4",
    ),
    "resp_rate_score": (220210, "5:17 6:8 11:8 12:7 13:7 14:0 24:0 25:6 34:6 35:9 39:9 40:11 49:11 50:18"),
    "glucose_score": (226537, "39:8 40:9 59:9 60:0 199:0 200:3 349:3 350:5 999999:5"),
}
LABS = {
    "hematocrit_score": (51221, "40.9:3 41:0 49.9:0 50:3"),
    "wbc_score": (51301, "0.9:19 1:5 2.9:5 3:0 19.9:0 20:1 24.9:1 25:5"),
    "creatinine_score": (50912, "0.4:3 0.5:0 1.4:0 1.5:4 1.94:4 1.95:7"),
    "bun_score": (51006, "16:0 17:2 19:2 20:7 39:7 40:11 79:11 80:12"),
    "sodium_score": (50983, "119:3 120:2 134:2 135:0 154:0 155:4"),
    "albumin_score": (50862, "1.9:11 2:6 2.4:6 2.5:0 4.4:0 4.5:4"),
    "bilirubin_score": (50885, "1.9:0 2:5 2.9:5 3:6 4.9:6 5:8 7.9:8 8:16"),
    "glucose_score": (50931, "39:8 40:9 59:9 60:0 199:0 200:3 349:3 350:5"),
}
URINE = "399:15 400:8 599:8 600:7 899:7 900:5 1499:5 1500:4 1999:4 2000:0 3999:0 4000:1 -5:15"


def table(text: str) -> list[tuple[float, int]]:
    return [(float(value), int(points)) for value, points in (pair.split(":") for pair in text.split())]


BANDS: Cases = {
    **{
        f"{component} of {value} by the nurse": (charted(item, value), {component: points})
        for component, (item, bands) in VITALS.items()
        for value, points in table(bands)
    },
    **{
        f"{component} of {value} by the laboratory": (lab(item, value), {component: points})
        for component, (item, bands) in LABS.items()
        for value, points in table(bands)
    },
    **{f"urine of {volume}": (urine(volume), {"uo_score": points}) for volume, points in table(URINE)},
    "no urine charted": (lambda patient: None, {"apsiii": 0, "uo_score": 0}),
}


def renal(creatinine: float, volume: float | None, *codes: tuple[int, str]) -> Charting:
    def charting(patient: Patient) -> None:
        patient.lab(at(1), {50912: creatinine})
        if volume is not None:
            patient.output(FOLEY, at(2), volume)
        for version, code in codes:
            patient.diagnose(version, code)

    return charting


def ventilated(*hours: float) -> Charting:
    def charting(patient: Patient) -> None:
        for hour in hours:
            patient.chart(MODE, at(hour), text="CMV")

    return charting


WORST: Cases = {
    "the value further from normal scores, even with fewer points": (
        charted(220210, 12, 27),
        {"resp_rate_score": 6},
    ),
    "the lower value is further": (charted(220210, 11, 26), {"resp_rate_score": 8}),
    "at equal distance the one with more points": (charted(220210, 13, 25), {"resp_rate_score": 7}),
    "at equal distance the higher value may have more": (charted(220045, 50, 100), {"hr_score": 1}),
    "equal distances of a temperature are exact": (charted(223762, 35.9, 40.1), {"temp_score": 4}),
    "a value between the extremes does not count": (charted(220045, 60, 75, 90), {"hr_score": 0}),
    "mean pressure is measured from 90": (charted(220052, 60, 121), {"mbp_score": 7}),
    "haematocrit is measured from 45.5": (lab(51221, 41, 50), {"hematocrit_score": 3}),
    "white cells are measured from 11.5": (lab(51301, 2.9, 20), {"wbc_score": 5}),
    "white cells of 20.2 are further than 2.9": (lab(51301, 2.9, 20.2), {"wbc_score": 1}),
    "sodium is measured from 145.5": (lab(50983, 134, 156), {"sodium_score": 2}),
    "sodium of 157.1 is further than 134": (lab(50983, 134, 157.1), {"sodium_score": 4}),
    "albumin is measured from 3.5": (lab(50862, 2.4, 4.5), {"albumin_score": 6}),
    "albumin of 4.7 is further than 2.4": (lab(50862, 2.4, 4.7), {"albumin_score": 4}),
    "glucose is measured from 130": (lab(50931, 59, 200), {"glucose_score": 9}),
    "glucose of 202 is further than 59": (lab(50931, 59, 202), {"glucose_score": 3}),
    "bedside and laboratory glucose are put together": (
        all_of(charted(226537, 59), lab(50931, 350)),
        {"glucose_score": 5},
    ),
    "a low bedside glucose counts beside a normal one of the laboratory": (
        all_of(charted(226537, 39), lab(50931, 130)),
        {"glucose_score": 8},
    ),
    "a low one of the laboratory counts beside a normal one of the bedside": (
        all_of(charted(226537, 130), lab(50931, 39)),
        {"glucose_score": 8},
    ),
    "creatinine is measured from 1": (lab(50912, 0.4, 1.5), {"creatinine_score": 3}),
    "urea and bilirubin score by the highest": (
        all_of(lab(51006, 10, 40), lab(50885, 0.1, 5)),
        {"bun_score": 11, "bilirubin_score": 8},
    ),
    "renal failure scores 10": (renal(1.5, 409, (10, "I10")), {"creatinine_score": 10}),
    "in renal failure the highest creatinine scores": (
        all_of(renal(1.5, 409, (10, "I10")), lab(50912, 0.2)),
        {"creatinine_score": 10},
    ),
    "creatinine below 1.5 is none": (renal(1.49, 409, (10, "I10")), {"creatinine_score": 0}),
    "410 mL of urine is none": (renal(2.0, 410, (10, "I10")), {"creatinine_score": 7}),
    "without urine charted it is none": (renal(2.0, None, (10, "I10")), {"creatinine_score": 7}),
    "without any code it is none": (renal(2.0, 100), {"creatinine_score": 7}),
    **{
        f"with {code} of version {version} it is none": (renal(2.0, 100, (version, code)), {"creatinine_score": 7})
        for version, code in ((9, "5854"), (9, "5855"), (9, "58566"), (10, "N184"), (10, "N185"), (10, "N186"))
    },
    **{
        f"with {code} of version {version} it is one": (renal(2.0, 100, (version, code)), {"creatinine_score": 10})
        for version, code in ((9, "5853"), (9, "5859"), (10, "N183"), (10, "N189"), (10, "5855"), (9, "N185"))
    },
    "under ventilation a slow rate is normal": (
        all_of(charted(220210, 5), ventilated(10, 12)),
        {"resp_rate_score": 0},
    ),
    "under ventilation 14 to 24 is normal too": (
        all_of(charted(220210, 24), ventilated(10, 12)),
        {"resp_rate_score": 0},
    ),
    "under ventilation a fast rate scores": (
        all_of(charted(220210, 25), ventilated(10, 12)),
        {"resp_rate_score": 6},
    ),
    **{
        f"under ventilation a rate of {rate} scores {points}": (
            all_of(charted(220210, rate), ventilated(10, 12)),
            {"resp_rate_score": points},
        )
        for rate, points in ((34, 6), (35, 9), (39, 9), (40, 11), (49, 11), (50, 18))
    },
    "ventilation that begins at 24 hours counts": (
        all_of(charted(220210, 5), ventilated(24, 26)),
        {"resp_rate_score": 0},
    ),
    "ventilation that begins later does not": (
        all_of(charted(220210, 5), ventilated(24 + MINUTE, 26)),
        {"resp_rate_score": 17},
    ),
    "ventilation that ends at admission counts": (
        all_of(charted(220210, 5), ventilated(-3, 0)),
        {"resp_rate_score": 0},
    ),
    "ventilation that ends earlier does not": (
        all_of(charted(220210, 5), ventilated(-3, -MINUTE)),
        {"resp_rate_score": 17},
    ),
    "ventilation that began before and ends late on the first day counts": (
        all_of(charted(220210, 5), ventilated(-5, 2, 9, 16, 23.5)),
        {"resp_rate_score": 0},
    ),
    "ventilation that began before and ends just after the first day counts": (
        all_of(charted(220210, 5), ventilated(-5, 2, 9, 16, 24 + MINUTE)),
        {"resp_rate_score": 0},
    ),
    "ventilation across the whole day counts": (
        all_of(charted(220210, 5), ventilated(*range(-5, 30, 5))),
        {"resp_rate_score": 0},
    ),
    "six hours before admission count": (charted(220045, 155, hour=-6), {"hr_score": 17}),
    "earlier does not": (charted(220045, 155, hour=-6 - MINUTE), {"hr_score": 0}),
    "urine before admission does not count": (urine(100, -MINUTE), {"uo_score": 0}),
}
"""Which of several values scores, and what else decides."""


@pytest.fixture(scope="module")
def ward() -> Ward:
    return Ward(BANDS, WORST, answers=("apsiii-24h",))


def the_row(ward: Ward, case: str) -> Mapping[str, Any]:
    (row,) = ward.answer("apsiii-24h", case)
    scores = [points for name, points in row.items() if name.endswith("_score")]
    assert len(scores) == 16
    assert row["apsiii"] == sum(scores)
    (concept,) = ward.concept("apsiii", case)
    assert concept["apsiii"] == row["apsiii"], "without gases the concept agrees"
    return row


def test_the_concept_tells_the_published_probability_of_death(ward: Ward) -> None:
    (row,) = ward.concept("apsiii", "the lower value is further")
    assert row["apsiii"] == 8
    assert row["apsiii_prob"] == pytest.approx(1 / (1 + math.exp(4.4360 - 0.04726 * 8)))


@pytest.mark.parametrize("case", BANDS)
def test_bands(ward: Ward, case: str) -> None:
    expected = BANDS[case][1]
    assert {name: the_row(ward, case)[name] for name in expected} == expected


@pytest.mark.parametrize("case", WORST)
def test_the_value_that_scores(ward: Ward, case: str) -> None:
    expected = WORST[case][1]
    assert {name: the_row(ward, case)[name] for name in expected} == expected
