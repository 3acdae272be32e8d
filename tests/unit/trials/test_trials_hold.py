"""A held run waits for a person: released it counts, confirmed it never does, and what was decided stays."""

from __future__ import annotations

import json

import pytest
from trials_bench import expected_output

from m4review.cli.main import main
from m4review.errors import TrialError
from m4review.trials import Outcome, load_run, load_runs, load_trials
from m4review.trials.decisions import DECISIONS_FILE
from m4review.trials.records import RUN_FILE

REASON = "the words stand in a quotation from the handbook"


@pytest.fixture
def held(workspace, try_script, tmp_path):
    """A trial whose only run is right in every cell and names an answer path."""
    (tmp_path / "right.csv").write_text(expected_output())
    return try_script(f"cp {tmp_path}/right.csv {{output}}; echo 'see /answers/ground_truth/sirs.csv' > notes")


@pytest.fixture
def decide(workspace, monkeypatch, capsys):
    """``m4review trial hold …`` in the workspace."""
    monkeypatch.chdir(workspace.root)

    def run(*words: str, as_: str = "C1") -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["--as", as_, "trial", "hold", *words])
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run


def test_held_runs_are_listed_with_their_evidence(held, decide):
    code, out, _ = decide("list")
    assert code == 0
    assert held.order[0] in out
    assert "notes:1" in out
    answer = json.loads(decide("list", "--json")[1])
    assert answer["schema"] == "m4review.holds.v1"
    assert answer["runs"][0]["findings"][0]["rule"] == "answer-path"
    assert answer["runs"][0]["reward"] is None


def test_a_released_run_counts_in_every_figure_and_its_record_stays_as_it_was(workspace, held, decide):
    run = held.order[0]
    before = (workspace.runs_dir / run / RUN_FILE).read_bytes()
    code, out, _ = decide("release", run, "--reason", REASON)
    assert code == 0
    assert "counts as scored, reward 1.000" in out
    assert (workspace.runs_dir / run / RUN_FILE).read_bytes() == before
    record = load_run(workspace, run)
    assert (record.outcome, record.reward, record.decision.by) == (Outcome.SCORED, 1.0, "C1")
    (trial,) = load_trials(workspace)
    assert not trial.held
    assert trial.reward("no-skill") == 1.0
    assert [decision.reason for decision in trial.decisions] == [REASON]
    assert decide("list")[1].strip() == "no run waits for a decision"
    assert REASON in decide("list", "--all")[1]


def test_a_confirmed_run_waits_no_more_and_never_counts(workspace, held, decide):
    assert decide("confirm", held.order[0], "--reason", REASON)[0] == 0
    (trial,) = load_trials(workspace)
    assert not trial.held
    assert trial.reward("no-skill") is None
    assert not trial.complete
    assert load_run(workspace, held.order[0]).outcome is Outcome.AUDIT_HOLD


def test_a_later_decision_is_added_and_holds_and_the_earlier_one_stays(workspace, held, decide):
    run = held.order[0]
    decide("release", run, "--reason", REASON)
    decide("confirm", run, "--reason", "on a second look the output was copied", as_="C2")
    lines = (workspace.runs_dir / run / DECISIONS_FILE).read_text().splitlines()
    assert [(json.loads(line)["by"], json.loads(line)["decision"]) for line in lines] == [
        ("C1", "released"),
        ("C2", "confirmed"),
    ]
    assert load_run(workspace, run).reward is None


@pytest.mark.parametrize("change", ["reason", "first line", "record"])
def test_a_decision_that_was_changed_afterwards_does_not_release_a_run(workspace, held, decide, change):
    run = held.order[0]
    decide("release", run, "--reason", REASON)
    decide("release", run, "--reason", REASON)
    place = workspace.runs_dir / run / DECISIONS_FILE
    lines = place.read_text().splitlines(keepends=True)
    if change == "reason":
        place.write_text(lines[0].replace("handbook", "textbook") + lines[1])
    elif change == "first line":
        place.write_text(lines[1])
    else:
        record = workspace.runs_dir / run / RUN_FILE
        record.write_text(record.read_text().replace("ground_truth/sirs.csv", "ground_truth/kdigo.csv"))
    with pytest.raises(TrialError, match="not the one"):
        load_run(workspace, run)
    said = []
    assert [record.outcome for record in load_runs(workspace, said.append)] == [Outcome.AUDIT_HOLD]
    assert len(said) == 1
    assert decide("release", run, "--reason", REASON)[0] == 2


def test_a_decision_needs_a_person_a_reason_and_a_held_run(workspace, held, try_script, decide):
    run = held.order[0]
    assert decide("release", run)[0] == 2
    code, _, err = decide("release", run, "--reason", "  ")
    assert (code, "needs a reason" in err) == (2, True)
    assert decide("release", run, "--reason", REASON, as_="C9")[0] == 2
    assert "no run with the id" in decide("release", "01NOTHING", "--reason", REASON)[2]
    free = try_script("exit 0").order[0]
    assert "does not hold the run" in decide("confirm", free, "--reason", REASON)[2]
    assert not (workspace.runs_dir / run / DECISIONS_FILE).exists()


def test_a_held_run_that_ran_out_of_time_counts_as_that_once_released(workspace, try_script, decide):
    summary = try_script("echo 'see task.toml' > notes; exec sleep 300", seconds=1)
    decide("release", summary.order[0], "--reason", REASON)
    assert load_run(workspace, summary.order[0]).outcome is Outcome.AGENT_TIMEOUT
    assert load_trials(workspace)[0].reward("no-skill") == 0.0
