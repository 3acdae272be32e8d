"""Results of one sample that disagree in time or in whom they belong to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from reader_texts import Reading

Read = Callable[..., Reading]

INSTRUCTION = """# Milk

One row per cow.

| Column | Type | Meaning |
|---|---|---|
| `cow_id` | integer | cow (key) |
| `fat` | number | highest fat |
"""

SKILL = """# Milk

## Cohort

Every cow of `farm.cow`.

## Time window

From calving to 24 hours after calving, both ends included. Calving is the `calved` of the cow.

## Source map

| Table | Item in | Value in | Time in | Matched to the cow by |
|---|---|---|---|---|
| `farm.lab` | `what` | `figure` | `drawn` | `cow_id` |

| Measure | Table | Item id (label) | Unit | Valid range | Conversion | Several values at one time |
|---|---|---|---|---|---|---|
| Milk fat | `lab` | 1 (Fat) | % | > 0 | none | highest per `sample` |
{panels}
## Derived inputs

| Input | Measure | Summary over the window |
|---|---|---|
| Highest fat | Milk fat | highest |

## Scoring

| Column | Value |
|---|---|
| `fat` | highest fat |
"""

PANELS = """
| Panel | Measures | Table | Item id (label) | Valid range | Taken over the panel |
|---|---|---|---|---|---|
| Milk | milk fat | `lab` | 1 (Fat); 2 (Lactose) | > 0 | {taken} |
| Milk | milk fat | `lab` | 3 (Cells) | {cells} | {taken} |
"""


@pytest.fixture
def dairy(tmp_path: Path) -> Path:
    """Cow 1: the fat is drawn before calving and belongs to no cow, the lactose of its sample lies in the window.
    Cow 2: the fat is in order; the cells of its sample have no value and come two days later."""
    path = tmp_path / "source.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            """
            CREATE SCHEMA farm;
            CREATE TABLE farm.cow (cow_id INTEGER, calved TIMESTAMP);
            INSERT INTO farm.cow VALUES (1, '2100-01-01 08:00:00'), (2, '2100-01-01 08:00:00');
            CREATE TABLE farm.lab (cow_id INTEGER, sample INTEGER, what INTEGER, figure DOUBLE, drawn TIMESTAMP);
            INSERT INTO farm.lab VALUES
                (NULL, 10, 1, 5, '2100-01-01 07:00:00'), (1, 10, 2, 3, '2100-01-01 09:00:00'),
                (2, 20, 1, 4, '2100-01-01 10:00:00'), (2, 20, 3, NULL, '2100-01-03 10:00:00'),
                (2, 20, 2, -1, '2100-01-04 10:00:00');
            """
        )
    return path


@pytest.mark.parametrize(
    ("taken", "cells", "fat"),
    [
        ("", "", ["", "4.0"]),
        ("latest `drawn` and highest `cow_id` per `sample`", "any", ["5.0", "4.0"]),
        ("latest `drawn` per `sample`", "any", ["", "4.0"]),
        ("highest `cow_id` per `sample`", "any", ["", "4.0"]),
        ("latest `drawn` and highest `cow_id` per `sample`", "any or none", ["5.0", ""]),
        ("earliest `drawn` and highest `cow_id` per `sample`", "any or none", ["", "4.0"]),
    ],
)
def test_a_sample_has_the_time_and_the_owner_of_its_panel(
    read: Read, dairy: Path, taken: str, cells: str, fat: list[str]
) -> None:
    panels = PANELS.format(taken=taken, cells=cells) if taken else ""
    reading = read(dairy, INSTRUCTION, {"milk": SKILL.format(panels=panels)})
    assert reading.column("fat") == fat
    assert reading.real_gaps() == []


@pytest.mark.parametrize(
    ("taken", "reason"),
    [
        ("mean `drawn` per `sample`", "cannot read"),
        ("latest `drawn`", "cannot read"),
        ("latest `drawn` per `bottle`", "the panel is taken per `bottle`"),
        ("latest `poured` per `sample`", "poured"),
    ],
)
def test_a_panel_that_cannot_be_followed_is_listed(read: Read, dairy: Path, taken: str, reason: str) -> None:
    reading = read(dairy, INSTRUCTION, {"milk": SKILL.format(panels=PANELS.format(taken=taken, cells="any"))})
    assert reading.explains(reason)
    assert reading.column("fat") == ["", ""]
