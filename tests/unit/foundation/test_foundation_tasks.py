"""Task cards: every key checked, every mistake named with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from m4review.errors import TaskError, TextFileError
from m4review.tasks import load_task

CARD = """title = "Lactate"
kind = "derivation"
database = "mimic-iv"
database_version = "3.1"
mode = "raw"
difficulty = "easy"
reference = "lactate"
skills = ["lactate"]
removed = ["mimiciv_derived.lactate"]

[output]
key_columns = ["stay_id"]
scored_columns = ["lactate", "taken"]
required_columns = ["stay_id", "lactate", "taken"]

[thresholds]
accuracy = 0.95

[tolerances]
numbers = { lactate = 0.1 }
seconds = { taken = 60 }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "perfusion" / "lactate-24h"
    folder.mkdir(parents=True)
    (folder / "task.toml").write_text(CARD)
    (folder / "instruction.md").write_text("# Lactate\n")
    return folder


def test_a_card_and_what_its_folders_say(folder: Path) -> None:
    task = load_task(folder)
    assert (task.name, task.family, task.path, task.instruction) == ("lactate-24h", "perfusion", folder, "# Lactate\n")
    assert (task.mode, task.database, task.kind, task.skills) == ("raw", "mimic-iv", "derivation", ("lactate",))
    assert (task.thresholds.accuracy, task.thresholds.row_coverage) == (0.95, 1.0)
    assert (task.tolerances.numbers, task.tolerances.seconds) == ({"lactate": 0.1}, {"taken": 60.0})


def test_what_may_be_left_out(folder: Path) -> None:
    text = CARD.replace('kind = "derivation"\n', "").replace('skills = ["lactate"]\n', "")
    text = text.replace('removed = ["mimiciv_derived.lactate"]\n', "").partition("[tolerances]")[0]
    (folder / "task.toml").write_text(text)
    task = load_task(folder)
    assert (task.kind, task.skills, task.removed, task.tolerances.numbers) == ("derivation", (), (), {})


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('title = "Lactate"', 'title = "Lactate', 1, "not valid TOML"),
        ("{ taken = 60 }", "{ taken = 60", CARD.count("\n"), "not valid TOML"),
        ('mode = "raw"', 'mode = "raw"\nmode = "raw"', 6, "not valid TOML"),
        ('mode = "raw"', 'mode = "cooked"', 5, "mode"),
        ('mode = "raw"', 'mode = "raw"\nmood = "raw"', 6, "unknown key 'mood'"),
        ('mode = "raw"\n', "", None, "the key 'mode' is missing"),
        ('mode = "raw"', 'mode = "raw"\nname = "x"', 6, "the key 'name' is not written in the file"),
        ('kind = "derivation"', 'kind = "quiz"', 2, "kind"),
        ('database = "mimic-iv"', 'database = "mimic"', 3, "database"),
        ('database_version = "3.1"', "database_version = 3.1", 4, "database_version"),
        ('skills = ["lactate"]', 'skills = "lactate"', 8, "skills"),
        ('skills = ["lactate"]', "skills = [1]", 8, "skills"),
        ('key_columns = ["stay_id"]', "key_columns = []", 12, "output.key_columns"),
        ('key_columns = ["stay_id"]', 'key_columns = ["icustay"]', 11, "key_columns has icustay, which"),
        ('["lactate", "taken"]', '["lactate", "ph"]', 11, "scored_columns has ph, which required_columns lacks"),
        ('["lactate", "taken"]', '["lactate", "lactate"]', 11, "scored_columns repeats lactate"),
        ('["lactate", "taken"]', '["lactate", "stay_id"]', 11, "stay_id is both key and scored"),
        ("[output]", "[output]\nunits = 1", 12, "unknown key 'output.units'"),
        ("accuracy = 0.95", "accuracy = 95", 17, "thresholds.accuracy"),
        ("accuracy = 0.95", 'accuracy = "high"', 17, "thresholds.accuracy"),
        ("{ lactate = 0.1 }", "{ lactate = -1 }", None, "the tolerance of lactate is negative"),
        ("{ taken = 60 }", "{ given = 60 }", None, "tolerances name given, which scored_columns lacks"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line(folder: Path, old: str, new: str, line: int | None, message: str) -> None:
    assert old in CARD
    (folder / "task.toml").write_text(CARD.replace(old, new, 1))
    with pytest.raises(TaskError, match=message) as refused:
        load_task(folder)
    assert str(refused.value.where) == str(folder / "task.toml")
    if line is not None:
        assert refused.value.line == line


def test_a_card_without_instruction_or_in_another_encoding(folder: Path) -> None:
    (folder / "task.toml").write_bytes(CARD.replace("Lactate", "Laktat °").encode("latin-1"))
    with pytest.raises(TextFileError, match="Latin-1"):
        load_task(folder)
    (folder / "task.toml").write_text(CARD)
    (folder / "instruction.md").unlink()
    with pytest.raises(TextFileError, match=r"instruction\.md: no such file"):
        load_task(folder)


def test_a_card_with_windows_line_ends_is_the_same_card(folder: Path) -> None:
    plain = load_task(folder)
    (folder / "task.toml").write_bytes(CARD.replace("\n", "\r\n").encode())
    assert load_task(folder) == plain
