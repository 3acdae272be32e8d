"""What a run of the reader left, and the texts and answers it is compared with."""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
ORACLE = ROOT / "tests" / "oracle" / "data"

Rows = list[dict[str, str]]


@dataclass(frozen=True)
class Reading:
    """What one run of the reader left."""

    code: int
    events: list[dict[str, object]]
    rows: Rows
    header: list[str]

    def gaps(self, kind: str | None = None) -> list[dict[str, object]]:
        gaps = [event for event in self.events if event["event"] == "gap"]
        return [gap for gap in gaps if kind is None or gap["kind"] == kind]

    def real_gaps(self) -> list[dict[str, object]]:
        """All but unread prose."""
        return [gap for gap in self.gaps() if gap["kind"] != "prose"]

    def column(self, name: str) -> list[str]:
        return [row[name] for row in self.rows]

    def explains(self, *words: str) -> bool:
        """Whether some gap speaks of all these words."""
        return any(all(word in json.dumps(gap, ensure_ascii=False) for word in words) for gap in self.real_gaps())


def match_rate(reading: Reading, expected: Rows, column: str, key: str = "stay_id") -> float:
    answers = {row[key]: row[column] for row in reading.rows}
    return sum(answers.get(row[key]) == row[column] for row in expected) / len(expected)


def expected_rows(task: str) -> Rows:
    with gzip.open(ORACLE / "expected" / f"{task}.csv.gz", "rt", newline="") as stream:
        return list(csv.DictReader(stream))


def skill_text(name: str) -> str:
    return (ROOT / "skills" / name / "SKILL.md").read_text(encoding="utf-8")


def instruction_text(task: str) -> str:
    return next((ROOT / "tasks").glob(f"*/{task}/instruction.md")).read_text(encoding="utf-8")
