"""The reader's own text: it knows nothing clinical, and stands alone where it is copied to."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from reader_texts import ROOT, expected_rows, instruction_text, skill_text

PACKAGE = ROOT / "m4review" / "trials" / "agents" / "reader"
SOURCES = sorted(PACKAGE.glob("*.py"))
ALLOWED = {"__future__", "duckdb", "markdown_it"}


def names_of_the_library() -> set[str]:
    """Families, tasks, skills and scored columns of this workspace, and scores of the field."""
    names = {"sirs", "sofa", "gcs", "apache", "apsiii", "sapsii", "oasis", "meld", "kdigo", "charlson", "sepsis"}
    names |= {folder.name for folder in (ROOT / "skills").iterdir()}
    for card in (ROOT / "tasks").glob("*/*/task.toml"):
        names |= {card.parent.name, card.parent.parent.name}
        names |= set(
            re.findall(r'"(\w+)"', card.read_text(encoding="utf-8").partition("scored_columns")[2].split("]")[0])
        )
    return names


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_the_reader_knows_no_item_score_or_task(source: Path) -> None:
    text = source.read_text(encoding="utf-8")
    assert not re.findall(r"(?<![\d_])\d{5}(?!\d)|(?<![\d_])\d{6}(?![\d_])", text)
    words = set(re.findall(r"[a-z0-9]+(?:[_-][a-z0-9]+)*", text.casefold()))
    assert not words & {name.casefold() for name in names_of_the_library()}


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_the_reader_imports_only_the_standard_library_duckdb_and_markdown_it(source: Path) -> None:
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level <= 1
            modules = [] if node.level else [node.module or ""]
        else:
            continue
        for module in modules:
            top = module.split(".")[0]
            assert top in sys.stdlib_module_names or top in ALLOWED, module


def test_a_copy_of_the_folder_runs_by_itself(tmp_path: Path, oracle_database: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "lib" / "reader", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "instruction.md").write_text(instruction_text("mimic-sirs-24h-raw"), encoding="utf-8")
    skill = tmp_path / "skills" / "sirs-criteria" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(skill_text("sirs-criteria"), encoding="utf-8")
    arguments = ["--instruction", "instruction.md", "--skills", "skills", "--output", "work/output.csv"]
    done = subprocess.run(
        [sys.executable, "-m", "reader", *arguments, "--database", str(oracle_database)],
        cwd=tmp_path,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(tmp_path / "lib"),
            "LC_ALL": "C",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    expected = expected_rows("mimic-sirs-24h-raw")
    assert len((tmp_path / "work" / "output.csv").read_text(encoding="utf-8").splitlines()) == len(expected) + 1
