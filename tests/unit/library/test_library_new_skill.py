"""``m4review new skill``: a skill from the template, named by the tasks it serves."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path

import pytest

from m4review.cli.main import main
from m4review.errors import TextFileError
from m4review.lint import lint_paths
from m4review.newskill import create_skill
from m4review.skills import load_skill
from m4review.skills.completeness import completeness
from m4review.workspace import Workspace

ROOT = Path(__file__).resolve().parents[3]
TASK = "mimic-meld-24h"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """The shipped skills and task cards; one card of the MELD family names no skill yet."""
    for name in ("skills", "tasks"):
        shutil.copytree(ROOT / name, tmp_path / "ward" / name)
    workspace = Workspace(tmp_path / "ward")
    card = workspace.task(TASK).path / "task.toml"
    values = tomllib.loads(card.read_text(encoding="utf-8"))
    names = json.dumps(values["skills"])
    card.write_text(card.read_text(encoding="utf-8").replace(f"skills = {names}", "skills = []"), encoding="utf-8")
    monkeypatch.chdir(workspace.root)
    return Workspace(workspace.root)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def card_of(workspace: Workspace, task: str) -> dict[str, object]:
    return tomllib.loads((Workspace(workspace.root).task(task).path / "task.toml").read_text(encoding="utf-8"))


def test_a_new_skill_is_clean_and_the_checklist_says_what_is_to_be_filled_in(workspace, capsys) -> None:
    code, out, _ = said(capsys, "new", "skill", "frailty-index")
    assert code == 0
    assert "made skills/frailty-index/SKILL.md" in out
    assert "0 of 20 elements declared" in out
    assert "[ ] Time window" in out
    assert "still open: Measure, Table" in out
    assert lint_paths(workspace.root, [Path("skills/frailty-index")]).findings == ()


def test_a_task_gives_its_columns_title_and_database_and_names_the_skill(workspace, capsys) -> None:
    before = card_of(workspace, TASK)
    code, out, _ = said(capsys, "new", "skill", "liver-index", "--task", TASK, "--json")
    answer = json.loads(out)
    assert (code, answer["schema"], answer["cards"]) == (0, "m4review.new.v1", [f"tasks/meld/{TASK}/task.toml"])
    assert card_of(workspace, TASK) == {**before, "skills": ["liver-index"]}
    skill = load_skill(workspace.root / answer["path"])
    assert workspace.task(TASK).title.startswith(skill.title)
    assert "," not in skill.title
    columns = [row.cells[0] for table in skill.document.tables[:1] for row in table.rows]
    assert columns == [f"`{name}`" for name in workspace.task(TASK).output.required_columns]
    assert {item.element.id for item in completeness(skill).declared} == {"columns", "dataset"}
    assert [task.name for task in Workspace(workspace.root).tasks_of_skill("liver-index")] == [TASK]
    assert lint_paths(workspace.root, [skill.path]).findings == ()


def test_a_card_that_has_a_skill_names_both_and_comments_stay(workspace) -> None:
    card = workspace.task("mimic-sirs-24h-raw").path / "task.toml"
    card.write_text("# kept\n" + card.read_text(encoding="utf-8"), encoding="utf-8")
    create_skill(Workspace(workspace.root), "second-view", ["mimic-sirs-24h-raw"])
    assert card_of(workspace, "mimic-sirs-24h-raw")["skills"] == ["sirs-criteria", "second-view"]
    assert card.read_text(encoding="utf-8").startswith("# kept\n")


def test_a_card_without_the_key_gets_one(workspace) -> None:
    card = workspace.task(TASK).path / "task.toml"
    card.write_text(card.read_text(encoding="utf-8").replace("skills = []\n", ""), encoding="utf-8")
    create_skill(Workspace(workspace.root), "liver-index", [TASK])
    assert card_of(workspace, TASK)["skills"] == ["liver-index"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("sirs-criteria",), "there is a skill 'sirs-criteria' already"),
        (("Frailty Index",), "for example frailty-index"),
        (("a--b",), "no name for a skill"),
        (("../escape",), "no name for a skill"),
        (("x" * 65,), "1 to 64 characters"),
        (("frailty-index", "--task", "mimic-meld-24"), "did you mean mimic-meld-24h"),
    ],
)
def test_a_mistake_is_one_sentence_and_leaves_nothing(workspace, capsys, words, expected) -> None:
    before = sorted(path.name for path in workspace.skills_dir.iterdir())
    code, out, err = said(capsys, "new", "skill", *words)
    assert (code, out) == (2, "")
    assert expected in err
    assert "Traceback" not in err
    assert sorted(path.name for path in workspace.skills_dir.iterdir()) == before


def test_outside_of_a_workspace_it_says_where_to_go(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = said(capsys, "new", "skill", "frailty-index")
    assert code == 2
    assert "no workspace here" in err


def test_when_a_card_cannot_be_written_the_skill_is_taken_back(workspace, mount_small_disk) -> None:
    card = workspace.task(TASK).path
    kept = (card / "task.toml").read_bytes(), (card / "instruction.md").read_bytes()
    mount_small_disk(card, "8k")
    (card / "task.toml").write_bytes(kept[0])
    (card / "instruction.md").write_bytes(kept[1])
    with pytest.raises(TextFileError):
        create_skill(Workspace(workspace.root), "liver-index", ["mimic-sirs-24h-raw", TASK])
    assert not (workspace.skills_dir / "liver-index").exists()
    assert card_of(workspace, "mimic-sirs-24h-raw")["skills"] == ["sirs-criteria"]
    assert (card / "task.toml").read_bytes() == kept[0]
