"""A ward, a score, items, tables and columns that nobody has heard of: the text alone tells the reader what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from reader_texts import Reading

Read = Callable[..., Reading]

INSTRUCTION = """# Woe index

Derive the woe index for every sojourn. One row per sojourn. A part without any measurement counts as normal (0).

| Column | Type | Meaning |
|---|---|---|
| `personid` | integer | person |
| `sojournid` | integer | sojourn (key) |
| `woe` | integer | sum |
| `gloom` | integer | part |
| `dread` | integer | part |
| `thirst` | integer | part |
"""

SKILL = """# Woe

## Output

One row per sojourn; the key is `sojournid`.

## Cohort

All of `house.sojourn`.

## Time window

The **first hour**: from arrival to 60 minutes after arrival, start included, end excluded.
Arrival is the `came` of a sojourn.

## Source map

| Table | Item in | Value in | Time in | Matched to the stay by |
|---|---|---|---|---|
| `house.notes` | `what` | `how_much` | `noted` | `sojournid` |
| `house.tests` | `what` | `result` | `taken` | `personid` |
| `house.drips` | `what` | `speed` | `begun` | `sojournid` |

| Measure | Table | Item id (label) | Unit | Valid range | Conversion | Several values at one time |
|---|---|---|---|---|---|---|
| Sighs | `notes` | 11 (Sighs, audible); 12 (Sighs (silent)) | /h | 0–100, exclusive | none | highest |
| Bile | `tests` | 70 (Bile) | g | at least 1 | g × 10 | mean, rounded to 1 decimal |
| Bile | `tests` | 71 (Bile, heavy) | kg | any | kg × 10000 | mean, rounded to 1 decimal |
| Drip | `drips` | 5 (Drip) | mL/h | any | ÷ 1000 when `speed_unit` is `µL/h` and `weight` is not 1 | each counts |

## Derived inputs

| Input | Measure | Summary | Window |
|---|---|---|---|
| Last sigh | Sighs | last | |
| Total sighs | Sighs | sum | from arrival to 2 hours after arrival, both ends included |
| Bile level | Bile | mean | first hour |
| Fastest drip | Drip | highest | first hour |

## Scoring

### gloom

| Last sigh (/h) | Points |
|---|---|
| at least 50 | 2 |
| 10 to < 50 | 1 |
| otherwise | 0 |

### dread

| Condition | Points |
|---|---|
| bile level above 100 and (total sighs < 20 or last sigh = 7) | 3 |
| 50 < bile level ≤ 100 | 2 |
| bile level missing | 0 |
| otherwise | 1 |

### `thirst`

| Order | Condition | Points |
|---|---|---|
| 1 | fastest drip ≥ 1,000 mL/h | 7 |
| 2 | fastest drip missing | missing |
| 3 | otherwise | 1 |

`woe` is the sum of `gloom` and `dread`.
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    path = tmp_path / "some.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            """
            CREATE SCHEMA house;
            CREATE TABLE house.sojourn (personid INTEGER, sojournid INTEGER, came TIMESTAMP, went TIMESTAMP);
            INSERT INTO house.sojourn VALUES
                (1, 101, '2100-01-01 08:00:00', NULL), (1, 102, '2100-01-01 08:30:00', NULL),
                (2, 103, '2100-01-01 08:00:00', NULL), (3, 104, '2100-01-01 08:00:00', NULL);
            CREATE TABLE house.notes
                (sojournid INTEGER, what INTEGER, how_much DOUBLE, noted TIMESTAMP, typed TIMESTAMP);
            INSERT INTO house.notes VALUES
                (101, 11, 60, '2100-01-01 08:10:00', NULL), (101, 12, 20, '2100-01-01 08:59:59', NULL),
                (101, 11, 99, '2100-01-01 09:00:00', NULL), (101, 11, 100, '2100-01-01 08:59:59', NULL),
                (102, 11, 7, '2100-01-01 08:30:00', NULL), (102, 12, 3, '2100-01-01 08:30:00', NULL),
                (103, 12, 50, '2100-01-01 08:00:00', NULL), (103, 99, 80, '2100-01-01 08:20:00', NULL);
            CREATE TABLE house.tests (personid INTEGER, what INTEGER, result DOUBLE, taken TIMESTAMP);
            INSERT INTO house.tests VALUES
                (1, 70, 12, '2100-01-01 08:35:00'), (1, 71, 0.01, '2100-01-01 08:35:00'),
                (2, 70, 0.5, '2100-01-01 08:01:00'), (2, 70, 10.004, '2100-01-01 08:02:00');
            CREATE TABLE house.drips
                (sojournid INTEGER, what INTEGER, speed DOUBLE, speed_unit VARCHAR, weight DOUBLE, begun TIMESTAMP);
            INSERT INTO house.drips VALUES
                (101, 5, 1000, 'mL/h', 80, '2100-01-01 08:30:00'), (102, 5, 1000, 'µL/h', 80, '2100-01-01 08:40:00'),
                (103, 5, 1000, 'µL/h', 1, '2100-01-01 08:10:00'), (103, 5, NULL, 'µL/h', 1, '2100-01-01 08:10:00');
            """
        )
    # A file named like its schema makes a two-part name ambiguous.
    return path.rename(tmp_path / "house.duckdb")


def test_the_text_alone_decides(read: Read, house: Path) -> None:
    reading = read(house, INSTRUCTION, {"woe": SKILL})
    assert reading.header == ["personid", "sojournid", "woe", "gloom", "dread", "thirst"]
    # 101: last valid sigh before 09:00 is 20; bile (120 + 100) / 2 = 110; sighs 60 + 20 + 99 = 179
    # 102: two sighs at once, the highest is 7; bile 110 and 7 sighs in all
    # 103: last sigh 50; bile 0.5 is out of range, 100.04 is rounded to 100.0
    # 104: nothing measured; the drips differ only in the unit and in the weight that excuses it
    assert [tuple(row.values()) for row in reading.rows] == [
        ("1", "101", "2", "1", "1", "7"),
        ("1", "102", "3", "0", "3", "1"),
        ("2", "103", "4", "2", "2", "7"),
        ("3", "104", "0", "0", "0", "0"),
    ]
    assert reading.real_gaps() == []


def test_renaming_everything_in_text_and_database_changes_nothing(read: Read, house: Path) -> None:
    text = SKILL
    with duckdb.connect(str(house)) as connection:
        for table, old, new in (
            ("notes", "what", "thing"),
            ("notes", "how_much", "amount"),
            ("notes", "noted", "moment"),
            ("tests", "result", "bundle"),
            ("sojourn", "came", "link"),
        ):
            connection.execute(f"ALTER TABLE house.house.{table} RENAME COLUMN {old} TO {new}")
        connection.execute("UPDATE house.house.notes SET thing = 4711 WHERE thing = 11")
    text = text.replace(
        "`house.notes` | `what` | `how_much` | `noted`", "`house.notes` | `thing` | `amount` | `moment`"
    )
    text = text.replace("`result`", "`bundle`").replace("`came`", "`link`").replace("| 11 (", "| 4711 (")
    reading = read(house, INSTRUCTION, {"woe": text})
    assert reading.column("woe") == ["2", "3", "4", "0"]


def test_the_row_table_is_found_without_a_skill(read: Read, house: Path) -> None:
    reading = read(house, INSTRUCTION)
    assert reading.column("sojournid") == ["101", "102", "103", "104"]
    assert set(reading.column("woe")) == {"0"}
    assert any("house.sojourn" in str(event.get("text")) for event in reading.events)


def test_without_a_missing_rule_anywhere_cells_stay_empty(read: Read, house: Path) -> None:
    silent = INSTRUCTION.replace(" A part without any measurement counts as normal (0).", "")
    reading = read(house, silent)
    assert set(reading.column("gloom")) == {""}


def test_values_that_no_line_takes_are_left_empty_and_listed(read: Read, house: Path) -> None:
    text = SKILL.replace("| otherwise | 0 |\n", "", 1)
    reading = read(house, INSTRUCTION, {"woe": text})
    assert reading.column("gloom") == ["1", "", "2", "0"]
    assert reading.column("woe") == ["2", "", "4", "0"]
    assert reading.explains("gloom", "no line applies to 1 rows")


def test_an_available_concept_stands_in_when_the_text_says_so(read: Read, house: Path) -> None:
    text = SKILL + (
        "\n## When intermediate concepts are available\n\n"
        "| Input | Concept | Column |\n|---|---|---|\n"
        "| Bile level | `house.bile` | `level` |\n| Last sigh | `house.absent` | `level` |\n"
    )
    without = read(house, INSTRUCTION, {"woe": text})
    assert without.column("woe") == ["2", "3", "4", "0"]
    with duckdb.connect(str(house)) as connection:
        connection.execute("CREATE TABLE house.house.bile AS SELECT 103 AS sojournid, 20.0 AS level")
    standing_in = read(house, INSTRUCTION, {"woe": text})
    assert standing_in.column("dread") == ["0", "0", "1", "0"]
    assert standing_in.column("gloom") == without.column("gloom")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("| at least 50 | 2 |", "| at least 50 | 2 |\n| at least 50 | 3 |", ("other points for the same condition",)),
        ("at least 50", "at least 50 mg", ("limit is in 'mg'",)),
        ("at least 50", "rather high", ("cannot read 'rather'",)),
        ("10 to < 50", "50 to < 10", ("runs backwards",)),
        ("| Last sigh | Sighs | last", "| Last sigh | Sobs | last", ("no executable measure 'Sobs'",)),
        ("| Last sigh | Sighs | last", "| Last sigh | Sighs | median", ("not a summary",)),
        ("g × 10 ", "by the chart ", ("in the conversion",)),
        ("0–100, exclusive", "0–100 mg, exclusive", ("range is in 'mg'",)),
        ("| `noted` |", "| `written` |", ("no column 'written'",)),
        ("| `noted` |", "| `how_much` |", ("points in time",)),
        ("Value in | Time in", "Value in | Hour", ("no column is named",)),
        ("`house.notes` | `what`", "`house.letters` | `what`", ("does not say how 'notes' is read",)),
        ("start included, end excluded", "", ("both ends",)),
        ("Arrival is the `came`", "Arrival is known", ("no time column is named",)),
        ("Arrival is the `came`", "Arrival is the `came` or the `went`", ("several columns are named",)),
        ("from arrival to 60 minutes after arrival", "from 60 minutes before to 30 minutes after", ("no anchor",)),
        ("| Bile level | Bile | mean | first hour |", "| Bile level | Bile | mean | second hour |", ("not stated",)),
        ("The **first hour**: from arrival", "The **first hour**: from dawn", ("no time column is named", "dawn")),
    ],
)
def test_an_unclear_place_is_listed_with_its_line_and_never_guessed(
    read: Read, house: Path, old: str, new: str, words: tuple[str, ...]
) -> None:
    assert old in SKILL
    reading = read(house, INSTRUCTION, {"woe": SKILL.replace(old, new, 1)})
    assert reading.code == 0
    assert len(reading.rows) == 4
    assert reading.explains(*words), reading.real_gaps()
    assert all(str(gap["where"]).startswith("woe/SKILL.md:") for gap in reading.real_gaps())
    assert {reading.rows[0]["gloom"], reading.rows[0]["dread"]} & {"0"}


def test_what_is_not_read_is_listed_with_its_line(read: Read, house: Path) -> None:
    text = SKILL + (
        "\n## Ties and duplicates\n\n| Tie | Rule |\n|---|---|\n| two | both |\n\n"
        "## Remarks\n\nThe patient sighs.\n\n```\n`woe` is the sum of `gloom` and `thirst`\n```\n\n"
        "| Component | Condition | Points |\n|---|---|---|\n| `gloom` | otherwise | 9 |\n\n"
        "## Literature\n\nNobody, 1900.\n"
    )
    reading = read(house, INSTRUCTION, {"woe": text})
    assert reading.column("woe") == ["2", "3", "4", "0"]
    lines = text.split("\n")
    listed = {int(str(gap["where"]).rpartition(":")[2]) for gap in reading.gaps()}
    for words in ("| Tie | Rule |", "The patient sighs.", "```", "| Component | Condition | Points |"):
        assert lines.index(words) + 1 in listed, words
    assert lines.index("Nobody, 1900.") + 1 not in listed
