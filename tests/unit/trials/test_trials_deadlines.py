"""No phase of a run outlasts its deadline, whatever the engine does; and what a job asks for is checked first."""

from __future__ import annotations

import contextlib
import socket
import threading
from dataclasses import replace
from pathlib import Path

import docker
import pytest
from requests.exceptions import RequestException

from m4review.errors import EngineUnavailableError, TrialError
from m4review.trials.sandbox.deadlines import PhaseDeadline
from m4review.trials.sandbox.engine import connect
from m4review.trials.sandbox.givenfiles import extra_outputs, folders_above, skill_places
from m4review.trials.sandbox.job import Limits, NetworkNeed, SandboxFailure, SandboxJob, Secret, Watch
from m4review.trials.sandbox.local_sandbox import LocalSandbox
from m4review.trials.sandbox.sentfiles import is_elsewhere


@pytest.fixture
def silent_engine():
    """A server that takes every request and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = []

        def take():
            while True:
                try:
                    taken.append(server.accept()[0])
                except OSError:
                    return

        threading.Thread(target=take, daemon=True).start()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        for connection in taken:
            connection.close()


def test_an_engine_that_never_answers_ends_the_phase_and_names_it(silent_engine):
    client = docker.DockerClient(base_url=silent_engine, version="1.41", timeout=3600)
    deadline = PhaseDeadline(client)

    def ask_often() -> None:
        """A phase of many requests, each of which is given up and followed by another."""
        for _ in range(1000):
            with contextlib.suppress(RequestException):
                client.api.inspect_container("x")
        client.api.inspect_container("x")

    for work in (lambda: client.api.inspect_container("x"), ask_often):
        with (
            pytest.raises(SandboxFailure, match="the engine needed more than 0 s for starting the agent"),
            deadline.within(0.2, "starting the agent"),
        ):
            work()
    client.close()


def test_an_engine_that_is_not_there_is_said_in_words():
    with pytest.raises(EngineUnavailableError, match="no Docker engine answers"):
        connect(environment={"DOCKER_HOST": "tcp://127.0.0.1:9"})
    with pytest.raises(EngineUnavailableError, match="there is no Docker context 'm4review-missing'"):
        connect(environment={"DOCKER_CONTEXT": "m4review-missing"})


def test_an_engine_over_ssh_is_told_how_to_be_reached():
    with pytest.raises(EngineUnavailableError, match=r"not reached over ssh:(.|\n)*M4REVIEW_ENGINE=elsewhere"):
        connect(environment={"DOCKER_HOST": "ssh://host.test"})


def test_where_the_engine_s_disk_is_follows_its_address_unless_said():
    there = docker.DockerClient(base_url="tcp://192.0.2.1:2375", version="1.41")
    here = docker.DockerClient(base_url="unix:///nowhere", version="1.41")
    assert is_elsewhere(there, {})
    assert not is_elsewhere(here, {})
    assert is_elsewhere(here, {"M4REVIEW_ENGINE": "elsewhere"})
    assert not is_elsewhere(there, {"M4REVIEW_ENGINE": "here"})
    with pytest.raises(TrialError, match="no place of an engine"):
        is_elsewhere(here, {"M4REVIEW_ENGINE": "else"})


def test_a_secret_is_never_shown():
    secret = Secret("sk-value")
    for text in (str(secret), repr(secret), f"{secret}", repr([secret]), repr(NetworkNeed())):
        assert "sk-value" not in text
    assert secret.reveal() == "sk-value"


@pytest.fixture
def job(tmp_path: Path) -> SandboxJob:
    return SandboxJob("R", ("true",), {}, Limits(), tmp_path, (), tmp_path, tmp_path)


def test_skills_are_shown_in_work_or_home_and_nowhere_else(job):
    given = replace(job, skill_folders=("~/.agents/skills", "/work/.claude/skills", "~/a/../.x/skills"))
    assert skill_places(given) == (
        "/home/agent/.agents/skills",
        "/work/.claude/skills",
        "/home/agent/.x/skills",
    )
    assert folders_above(skill_places(given), "/home/agent") == ["/home/agent/.agents", "/home/agent/.x"]
    for folder in ("/etc/skills", "~/../root/skills", "/work", "skills", "~other/skills"):
        with pytest.raises(TrialError, match="skills cannot be shown in"):
            skill_places(replace(job, skill_folders=(folder,)))


def test_extra_outputs_stay_in_the_work_folder_and_take_no_record_s_name(job):
    given = replace(job, extra_outputs=("steps.json", "/work/.home/log.txt"))
    assert list(extra_outputs(given)) == [("steps.json", "steps.json"), (".home/log.txt", "log.txt")]
    for path in ("../etc/passwd", "/etc/passwd", "run.json", "a/trace.jsonl", "egress.jsonl", "output.csv", "."):
        with pytest.raises(TrialError, match="not an extra output"):
            list(extra_outputs(replace(job, extra_outputs=(path,))))
    with pytest.raises(TrialError, match="not an extra output"):
        list(extra_outputs(replace(job, extra_outputs=("a/x.json", "b/x.json"))))


@pytest.mark.parametrize(
    "wish",
    [{"network": NetworkNeed()}, {"seeds": Path()}, {"skill_folders": ("~/x",)}, {"stdin": "/task/instruction.md"}],
)
def test_without_walls_there_is_no_network_and_nothing_that_needs_them(job, wish):
    watch = Watch(lambda phase: pytest.fail(phase), lambda left: None, lambda line: None)
    with pytest.raises(SandboxFailure, match="runs in Docker only"):
        LocalSandbox().run(replace(job, **wish), watch)


def test_a_program_that_is_not_there_is_named(job):
    watch = Watch(lambda phase: contextlib.nullcontext(), lambda left: None, lambda line: None)
    with pytest.raises(SandboxFailure, match="cannot be started: there is no such program"):
        LocalSandbox().run(replace(job, argv=("no-such-agent",)), watch)
