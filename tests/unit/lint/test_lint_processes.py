"""A hook is waited for at every commit, so it asks git few questions, however much there is to read."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from lint_repository import CLEAN, QUERY, TASK, Repo

from m4review.lint.waivers import WAIVERS_FILE

SKILL = "skills/liver-score/SKILL.md"
QUESTIONS = 5
"""Where the repository lies, what the index holds, what changed, how large the contents are, and the contents."""


@pytest.fixture
def counted(repo: Repo, tmp_path: Path) -> tuple[Repo, Path]:
    """A repository, and the file in which a wrapper of git notes each command."""
    log = tmp_path / "commands.txt"
    wrapper = tmp_path / "wrapped" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\necho "$*" >> "{log}"\nexec "{shutil.which("git")}" "$@"\n')
    wrapper.chmod(0o755)
    return repo, log


def staged_lint(repo: Repo, log: Path) -> tuple[int, list[str]]:
    """Exit code of the staged lint, and the git commands it ran."""
    path = f"{log.parent / 'wrapped'}{os.pathsep}{os.environ['PATH']}"
    code = repo.spawn("lint", "--staged", PATH=path).code
    return code, log.read_text().splitlines()


def test_one_skill_costs_five_git_commands(counted: tuple[Repo, Path]) -> None:
    repo, log = counted
    repo.write(SKILL, CLEAN + QUERY)
    repo.git("add", SKILL)
    code, commands = staged_lint(repo, log)
    assert code == 1
    assert len(commands) <= QUESTIONS, commands


def test_many_skills_task_cards_and_waivers_cost_no_more(counted: tuple[Repo, Path]) -> None:
    repo, log = counted
    for number in range(20):
        repo.write(f"skills/score-{number}/SKILL.md", CLEAN.replace("liver-score", f"score-{number}"))
        repo.write(f"tasks/scores/score-{number}/task.toml", TASK.replace("liver-score", f"score-{number}", 1))
    repo.write(WAIVERS_FILE, "# none\n")
    repo.git("add", ".")
    code, commands = staged_lint(repo, log)
    assert code == 0
    assert len(commands) <= QUESTIONS, commands


def test_a_changed_card_costs_one_more_look_at_the_skills_it_names(counted: tuple[Repo, Path]) -> None:
    repo, log = counted
    repo.write(SKILL, CLEAN + "\nThe values are in mimiciv_derived.liver_score.\n")
    repo.git("add", SKILL)
    repo.git("commit", "-q", "--no-verify", "-m", "Name the table")
    repo.write("tasks/liver/liver-raw/task.toml", TASK)
    repo.git("add", ".")
    code, commands = staged_lint(repo, log)
    assert code == 1
    assert len(commands) <= QUESTIONS + 2, commands
