"""What the tree may hold: no patient data, no machine paths, no shipped verdicts, headers on every query."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def tracked_files() -> list[Path]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout, so there is no list of files to examine")
    return [ROOT / name for name in done.stdout.decode().split("\0") if name]


def test_no_row_level_file_is_versioned_outside_the_synthetic_oracle() -> None:
    data = [path for path in tracked_files() if path.suffix in {".parquet", ".duckdb", ".gz", ".csv"}]
    outside = [path for path in data if not path.is_relative_to(ROOT / "tests")]
    assert outside == []


def test_no_verdict_is_shipped() -> None:
    assert [path for path in tracked_files() if path.is_relative_to(ROOT / "reviews" / "events")] == []


def test_no_file_names_a_path_of_one_machine() -> None:
    # /home/agent/ is the home folder inside the sandbox, the same on every machine
    pattern = re.compile(r"/(?:home|Users)/(?!agent/)[a-z]\w+/|/work/(?:main|shared)|/tmp/(?:v|brief)\b")
    named = []
    for path in tracked_files():
        if path == Path(__file__) or path.suffix in {".parquet", ".gz", ".png", ".svg"} or not path.is_file():
            continue
        named += [f"{path.relative_to(ROOT)}: {found}" for found in pattern.findall(path.read_text("utf-8", "replace"))]
    assert named == []


def test_every_query_file_opens_with_a_header_that_states_grain_and_sources() -> None:
    queries = sorted(
        path for part in ("concepts", "references") for path in (ROOT / "m4review/ehr" / part).rglob("*.sql")
    )
    assert len(queries) > 10
    for path in queries:
        header = [line for line in path.read_text("utf-8").splitlines() if line.startswith("--")]
        text = "\n".join(header).lower()
        assert "grain" in text, path.name
        assert "source" in text, path.name
