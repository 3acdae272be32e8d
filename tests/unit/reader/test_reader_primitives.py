"""Each derivation step on a handful of rows whose result is worked out by hand."""

# ruff: noqa: E501 - a line of a Markdown table cannot be broken

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from reader_texts import Reading

Read = Callable[..., Reading]

HEAD = """# Barn

## Cohort

Every animal of `farm.animal`.{cohort}

## Time window

**Day:** from arrival to 24 hours after arrival, both ends included.
Arrival is the `animal.came` and leaving the `animal.went`.

## Source map

| Table | Item in | Value in | Time in | Matched to the stay by |
|---|---|---|---|---|
| `farm.log` | `what` | `figure` | `seen` | `animal_id` |
| `farm.feed` | `what` | `figure` | `since` to `until` | `animal_id` |
| `farm.breed` | – | – | – | `breed_no` |
| `farm.animal` | – | – | – | `animal_id` |
| `farm.pen` | – | `pen_no` | `since` to `until` | `animal_id` |
| `farm.note` | `code`, version in `book` | – | – | `animal_id` |

| Measure | Table | Item id (label) | Unit | Valid range | Conversion | Several values at one time |
|---|---|---|---|---|---|---|
| Weight | `log` | 1 (Weight) | kg | any | none | mean |
| Milk | `log` | 2 (Milk) | L | any | none | sum |
| Mood | `log` | 3 (Mood), text in `words` | text | any | none | latest by `typed`, then highest |
| Hay | `feed` | 4 (Hay) | kg | any | none | each counts |
| Corn | `feed` | 5 (Corn) | kg | any | none | each counts |
"""

LOG = [
    (1, 1, 10, None, "08:00", None), (1, 1, 14, None, "08:00", None), (1, 1, 20, None, "15:00", None),
    (1, 2, 1, None, "09:00", None), (1, 2, 2, None, "10:00", None), (1, 2, 4, None, "14:30", None),
    (1, 3, None, "calm", "08:00", "1"), (1, 3, None, "wild", "09:00", "1"), (1, 3, None, "calm", "09:00", "2"),
    (1, 3, None, "wild", "10:00", "1"), (1, 3, None, "wild", "10:30", "1"), (1, 3, None, "calm", "16:30", "1"),
    (2, 1, 30, None, "07:30", None), (2, 3, None, "wild", "12:00", "1"),
]  # fmt: skip


@pytest.fixture
def farm(tmp_path: Path) -> Path:
    path = tmp_path / "source.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            """
            CREATE SCHEMA farm;
            CREATE TABLE farm.animal (animal_id INTEGER, breed_no INTEGER, came TIMESTAMP, went TIMESTAMP);
            INSERT INTO farm.animal VALUES (1, 7, '2100-01-01 08:00:00', '2100-01-01 20:00:00'),
                                           (2, 8, '2100-01-01 08:00:00', '2100-01-03 08:00:00');
            CREATE TABLE farm.breed (breed_no INTEGER, name VARCHAR, born TIMESTAMP, years VARCHAR);
            INSERT INTO farm.breed VALUES (7, 'Zebu small', '2096-12-31', ' 4 '), (8, 'Ox', '2090-05-05', 'old');
            CREATE TABLE farm.log (animal_id INTEGER, what INTEGER, figure DOUBLE, words VARCHAR,
                seen TIMESTAMP, typed VARCHAR);
            CREATE TABLE farm.feed (animal_id INTEGER, what INTEGER, figure DOUBLE, since TIMESTAMP, until TIMESTAMP);
            INSERT INTO farm.feed VALUES
                (1, 4, 5, '2100-01-01 08:00:00', '2100-01-01 12:00:00'), (1, 4, 6, '2100-01-01 08:00:00', '2100-01-01 10:00:00'),
                (1, 5, 1, '2100-01-01 10:00:00', '2100-01-01 14:00:00'), (2, 5, NULL, '2100-01-01 10:00:00', '2100-01-01 11:00:00');
            CREATE TABLE farm.pen (animal_id INTEGER, pen_no INTEGER, since TIMESTAMP, until TIMESTAMP);
            INSERT INTO farm.pen VALUES (1, 31, '2100-01-01 06:00:00', '2100-01-01 08:00:00'),
                                        (1, 32, '2100-01-01 08:00:00', '2100-01-01 09:00:00');
            CREATE TABLE farm.note (animal_id INTEGER, code VARCHAR, book INTEGER);
            INSERT INTO farm.note VALUES (1, '1234', 9), (1, 'A10', 10), (2, '1240', 9), (2, 'A1', 9);
            """
        )
        moment = "CAST('2100-01-01 ' || ? || ':00' AS TIMESTAMP)"
        connection.executemany(f"INSERT INTO farm.log VALUES (?, ?, ?, ?, {moment}, ?)", LOG)
    return path.rename(tmp_path / "farm.duckdb")


def derive(
    read: Read, farm: Path, source: str, rest: str, columns: dict[str, str], grain: str = "", cohort: str = ""
) -> Reading:
    """Run the reader on a text of these parts; ``columns`` are the output columns and their types."""
    keys = {"animal_id"} | ({"number"} if "number" in columns else set()) | ({"seen"} if "seen" in columns else set())
    lines = "".join(f"| `{name}` | {kind} | {'key' if name in keys else '-'} |\n" for name, kind in columns.items())
    instruction = f"# Barn\n\nOne row per animal.\n\n| Column | Type | Meaning |\n|---|---|---|\n{lines}"
    output = f"\n## Output\n\nOne row per {grain or 'animal'}; nothing more.\n"
    reading = read(farm, instruction, {"barn": HEAD.format(cohort=cohort) + source + rest + output})
    assert reading.code == 0
    assert not reading.real_gaps(), "; ".join(str(g["why"]) for g in reading.real_gaps())
    return reading


def rows(reading: Reading) -> list[tuple[str, ...]]:
    return [tuple(row.values()) for row in reading.rows]


ANIMAL = {"animal_id": "integer", "x": "number"}
INPUTS = "\n## Derived inputs\n\n| Input | Measure | Summary | Window | Only where |\n|---|---|---|---|---|\n"
SCORE = "\n## Scoring\n\n| Column | Value |\n|---|---|\n"


def test_a_value_is_taken_over_from_the_charting_before_when_it_is_near_enough(read: Read, farm: Path) -> None:
    source = (
        "\n| Derived measure | Rule | One value per |\n|---|---|---|\n"
        "| Known weight | weight, else previous, else 99 | charting time of weight or milk |\n"
        "| Near weight | weight of the previous charting, less than 60 minutes before | charting time of weight or milk |\n"
        "| Nearby weight | weight of the previous charting, at most 60 minutes before | charting time of weight or milk |\n"
    )
    inputs = INPUTS + (
        "| Sum | Known weight | sum | day | |\n| Near | Near weight | sum | day | |\n| Nearby | Nearby weight | sum | day | |\n"
    )
    columns = ANIMAL | {"y": "number", "z": "number"}
    reading = derive(
        read, farm, source, inputs + SCORE + "| `x` | sum |\n| `y` | near, else −1 |\n| `z` | nearby |\n", columns
    )
    # 08:00 mean of 10 and 14, 09:00 taken over 12, 10:00 and 14:30 nothing before them, 15:00 its own 20
    assert rows(reading)[0] == ("1", "242.0", "-1.0", "12.0")


def test_a_value_is_paired_with_the_latest_within_a_tolerance(read: Read, farm: Path) -> None:
    source = (
        "\n| Derived measure | Rule | Only where | One value per |\n|---|---|---|---|\n"
        "| Ratio | 10 × milk ÷ latest weight in the 60 minutes up to the milk, both ends included | – | charting time of milk |\n"
        "| Past milk | sum of milk in the 4 hours before, start included, end excluded | milk ≥ 2 | charting time of milk |\n"
    )
    inputs = (
        INPUTS
        + "| Ratio of the day | Ratio | number of values | day | |\n| First | Ratio | first | day | |\n| Past | Past milk | highest | day | |\n"
    )
    columns = ANIMAL | {"y": "number", "z": "number"}
    score = SCORE + "| `x` | ratio of the day |\n| `y` | first |\n| `z` | past |\n"
    reading = derive(read, farm, source, inputs + score, columns)
    assert rows(reading) == [("1", "1", f"{10 / 12}", "1.0"), ("2", "0", "", "")]


EPISODES = """
### State

| Order | Situation | Status |
|---|---|---|
| 1 | mood is one of the loud moods | `loud` |
| 2 | mood is `calm` | `quiet` |

Loud moods: `wild`, `mad`.

| Episodes | Built from | A new episode starts when | Ends | Kept when |
|---|---|---|---|---|
| Mood episodes | state | the status changes, or the last point of the same status lies 6 hours or more back | at the next point of the stay when it lies less than 6 hours ahead, else at its own last point | {kept} |
"""


def test_points_of_one_status_become_episodes(read: Read, farm: Path) -> None:
    columns = {"animal_id": "integer", "number": "integer", "start": "timestamp", "stop": "timestamp", "mood": "text"}
    score = SCORE + (
        "| `number` | number of the episode within the stay |\n| `start` | start of the episode |\n"
        "| `stop` | end of the episode |\n| `mood` | status |\n"
    )
    kept = EPISODES.format(kept="it has more than one charting time")
    reading = derive(read, farm, kept, score, columns, grain="mood episode")
    # at 09:00 the later entry counts; 16:30 lies exactly 6 hours after 10:30; single points are dropped
    assert rows(reading) == [
        ("1", "1", "2100-01-01 08:00:00", "2100-01-01 10:00:00", "quiet"),
        ("1", "2", "2100-01-01 10:00:00", "2100-01-01 10:30:00", "loud"),
    ]
    everything = derive(read, farm, EPISODES.format(kept="–"), score, columns, grain="mood episode")
    assert [row[0] for row in rows(everything)] == ["1", "1", "1", "2"]


def test_values_inside_and_outside_of_episodes(read: Read, farm: Path) -> None:
    inputs = INPUTS + (
        "| In | Milk | sum | day | during a mood episode of `quiet`, start included, end excluded |\n"
        "| Out | Milk | sum | day | not during a mood episode of `quiet`, start included, end excluded |\n"
        "| Loud | Mood episodes | present | day | status is `loud` |\n"
    )
    columns = ANIMAL | {"y": "number", "z": "number"}
    kept = EPISODES.format(kept="it has more than one charting time")
    reading = derive(read, farm, kept, inputs + SCORE + "| `x` | in |\n| `y` | out |\n| `z` | loud |\n", columns)
    assert rows(reading) == [("1", "1.0", "6.0", "1"), ("2", "", "", "0")]


def test_a_value_is_in_force_until_the_next_one_starts(read: Read, farm: Path) -> None:
    source = """
| Value in force | Built from | In force from | In force until | Before the first one |
|---|---|---|---|---|
| Body | weight | its charting time; the first weight from 2 hours before arrival | the next one starts; the last until 1 hour before leaving | |

| Derived measure | Rule | One value per |
|---|---|---|
| Body then | body in force, start excluded, end included | charting time of milk |
| Milk of 2 hours | sum of milk in the 2 hours up to the milk, both ends included | charting time of milk |
| Pause | minutes since the previous charting, else minutes since the first weight | charting time of milk |
"""
    columns = {"animal_id": "integer", "seen": "timestamp", "x": "number", "y": "number", "z": "number"}
    score = SCORE + "| `seen` | charting time |\n| `x` | body then |\n| `y` | milk of 2 hours |\n| `z` | pause |\n"
    reading = derive(read, farm, source, score, columns, grain="charting time of milk")
    assert [row[2:] for row in rows(reading)] == [
        ("12.0", "1.0", "60.0"),
        ("12.0", "3.0", "60.0"),
        ("12.0", "4.0", "270.0"),
    ]


def test_intervals_between_all_starts_and_ends(read: Read, farm: Path) -> None:
    source = "\n| Intervals | Boundaries |\n|---|---|\n| Meals | every start and end of hay and corn |\n"
    inputs = INPUTS + (
        "| Hay rate | Hay | highest | entries running through the interval | |\n"
        "| Corn rate | Corn | highest | entries running through the interval | |\n"
    )
    columns = {"animal_id": "integer", "seen": "timestamp", "x": "number"}
    score = SCORE + "| `seen` | start of the interval |\n| `x` | (hay rate, else 0) + (corn rate, else 0) × 10 |\n"
    cohort = " Only rows where hay rate is present or corn rate is present."
    reading = derive(read, farm, source, inputs + score, columns, grain="animal and interval", cohort=cohort)
    assert [(row[1][11:16], row[2]) for row in rows(reading)] == [
        ("08:00", "6.0"),
        ("10:00", "15.0"),
        ("12:00", "10.0"),
    ]


def test_diagnoses_columns_and_what_is_in_progress(read: Read, farm: Path) -> None:
    source = "\n| Diagnosis | ICD-9 | ICD-10 |\n|---|---|---|\n| Cough | 1230–1239, 99 | A1 |\n| Limp | 124 | – |\n| Noted | any code | – |\n"
    inputs = INPUTS + "| Pen now | {m} | first | in progress at arrival, start included, end excluded | |\n"
    inputs += (
        "\n| Input | Rule | Unit |\n|---|---|---|\n"
        "| Age | year of `animal.came` − year of `breed.born` | years |\n| Told age | number in `breed.years` | years |\n"
        "| Zebu | yes when `breed.name` begins with `zebu` in any case, otherwise no | |\n| Stay | hours from `came` to `went` | h |\n"
    )
    source += (
        "\n| Measure | Table | Item id (label) | Unit | Valid range | Several values at one time |\n|---|---|---|---|---|---|\n"
        "| Pen | `pen` | every row | any | any | each counts |\n"
    )
    columns = ANIMAL | dict.fromkeys(("cough", "limp", "pen", "age", "told", "zebu", "stay"), "number")
    score = SCORE + (
        "| `x` | sum of 2 × cough and highest of limp and 3 × noted |\n| `cough` | cough |\n| `limp` | limp |\n| `pen` | pen now |\n"
        "| `age` | age |\n| `told` | told age |\n| `zebu` | zebu |\n| `stay` | stay |\n"
    )
    reading = derive(read, farm, source, inputs.format(m="Pen") + score, columns)
    assert rows(reading) == [
        ("1", "5.0", "1", "0", "32.0", "4.0", "4.0", "1.0", "12.0"),
        ("2", "3.0", "0", "1", "", "10.0", "", "0.0", "48.0"),
    ]


def test_the_value_at_the_charting_where_another_is_lowest(read: Read, farm: Path) -> None:
    source = "\n| Derived measure | Rule | One value per |\n|---|---|---|\n| Calm | 1 when mood is `calm`, otherwise 0 | charting time of mood |\n"
    inputs = INPUTS + (
        "| Mood then | Mood | at the latest lowest calm | day | |\n| First mood | Mood | at the first calm | day | |\n"
        "| Hour | Calm | time of the last | from arrival to 2 hours after arrival, end excluded | |\n"
    )
    columns = {"animal_id": "integer", "x": "text", "y": "text", "z": "timestamp"}
    reading = derive(
        read, farm, source, inputs + SCORE + "| `x` | mood then |\n| `y` | first mood |\n| `z` | hour |\n", columns
    )
    assert rows(reading) == [("1", "wild", "calm", "2100-01-01 09:00:00"), ("2", "wild", "wild", "")]


def test_two_way_tables_and_grading_by_distance(read: Read, farm: Path) -> None:
    inputs = (
        INPUTS
        + "| Low weight | Weight | lowest | day | |\n| High weight | Weight | highest | day | |\n| Milk sum | Milk | sum | day | |\n"
    )
    scoring = """
## Scoring

### Mix

| Low weight \\ Milk sum | < 5 | ≥ 5 |
|---|---|---|
| < 10 | 1 | 2 |
| ≥ 10 | 3 | 4 |

| Component | Graded values | Further from | At equal distance |
|---|---|---|---|
| `y` | low weight; high weight | {reference} kg | higher points |

### `y`

| Condition | Points |
|---|---|
| weight < 15 | 7 |
| otherwise | 2 |

### More

| Column | Value |
|---|---|
| `x` | mix |

## Missing data

A missing value counts as 0.
"""
    columns = ANIMAL | {"y": "integer"}
    for reference, points in (("15", "2"), ("17", "7"), ("16", "7")):
        reading = derive(read, farm, "", inputs + scoring.format(reference=reference), columns)
        assert rows(reading)[0] == ("1", "4.0", points), reference


def test_entries_as_rows_numbered_in_a_stated_order(read: Read, farm: Path) -> None:
    source = (
        "\n| Measure | Table | Item id (label) | Unit | Valid range | Only rows where | Several values at one time |\n"
        "|---|---|---|---|---|---|---|\n| Big meal | `feed` | 4 (Hay) | kg | any | `figure` > 5 | each counts |\n"
        "| Meal | `feed` | every row | kg | any | `since` is that of a big meal | each counts |\n"
    )
    score = (
        SCORE
        + "| `number` | number within `animal_id` in the order of `figure` and `until`, missing first |\n| `x` | `figure` |\n"
    )
    columns = {"animal_id": "integer", "number": "integer", "x": "number"}
    reading = derive(read, farm, source, score, columns, grain="meal")
    assert rows(reading) == [("1", "1", "5.0"), ("1", "2", "6.0")]


def test_part_of_a_text_and_a_named_list_choose_the_entries(read: Read, farm: Path) -> None:
    source = (
        "\nThe **kind** is what follows `wi` in `words`. Wild ends: `ld`, `lde`.\n\n- Ends: `ld`, `lde`.\n\n"
        "| Measure | Table | Item id (label) | Unit | Valid range | Only rows where | Several values at one time |\n"
        "|---|---|---|---|---|---|---|\n"
        "| Wild | `log` | 3 (Mood), text in `words` | text | any | kind is one of the ends | highest |\n"
    )
    inputs = INPUTS + "| Wild entries | Wild | number of entries | day | |\n"
    reading = derive(read, farm, source, inputs + SCORE + "| `x` | wild entries |\n", ANIMAL)
    assert rows(reading) == [("1", "3"), ("2", "1")]


def test_a_division_by_zero_is_missing_and_costs_no_other_column(read: Read, farm: Path) -> None:
    inputs = INPUTS + "| Low weight | Weight | lowest | day | |\n"
    columns = ANIMAL | {"y": "integer", "z": "number"}
    score = SCORE + (
        "| `x` | (1 ÷ (low weight − 12)) rounded to 2 decimals |\n| `y` | 1 ÷ (low weight − 12) |\n| `z` | low weight |\n"
    )
    reading = derive(read, farm, "", inputs + score, columns)
    assert rows(reading) == [("1", "", "", "12.0"), ("2", "", "", "")]


def test_an_entry_whose_conversion_cannot_be_computed_is_missing_and_counted(read: Read, farm: Path) -> None:
    with duckdb.connect(str(farm)) as connection:
        connection.execute("ALTER TABLE farm.farm.log ADD COLUMN litres DOUBLE DEFAULT 2")
        connection.execute("UPDATE farm.farm.log SET litres = 0 WHERE what = 1 AND figure = 20")
    source = (
        "\n| Measure | Table | Item id (label) | Unit | Valid range | Conversion | Several values at one time |\n"
        "|---|---|---|---|---|---|---|\n"
        "| Density | `log` | 1 (Weight) | kg | any | ÷ `litres`, rounded to 2 decimals | highest |\n"
    )
    inputs = INPUTS + "| Highest density | Density | highest | day | |\n"
    instruction = (
        "# Barn\n\nOne row per animal.\n\n| Column | Meaning |\n|---|---|\n| `animal_id` | key |\n| `x` | - |\n"
    )
    text = HEAD.format(cohort="") + source + inputs + SCORE + "| `x` | highest density |\n"
    reading = read(farm, instruction, {"barn": text})
    assert reading.column("x") == ["7.0", ""]
    assert reading.explains("Density", "the conversion of 1 values cannot be computed")


def test_a_column_whose_values_the_database_refuses_is_lost_alone(read: Read, farm: Path) -> None:
    inputs = INPUTS + "| Some mood | Mood | last | day | |\n| Low weight | Weight | lowest | day | |\n"
    score = SCORE + "| `x` | 2 × some mood |\n| `y` | low weight |\n"
    instruction = "# Barn\n\nOne row per animal.\n\n| Column | Meaning |\n|---|---|\n| `animal_id` | key |\n| `x` | - |\n| `y` | - |\n"
    reading = read(farm, instruction, {"barn": HEAD.format(cohort="") + inputs + score})
    assert reading.code == 0
    assert reading.column("y") == ["12.0", ""]
    assert set(reading.column("x")) == {""}
    assert reading.explains('"text": "x"', "the database refuses its values")


def test_an_entry_without_a_value_makes_a_charting_time_where_the_text_says_so(read: Read, farm: Path) -> None:
    with duckdb.connect(str(farm)) as connection:
        connection.execute("INSERT INTO farm.farm.log VALUES (1, 2, NULL, NULL, '2100-01-01 09:30:00', NULL)")
    source = (
        "\n| Measure | Table | Item id (label) | Unit | Valid range | Several values at one time |\n|---|---|---|---|---|---|\n"
        "| All milk | `log` | 2 (Milk) | L | any | sum, entries without a value included |\n\n"
        "| Derived measure | Rule | One value per |\n|---|---|---|\n"
        "| Pause | minutes since the previous charting | charting time of {which} |\n"
    )
    inputs = INPUTS + "| Shortest | Pause | lowest | day | |\n"
    for which, shortest in (("milk", "60.0"), ("all milk", "30.0")):
        reading = derive(read, farm, source.format(which=which), inputs + SCORE + "| `x` | shortest |\n", ANIMAL)
        assert rows(reading)[0] == ("1", shortest), which
