"""A text that is tried first and recorded afterwards is named by its version from then on."""

from __future__ import annotations

from pathlib import Path

import pytest
from trials_bench import SKILL

from m4review.cli.main import main
from m4review.history import Repository
from m4review.trials import TrialSummary, load_trials
from m4review.trials.difference import trial_difference
from m4review.trials.improvement import improvement
from m4review.trials.recorded import runs_by_version
from m4review.trials.standing import load_trial, runs_of
from m4review.trials.versionhistory import skill_history
from m4review.workspace import Workspace

RAISED = ("highest heart rate > 90", "highest heart rate > 130")


def write(workspace: Workspace, old: str, new: str) -> None:
    path = workspace.skill_file(SKILL)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def record(workspace: Workspace, message: str) -> None:
    Repository.open(workspace.root).commit([workspace.skill_file(SKILL)], message)


def kept(workspace: Workspace) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in workspace.local_dir.rglob("*.json")}


def numbers(trial: TrialSummary) -> list[int | None]:
    return [used.version for result in trial.conditions for used in result.skills]


@pytest.fixture(autouse=True)
def a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "C1")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "c1@reviewers.invalid")


def test_a_text_recorded_after_its_trial_is_named_by_its_first_version_and_no_record_is_rewritten(
    workspace, try_reader, monkeypatch, capsys
):
    first = try_reader(conditions=("with-skill",))
    write(workspace, *RAISED)
    second = try_reader(conditions=("with-skill",))
    written = kept(workspace)
    assert [numbers(trial) for trial in load_trials(workspace)] == [[None], [1]]
    assert "unrecorded" in str(trial_difference(workspace, first, second).inputs)

    record(workspace, "Raise the limit")
    write(workspace, *RAISED[::-1])
    record(workspace, "Lower it again")
    write(workspace, *RAISED)
    record(workspace, "Raise it once more")

    newest, oldest = load_trials(workspace)
    assert [numbers(newest), numbers(oldest), numbers(load_trial(workspace, second.id))] == [[2], [1], [2]]
    assert [run.inputs.skills[0].version for run in runs_of(workspace, second)] == [2]
    assert "With version 2 the reward is" in improvement(newest, [oldest], SKILL).sentence
    (series,) = skill_history(workspace, SKILL)
    assert [(text.label, text.author.name) for text in series.versions] == [("version 1", "C1"), ("version 2", "C1")]
    monkeypatch.chdir(workspace.root)
    for command in (
        ("show", second.id),
        ("show", second.order[0]),
        ("compare", first.id, second.id),
        ("history", SKILL),
    ):
        with pytest.raises(SystemExit, check=lambda left: left.code == 0):
            main(["trial", *command])
        said = capsys.readouterr().out
        assert "version 2" in said, command
        assert "recorded as a version" not in said, command
        assert "unrecorded" not in said, command
    assert kept(workspace) == written


def test_a_text_that_no_version_holds_has_no_number_with_a_repository_and_without_one(workspace, try_script, tmp_path):
    write(workspace, *RAISED)
    summary = try_script("exit 0", conditions=("with-skill",))
    write(workspace, RAISED[1], "highest heart rate > 140")
    record(workspace, "Raise it even more")
    assert numbers(load_trial(workspace, summary.id)) == [None]
    (workspace.root / ".git").rename(tmp_path / "moved")
    runs = runs_of(workspace, summary)
    assert [numbers(trial) for trial in load_trials(workspace)] == [[None]]
    assert runs_by_version(workspace, runs) == runs
