"""Agents as data, owners of folders, and clean-up after a process that died."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from trials_bench import write_agent

from m4review.errors import TrialError
from m4review.trials import agent_names, clean_up, load_agent
from m4review.trials.claims import OWNER_FILE, claim_folder
from m4review.trials.sandbox.debianbase import debian_mirror
from m4review.trials.sandbox.engine import engine_status, image_status
from m4review.trials.sandbox.ownership import Owner, owner_of
from m4review.trials.sandbox.recipe import dockerfile, recipe_digest


def test_the_reader_is_declared_offline_and_runs_without_a_container():
    agent = load_agent("reader")
    assert agent_names() == ["claude-code", "codex", "gemini-cli", "mini-swe-agent", "opencode", "reader"]
    assert agent.network == "none"
    assert agent.local_argv
    assert not agent.needs_model


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('nmae = "x"', "nmae"),
        ('network = "host"', "network"),
        ('parser = "unknown"', "parser 'unknown'"),
        ('argv = ["run", "{everything}"]', "{everything}"),
        ("[limits]\nmemory_mib = -1", "memory_mib"),
    ],
)
def test_a_typo_in_an_agent_s_file_is_named(tmp_path, line, said):
    path = Path(write_agent(tmp_path, "true"))
    kept = [text for text in path.read_text().split("\n") if not text.startswith(line.partition(" =")[0])]
    head, _, limits = "\n".join(kept).partition("[limits]")
    path.write_text(f"{head}{line}\n" if line.startswith("[limits]") else f"{head}{line}\n[limits]{limits}")
    with pytest.raises(TrialError) as wrong:
        load_agent(str(path))
    assert said in str(wrong.value)
    assert str(path) in str(wrong.value)


def test_an_unknown_agent_names_the_known_ones():
    for name in ("redaer", "../reader", "nowhere/x"):
        with pytest.raises(TrialError, match="reader"):
            load_agent(name)


def test_an_agent_without_a_local_form_runs_in_docker_only(try_reader, tmp_path):
    path = Path(write_agent(tmp_path, "true"))
    path.write_text("\n".join(line for line in path.read_text().split("\n") if not line.startswith("local_argv")))
    with pytest.raises(TrialError, match="runs in Docker only"):
        try_reader(agent=str(path))


def test_a_model_is_refused_where_none_is_used(try_reader):
    with pytest.raises(TrialError, match="uses no model"):
        try_reader(model="gpt")


def test_an_owner_is_gone_when_its_process_ended_or_its_id_was_reused():
    me = Owner.of_this_process()
    assert not me.gone
    assert me.model_copy(update={"started": "1"}).gone
    assert me.model_copy(update={"boot": "another"}).gone
    assert not me.model_copy(update={"host": "elsewhere", "started": "1"}).gone, "another host cannot be asked"
    child = subprocess.Popen(["true"])
    child.wait()
    assert me.model_copy(update={"pid": child.pid}).gone
    assert owner_of(me.labels("RUN")) == me
    assert owner_of({}) is None


def test_clean_removes_what_dead_processes_left_and_nothing_else(workspace, try_script):
    kept = try_script("exit 0").order[0]
    me = Owner.of_this_process()
    dead = me.model_copy(update={"started": "1"})
    claim_folder(workspace.runs_dir / "01DEAD", dead)
    claim_folder(workspace.runs_dir / "01LIVE", me)
    claim_folder(workspace.local_dir / "staging" / "01DEAD", dead)
    lines = clean_up(workspace, {"DOCKER_HOST": "unix:///nowhere.sock"})
    assert len(lines) == 3
    assert "containers were not looked at" in lines[0]
    assert sorted(path.name for path in workspace.runs_dir.iterdir()) == sorted([kept, "01LIVE"])
    assert (workspace.runs_dir / "01LIVE" / OWNER_FILE).exists()
    assert list((workspace.local_dir / "staging").iterdir()) == []


def test_an_engine_that_does_not_answer_is_said_not_raised():
    environment = {**os.environ, "DOCKER_HOST": "unix:///nowhere.sock"}
    status = engine_status(environment)
    assert not status.available
    assert "socket does not exist" in status.reason
    assert not image_status("reader", environment).available


def test_the_recipe_s_digest_follows_the_source(tmp_path):
    (tmp_path / "__main__.py").write_text("print(1)\n")
    before = recipe_digest("reader", tmp_path)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "x.pyc").write_bytes(b"x")
    assert recipe_digest("reader", tmp_path) == before
    (tmp_path / "__main__.py").write_text("print(2)\n")
    assert recipe_digest("reader", tmp_path) != before
    with pytest.raises(TrialError, match="no image recipe"):
        dockerfile("raeder")


@pytest.mark.parametrize(
    ("name", "text", "mirror"),
    [
        ("sources.list", "deb http://mirror.test/debian bookworm main\n", "http://mirror.test/debian"),
        ("sources.list.d/debian.sources", "URIs: https://mirror.test/debian/\n", "https://mirror.test/debian"),
        ("sources.list.d/other.list", "deb http://other.test/ubuntu noble main\n", "http://deb.debian.org/debian"),
        ("sources.list", "# deb http://old.test/debian buster main\n", "http://deb.debian.org/debian"),
    ],
)
def test_the_base_is_made_from_the_mirror_this_machine_uses(tmp_path, name, text, mirror):
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / name).write_text(text)
    assert debian_mirror(tmp_path) == mirror
