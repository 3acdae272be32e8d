"""The reader knows nothing of the library: other ids, columns and limits in text and data give the same result."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from reader_texts import ORACLE, ROOT, Reading, expected_rows, instruction_text, match_rate, skill_text

from m4review.trials.agents.reader.markdown import parse_page
from m4review.trials.agents.reader.wording import column_roles, exact_spans

Read = Callable[..., Reading]

PACKAGE = ROOT / "m4review" / "trials" / "agents" / "reader"
TASK, SKILL = "mimic-sofa-24h-raw", "sofa-score"

COLUMNS = {
    "itemid": "thing",
    "valuenum": "figure",
    "value": "words",
    "charttime": "seen",
    "storetime": "typed",
    "specimen_id": "tube",
    "intime": "came",
    "rate": "speed",
    "rateuom": "speed_in",
    "patientweight": "heft",
}
TABLES = {"chartevents": "notes", "labevents": "assays", "inputevents": "drips", "outputevents": "losses"}
TEXTS = {"ART.": "red", "No Response-ETT": "tube in", "Endotracheal tube": "long hose", "CPAP/PSV": "blow 7"}
CREATININE = 50912


def library_items() -> set[str]:
    """Item ids, item texts and codes of every skill and task card."""
    found: set[str] = set()
    texts = [*(ROOT / "skills").glob("*/SKILL.md"), *(ROOT / "tasks").glob("*/*/instruction.md")]
    for path in texts:
        text = path.read_text(encoding="utf-8")
        found |= set(re.findall(r"(?<![\w.])\d{5,6}(?![\w.])", text))
        for table in parse_page(text, path.name).tables():
            roles = column_roles(table.header)
            cells = [row.cells[roles["items"]] for row in table.rows if "items" in roles]
            found |= {span for cell in cells for span in exact_spans(cell) if not re.fullmatch(r"\w{1,9}", span)}
            codes = [
                cell
                for row in table.rows
                for cell, head in zip(row.cells, table.header, strict=True)
                if head.startswith("ICD-")
            ]
            found |= {code for cell in codes for code in re.findall(r"\b(?:[A-Z]\d\w{1,4}|\d{4,5})\b", cell)}
    return found


def test_no_item_code_or_named_text_of_the_library_stands_in_the_reader() -> None:
    items = library_items()
    assert len(items) > 300
    assert {path.suffix for path in PACKAGE.iterdir() if path.is_file()} == {".py"}
    for path in sorted(PACKAGE.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        words = set(re.findall(r"[\w.()/+-]+", text))
        assert not {item for item in items if (item in words if " " not in item else item in text)}, path.name


@pytest.fixture
def renamed(tmp_path: Path) -> Path:
    """The oracle with other table names, column names, item ids and texts, and creatinine in half of its unit."""
    path = tmp_path / "renamed.duckdb"
    with duckdb.connect(str(path)) as connection:
        for folder in sorted((ORACLE / "mimic-iv").iterdir()):
            connection.execute(f"CREATE SCHEMA ward_{folder.name}")
            for file in sorted(folder.glob("*.parquet")):
                names = [row[0] for row in connection.execute(f"DESCRIBE FROM read_parquet('{file}')").fetchall()]
                columns = ", ".join(_column(name, names, file.stem) for name in names)
                view = f"ward_{folder.name}.{TABLES.get(file.stem, file.stem)}"
                connection.execute(f"CREATE VIEW {view} AS SELECT {columns} FROM read_parquet('{file}')")
    return path


def _column(name: str, names: list[str], table: str) -> str:
    shown = COLUMNS.get(name, name)
    if name == "itemid":
        return f"CAST({name} + 333 AS INTEGER) AS {shown}"
    if name == "value" and table in {"chartevents", "labevents"}:
        cases = " ".join(f"WHEN {name} = '{old}' THEN '{new}'" for old, new in TEXTS.items())
        return f"CASE {cases} ELSE {name} END AS {shown}"
    if name == "valuenum" and "itemid" in names:
        return f"CASE WHEN itemid = {CREATININE} THEN 2 * {name} ELSE {name} END AS {shown}"
    return f"{name} AS {shown}"


def _renamed_text(text: str) -> str:
    text = re.sub(r"(?<![\w.])[25]\d{4,5}(?= \()", lambda match: str(int(match[0]) + 333), text)
    for old, new in {**COLUMNS, **TABLES, **TEXTS}.items():
        text = text.replace(f"`{old}`", f"`{new}`")
    for old, new in TABLES.items():
        text = re.sub(rf"mimiciv_(icu|hosp)\.{old}`", rf"ward_\1.{new}`", text)
    text = text.replace("`mimiciv_", "`ward_").replace("> 0 and ≤ 150", "> 0 and ≤ 300")
    doubled = re.compile(r"(highest creatinine (?:≥ )?)(\d\.\d)( to < )?(\d\.\d)?")
    return doubled.sub(
        lambda match: match[1] + str(2 * float(match[2])) + (f"{match[3]}{2 * float(match[4])}" if match[3] else ""),
        text,
    )


def test_other_names_ids_texts_and_limits_in_text_and_data_give_the_same_reward(read: Read, renamed: Path) -> None:
    text = _renamed_text(skill_text(SKILL))
    assert "10.0 mg/dL" in text
    assert not {name for name in COLUMNS if f"`{name}`" in text}
    reading = read(renamed, instruction_text(TASK), {SKILL: text})
    expected = expected_rows(TASK)
    for column in ("sofa", "respiration", "coagulation", "liver", "cardiovascular", "cns", "renal"):
        assert match_rate(reading, expected, column) == 1.0, (column, reading.real_gaps())


def test_other_limits_in_the_text_alone_move_the_reward(read: Read, oracle_database: Path) -> None:
    text = skill_text(SKILL).replace("highest creatinine ≥ 5.0 mg/dL", "highest creatinine ≥ 4.0 mg/dL")
    reading = read(oracle_database, instruction_text(TASK), {SKILL: text})
    assert match_rate(reading, expected_rows(TASK), "renal") < 1.0
