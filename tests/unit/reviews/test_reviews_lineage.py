"""How folders came to be, read from real repositories."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from reviews_ward import AUTHOR, Ward, people

from m4review.errors import HistoryError
from m4review.history import GitCall, Repository
from m4review.history.lineage import Lineage, read_lineage


def lineage(ward: Ward, revision: str = "HEAD") -> Lineage:
    return read_lineage(Repository.open(ward.root).git, revision, ("skills", "tasks"))


def test_each_step_names_who_had_a_hand_in_it(ward: Ward) -> None:
    ward.edit("above 2", "above 4")
    ward.commit(
        "x\n\nCo-authored-by: Bo <BO@clinic.example>\nco-authored-by: Cy <cy@clinic.example>",
        author=("Ana", "ANA@clinic.example"),
        committer=("Dan", "Dan@clinic.example"),
    )
    step = lineage(ward).steps[-1]
    assert step.authors == {"ana@clinic.example", "bo@clinic.example", "cy@clinic.example"}
    assert step.committer == "dan@clinic.example"
    assert step.committed.tzinfo is not None


def test_commits_elsewhere_are_no_steps_and_parents_are_the_nearest_steps(ward: Ward) -> None:
    ward.say("C1")
    ward.edit("above 2", "above 4")
    ward.commit()
    ward.git("switch", "-q", "-c", "side", "HEAD~1")
    ward.edit("One row", "A row", skill="shock")
    ward.commit()
    ward.git("merge", "-q", "-m", "both", "main", **people(AUTHOR, AUTHOR))
    steps = lineage(ward).steps
    assert len(steps) == 4
    assert [sorted(step.parents) for step in steps] == [[], [0], [0], [1, 2]]
    assert steps[-1].commit == ward.git("rev-parse", "HEAD").strip()


def test_files_come_as_git_holds_them(ward: Ward) -> None:
    (ward.root / "skills/lactate/sub").mkdir()
    (ward.root / "skills/lactate/sub/é à.md").write_bytes(b"a\r\n")
    ward.commit()
    found = lineage(ward)
    tree = found.subfolders(found.steps[-1].trees["skills"])["lactate"]
    assert found.files(tree) == {"SKILL.md": ward.file().read_bytes(), "sub/é à.md": b"a\r\n"}


def test_a_link_is_no_content(ward: Ward) -> None:
    (ward.root / "skills/lactate/link").symlink_to("SKILL.md")
    ward.commit()
    found = lineage(ward)
    with pytest.raises(HistoryError, match="link or submodule"):
        found.files(found.subfolders(found.steps[-1].trees["skills"])["lactate"])


def test_a_folder_that_came_later_is_missing_before(ward: Ward) -> None:
    ward.git("rm", "-q", "-r", "tasks")
    ward.commit("without tasks")
    assert [sorted(step.trees) for step in lineage(ward).steps] == [["skills", "tasks"], ["skills"]]


def test_a_sha256_repository_reads_the_same(tmp_path: Path) -> None:
    root = tmp_path / "long"
    (root / "skills/a").mkdir(parents=True)
    (root / "skills/a/SKILL.md").write_text("a\n")
    made = subprocess.run(["git", "init", "-q", "--object-format=sha256", str(root)], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("this git has no SHA-256 repositories")
    ward = Ward(root)
    ward.commit()
    found = lineage(ward)
    assert found.files(found.steps[0].trees["skills"]) == {"a/SKILL.md": b"a\n"}


def test_the_number_of_git_processes_does_not_grow_with_the_history(ward: Ward) -> None:
    def calls() -> int:
        seen: list[GitCall] = []
        read_lineage(Repository.open(ward.root, listener=seen.append).git, "HEAD", ("skills", "tasks"))
        return len(seen)

    before = calls()
    for number in range(5):
        ward.edit("Free text.", f"Free text. {number}")
        ward.commit()
    assert calls() == before
