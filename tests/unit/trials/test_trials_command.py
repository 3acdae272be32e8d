"""The command line of trials: tables, JSON, exit codes, Ctrl-C."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from trials_bench import DATASET, TASK, write_agent

from m4review.cli.main import main
from m4review.trials import Outcome, load_runs, load_trials
from m4review.workspace import Workspace

PATIENCE = 600
"""Seconds until a process that says nothing counts as stuck; generous, because machines are busy."""

SCORED = "printf 'stay_id,sirs\\n' > {output}"


class Desk:
    """A shell in a workspace."""

    def __init__(self, workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.workspace = workspace
        self.tmp_path = tmp_path
        self._capsys = capsys

    def start(self, *words: str) -> subprocess.Popen[str]:
        """The command as a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "m4review", "trial", *words],
            cwd=self.workspace.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str) -> tuple[int, str, str]:
        """The command's exit code, output and messages."""
        with pytest.raises(SystemExit) as ended:
            main(["trial", *words])
        out, err = self._capsys.readouterr()
        return int(ended.value.code or 0), out, err

    def script(self, script: str) -> tuple[str, ...]:
        """The words that try a script without a container."""
        agent = write_agent(self.tmp_path, script)
        return (TASK, "--agent", agent, "--sandbox", "local", "--dataset", DATASET)


@pytest.fixture
def desk(
    workspace: Workspace,
    data_home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Desk:
    monkeypatch.chdir(workspace.root)
    monkeypatch.setenv("M4REVIEW_DATA", str(data_home))
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere.sock")
    return Desk(workspace, tmp_path, capsys)


def test_a_trial_prints_a_table_and_keeps_progress_out_of_it(desk):
    code, out, err = desk.run(*desk.script(SCORED))
    assert code == 0
    assert "reward" in out
    assert "Δ" in out
    assert "NOT ISOLATED" in out
    assert "[1/2]" in err
    assert "[1/2]" not in out


def test_json_is_one_object_with_a_schema_and_options_may_come_first(desk):
    task, *options = desk.script(SCORED)
    code, out, _ = desk.run(*options, "--json", "--condition", "no-skill", "--repeats", "2", task)
    assert code == 0
    answer = json.loads(out)
    assert answer["schema"] == "m4review.trial.v1"
    assert answer["isolated"] is False
    assert [result["condition"] for result in answer["conditions"]] == ["no-skill"]
    assert answer["conditions"][0]["counted"] == 2
    code, out, _ = desk.run("show", answer["order"][0], "--json")
    assert json.loads(out)["schema"] == "m4review.run.v1"
    code, out, _ = desk.run("list", "--json")
    listed = json.loads(out)
    assert listed["schema"] == "m4review.trials.v1"
    assert [entry["id"] for entry in listed["trials"]] == [answer["id"]]
    code, out, _ = desk.run("show", answer["id"][:20])
    assert (code, answer["id"] in out) == (0, True)


def test_an_audit_hold_has_its_own_exit_code_and_shows_its_evidence(desk):
    code, out, _ = desk.run(*desk.script(f"{SCORED}; echo 'see task.toml' > notes"), "--condition", "no-skill")
    assert code == 3
    assert "notes:1" in out
    assert "left out of the figures" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("no-such-task",), "no task 'no-such-task'"),
        ((TASK, "--condition", "with-skil"), "no-skill, with-skill"),
        ((TASK, "--agent", "redaer"), "did you mean reader"),
        ((TASK, "--dataset", "nothing"), "no dataset 'nothing'"),
        ((TASK, "--repeats", "0"), "0 is not in the range"),
        ((TASK, "--dataset", DATASET), "--sandbox local"),
        (("show", "01NOTHING"), "no trial or run"),
    ],
)
def test_a_mistake_is_said_in_a_sentence_and_ends_with_2(desk, words, said):
    code, out, err = desk.run(*words)
    assert code == 2
    assert said in err
    assert out == ""


def test_ctrl_c_ends_the_agent_and_records_that_it_was_cancelled(desk, tmp_path):
    os.mkfifo(tmp_path / "agent")
    listening = os.open(tmp_path / "agent", os.O_RDONLY | os.O_NONBLOCK)
    process = desk.start(*desk.script(f"echo $$ > {tmp_path}/agent; exec sleep 3000"))
    line = ""
    while "the agent works" not in line:
        line = process.stderr.readline()
        assert line
    assert select.select([listening], [], [], PATIENCE)[0], "the agent never said that it is there"
    agent = os.read(listening, 100).decode().strip()
    os.close(listening)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "CANCELLED" in out
    assert "Traceback" not in err
    assert not Path(f"/proc/{agent}").exists()
    assert [run.outcome for run in load_runs(desk.workspace)] == [Outcome.CANCELLED]
    assert load_trials(desk.workspace)[0].cancelled


def test_two_trials_of_the_same_task_at_once_do_not_mix(desk):
    both = [desk.start(*desk.script(f"{SCORED}; sleep 1"), "--json") for _ in range(2)]
    answers = [json.loads(process.communicate(timeout=PATIENCE)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert not set(answers[0]["order"]) & set(answers[1]["order"])
    assert len(load_runs(desk.workspace)) == 4


def test_without_a_dataset_the_message_says_how_to_make_one(desk, monkeypatch):
    monkeypatch.setenv("M4REVIEW_DATA", str(desk.tmp_path / "nothing"))
    code, _, err = desk.run(TASK, "--sandbox", "local")
    assert code == 2
    assert "m4review data synth" in err


def test_a_beginning_that_fits_several_ids_lists_them(desk):
    desk.run(*desk.script(SCORED), "--condition", "no-skill")
    (trial,) = load_trials(desk.workspace)
    code, out, err = desk.run("show", trial.id[:4])
    assert (code, out) == (2, "")
    for identifier in (trial.id, *trial.order):
        assert f"\n    {identifier}  " in err
    assert trial.task in err


def test_a_near_name_is_offered(desk):
    assert f"did you mean {TASK}?" in desk.run(TASK[:-1])[2]
    assert "did you mean reader?" in desk.run(TASK, "--agent", "redaer")[2]
    assert f"did you mean {DATASET}?" in desk.run(TASK, "--dataset", DATASET[:-1])[2]


def test_a_task_without_a_skill_names_the_option_that_runs_it_alone(desk):
    card = desk.workspace.task(TASK).path / "task.toml"
    lines = [line for line in card.read_text(encoding="utf-8").split("\n") if not line.startswith("skills")]
    card.write_text("\n".join(lines), encoding="utf-8")
    code, _, err = desk.run(*desk.script(SCORED))
    assert code == 2
    assert "--condition no-skill" in err
    assert desk.run(*desk.script(SCORED), "--condition", "no-skill")[0] == 0


def test_clean_says_what_it_removed_or_that_there_was_nothing(desk):
    code, out, _ = desk.run("clean", "--json")
    assert code == 0
    answer = json.loads(out)
    assert answer["schema"] == "m4review.clean.v1"
    assert "not looked at" in answer["removed"][0]
