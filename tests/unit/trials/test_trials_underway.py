"""Trials in a process of their own: followed by whoever wants, stopped from anywhere, called dead when killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from trials_bench import DATASET, TASK, write_agent

from m4review.cli.main import main
from m4review.errors import TrialError
from m4review.trials import TrialRequest, load_trials
from m4review.trials.cleaning import clean_up
from m4review.trials.detached import run_noted, start_detached
from m4review.trials.events import Notice, TokensCounted, TraceLine
from m4review.trials.logbook import MOST_TRACE_LINES, Logbook, LogbookReader, logbooks_folder, open_logbook
from m4review.trials.underway import find_under_way, look_at, mark_seen, stop, tidy, under_way
from m4review.workspace import Workspace

PATIENCE = 60.0
REQUEST = TrialRequest(task=TASK, dataset=DATASET, sandbox="local")
NO_ENGINE = "unix:///nonexistent/docker.sock"


QUICK, ENDLESS = "printf 'stay_id,sirs\\n' > {output}", "while :; do sleep 0.1; done"


def until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"waited for {what}"
        time.sleep(0.02)


@pytest.fixture
def here(workspace: Workspace, data_home: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """The workspace as the current folder of a shell that knows the data."""
    monkeypatch.chdir(workspace.root)
    monkeypatch.setenv("M4REVIEW_DATA", str(data_home))
    monkeypatch.setenv("DOCKER_HOST", NO_ENGINE)
    return workspace


def command(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    return int(ended.value.code or 0)


def test_a_detached_trial_is_listed_followed_to_its_end_and_then_no_longer_listed(here, tmp_path, capsys) -> None:
    agent = write_agent(tmp_path, QUICK)
    assert command("trial", TASK, "--agent", agent, "--sandbox", "local", "--detach", "--json") == 0
    begun = json.loads(capsys.readouterr().out)
    assert begun["schema"] == "m4review.trial-begun.v1"
    command("trial", "list", "--running", "--json")
    (entry,) = json.loads(capsys.readouterr().out)["trials"]
    assert (entry["id"], entry["state"], entry["tasks"]) == (begun["id"], "running", [TASK])
    assert command("trial", "attach", begun["id"][:12]) == 0
    said = capsys.readouterr()
    assert "with-skill" in said.out
    assert "the agent works" in said.err
    (summary,) = load_trials(here)
    assert f"trial {summary.id}" in said.out
    command("trial", "list", "--running")
    assert "no trial is under way" in capsys.readouterr().out


def test_a_trial_outlives_the_shell_that_started_it_and_its_closed_terminal(here, tmp_path) -> None:
    agent = write_agent(tmp_path, QUICK)
    words = [sys.executable, "-m", "m4review", "trial", TASK, "--agent", agent, "--sandbox", "local", "--detach"]
    shell = subprocess.Popen(words, start_new_session=True, stdout=subprocess.PIPE, text=True)
    said, _ = shell.communicate(timeout=PATIENCE)
    until(lambda: under_way(here)[0].owner is not None, "the process of the trial")
    (entry,) = under_way(here)
    assert entry.id in said
    assert os.getsid(entry.owner.pid) == entry.owner.pid != shell.pid
    until(lambda: under_way(here)[0].state == "over", "the end of the trial")
    assert load_trials(here)[0].delta is not None


def test_a_killed_trial_is_called_dead_with_what_to_do_and_cleaned_away(here, tmp_path, capsys) -> None:
    agent = write_agent(tmp_path, ENDLESS)
    asked = start_detached(here, [REQUEST.model_copy(update={"agent": agent})])
    until(lambda: bool(look_at(logbooks_folder(here) / asked.id).trials()), "the first run")
    os.kill(look_at(logbooks_folder(here) / asked.id).owner.pid, signal.SIGKILL)
    until(lambda: under_way(here)[0].state == "died", "the death to be noticed")
    command("trial", "list", "--running")
    assert "DIED" in (said := capsys.readouterr().out)
    assert "--resume" in said
    assert command("trial", "attach", asked.id) == 2
    assert "ended from outside" in capsys.readouterr().err
    assert any("logbook" in line for line in clean_up(here, {"DOCKER_HOST": NO_ENGINE}))
    assert under_way(here) == []


def test_stopping_is_asked_for_from_anywhere_and_what_had_finished_is_recorded(here, tmp_path, capsys) -> None:
    agent = write_agent(tmp_path, ENDLESS)
    asked = start_detached(here, [REQUEST.model_copy(update={"agent": agent})])
    until(lambda: bool(look_at(logbooks_folder(here) / asked.id).trials()), "the first run")
    assert command("trial", "stop") == 0
    until(lambda: under_way(here)[0].state == "over", "the end of the trial")
    (summary,) = load_trials(here)
    assert summary.cancelled
    assert command("trial", "attach", asked.id) == 2
    assert "CANCELLED" in capsys.readouterr().out


def test_a_wish_to_stop_that_comes_before_the_process_is_found_by_it(here) -> None:
    asked = open_logbook(here, [REQUEST])
    stop(look_at(logbooks_folder(here) / asked.id))
    with Logbook(logbooks_folder(here) / asked.id) as logbook:
        assert logbook.is_to_stop


def test_a_trial_that_cannot_be_made_says_so_to_whoever_attaches(here, capsys) -> None:
    asked = start_detached(here, [REQUEST.model_copy(update={"dataset": "nowhere"})])
    until(lambda: under_way(here)[0].state == "over", "the end")
    assert command("trial", "attach", asked.id) == 2
    assert "nowhere" in capsys.readouterr().err


def test_a_trial_in_the_foreground_can_be_followed_from_another_window_and_counts_as_seen(
    here, tmp_path, data_home
) -> None:
    states = []
    run_noted(
        here,
        [REQUEST.model_copy(update={"agent": write_agent(tmp_path, QUICK)})],
        listener=lambda event: states.append([entry.state for entry in under_way(here)]),
        environment={"M4REVIEW_DATA": str(data_home)},
    )
    assert ["running"] in states
    (entry,) = under_way(here)
    assert (entry.state, entry.seen) == ("over", True)


def test_events_are_read_once_each_and_a_half_written_line_waits(workspace) -> None:
    asked = open_logbook(workspace, [REQUEST])
    folder = logbooks_folder(workspace) / asked.id
    logbook = Logbook(folder, clock=lambda: 1000.5)
    reader = LogbookReader(folder)
    logbook.write(Notice(text="one"))
    assert [(line.at, line.event.text) for line in reader.news()] == [(1000.5, "one")]
    events = folder / "events.jsonl"
    whole = events.read_bytes()
    with events.open("ab") as stream:
        stream.write(whole[:20])
    assert list(reader.news()) == []
    with events.open("ab") as stream:
        stream.write(whole[20:])
    assert [line.event.text for line in reader.news()] == ["one"]
    with events.open("ab") as stream:
        stream.write(b"{}\n")
    with pytest.raises(TrialError, match=r"not an event .*") as error:
        list(reader.news())
    assert error.value.line == 3


def test_an_agent_that_talks_without_end_does_not_fill_the_logbook(workspace) -> None:
    asked = open_logbook(workspace, [REQUEST])
    folder = logbooks_folder(workspace) / asked.id
    with Logbook(folder) as logbook:
        for _ in range(MOST_TRACE_LINES + 50):
            logbook.write(TraceLine(run="R", event="message", text="on and on"))
        logbook.write(TokensCounted(run="R", input_tokens=5, output_tokens=None))
    assert len(list(LogbookReader(folder).news())) == MOST_TRACE_LINES + 1


def test_what_nobody_needs_is_tidied_away_and_what_runs_stays(workspace) -> None:
    now = datetime.now(UTC)
    folders = {}
    for name, age, seen, over in (
        ("seen", timedelta(hours=2), True, True),
        ("unseen", timedelta(hours=2), False, True),
        ("old", timedelta(days=8), False, True),
        ("running", timedelta(days=9), False, False),
    ):
        asked = open_logbook(workspace, [REQUEST], started=now - age)
        folders[name] = logbooks_folder(workspace) / asked.id
        logbook = Logbook(folders[name], clock=lambda age=age: (now - age).timestamp())
        if over:
            logbook.close()
        if seen:
            mark_seen(folders[name])
    tidy(workspace, now=now)
    assert {name for name, folder in folders.items() if folder.exists()} == {"unseen", "running"}


def test_an_id_that_is_none_or_several_names_what_there_is(workspace) -> None:
    with pytest.raises(TrialError, match="no trial is under way"):
        find_under_way(workspace, None)
    for _ in range(2):
        Logbook(logbooks_folder(workspace) / open_logbook(workspace, [REQUEST]).id)
    with pytest.raises(TrialError, match="2 trials are under way"):
        find_under_way(workspace, None)
    with pytest.raises(TrialError, match="no such trial is under way: 7Z"):
        find_under_way(workspace, "7Z")
