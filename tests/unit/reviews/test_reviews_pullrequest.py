"""The workflow for pull requests, run step by step as a forge would, on a base and a head commit."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from reviews_ward import Ward, people

from m4review.reviews.verify import verify

WORKFLOW = Path(__file__).resolve().parents[3] / "docs/examples/github-review.yml"
STEPS = {
    "Lint what the pull request changes": 0,
    "Verify the ledger": 0,
    "Policy for the skills that the pull request touches": 0,
    "Summary": 0,
}


@dataclass(frozen=True)
class Checked:
    """What the steps of the workflow ended with, and the summary they wrote."""

    codes: dict[str, int]
    summary: str
    said: str


def check(ward: Ward, base: str, folder: Path) -> Checked:
    """Run every ``run:`` of the workflow but the installation in a clone, with the shell and environment of a forge."""
    clone = folder / "clone"
    ward.git("clone", "-q", str(ward.root), str(clone))
    (job,) = yaml.safe_load(WORKFLOW.read_text())["jobs"].values()
    commands = folder / "bin"
    commands.mkdir()
    program = commands / "m4review"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m m4review "$@"\n')
    program.chmod(0o755)
    summary = folder / "summary.md"
    environment = {
        **os.environ,
        **{
            name: value.replace("${{ github.event.pull_request.base.sha }}", base) for name, value in job["env"].items()
        },
        "PATH": f"{commands}:{os.environ['PATH']}",
        "GITHUB_STEP_SUMMARY": str(summary),
    }
    codes, said = {}, []
    for step in job["steps"]:
        if "run" not in step or step["name"] == "Install":
            continue
        assert "${{" not in step["run"], "a step that pastes values of the event into a script can be taken over"
        done = subprocess.run(
            ["bash", "-e", "-c", step["run"]], cwd=clone, env=environment, capture_output=True, text=True, check=False
        )
        codes[step["name"]] = done.returncode
        said.append(done.stdout + done.stderr)
    return Checked(codes, summary.read_text(), "\n".join(said))


@pytest.fixture
def base(ward: Ward) -> str:
    """Lactate is approved on the main branch; shock is a draft."""
    ward.approve("C1", "C4")
    return ward.git("rev-parse", "HEAD").strip()


def test_a_change_that_its_reviewers_approved_passes(ward: Ward, base: str, tmp_path: Path) -> None:
    ward.edit("above 2", "above 4")
    ward.commit("another threshold")
    ward.approve("C1", "C4")
    checked = check(ward, base, tmp_path)
    assert checked.codes == STEPS, checked.said
    assert "| lactate | approved | 2 | 2 of 2 |" in checked.summary
    assert checked.summary.startswith("<!-- m4review:review-status -->")


def test_a_change_without_its_reviewers_stops_at_the_policy(ward: Ward, base: str, tmp_path: Path) -> None:
    ward.edit("above 2", "above 4")
    ward.commit("another threshold")
    checked = check(ward, base, tmp_path)
    assert checked.codes == STEPS | {"Policy for the skills that the pull request touches": 1}
    assert "stale (definition)" in checked.summary


def test_a_changed_task_card_asks_for_the_skills_that_use_it(ward: Ward, base: str, tmp_path: Path) -> None:
    card = ward.root / "tasks/perfusion/lactate-24h/instruction.md"
    card.write_text(card.read_text() + "\nMore.\n")
    ward.commit("the card says more")
    checked = check(ward, base, tmp_path)
    assert checked.codes["Policy for the skills that the pull request touches"] == 1
    assert "lactate: stale" in checked.said


def test_a_query_in_the_text_stops_at_the_lint(ward: Ward, base: str, tmp_path: Path) -> None:
    ward.edit("Free text.", "Run SELECT stay_id, MAX(valuenum) FROM labevents GROUP BY stay_id.")
    ward.commit("a query")
    assert check(ward, base, tmp_path).codes["Lint what the pull request changes"] == 1


def test_an_edited_event_stops_at_the_ledger_whatever_else_is_approved(ward: Ward, base: str, tmp_path: Path) -> None:
    event = ward.events()[0]
    event.write_bytes(event.read_bytes().replace(b"conflict_of_interest: none", b"conflict_of_interest: some"))
    ward.commit("a small correction")
    assert check(ward, base, tmp_path).codes["Verify the ledger"] == 1


def test_only_what_differs_is_asked_for_and_the_ledger_is_proven_whole(ward: Ward, base: str) -> None:
    assert [skill.skill for skill in verify(ward.root, since=base).skills] == []
    assert verify(ward.root, since=base).exit_code == 0
    ward.edit("Free text.", "It builds on `lactate`.", skill="shock")
    ward.commit("named")
    named = ward.git("rev-parse", "HEAD").strip()
    assert [skill.skill for skill in verify(ward.root, since=base).skills] == ["shock"]
    ward.edit("above 2", "above 4")
    ward.commit("another threshold")
    assert [skill.skill for skill in verify(ward.root, since=named).skills] == ["lactate", "shock"]
    assert [skill.skill for skill in verify(ward.root, since=named, skills=("lactate",)).skills] == ["lactate"]
    event = ward.events()[0]
    event.unlink()
    ward.git("add", "-A")
    ward.git("commit", "-q", "-m", "tidied", **people(("C1", "c1@reviewers.invalid"), ("C1", "c1@reviewers.invalid")))
    assert verify(ward.root, since="HEAD").exit_code == 2
