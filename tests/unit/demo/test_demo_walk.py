"""The demonstration walks the whole loop on synthetic data, without a screen and without an engine."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from m4review.demo import DEMO_SKILL, make_example, starter_root, walk
from m4review.demo.starter import copy_starter
from m4review.errors import SkillError, WorkspaceError
from m4review.history import Repository
from m4review.reviews import Ledger, skill_status
from m4review.trials import Condition
from m4review.workspace import Workspace


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return make_example(tmp_path_factory.mktemp("demo"), lambda line: None, stays=100, seed=3)


def state(workspace: Workspace, skill: str) -> str:
    fresh = Workspace(workspace.root)
    return skill_status(fresh, Ledger.load(fresh), skill).label


def test_the_example_has_an_older_version_a_stale_verdict_and_one_that_waits(example: Workspace) -> None:
    repository = Repository.open(example.root)
    assert len(repository.versions(f"skills/{DEMO_SKILL}")) == 2
    assert state(example, DEMO_SKILL).startswith("stale")
    assert state(example, "sofa-score") == "in review (1 of 2)"


def test_every_verdict_of_the_example_is_marked_as_demonstration(example: Workspace) -> None:
    events = sorted(example.events_dir.rglob("*.md"))
    assert len(events) >= 2
    assert all("Demonstration only" in event.read_text("utf-8") for event in events)


def test_no_patient_row_is_in_the_examples_history(example: Workspace) -> None:
    done = subprocess.run(["git", "ls-files"], cwd=example.root, capture_output=True, text=True, check=True)
    names = done.stdout.split()
    assert names
    assert not [name for name in names if name.endswith((".parquet", ".csv", ".duckdb")) or ".m4review" in name]


def test_the_walk_refuses_the_pasted_query_approves_the_edit_and_shows_what_it_is_worth(example: Workspace) -> None:
    lines: list[str] = []
    before, after = walk(example, lines.append, sandbox="local")
    printed = "\n".join(lines)
    assert "was not recorded" in printed
    assert state(example, DEMO_SKILL) == "approved"
    rewards = [summary.result(Condition.WITH_SKILL) for summary in (before, after)]
    bare = after.result(Condition.NO_SKILL)
    assert rewards[0] is not None
    assert rewards[1] is not None
    assert bare is not None
    assert rewards[0].reward is not None
    assert rewards[1].reward == pytest.approx(1.0)
    assert bare.reward is not None
    assert bare.reward < rewards[0].reward < rewards[1].reward
    assert "not isolated" in printed.lower()


def test_a_folder_with_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(WorkspaceError, match="not empty"):
        copy_starter(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_the_starter_holds_what_is_shipped_and_no_verdict() -> None:
    root = starter_root()
    assert (root / "skills" / DEMO_SKILL / "SKILL.md").is_file()
    assert not (root / "reviews" / "events").exists()


def test_an_example_whose_passage_is_gone_says_so() -> None:
    import re

    from m4review.demo.example import replaced

    with pytest.raises(SkillError, match="found 0"):
        replaced(re.compile("never there"), "words", "a text")
