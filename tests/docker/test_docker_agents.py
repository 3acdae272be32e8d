"""The real agent programs from end to end, against a scripted model: what they are told, do, leave, and how they fail.

``M4REVIEW_ALL_AGENTS=1`` (``make agent-tests-all``) adds the programs and scenarios that the ordinary tests leave out.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import docker
import pytest
from agent_scenarios import COMMAND, ENDINGS, IN_CI, KEY, MORE, Stage, ending_of, told
from trials_bench import SKILL, make_workspace

from m4review.errors import TrialError
from m4review.trials import RunRecord, load_agent
from m4review.trials.rehearsal import Request, scripted_model
from m4review.trials.sandbox.images import build_image
from m4review.trials.sandbox.job import DUMMY_KEY
from m4review.trials.sandbox.ownership import Owner
from m4review.workspace import Workspace

pytestmark = pytest.mark.docker

ALL = bool(os.environ.get("M4REVIEW_ALL_AGENTS"))
AGENTS = (*IN_CI, *MORE) if ALL else IN_CI
OF_EACH_TURN = (1000, 50)
"""Tokens that the scripted model says each of its answers took."""

IN_ORDINARY_TESTS = (
    ("codex", "401"),
    ("codex", "cut"),
    ("codex", "background-processes"),
    ("claude-code", "429"),
    ("claude-code", "refusal"),
    ("mini-swe-agent", "no-output"),
    ("mini-swe-agent", "ctrl-c"),
)
SCENARIOS = (
    [(agent, scenario) for agent in AGENTS for scenario in ENDINGS if scenario != "ok"] if ALL else IN_ORDINARY_TESTS
)


@pytest.fixture(scope="session")
def stage(engine: docker.DockerClient, data_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    for recipe in ("endpoint", "sidecars"):
        _build(engine, recipe)
    workspace = make_workspace(tmp_path_factory.mktemp("agents") / "workspace")
    with scripted_model(engine, Owner.of_this_process(), COMMAND) as model:
        yield Stage(engine, workspace, data_home, model)


def _build(engine: docker.DockerClient, recipe: str) -> None:
    try:
        build_image(engine, recipe, lambda line: print(line, file=sys.stderr))
    except TrialError as error:
        pytest.skip(f"the image {recipe} cannot be built here: {error.what}")


@dataclass(frozen=True)
class Tried:
    """A trial with both conditions, and the requests that each of them made."""

    agent: str
    workspace: Workspace
    runs: dict[str, RunRecord]
    requests: dict[str, list[Request]]
    leftovers: list[str]


@pytest.fixture(scope="module", params=AGENTS)
def tried(request: pytest.FixtureRequest, stage: Stage) -> Tried:
    agent = request.param
    _build(stage.engine, agent)
    runs, requests = {}, {}
    for condition in ("no-skill", "with-skill"):
        before = len(stage.model.requests())
        (runs[condition],) = stage.play(agent, "ok", condition)
        requests[condition] = [turn for turn in stage.model.requests()[before:] if turn.method == "POST"]
    return Tried(agent, stage.workspace, runs, requests, stage.leftovers(list(runs.values())))


def test_the_prompt_arrives_and_the_output_is_scored_in_both_conditions(tried):
    for condition, run in tried.runs.items():
        assert told(run) == "scored", run.reason
        assert 0 < run.reward < 1
        assert run.isolated
        assert "Derive the four criteria of the systemic inflammatory response" in tried.requests[condition][0].text
        assert "/data/task.duckdb" in tried.requests[condition][0].text


def test_the_skill_is_offered_and_read_with_skill_and_no_word_of_it_is_sent_without(tried):
    text = tried.workspace.skill_file(SKILL).read_text(encoding="utf-8")
    # Without quotes and the like, which programs escape in ways of their own when they hand the text on.
    body = next(line for line in text.splitlines() if len(line) > 60 and re.fullmatch(r"[A-Za-z0-9 ,.]+", line))
    description = next(line for line in text.splitlines() if line.startswith("description:")).removeprefix(
        "description: "
    )
    sent = {condition: "\n".join(turn.text for turn in turns) for condition, turns in tried.requests.items()}
    assert SKILL in tried.requests["with-skill"][0].text
    assert body in sent["with-skill"]
    for words in (SKILL, description, body, "/task/skills"):
        assert words not in sent["no-skill"]
    assert tried.runs["with-skill"].trace.skill_opened is True
    assert tried.runs["no-skill"].trace.skill_opened is False


def test_no_skill_of_the_program_itself_is_offered(tried):
    names = (
        "skill-creator",
        "antigravity-support",
        "customize-opencode",
        "plugin-authoring",
        "imagegen",
        "openai-docs",
    )
    for turns in tried.requests.values():
        assert [name for turn in turns for name in names if name in turn.text] == []


def test_no_tool_for_the_web_is_offered(tried):
    for turns in tried.requests.values():
        tools = [tool for turn in turns for tool in _tools(turn.body)]
        assert tools
        assert [tool for tool in tools if "web" in tool.lower()] == []


def test_tokens_are_counted_once(tried):
    for condition, run in tried.runs.items():
        turns = len(tried.requests[condition])
        assert (run.trace.input_tokens, run.trace.output_tokens) == tuple(turns * count for count in OF_EACH_TURN)
        assert run.trace.tokens_agree is not False


def test_the_trace_is_understood_and_shows_the_command(tried):
    for run in tried.runs.values():
        assert run.trace.understood == run.trace.lines
        assert run.trace.status == "ok"
        assert run.trace.events["tool_call"] >= 1
        assert run.audit.findings == ()
        assert run.egress.keys() == {"model"}


def test_the_model_s_server_gets_the_key_and_the_agent_never_holds_it(tried):
    fingerprint = hashlib.sha256(KEY.encode()).hexdigest()[:12]
    dummy = hashlib.sha256(DUMMY_KEY.encode()).hexdigest()[:12]
    for condition, turns in tried.requests.items():
        for turn in turns:
            keys = [value for name, value in turn.headers.items() if "(hidden" in value]
            assert any(fingerprint in value for value in keys)
            assert not any(dummy in value for value in keys)
            assert KEY not in turn.text
        folder = tried.workspace.runs_dir / tried.runs[condition].id
        kept = [path for path in folder.rglob("*") if path.is_file()]
        assert kept
        assert [path.name for path in kept if KEY.encode() in path.read_bytes()] == []


def test_the_run_records_program_image_model_and_server(tried):
    declared = load_agent(tried.agent)
    for run in tried.runs.values():
        assert run.inputs.agent_version == declared.version
        assert run.inputs.image.startswith("sha256:")
        assert run.inputs.model == "scripted-ok"
        assert run.inputs.server.startswith("container://")
        assert {mount.target for mount in run.mounts} >= {"/task/prompt.md", "/data/task.duckdb"}
    assert tried.leftovers == []


@pytest.mark.parametrize(("agent", "scenario"), SCENARIOS, ids=lambda word: word)
def test_a_failure_has_its_outcome_and_leaves_nothing_behind(stage, agent, scenario):
    _build(stage.engine, agent)
    records = stage.play(agent, scenario)
    assert told(records[-1]) == ending_of(agent, scenario), records[-1].reason
    assert stage.leftovers(records) == []


@pytest.mark.parametrize("agent", [name for name in AGENTS if name != "gemini-cli"] if ALL else ["codex"])
def test_a_model_s_name_may_hold_colons_and_slashes(stage, agent):
    _build(stage.engine, agent)
    before = len(stage.model.requests())
    (run,) = stage.play(agent, "ok", model="hub.test/org/name:32b-q4")
    assert told(run) == "scored"
    assert run.inputs.model == "hub.test/org/name:32b-q4"
    turns = [turn for turn in stage.model.requests()[before:] if turn.method == "POST"]
    assert {turn.body["model"] for turn in turns} == {"hub.test/org/name:32b-q4"}


@pytest.mark.parametrize("agent", AGENTS)
def test_the_image_holds_the_declared_version_and_no_way_to_install_more(stage, agent):
    _build(stage.engine, agent)
    declared = load_agent(agent)
    unwanted = "apt apt-get dpkg pip pip3 npm npx git gcc cc make curl wget"
    ask = f"for name in {unwanted}; do command -v $name; done; exit 0"
    image = build_image(stage.engine, agent, lambda line: None).id
    assert stage.engine.containers.run(image, ["sh", "-c", ask], remove=True, network_mode="none") == b""
    said = stage.engine.containers.run(
        image,
        list(declared.version_argv),
        remove=True,
        network_mode="none",
        environment={"HOME": "/tmp", "MSWEA_SILENT_STARTUP": "1", "MSWEA_CONFIGURED": "true"},
        stderr=True,
    )
    assert declared.version in said.decode()


def _tools(body: object) -> Iterator[str]:
    """The names of the tools that a request offers, whatever its protocol."""
    for tool in (body.get("tools") or []) if isinstance(body, dict) else []:
        yield str(tool.get("name") or tool.get("function", {}).get("name") or tool.get("type"))
        for part in tool.get("functionDeclarations", []):
            yield str(part["name"])
