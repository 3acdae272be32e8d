"""What the doctor says of a machine and a workspace: what is there, what is missing, how to get it."""

from __future__ import annotations

from pathlib import Path

import pytest

from m4review.demo.starter import copy_starter
from m4review.history.creation import create_repository
from m4review.readiness import Check, examine

NO_ENGINE = "unix:///nonexistent/docker.sock"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DOCKER_HOST", NO_ENGINE)
    root = tmp_path / "workspace"
    copy_starter(root)
    create_repository(root)
    return root


def checks(folder: Path) -> dict[str, Check]:
    return {check.name: check for check in examine(folder, {}).checks}


def test_a_complete_workspace_is_ready_and_what_is_optional_says_how_to_get_it(workspace: Path) -> None:
    assert examine(workspace, {}).ready
    found = checks(workspace)
    skills = len(list((workspace / "skills").glob("*/SKILL.md")))
    cards = len(list((workspace / "tasks").glob("*/*/task.toml")))
    assert found["skills and tasks"].detail == f"{skills} skills, {cards} task cards"
    assert skills
    assert cards
    for name, fix in {
        "identity": "--as C1",
        "guard in git": "m4review hooks install",
        "datasets": "m4review data synth",
        "sandbox engine": "--sandbox local",
        "sandbox image": "make sandbox-image",
    }.items():
        assert not found[name].ok
        assert fix in (found[name].fix or "")


def test_a_broken_task_card_makes_it_not_ready_and_is_named_with_its_line(workspace: Path) -> None:
    card = next((workspace / "tasks").rglob("task.toml"))
    card.write_text("unknown = 1\n" + card.read_text("utf-8"), "utf-8")
    check = checks(workspace)["skills and tasks"]
    assert not check.ok
    assert f"{card}:1" in check.detail
    assert not examine(workspace, {}).ready


def test_outside_a_workspace_or_without_history_it_says_so(tmp_path: Path, workspace: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert not checks(elsewhere)["workspace"].ok
    (workspace / ".git").rename(tmp_path / "git-away")
    history = checks(workspace)["version history"]
    assert not history.ok
    assert "git init" in (history.fix or "")


def test_installed_hooks_and_a_kept_identity_are_seen(workspace: Path) -> None:
    from m4review.lint import install_hooks
    from m4review.workspace import Workspace

    install_hooks(workspace)
    Workspace(workspace).save_identity("C2")
    found = checks(workspace)
    assert found["guard in git"].ok
    assert found["identity"].detail.startswith("C2")
