"""Several processes find in a workspace what one finds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from corpus import FRONT, load

from m4review.lint import SourceFile, TaskIndex, lint_all, lint_files
from m4review.lint.sharing import WORTH_SHARING, lint_shared, processes_here, shares_of

WORKSPACE = Path(__file__).parents[3]


def skill_files() -> list[SourceFile]:
    """A skill of two files for every third contaminated text of the corpus, and one without its SKILL.md."""
    bodies = [text.text for text in load("contaminated")[::3] if text.path == "SKILL.md"]
    files = []
    for number, body in enumerate(bodies):
        skill = f"skills/skill-{number:03}"
        for name, content in (("SKILL.md", f"---\n{FRONT}\n---\n{body}"), ("notes.md", "Plain prose.\n" * 50)):
            data = content.encode()
            files.append(SourceFile(f"{skill}/{name}", data, len(data), skill=skill))
    return [*files, SourceFile("skills/empty/notes.md", b"Prose.\n", 7, skill="skills/empty")]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not copied on this system")
def test_findings_are_those_of_one_process() -> None:
    files = skill_files()
    assert sum(file.size for file in files) > WORTH_SHARING
    alone = lint_files(files, TaskIndex())
    assert alone.errors
    assert lint_shared(files, TaskIndex(), profile=None, figures=(), processes=3) == alone


@pytest.mark.parametrize("processes", [1, 2, 5, 1000])
def test_every_file_is_in_one_share_and_every_skill_whole(processes: int) -> None:
    files = skill_files()
    shares = shares_of(files, processes)
    assert len(shares) <= processes
    assert sorted(file.path for share in shares for file in share) == sorted(file.path for file in files)
    for skill in {file.skill for file in files}:
        assert sum(any(file.skill == skill for file in share) for share in shares) == 1


def test_this_workspace_is_as_clean_for_several_processes_as_for_one() -> None:
    assert processes_here() >= 1
    assert lint_all(WORKSPACE, processes=max(2, processes_here())) == lint_all(WORKSPACE)
