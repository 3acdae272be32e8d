"""The order of runs, several at once, what is tried again, and what goes on after an interruption."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from trials_bench import DATASET, TASK, expected_output, make_workspace, run_of, write_agent

from m4review.errors import TrialError
from m4review.trials import Outcome, TrialRequest, clean_up, load_run, load_runs, load_trials, run_trial, run_trials
from m4review.trials.conditions import PAIR, Arm
from m4review.trials.crew import Crew
from m4review.trials.sandbox.job import Limits
from m4review.trials.schedule import Machine, Pace, Wanted, shuffled, side_by_side
from m4review.workspace import Workspace

SCORED = "printf 'stay_id,sirs\\n' > {output}"
PATIENCE = 600
"""Seconds until a process that says nothing counts as stuck; generous, because machines are busy."""

SECOND = "mimic-sirs-24h-second"
ARMS = tuple(Arm(condition) for condition in PAIR)


@pytest.fixture
def two_tasks(workspace: Workspace) -> Workspace:
    """A workspace with two task cards of one family."""
    family = workspace.root / "tasks" / "sirs"
    shutil.copytree(family / TASK, family / SECOND)
    return Workspace(workspace.root)


def test_every_replicate_has_every_arm_and_pairs_stay_together():
    slots = shuffled([Wanted(ARMS, 3), Wanted(ARMS, 2)], seed=11)
    assert [slot.position for slot in slots] == list(range(1, 11))
    assert Counter((slot.trial, slot.replicate, slot.arm) for slot in slots).most_common(1)[0][1] == 1
    for first, second in zip(slots[::2], slots[1::2], strict=True):
        assert (first.trial, first.replicate) == (second.trial, second.replicate)
    assert [slot.replicate for slot in slots] == sorted(slot.replicate for slot in slots)


def test_the_seed_decides_the_order_and_each_order_comes_up():
    def order(seed: int) -> tuple[str, ...]:
        return tuple(f"{slot.trial}{slot.arm.label}" for slot in shuffled([Wanted(ARMS, 1)] * 2, seed))

    assert order(3) == order(3)
    assert len({order(seed) for seed in range(100)}) == 8, "two tasks either way, the arms of each either way"


@pytest.mark.parametrize(
    ("wanted", "memory", "cpus", "waits", "fitting"),
    [
        (1, 16_384, 8, False, 1),
        (8, 16_384, 64, False, 4),
        (8, 65_536, 4, False, 4),
        (8, 65_536, 4, True, 8),
        (4, 1_000, 1, False, 1),
    ],
)
def test_no_more_runs_at_once_than_memory_and_processors_hold(wanted, memory, cpus, waits, fitting):
    limits = Limits(memory_mib=4096, cpus=2.0)
    assert side_by_side(wanted, limits, Machine(cpus, memory), waits_for_model=waits) == fitting


def test_the_time_left_comes_from_measured_runs_and_from_nothing_else():
    pace = Pace(parallel=2)
    assert pace.seconds_left(4) is None
    pace.measured(10.0)
    pace.measured(20.0)
    assert pace.seconds_left(4) == 30.0
    assert pace.seconds_left(3) == 30.0
    assert pace.seconds_left(0) == 0.0


def test_jobs_report_to_the_callers_thread_and_an_error_ends_the_others_first():
    ended, heard = [], []

    def do(job, report, stop):
        report((job, threading.get_ident()))
        if job == 2:
            raise TrialError("full")
        assert stop.wait(60)
        ended.append(job)

    crew = Crew(do, size=3, hear=lambda event: heard.append(threading.get_ident()), cancel=threading.Event())
    with pytest.raises(TrialError, match="full"):
        crew.work([1, 2, 3, 4], lambda job, result: True)
    assert sorted(ended) == [1, 3], "what was under way was asked to end, and nothing more began"
    assert set(heard) == {threading.get_ident()}


def test_several_tasks_share_one_order_and_have_a_summary_each(two_tasks, data_home, tmp_path):
    agent = write_agent(tmp_path, SCORED)
    requests = [
        TrialRequest(task=task, dataset=DATASET, sandbox="local", agent=agent, seed=5) for task in (TASK, SECOND)
    ]
    summaries = run_trials(two_tasks, requests, environment={"M4REVIEW_DATA": str(data_home)})
    assert [summary.task for summary in summaries] == [TASK, SECOND]
    runs = [load_run(two_tasks, run_id) for summary in summaries for run_id in summary.order]
    assert sorted(run.position for run in runs) == [1, 2, 3, 4]
    assert all(run.inputs.task == summary.task for summary in summaries for run in runs if run.trial == summary.id)
    assert {summary.id for summary in load_trials(two_tasks)} == {summary.id for summary in summaries}


def test_two_runs_at_once_meet_and_do_not_mix(workspace, data_home, tmp_path):
    here = tmp_path / "here"
    here.mkdir()
    meet = f"touch {here}/$$; until [ $(ls {here} | wc -l) -ge 2 ]; do sleep 0.05; done"
    agent = write_agent(tmp_path, f"{meet}; {SCORED}", memory_mib=64)
    request = TrialRequest(task=TASK, dataset=DATASET, sandbox="local", agent=agent)
    summary = run_trial(workspace, request, parallel=2, environment={"M4REVIEW_DATA": str(data_home)})
    assert summary.parallel == 2
    assert [result.outcomes for result in summary.conditions] == [{"scored": 1}, {"scored": 1}]
    starts, ends = zip(*((run.started, run.finished) for run in load_runs(workspace)), strict=True)
    assert max(starts) < min(ends)


def test_more_runs_at_once_than_the_machine_holds_are_made_fewer_and_that_is_said(workspace, data_home, tmp_path):
    agent = write_agent(tmp_path, SCORED, memory_mib=1_000_000_000)
    request = TrialRequest(task=TASK, dataset=DATASET, sandbox="local", agent=agent)
    said = []
    summary = run_trial(
        workspace, request, parallel=8, listener=said.append, environment={"M4REVIEW_DATA": str(data_home)}
    )
    assert summary.parallel == 1
    assert any(event.kind == "notice" and event.text.startswith("1 of 8 runs at a time") for event in said)


def test_what_failed_through_no_fault_of_the_agent_is_tried_after_all_others_and_has_its_own_figure(
    workspace, try_reader, tmp_path
):
    program = tmp_path / "program"
    agent = tmp_path / "late.toml"
    agent.write_text(
        'name = "late"\nversion = "1"\ntitle = "Late."\nimage = "reader"\nparser = "m4review-events"\n'
        f'argv = ["true"]\nlocal_argv = ["{program}", "{{output}}"]\n',
        encoding="utf-8",
    )

    def arrive(event):
        if event.kind == "run-finished" and not program.exists():
            program.write_text("#!/bin/sh\nprintf 'stay_id,sirs\\n' > \"$1\"\n")
            program.chmod(0o755)

    summary = try_reader(agent=str(agent), listener=arrive, seed=1)
    runs = sorted((load_run(workspace, run_id) for run_id in summary.order), key=lambda run: run.id)
    assert [(run.position, run.attempt, run.outcome.value) for run in runs] == [
        (1, 1, "infra_error"),
        (2, 1, "scored"),
        (1, 2, "scored"),
    ]
    assert sorted(result.infra_errors for result in summary.conditions) == [0, 1]
    assert [result.counted for result in summary.conditions] == [1, 1]
    assert summary.pairs[0].delta is not None


def test_resuming_takes_failures_too_so_that_nobody_tries_until_it_works(workspace, try_script):
    first = try_script("exit 3", repeats=2)
    again = try_script("exit 3", repeats=3, reuse=True)
    assert set(first.order) == set(again.reused)
    assert len(again.order) == 3
    assert again.reward("no-skill") == 0.0


def test_a_run_with_another_input_is_not_taken(workspace, try_script):
    first = try_script("exit 3")
    assert try_script("exit 4", reuse=True).reused == ()
    assert try_script("exit 3", reuse=True).reused == first.order


def test_progress_counts_every_run_and_ends_at_zero(try_script):
    heard = []
    try_script(SCORED, repeats=3, listener=heard.append)
    progress = [event for event in heard if event.kind == "progressed"]
    assert [(event.done, event.runs) for event in progress] == [(1, 3), (2, 3), (3, 3)]
    assert all(event.seconds_left >= 0 for event in progress)
    assert progress[-1].seconds_left == 0


def test_a_clock_that_jumps_changes_no_duration_and_loses_no_run(workspace, data_home, tmp_path):
    times = iter(datetime(2030, 1, 1, tzinfo=UTC) - timedelta(hours=hour) for hour in range(1000))
    agent = write_agent(tmp_path, SCORED)
    request = TrialRequest(task=TASK, dataset=DATASET, sandbox="local", agent=agent, repeats=2)
    heard = []
    summary = run_trial(
        workspace,
        request,
        listener=heard.append,
        clock=lambda: next(times),
        environment={"M4REVIEW_DATA": str(data_home)},
    )
    runs = [load_run(workspace, run_id) for run_id in summary.order]
    assert len({run.id for run in runs}) == 4
    assert all(0 <= seconds < 60 for run in runs for seconds in run.seconds.values())
    assert all(event.seconds_left >= 0 for event in heard if event.kind == "progressed")
    assert summary.complete


def test_data_that_changes_under_a_run_makes_it_no_run_and_no_further_agent_starts(workspace, try_script, tmp_path):
    swap = "f=$(find $(dirname {database}) -name icustays.parquet); cp $f $f.new; mv $f.new $f"
    summary = try_script(f"echo x >> {tmp_path}/started; {SCORED}; {swap}", repeats=2)
    runs = [load_run(workspace, run_id) for run_id in summary.order]
    assert [(run.outcome, run.failure) for run in runs] == [(Outcome.INFRA_ERROR, "data")] * 2
    assert "icustays.parquet" in runs[0].reason
    assert (tmp_path / "started").read_text() == "x\n"
    assert summary.reward("no-skill") is None


def test_a_dataset_that_is_removed_under_a_trial_changes_none_of_its_runs(workspace, data_home, tmp_path):
    home = Path(shutil.copytree(data_home, tmp_path / "home"))
    (tmp_path / "right.csv").write_text(expected_output())
    agent = write_agent(tmp_path, f"rm -rf {home}/{DATASET}; cp {tmp_path}/right.csv {{output}}")
    request = TrialRequest(task=TASK, dataset=DATASET, sandbox="local", agent=agent)
    summary = run_trial(workspace, request, environment={"M4REVIEW_DATA": str(home)})
    assert not (home / DATASET).exists()
    assert [result.reward for result in summary.conditions] == [1.0, 1.0]


def test_a_killed_trial_loses_the_run_in_flight_only_and_goes_on_from_there(data_home, tmp_path):
    workspace = make_workspace(tmp_path / "workspace")
    os.mkfifo(tmp_path / "stuck")
    listening = os.open(tmp_path / "stuck", os.O_RDONLY | os.O_NONBLOCK)
    begun = tmp_path / "begun"
    begun.mkdir()
    wait = (
        f"[ -e {tmp_path}/go ] || [ $(ls {begun} | wc -l) -lt 3 ] || "
        f"{{ exec 3> {tmp_path}/stuck; echo begun >&3; exec sleep 3000; }}"
    )
    agent = write_agent(tmp_path, f"touch {begun}/$$; {wait}; {SCORED}")
    words = ("run", TASK, "--agent", agent, "--sandbox", "local", "--dataset", DATASET, "--repeats", "4")
    command = [sys.executable, "-m", "m4review", "trial", *words, "--condition", "no-skill", "--resume"]
    environment = {**os.environ, "M4REVIEW_DATA": str(data_home), "DOCKER_HOST": "unix:///nowhere.sock"}
    process = subprocess.Popen(command, cwd=workspace.root, env=environment, stderr=subprocess.DEVNULL)
    assert select.select([listening], [], [], PATIENCE)[0], "the third run never began"
    assert os.read(listening, 100) == b"begun\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert select.select([listening], [], [], PATIENCE)[0], "the agent outlived the program that started it"
    assert os.read(listening, 100) == b""
    os.close(listening)
    finished = {run.id for run in load_runs(workspace)}
    assert len(finished) == 2
    assert load_trials(workspace) == []
    unfinished = {path.name for path in workspace.runs_dir.iterdir()} - finished
    assert len(unfinished) == 1

    (tmp_path / "go").touch()
    done = subprocess.run(command, cwd=workspace.root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (summary,) = load_trials(workspace)
    assert set(summary.reused) == finished
    assert len(summary.order) == 4
    assert summary.conditions[0].counted == 4
    assert [load_run(workspace, run_id).inputs for run_id in summary.order].count(
        run_of(workspace, summary, "no-skill").inputs
    ) == 4
    cleaned = "\n".join(clean_up(workspace, environment))
    assert all(name in cleaned for name in unfinished)
    assert {path.name for path in workspace.runs_dir.iterdir()} == set(summary.order)
