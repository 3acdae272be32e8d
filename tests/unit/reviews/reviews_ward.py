"""A small ward: a workspace in a real git repository, with two skills and three task cards."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from m4review.cli.main import main
from m4review.reviews import Ledger, SkillStatus, record_verdict, skill_status
from m4review.reviews.adopting import adopt_rules, proposed_change
from m4review.reviews.overview import full_status
from m4review.workspace import Workspace

AUTHOR = ("Ana Author", "ana@clinic.example")
NOON = datetime(2098, 1, 31, 12, 0, tzinfo=UTC)

SKILL = """---
name: {name}
description: How to derive {name}.
---

# {title}

## Clinical definition

Lactate above 2 mmol/L counts.

### Rationale

Perfusion.

## Source map

| item | meaning |
|---|---|
| 50813 | lactate |

## Output

One row per stay.

## Remarks

Free text.
"""

CARD = """title = "{title}"
kind = "derivation"
database = "mimic-iv"
database_version = "3.1"
mode = "raw"
difficulty = "easy"
reference = "{name}"
skills = [{skills}]
removed = []

[output]
key_columns = ["stay_id"]
scored_columns = ["value"]
required_columns = ["stay_id", "value"]

[thresholds]
accuracy = 0.9
"""

ROSTER = """
[[reviewers]]
id = "C1"
role = "surgeon"
expertise = "registries"

[[reviewers]]
id = "C2"
role = "intensivist"
expertise = "epidemiology"
git_emails = ["Cleo@Clinic.example"]

[[reviewers]]
id = "C3"
role = "physician"
expertise = "prediction"

[[reviewers]]
id = "C4"
role = "physician"
expertise = "evaluation"
until = 2098-12-31

[pairs]
perfusion = ["C1", "C4"]
"""

POLICY = """
required = 2

[sections]
definition = ["Clinical definition"]
schema = ["Source map"]
output = ["Output"]
"""


@dataclass
class Ward:
    """A workspace and its repository, with short words for what people do to it."""

    root: Path

    @property
    def workspace(self) -> Workspace:
        return Workspace(self.root)

    def git(self, *arguments: str, check: bool = True, **environment: str) -> str:
        result = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            capture_output=True,
            text=True,
            env={**os.environ, **people(AUTHOR, AUTHOR), **environment},
        )
        assert not check or result.returncode == 0, result.stderr
        return result.stdout

    def file(self, skill: str = "lactate") -> Path:
        return self.root / "skills" / skill / "SKILL.md"

    def edit(self, old: str, new: str, skill: str = "lactate") -> None:
        before = self.file(skill).read_bytes()
        assert old.encode() in before
        self.file(skill).write_bytes(before.replace(old.encode(), new.encode(), 1))

    def commit(
        self,
        message: str = "change",
        author: tuple[str, str] = AUTHOR,
        committer: tuple[str, str] | None = None,
        date: str | None = None,
    ) -> None:
        self.git("add", "-A")
        dates = {} if date is None else {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        self.git("commit", "-q", "-m", message, **people(author, committer or author), **dates)

    def approve(self, *reviewers: str, skill: str = "lactate", **options: object) -> None:
        for reviewer in reviewers:
            self.say(reviewer, skill=skill, **options)

    def say(
        self,
        reviewer: str,
        definition: str = "approve",
        schema: str = "approve",
        output: str = "approve",
        *,
        skill: str = "lactate",
        notes: str = "",
        **options: object,
    ) -> Path:
        decisions = {"definition": definition, "schema": schema, "output": output}
        return record_verdict(self.workspace, skill, reviewer, decisions, notes, **{"now": NOON, **options})

    def rule(self, name: str, old: str, new: str, *adopters: str) -> None:
        """Change a file of the rules and record it; once there are events, ``adopters`` put it in force."""
        path = self.root / "reviews" / name
        before = path.read_text(encoding="utf-8")
        assert old in before
        path.write_text(before.replace(old, new, 1), encoding="utf-8")
        self.commit(f"rules: {name}")
        for reviewer in adopters:
            adopt_rules(self.workspace, reviewer, *proposed_change(self.workspace), now=NOON)

    def status(self, skill: str = "lactate", viewer: str | None = None) -> SkillStatus:
        return skill_status(self.workspace, Ledger.load(self.workspace), skill, viewer)

    def truth(self, skill: str = "lactate") -> SkillStatus:
        return full_status(self.workspace, Ledger.load(self.workspace), skill)

    def events(self, skill: str = "lactate") -> list[Path]:
        return sorted((self.root / "reviews" / "events" / skill).glob("*.md"))

    def is_clean(self) -> bool:
        return self.git("status", "--porcelain") == ""


def people(author: tuple[str, str], committer: tuple[str, str]) -> dict[str, str]:
    return {
        "GIT_AUTHOR_NAME": author[0],
        "GIT_AUTHOR_EMAIL": author[1],
        "GIT_COMMITTER_NAME": committer[0],
        "GIT_COMMITTER_EMAIL": committer[1],
    }


def write_workspace(root: Path) -> None:
    for name in ("lactate", "shock"):
        folder = root / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(SKILL.format(name=name, title=name.title()), encoding="utf-8")
    for family, name, skills in (
        ("perfusion", "lactate-24h", '"lactate"'),
        ("perfusion", "shock-24h", '"shock", "lactate"'),
        ("elsewhere", "shock-48h", '"shock"'),
    ):
        folder = root / "tasks" / family / name
        folder.mkdir(parents=True)
        (folder / "task.toml").write_text(CARD.format(title=name, name=name, skills=skills), encoding="utf-8")
        (folder / "instruction.md").write_text(f"# {name}\n\nDerive it.\n", encoding="utf-8")
    (root / "reviews").mkdir()
    (root / "reviews" / "roster.toml").write_text(ROSTER, encoding="utf-8")
    (root / "reviews" / "policy.toml").write_text(POLICY, encoding="utf-8")


def run_main(words: Sequence[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as stopped:
        main(list(words))
    out, err = capsys.readouterr()
    code = stopped.value.code
    return (code if isinstance(code, int) else 0), out, err
