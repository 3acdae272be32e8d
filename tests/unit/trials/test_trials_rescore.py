"""Scoring once more from what a run kept: nothing runs, nothing is overwritten, and digests are checked first."""

from __future__ import annotations

import json
import shutil

import pytest
from trials_bench import TASK

from m4review.cli.main import main
from m4review.errors import TrialError
from m4review.trials import load_run
from m4review.trials.records import RUN_FILE
from m4review.trials.rescoring import rescore
from m4review.workspace import Workspace


@pytest.fixture
def desk(shown, data_home, tmp_path, monkeypatch, capsys):
    """A copy of a workspace with a finished trial of the reader, and the command in it."""
    workspace, summary = shown
    copy = Workspace(shutil.copytree(workspace.root, tmp_path / "copy", symlinks=True))
    monkeypatch.chdir(copy.root)
    monkeypatch.setenv("M4REVIEW_DATA", str(data_home))

    def run(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["trial", "rescore", *words])
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return copy, summary, run


def test_a_trial_scored_again_shows_old_and_new_side_by_side_and_changes_no_record(desk):
    workspace, summary, run = desk
    before = {path: path.read_bytes() for path in workspace.runs_dir.rglob("*") if path.is_file()}
    code, out, _ = run(summary.id)
    assert code == 0
    assert "2 of 2 outputs score exactly as before." in out
    values = json.loads(run(summary.order[0], "--json")[1])
    assert values["schema"] == "m4review.rescore.v1"
    (entry,) = values["runs"]
    assert entry["old"] == entry["new"]
    assert entry["same_reference"] is True
    assert {path: path.read_bytes() for path in workspace.runs_dir.rglob("*") if path.is_file()} == before
    assert list(workspace.local_dir.glob("rescore-*")) == []


def test_a_changed_tolerance_moves_the_new_figure_and_says_why(desk):
    workspace, summary, run = desk
    with (workspace.task(TASK).path / "task.toml").open("a") as card:
        card.write("\n[tolerances.numbers]\ntemp_score = 9\n")
    code, out, _ = run(summary.id)
    assert code == 0
    assert out.count("the task card changed since the run") == 2
    assert "0.430 → 1.000" in out
    assert "1 of 2 outputs" not in out


def test_an_output_that_was_changed_is_refused(desk, data_home):
    workspace, summary, _ = desk
    record = load_run(workspace, summary.order[0])
    with (workspace.runs_dir / record.id / "output.csv").open("a") as stream:
        stream.write("1,2,3\n")
    with pytest.raises(TrialError, match="not the one that the run kept"):
        rescore(workspace, record, environment={"M4REVIEW_DATA": str(data_home)})


def test_another_reference_is_refused_unless_it_is_asked_for(desk, data_home):
    workspace, summary, run = desk
    record = workspace.runs_dir / summary.order[0] / RUN_FILE
    known = load_run(workspace, summary.order[0]).inputs.reference_digest
    record.write_text(record.read_text().replace(known, "0" * 64))
    code, _, err = run(summary.order[0])
    assert (code, "--other-reference" in err) == (2, True)
    code, out, _ = run(summary.order[0], "--other-reference")
    assert (code, "ANOTHER REFERENCE" in out) == (0, True)


def test_a_run_without_output_has_nothing_to_score(workspace, try_script, data_home):
    record = load_run(workspace, try_script("exit 0").order[0])
    with pytest.raises(TrialError, match="left no output"):
        rescore(workspace, record, environment={"M4REVIEW_DATA": str(data_home)})
