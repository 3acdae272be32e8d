"""A real trial becomes evidence for exactly the text it was measured on, and reviewers find it in their packet."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from reviews_ward import Ward, run_main
from trials_bench import DATASET, SKILL, TASK, make_data_home, make_workspace

from m4review.reviews.verify import verify
from m4review.trials import TrialRequest, TrialSummary, run_trial

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TrialSummary]:
    """A workspace in which the reader ran with and without the skill, once."""
    folder = tmp_path_factory.mktemp("tried")
    home = make_data_home(folder / "data")
    workspace = make_workspace(folder / "workspace")
    request = TrialRequest(task=TASK, dataset=DATASET, sandbox="local")
    return workspace.root, run_trial(workspace, request, environment={"M4REVIEW_DATA": str(home)})


@pytest.fixture
def bench(tried: tuple[Path, TrialSummary], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ward:
    shutil.copytree(tried[0], tmp_path / "workspace")
    monkeypatch.chdir(tmp_path / "workspace")
    return Ward(tmp_path / "workspace")


@pytest.fixture
def run(bench: Ward, capsys: pytest.CaptureFixture[str]) -> Run:
    return lambda *words: run_main(words, capsys)


def test_a_trial_is_recorded_as_evidence_and_shown_in_the_packet(
    bench: Ward, run: Run, tried: tuple[Path, TrialSummary]
) -> None:
    trial = tried[1]
    before = bench.status(SKILL).subject
    code, out, err = run("review", "trial", SKILL, trial.id, "--as", "C2")
    assert (code, "--yes" in err) == (2, True)
    assert f"As C2 I record a trial of {SKILL}" in out
    assert bench.events(SKILL) == []
    assert run("review", "trial", SKILL, trial.id, "--as", "C2", "--yes")[0] == 0
    shares = {result.label: result.reward for result in trial.conditions if result.reward is not None}
    assert len(shares) == 2
    for words in (("packet", SKILL, "--as", "C4"), ("status", SKILL)):
        shown = run("review", *words)[1]
        assert f"trial {trial.id} on {TASK}: reader, {DATASET}, not isolated, n 1: " in shown
        for label, reward in shares.items():
            assert f"{label} {reward:.3f}" in shown
    (skill,) = json.loads(run("review", "status", SKILL, "--json")[1])["skills"]
    assert skill["trials"][0]["rewards"] == shares
    assert set(skill["trials"][0]["columns"]["with-skill"]) == set(trial.conditions[0].columns)
    assert bench.status(SKILL).subject == before, "evidence moves no digest"
    assert bench.is_clean()
    report = verify(bench.root)
    assert {proof.outcome for proof in report.proofs} == {"proven"}


def test_a_trial_is_recorded_once_and_only_for_the_text_it_was_measured_on(
    bench: Ward, run: Run, tried: tuple[Path, TrialSummary]
) -> None:
    words = ("review", "trial", SKILL, tried[1].id, "--as", "C2", "--yes")
    assert run(*words)[0] == 0
    code, _, err = run(*words)
    assert (code, "is recorded already" in err) == (2, True)
    bench.file(SKILL).write_text(bench.file(SKILL).read_text() + "\nOne more remark.\n")
    bench.commit("a remark")
    assert "trial " not in run("review", "status", SKILL)[1]
    code, _, err = run(*words)
    assert (code, "was measured on another text" in err) == (2, True)


@pytest.mark.parametrize("skill", [SKILL, "nosuchskill"])
def test_an_unknown_trial_or_skill_is_told_and_nothing_is_recorded(bench: Ward, run: Run, skill: str) -> None:
    code, _, err = run("review", "trial", skill, "01J0000000", "--as", "C2", "--yes")
    assert (code, "no trial '01J0000000'" in err or "no skill 'nosuchskill'" in err) == (2, True), err
    assert bench.is_clean()
