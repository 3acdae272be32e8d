"""Unsaved texts without the screen: `m4review drafts` does what the Recover screen does."""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from m4review.cli.main import main
from m4review.demonstrations import Demonstration, remember
from m4review.places import DEMONSTRATION_FILE
from m4review.textfile import file_digest
from m4review.tui.session import Journal
from m4review.workspace import Workspace

SKILL = "sirs-criteria"
TYPED = "\nTyped and never saved.\n"


@pytest.fixture
def left_behind(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A session that ended with unsaved text; returns the skill's file."""
    file = workspace.skill_file(SKILL)
    journal = Journal(workspace.drafts_dir, "ended")
    journal.keep(SKILL, file.read_text("utf-8") + TYPED, file_digest(file), 1)
    journal.close()
    monkeypatch.chdir(workspace.root)
    return file


def says(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    with pytest.raises(SystemExit) as end:
        main(["drafts", *words])
    assert end.value.code == code
    printed = capsys.readouterr()
    return printed.out + printed.err


def test_looking_at_drafts_leaves_them_for_the_next_look(left_behind, capsys) -> None:
    assert SKILL in says(capsys, "list")
    assert "Typed and never saved." in says(capsys, "show", SKILL)
    listed = json.loads(says(capsys, "list", "--json"))
    assert listed["schema"] == "m4review.drafts.v1"
    assert [draft["skill"] for draft in listed["drafts"]] == [SKILL]


def test_keeping_a_draft_saves_it_to_the_file_once(left_behind, capsys) -> None:
    assert f"saved to skills/{SKILL}/SKILL.md" in says(capsys, "keep", SKILL)
    assert left_behind.read_text("utf-8").endswith(TYPED)
    assert "No drafts" in says(capsys, "list")
    assert "there is no draft" in says(capsys, "keep", SKILL, code=2)


def test_a_file_that_changed_meanwhile_is_not_overwritten_and_the_draft_stays(left_behind, capsys) -> None:
    left_behind.write_text(left_behind.read_text("utf-8") + "Somebody else's line.\n", "utf-8")
    assert "changed on disk" in says(capsys, "keep", SKILL, code=2)
    assert left_behind.read_text("utf-8").endswith("Somebody else's line.\n")
    assert SKILL in says(capsys, "list")


def test_a_draft_can_be_dropped(left_behind, capsys) -> None:
    assert "deleted" in says(capsys, "drop", SKILL, "--yes")
    assert "No drafts" in says(capsys, "list")


def test_the_drafts_of_a_session_that_is_still_open_are_left_alone(workspace, monkeypatch, capsys) -> None:
    monkeypatch.chdir(workspace.root)
    journal = Journal(workspace.drafts_dir, "open")
    journal.keep(SKILL, "text", "digest", 1)
    assert "No drafts" in says(capsys, "list")
    journal.close()


def test_where_no_draft_is_the_folder_is_named_and_the_demonstration_that_holds_one(
    left_behind, workspace, tmp_path, monkeypatch, capsys
) -> None:
    practised = Path(shutil.copytree(workspace.root, tmp_path / "a demonstration", symlinks=True))
    (practised / DEMONSTRATION_FILE).write_text("# A demonstration\n")
    remember(os.environ, Demonstration(practised, datetime(2026, 3, 1, tzinfo=UTC)))
    says(capsys, "drop", SKILL, "--yes")
    said = says(capsys, "list")
    assert f"No drafts here, in {workspace.root}" in said
    assert f"A demonstration holds unsaved text of {SKILL}." in said
    assert f"  cd '{practised}'\n" in said
    assert SKILL in said.splitlines()[1]
    monkeypatch.chdir(practised)
    assert "A demonstration" not in says(capsys, "list")
