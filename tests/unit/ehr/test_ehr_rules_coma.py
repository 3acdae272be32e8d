"""The Glasgow Coma Scale of the first day: which row is the lowest, and what is told of it."""

from __future__ import annotations

import pytest
from ehr_bench import at
from ehr_ward import Cases, Charting, Patient, Ward

VERBAL, MOTOR, EYES = 223900, 223901, 220739
TUBE = "No Response-ETT"
MINUTE = 1 / 60
NORMAL = (15, 6, 5, 4)


def scale(*entries: tuple[float, float | None, float | str | None, float | None]) -> Charting:
    """Hour, motor, verbal and eyes part."""

    def charting(patient: Patient) -> None:
        for hour, motor, verbal, eyes in entries:
            if motor is not None:
                patient.chart(MOTOR, at(hour), motor, "motor")
            if verbal == TUBE:
                patient.chart(VERBAL, at(hour), 1.0, TUBE)
            elif verbal is not None:
                patient.chart(VERBAL, at(hour), float(verbal), "verbal")
            if eyes is not None:
                patient.chart(EYES, at(hour), eyes, "eyes")

    return charting


LOWEST: Cases = {
    "nothing charted is normal": (scale(), NORMAL),
    "the row with the lowest total counts": (scale((1, 6, 5, 3), (2, 4, 2, 3), (3, 6, 5, 4)), (9, 4, 2, 3)),
    "of equal totals the earliest counts": (scale((1, 6, 4, 4), (2, 5, 5, 4)), (14, 6, 4, 4)),
    "six hours before admission counts": (scale((-6, 1, 1, 1)), (3, 1, 1, 1)),
    "earlier does not": (scale((-6 - MINUTE, 1, 1, 1)), NORMAL),
    "24 hours after admission counts": (scale((24, 1, 1, 1)), (3, 1, 1, 1)),
    "later does not": (scale((24 + MINUTE, 1, 1, 1)), NORMAL),
    "a part may be carried into the window": (scale((-6 - MINUTE, 1, 1, 1), (-6, None, 2, None)), (4, 1, 2, 1)),
    "a part never charted is told as normal": (scale((1, 4, None, None)), (13, 4, 5, 4)),
    "a tube is 15, with the verbal part 0": (scale((1, 1, TUBE, 1)), (15, 1, 0, 1)),
    "a verbal part missing after a tube is 15 too": (scale((1, 2, TUBE, 1), (2, 3, None, None)), (15, 2, 0, 1)),
    "a verbal part charted after a tube counts with current parts": (
        scale((1, 1, TUBE, 1), (2, None, 3, 2)),
        (6 + 3 + 2, 1, 3, 2),
    ),
    "after a tube missing parts count as normal but are told as before": (
        scale((1, 1, TUBE, 1), (2, None, 3, None)),
        (6 + 3 + 4, 1, 3, 1),
    ),
    "a tube and a real 15 are equal: the earliest": (scale((1, 6, 5, 4), (2, 1, TUBE, 1)), NORMAL),
    "a part of exactly six hours before is too old": (scale((1, 6, 5, 4), (7, 3, None, None)), (12, 3, 5, 4)),
    "a part of just less is carried": (scale((1, 6, 1, 1), (7 - MINUTE, 3, None, None)), (5, 3, 1, 1)),
    "nothing is carried over a row": (scale((1, 5, 1, 1), (2, 4, None, None), (3, 3, None, None)), (6, 4, 1, 1)),
    "of several entries at one time the highest counts": (scale((1, 3, 2, 2), (1, 5, 4, 3)), (12, 5, 4, 3)),
    "parts are carried one by one": (scale((1, 6, 2, 3), (2, None, 2, 2)), (10, 6, 2, 2)),
}


@pytest.fixture(scope="module")
def ward() -> Ward:
    return Ward(LOWEST, answers=("gcs-24h",), concepts=("first_day_gcs",))


@pytest.mark.parametrize("case", LOWEST)
def test_the_lowest_of_the_first_day(ward: Ward, case: str) -> None:
    (row,) = ward.answer("gcs-24h", case)
    assert tuple(row[name] for name in ("gcs_min", "gcs_motor", "gcs_verbal", "gcs_eyes")) == LOWEST[case][1]


def test_the_concept_takes_the_latest_of_equal_totals_and_makes_nothing_up(ward: Ward) -> None:
    (latest,) = ward.concept("first_day_gcs", "of equal totals the earliest counts")
    assert (latest["gcs_min"], latest["gcs_motor"], latest["gcs_verbal"]) == (14, 5, 5)
    (missing,) = ward.concept("first_day_gcs", "a part never charted is told as normal")
    assert (missing["gcs_min"], missing["gcs_motor"], missing["gcs_verbal"]) == (13, 4, None)
    (nothing,) = ward.concept("first_day_gcs", "nothing charted is normal")
    assert nothing["gcs_min"] is None
