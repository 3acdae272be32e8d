"""Places of a text that do not hold together: listed with their line, never guessed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from reader_texts import Reading

Read = Callable[..., Reading]

INSTRUCTION = """# Mood

One row per guest. Missing = 0.

| Column | Type | Meaning |
|---|---|---|
| `guestid` | integer | guest (key) |
| `mood` | integer | points |
"""

SKILL = """# Mood

## Cohort

All of `inn.guest`.

## Time window

From arrival to 60 minutes after arrival, both ends included. Arrival is the `came` of a guest.

## Source map

| Table | Item in | Value in | Time in | Matched to the stay by |
|---|---|---|---|---|
| `inn.notes` | `what` | `how_much` | `noted` | `guestid` |

| Measure | Table | Item id (label) | Unit | Valid range | Conversion | Several values at one time |
|---|---|---|---|---|---|---|
| Smiles | `notes` | 11 (Smiles) | /h | any | none | highest |

## Derived inputs

| Input | Measure | Summary |
|---|---|---|
| Most smiles | Smiles | highest |

## Scoring

### `mood`

| Most smiles (/h) | Points |
|---|---|
| < 10 | 2 |
| 10 to < 20 | 1 |
| ≥ 20 | 5 |
"""


@pytest.fixture
def inn(tmp_path: Path) -> Path:
    path = tmp_path / "source.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            """
            CREATE SCHEMA inn;
            CREATE TABLE inn.guest (guestid INTEGER, came TIMESTAMP);
            INSERT INTO inn.guest VALUES (1, '2100-01-01 08:00:00'), (2, '2100-01-01 08:00:00');
            CREATE TABLE inn.notes (guestid INTEGER, what INTEGER, how_much DOUBLE, noted TIMESTAMP);
            INSERT INTO inn.notes VALUES (1, 11, 15, '2100-01-01 08:10:00'), (2, 11, 30, '2100-01-01 08:10:00');
            CREATE TABLE inn.words (what INTEGER, label VARCHAR);
            INSERT INTO inn.words VALUES (11, 'Smiles');
            """
        )
    return path.rename(tmp_path / "inn.duckdb")


def line_of(text: str, words: str) -> str:
    return f"mood/SKILL.md:{next(n for n, line in enumerate(text.splitlines(), 1) if words in line)}"


def test_a_text_that_holds_together_has_no_gap(read: Read, inn: Path) -> None:
    reading = read(inn, INSTRUCTION, {"mood": SKILL})
    assert reading.column("mood") == ["1", "5"]
    assert reading.real_gaps() == []
    told = [event for event in reading.events if event.get("column") == "mood"]
    lines = {int(line_of(SKILL, words).rpartition(":")[2]) for words in ("| Smiles |", "| Most smiles |", "| ≥ 20 |")}
    assert all(str(line) in str(told[0]["from"]) or "–" in str(told[0]["from"]) for line in lines)


@pytest.mark.parametrize(
    ("old", "new", "words", "why", "left"),
    [
        ("| 10 to < 20 | 1 |", "| 10 to < 20 | |", "| 10 to < 20 |", "a number is missing", ["0", "0"]),
        ("| 10 to < 20 | 1 |", "| 10 to < 20 |", "| 10 to < 20 |", "a number is missing", ["0", "0"]),
        ("| 11 (Smiles) |", "| |", "| Smiles |", "names no item id", ["0", "0"]),
        ("| Most smiles | Smiles |", "| Most smiles | |", "| Most smiles |", "no executable measure", ["0", "0"]),
        ("From arrival to 60 minutes after arrival", "From 0 minutes before to 60 minutes after", "From 0", "no anchor",
         ["0", "0"]),
        ("| /h | any", "| furlong | any", "furlong", "no unit that is known", ["0", "0"]),
        ("| 11 (Smiles) |", "| 11 (Smiles); 12 (Grins) |", "12 (Grins)", "12 not found in inn.words", ["1", "5"]),
        ("| 10 to < 20 | 1 |\n", "| 12 to < 20 | 1 |\n", "12 to < 20", "no line takes values between 10 and 12",
         ["1", "5"]),
        ("| 10 to < 20 | 1 |\n", "| 10 to < 20 | 1 |\n| 14 to 30 | 3 |\n", "14 to 30", "applies too, with other points",
         ["1", "3"]),
        ("| ≥ 20 | 5 |\n", "| ≥ 20 | 5 |\n\n| Most smiles | Points |\n|---|---|\n| ≥ 20 | 4 |\n", "| ≥ 20 | 4 |",
         "other points for the same condition", ["0", "0"]),
        ("| Most smiles | Smiles | highest |", "| Most smiles | Smiles | highest |\n| Most smiles | Smiles | lowest |",
         "| lowest |", "defined twice", ["0", "0"]),
    ],
)  # fmt: skip
def test_what_does_not_hold_together_is_listed_with_its_line(
    read: Read, inn: Path, old: str, new: str, words: str, why: str, left: list[str]
) -> None:
    assert old in SKILL
    text = SKILL.replace(old, new, 1)
    reading = read(inn, INSTRUCTION, {"mood": text})
    gaps = [gap for gap in reading.gaps("unclear") if why in str(gap["why"])]
    assert [gap["where"] for gap in gaps] == [line_of(text, words)], reading.real_gaps()
    assert reading.column("mood") == left


def test_rules_may_stand_in_the_instruction_itself(read: Read, inn: Path) -> None:
    reading = read(inn, INSTRUCTION + "\n" + SKILL)
    assert reading.column("mood") == ["1", "5"]
    assert reading.real_gaps() == []


def test_of_two_skills_that_fit_the_one_for_this_database_is_followed(read: Read, inn: Path) -> None:
    other = SKILL.replace("`inn.guest`", "`hotel.guest`").replace("`inn.notes`", "`hotel.notes`")
    reading = read(inn, INSTRUCTION, {"a-hotel": other, "mood": SKILL})
    assert reading.column("mood") == ["1", "5"]
    assert reading.explains("a-hotel/SKILL.md", "not followed")
