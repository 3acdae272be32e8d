"""The reader at work on real DuckDB databases: the oracle's source tables, and a small ward of other names."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from reader_texts import ORACLE, Reading, Rows

from m4review.trials.agents.reader.program import main


@pytest.fixture(scope="session")
def oracle_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Views on the oracle's source tables, as a raw task shows them."""
    path = tmp_path_factory.mktemp("reader") / "task.duckdb"
    with duckdb.connect(str(path)) as connection:
        for folder in sorted((ORACLE / "mimic-iv").iterdir()):
            connection.execute(f"CREATE SCHEMA mimiciv_{folder.name}")
            for file in sorted(folder.glob("*.parquet")):
                view = f"mimiciv_{folder.name}.{file.stem}"
                connection.execute(f"CREATE VIEW {view} AS SELECT * FROM read_parquet('{file}')")
    return path


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Reading]:
    """Run the reader on texts: ``read(database, instruction, {"name": skill text})``."""

    def run(database: Path, instruction: str, skills: dict[str, str] | None = None) -> Reading:
        task = tmp_path / "task"
        task.mkdir(exist_ok=True)
        (task / "instruction.md").write_text(instruction, encoding="utf-8")
        arguments = ["--instruction", str(task / "instruction.md"), "--database", str(database)]
        if skills is not None:
            folder = task / "skills"
            for name, text in skills.items():
                (folder / name).mkdir(parents=True, exist_ok=True)
                (folder / name / "SKILL.md").write_text(text, encoding="utf-8")
            arguments += ["--skills", str(folder)]
        output = tmp_path / "work" / "output.csv"
        output.unlink(missing_ok=True)
        stream = io.StringIO()
        code = main([*arguments, "--output", str(output)], stream)
        events = [json.loads(line) for line in stream.getvalue().splitlines()]
        header: list[str] = []
        rows: Rows = []
        if output.exists():
            with output.open(newline="", encoding="utf-8") as table:
                header = next(csv.reader(table))
                rows = [dict(zip(header, line, strict=True)) for line in csv.reader(table)]
            assert [path.name for path in output.parent.iterdir()] == ["output.csv"]
        return Reading(code, events, rows, header)

    return run
