"""What the lists and cards of a workspace say, also about what is broken."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest


def test_the_lists_name_what_is_there(shelf: Path, m4review: Any) -> None:
    assert m4review("skills") == (0, "lactate  not recorded: no version history · tasks: lactate-24h\n", "")
    assert m4review("tasks") == (0, "lactate-24h  perfusion · Lactate · eicu 2.0 · standard · skills: lactate\n", "")


def test_the_lists_as_json(shelf: Path, m4review: Any) -> None:
    skills = json.loads(m4review("skills", "--json")[1])
    assert skills["schema"] == "m4review.skills.v1"
    (skill,) = skills["skills"]
    assert (skill["name"], skill["path"], skill["title"], skill["tasks"], skill["error"]) == (
        "lactate",
        "skills/lactate/SKILL.md",
        "Lactate",
        ["lactate-24h"],
        None,
    )
    assert skill["status"]["content"].startswith("sha256:")
    tasks = json.loads(m4review("tasks", "--json")[1])
    assert tasks["schema"] == "m4review.tasks.v1"
    (task,) = tasks["tasks"]
    assert (task["name"], task["family"], task["path"]) == ("lactate-24h", "perfusion", "tasks/perfusion/lactate-24h")
    assert task["output"]["required_columns"] == ["stay", "lactate"]
    assert task["tolerances"]["numbers"] == {"lactate": 0.05}
    assert task["instruction"].startswith("# Lactate")


def test_a_broken_skill_is_listed_with_its_error_and_shown_with_exit_two(shelf: Path, m4review: Any) -> None:
    bad = shelf / "skills/bad"
    bad.mkdir()
    (bad / "SKILL.md").write_text("---\nname: bad\ndescription: [\n---\n")
    code, out, err = m4review("skills")
    assert (code, err) == (0, "")
    assert "skills/bad/SKILL.md:3: the front matter is not valid YAML" in out
    assert "lactate" in out
    values = {entry["name"]: entry["error"] for entry in json.loads(m4review("skills", "--json")[1])["skills"]}
    assert values["lactate"] is None
    assert "not valid YAML" in values["bad"]
    code, out, err = m4review("show", "bad")
    assert (code, out) == (2, "")
    assert err.startswith("m4review: ")
    assert "Traceback" not in err


def test_a_broken_card_is_listed_with_its_error_and_shown_with_exit_two(shelf: Path, m4review: Any) -> None:
    card = shelf / "tasks/perfusion/lactate-24h/task.toml"
    card.write_text(card.read_text().replace('mode = "standard"', 'mood = "standard"'))
    code, out, _ = m4review("tasks")
    assert code == 0
    assert "perfusion · broken" in out
    assert "mode" in out
    assert json.loads(m4review("tasks", "--json")[1])["tasks"][0]["error"] is not None
    assert m4review("show", "lactate-24h")[0] == 2
    assert "no task uses it" in m4review("skills")[1]


def test_a_skill_is_shown_with_its_state_and_its_text_rendered(shelf: Path, m4review: Any) -> None:
    code, out, _ = m4review("show", "lactate")
    assert code == 0
    assert "state    not recorded: no version history" in out
    assert "One row per stay." in out, "emphasis marks are rendered, not printed"
    assert "description:" not in out


def test_a_card_is_shown_with_its_contract(shelf: Path, m4review: Any) -> None:
    code, out, _ = m4review("show", "lactate-24h")
    assert code == 0
    for line in (
        "database    eicu 2.0, standard",
        "required    stay, lactate",
        "tolerances  lactate ± 0.05",
        "thresholds  accuracy 0.9, row coverage 1",
        "Derive the first lactate.",
    ):
        assert line in out


def test_an_unknown_name_lists_the_known_ones(shelf: Path, m4review: Any) -> None:
    code, _, err = m4review("show", "nowhere")
    assert code == 2
    assert "one of lactate, lactate-24h" in err


def test_empty_folders_are_no_error(shelf: Path, m4review: Any) -> None:
    for path in ("skills/lactate/SKILL.md", "tasks/perfusion/lactate-24h/task.toml"):
        (shelf / path).unlink()
    (shelf / "skills/lactate").rmdir()
    assert m4review("skills") == (0, "there are no skills\n", "")
    assert m4review("tasks") == (0, "there are no task cards\n", "")
    assert json.loads(m4review("skills", "--json")[1])["skills"] == []


def test_warnings_of_a_skill_are_shown(shelf: Path, m4review: Any) -> None:
    file = shelf / "skills/lactate/SKILL.md"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert "warning  starts with a byte order mark" in m4review("show", "lactate")[1]
    assert json.loads(m4review("skills", "--json")[1])["skills"][0]["warnings"]


def test_outside_a_workspace_each_command_says_so(tmp_path: Path, m4review: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (("skills",), ("tasks",), ("show", "x"), ("review", "status"), ("review", "queue", "--as", "C1")):
        code, out, err = m4review(*words)
        assert (code, out) == (2, ""), words
        assert "no workspace here" in err


def test_the_identity_of_the_local_configuration_is_used(shelf: Path, m4review: Any) -> None:
    assert "who are you?" in m4review("review", "queue")[2]
    (shelf / ".m4review").mkdir()
    (shelf / ".m4review/config.toml").write_text('as = "C2"\n')
    assert m4review("review", "queue") == (0, "nothing waits for C2\n", "")
    assert m4review("--as", "C1", "review", "queue")[1] == "nothing waits for C1\n"
    assert m4review("review", "queue", "--as", "C1")[1] == "nothing waits for C1\n"
    (shelf / ".m4review/config.toml").write_text("as = C2\n")
    code, _, err = m4review("review", "queue")
    assert (code, "config.toml" in err) == (2, True)


def test_a_broken_roster_is_named_with_its_line(shelf: Path, m4review: Any) -> None:
    (shelf / "reviews/roster.toml").write_text("[[reviewers]\n")
    code, _, err = m4review("review", "status")
    assert code == 2
    assert "reviews/roster.toml:1" in err
    assert m4review("tasks")[0] == 0


WORD = "Temperature" * 9
TABLE = f"""
| {" | ".join(f"heading_number_{column}" for column in range(8))} |
|{"---|" * 8}
| {" | ".join(f"{WORD}{column}" for column in range(8))} |

See [the guideline](https://guideline.invalid/2012) for <stay_id>.
"""


@pytest.mark.parametrize("columns", ["20", "80", "160", None])
def test_no_letter_of_a_text_is_lost_at_any_width(
    shelf: Path, m4review: Any, monkeypatch: pytest.MonkeyPatch, columns: str | None
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    path = shelf / "skills/lactate/SKILL.md"
    path.write_text(path.read_text() + TABLE)
    out = m4review("show", "lactate")[1]
    assert "…" not in out
    letters = Counter(out)
    wanted = Counter((WORD + "heading_number_") * 8 + "01234567" * 2)
    assert not {letter: count for letter, count in wanted.items() if letters[letter] < count}
    assert "https://guideline.invalid/2012" in out.replace("\n", "")
    assert "<stay_id>" in out


def test_a_pipe_gets_wide_lines(shelf: Path, m4review: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    path = shelf / "skills/lactate/SKILL.md"
    path.write_text(path.read_text() + "\n" + "word " * 30 + "\n")
    assert ("word " * 30).strip() in m4review("show", "lactate")[1]
