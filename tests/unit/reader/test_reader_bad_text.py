"""Broken and hostile texts: gaps or one clear refusal, never a traceback, never text in a query."""

from __future__ import annotations

import io
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from reader_texts import Reading, instruction_text, skill_text

from m4review.trials.agents.reader.program import main

TASK = "mimic-sirs-24h-raw"
SKILL = "sirs-criteria"

Read = Callable[..., Reading]


def run(arguments: list[str]) -> tuple[int, list[dict[str, object]]]:
    stream = io.StringIO()
    code = main(arguments, stream)
    return code, [json.loads(line) for line in stream.getvalue().splitlines()]


@pytest.fixture
def small_database(oracle_database: Path, tmp_path: Path) -> Path:
    """A copy with tables in place of views, so that a write would show."""
    path = tmp_path / "small.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"ATTACH '{oracle_database}' AS oracle (READ_ONLY)")
        for table in ("mimiciv_icu.icustays", "mimiciv_icu.chartevents", "mimiciv_hosp.labevents"):
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {table.split('.')[0]}")
            connection.execute(f"CREATE TABLE {table} AS SELECT * FROM oracle.{table} LIMIT 500")
    return path


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---\nname: x",
        "# Only a title\n",
        "no heading `sirs`\n",
        "| a |\n|---|\n",
        "\x00\x01",
        "---\n---\n" + "#" * 50_000,
    ],
)
def test_a_skill_with_nothing_to_execute_still_gives_the_rows(read: Read, oracle_database: Path, text: str) -> None:
    reading = read(oracle_database, instruction_text(TASK), {"x": text})
    assert reading.code == 0
    assert len(reading.rows) == 300
    assert set(reading.column("sirs")) == {"0"}


HOSTILE = "x'); DROP TABLE mimiciv_icu.icustays; --"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("`stay_id` |\n| `mimiciv_hosp", f'`stay_id" OR 1=1; {HOSTILE}` |\n| `mimiciv_hosp'),
        ("`mimiciv_icu.chartevents`", f'`mimiciv_icu.chartevents"; {HOSTILE}`'),
        ("exactly `ART.`;", f"exactly `{HOSTILE}`;"),
        ("per `specimen_id`", f'per `specimen_id"; {HOSTILE}`'),
        ("220045 (Heart Rate)", "220045) OR (1=1 (Heart Rate)"),
        ("> 90 /min", f"> 90 {HOSTILE}"),
        ("(°F − 32) ÷ 1.8", f"(°F − 32) ÷ (SELECT 1) {HOSTILE}"),
        ("| Temperature | lowest |", f"| Temperature | {HOSTILE} |"),
        ("`intime`", f"`{HOSTILE}`"),
    ],
)
def test_text_of_a_skill_never_becomes_part_of_a_query(read: Read, small_database: Path, old: str, new: str) -> None:
    text = skill_text(SKILL)
    assert old in text
    before = small_database.read_bytes()
    reading = read(small_database, instruction_text(TASK), {SKILL: text.replace(old, new)})
    assert reading.code == 0
    assert reading.rows
    assert small_database.read_bytes() == before
    for event in reading.events:
        if event["event"] == "tool_call" and event["name"] == "query":
            statement = str(event["sql"])
            assert "DROP" not in statement.replace(HOSTILE.replace("'", "''"), "")
            assert "1=1" not in statement


@pytest.mark.parametrize(
    "flood",
    [
        "## Time window\n\n" + "between x and " * 10_000,
        "## Missing data\n\n" + "missing is " * 10_000,
        "## Scoring\n\n| Component | Condition | Points |\n|---|---|---|\n| `sirs` | " + "(" * 200_000 + " | 1 |\n",
        "## Source map\n\n| Measure | Table | Item id |\n|---|---|---|\n" + "| m | `t` | 1 |\n" * 4_000,
        "[" * 20_000,
    ],
    ids=["windows", "missing rules", "brackets in a cell", "rows", "brackets"],
)
def test_a_flood_of_text_comes_to_an_end(read: Read, small_database: Path, flood: str) -> None:
    head = "## Scoring\n\n| Component | Condition | Points |\n|---|---|---|\n| `sirs` | otherwise | 2 |\n\n"
    reading = read(small_database, instruction_text(TASK), {"x": head + flood})
    assert reading.code == 0
    assert reading.rows


def test_damaged_texts_never_break_the_reader(read: Read, small_database: Path) -> None:
    lines = skill_text(SKILL).split("\n")
    for seed in range(20):
        chance = random.Random(seed)
        kept = [line for line in lines if chance.random() > 0.05]
        for _ in range(10):
            place = chance.randrange(len(kept))
            line = kept[place]
            cut = chance.randrange(len(line) + 1)
            kept[place] = (
                line[:cut] + chance.choice(["", "|", "`", "(", " and ", "<", "12", "–", "°"]) + line[cut + 1 :]
            )
        reading = read(small_database, instruction_text(TASK), {SKILL: "\n".join(kept)})
        assert reading.code == 0, seed
        assert reading.events[-1]["status"] == "ok"
        assert len(reading.rows) == len({row["stay_id"] for row in reading.rows}) > 0


def test_damaged_instructions_never_break_the_reader(read: Read, small_database: Path) -> None:
    lines = instruction_text(TASK).split("\n")
    for seed in range(10):
        chance = random.Random(seed)
        kept = [line for line in lines if chance.random() > 0.15]
        reading = read(small_database, "\n".join(kept), {SKILL: skill_text(SKILL)})
        assert reading.code in {0, 2}, seed
        assert reading.events[-1]["event"] == "end"


def arguments(tmp_path: Path, database: Path, instruction: bytes = b"| Column |\n|---|\n| `a` |\n") -> list[str]:
    (tmp_path / "i.md").write_bytes(instruction)
    paths = {"--instruction": tmp_path / "i.md", "--database": database, "--output": tmp_path / "work" / "output.csv"}
    return [word for option, path in paths.items() for word in (option, str(path))]


@pytest.mark.parametrize("instruction", [b"", b"nothing\n", b"| Column |\n|---|\n", b"caf\xe9\n"])
def test_an_instruction_without_columns_is_refused_with_its_file(
    tmp_path: Path, oracle_database: Path, instruction: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    code, events = run(arguments(tmp_path, oracle_database, instruction))
    assert code == 2
    assert events[-1]["status"] == "error"
    assert "i.md" in capsys.readouterr().err
    assert not (tmp_path / "work" / "output.csv").exists()


def test_a_missing_or_foreign_database_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    absent = arguments(tmp_path, tmp_path / "none.duckdb")
    assert run(absent)[0] == 2
    (tmp_path / "text.duckdb").write_text("this is not a database\n" * 100, encoding="utf-8")
    assert run(arguments(tmp_path, tmp_path / "text.duckdb"))[0] == 2
    assert "Traceback" not in capsys.readouterr().err


def test_an_output_folder_that_is_a_file_is_refused(
    tmp_path: Path, oracle_database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = arguments(tmp_path, oracle_database)
    (tmp_path / "work").write_text("in the way", encoding="utf-8")
    code, events = run(words)
    assert code == 2
    assert events[-1]["status"] == "error"
    assert "work" in capsys.readouterr().err


def test_too_little_memory_ends_in_one_message(
    tmp_path: Path, oracle_database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    instruction = instruction_text(TASK).encode()
    code, events = run([*arguments(tmp_path, oracle_database, instruction), "--memory", "100KB", "--threads", "1"])
    assert code == 2
    assert "OutOfMemory" in str(events[-1]["text"])
    assert "Traceback" not in capsys.readouterr().err
    assert list((tmp_path / "work").iterdir()) == []


def test_views_whose_files_are_gone_end_in_one_message(
    tmp_path: Path, oracle_database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "gone.duckdb"
    file = tmp_path / "stays.parquet"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"COPY (SELECT 1 AS a) TO '{file}'")
        connection.execute(f"CREATE VIEW stays AS SELECT * FROM read_parquet('{file}')")
    file.unlink()
    code, events = run(arguments(tmp_path, path, b"| Column | Meaning |\n|---|---|\n| `a` | key |\n"))
    assert code == 2
    assert events[-1]["status"] == "error"
    assert "Traceback" not in capsys.readouterr().err


def test_links_and_other_files_beside_skills_are_not_read(tmp_path: Path, oracle_database: Path) -> None:
    folder = tmp_path / "skills"
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "notes.md").write_text("## Scoring\n", encoding="utf-8")
    shutil.copy(tmp_path / "skills" / "a" / "notes.md", folder / "README.md")
    words = [*arguments(tmp_path, oracle_database), "--skills", str(folder)]
    _, events = run(words)
    assert [event["path"] for event in events if event.get("name") == "open"] == [str(tmp_path / "i.md")]
