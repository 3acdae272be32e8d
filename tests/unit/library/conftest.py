"""A shelf: a workspace with one good skill and task card, and room for broken ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from m4review.cli.main import main

SKILL = "---\nname: lactate\ndescription: First lactate.\n---\n\n# Lactate\n\n## Output\n\nOne row per *stay*.\n"
CARD = """title = "Lactate"
database = "eicu"
database_version = "2.0"
mode = "standard"
difficulty = "easy"
reference = "lactate"
skills = ["lactate"]

[output]
key_columns = ["stay"]
scored_columns = ["lactate"]
required_columns = ["stay", "lactate"]

[thresholds]
accuracy = 0.9

[tolerances.numbers]
lactate = 0.05
"""


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace without git."""
    (tmp_path / "skills/lactate").mkdir(parents=True)
    (tmp_path / "skills/lactate/SKILL.md").write_text(SKILL)
    card = tmp_path / "tasks/perfusion/lactate-24h"
    card.mkdir(parents=True)
    (card / "task.toml").write_text(CARD)
    (card / "instruction.md").write_text("# Lactate\n\nDerive the *first* lactate.\n")
    (tmp_path / "reviews").mkdir()
    (tmp_path / "reviews/roster.toml").write_text(
        "".join(f'[[reviewers]]\nid = "{name}"\nrole = "physician"\nexpertise = "care"\n' for name in ("C1", "C2"))
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def m4review(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """The command: returns exit code, standard output and standard error."""

    def run(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main(list(words))
        out, err = capsys.readouterr()
        code = stopped.value.code
        return (code if isinstance(code, int) else 0), out, err

    return run
