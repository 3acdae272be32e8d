"""Agents' files: the five programs, what they declare, how they are told, and what goes wrong in an own file."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from trials_bench import make_workspace

from m4review.cli.agent import agent as agent_command
from m4review.errors import TrialError
from m4review.trials import TrialRequest, agent_names, load_agent
from m4review.trials.agents.modelserver import checked_model, reach_of
from m4review.trials.conditions import Condition
from m4review.trials.materials import prompt_of, write_seeds
from m4review.trials.offers import offer
from m4review.trials.request import require_runnable
from m4review.trials.sandbox.job import DUMMY_KEY, MODEL_URL
from m4review.trials.sandbox.packages import machine_of
from m4review.trials.sandbox.recipe import RECIPES, base_recipe, recipe_digest, recipe_names

PROGRAMS = [name for name in agent_names() if name != "reader"]


def own_file(folder: Path, name: str, **changes: str) -> str:
    """A copy of a shipped agent's file with lines put in their places."""
    text = (Path(load_agent.__code__.co_filename).parent / f"{name}.toml").read_text()
    for old, new in changes.items():
        text = re.sub(rf"(?m)^{old} = .*$", new, text, count=1)
    path = folder / "own.toml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_declared_version_is_the_one_that_is_pinned_with_its_digest(name):
    declared, folder = load_agent(name), RECIPES / load_agent(name).image
    locks = [folder / lock for lock in ("package-lock.json", "requirements.txt") if (folder / lock).is_file()]
    pinned = "".join(lock.read_text() for lock in locks)
    assert declared.version in pinned
    assert '"integrity": "sha512-' in pinned or "--hash=sha256:" in pinned


@pytest.mark.parametrize("recipe", recipe_names())
def test_every_package_that_is_fetched_has_a_recorded_digest_and_no_server_is_named(recipe):
    folder = RECIPES / recipe
    if (folder / "package-lock.json").is_file():
        packages = json.loads((folder / "package-lock.json").read_text())["packages"]
        assert all(entry.get("integrity", "").startswith("sha512-") for path, entry in packages.items() if path)
        assert "resolved" not in (folder / "package-lock.json").read_text()
    if (folder / "requirements.txt").is_file():
        blocks = re.split(r"(?m)^(?=\S)", (folder / "requirements.txt").read_text())[1:]
        assert all("--hash=sha256:" in block and "==" in block for block in blocks)


def test_a_recipe_s_digest_follows_the_recipe_it_is_based_on(monkeypatch, tmp_path):
    for name, text in {"under": "ARG BASE\n", "over": "ARG BASE=under\n"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "Dockerfile").write_text(text)
    monkeypatch.setattr("m4review.trials.sandbox.recipe.RECIPES", tmp_path)
    assert (base_recipe("over"), base_recipe("under")) == ("under", None)
    before = recipe_digest("over")
    (tmp_path / "under" / "Dockerfile").write_text("ARG BASE\nRUN true\n")
    assert recipe_digest("over") != before


def test_an_architecture_without_packages_is_refused():
    assert (machine_of("amd64"), machine_of("arm64")) == ("x86_64", "aarch64")
    with pytest.raises(TrialError, match="riscv64"):
        machine_of("riscv64")


def test_the_key_goes_to_the_server_s_side_and_is_shown_nowhere():
    need = reach_of(load_agent("claude-code"), {"ANTHROPIC_API_KEY": "the-key"}).need
    assert need.model.key.reveal() == "the-key"
    assert (need.model.header, need.model.prefix) == ("x-api-key", "")
    assert "the-key" not in repr(need)


@pytest.mark.parametrize("name", PROGRAMS)
def test_where_a_program_wants_a_key_it_gets_a_word_in_its_place(name):
    declared = load_agent(name)
    places = [*declared.environment.items(), *declared.seeds.items()]
    assert any("{dummy_key}" in text for _, text in places)
    assert declared.environment.get(declared.key_env, "{dummy_key}") == "{dummy_key}"


@pytest.mark.parametrize("name", ["codex", "claude-code", "gemini-cli"])
def test_a_hosted_model_without_a_key_is_refused_and_the_variable_named(name):
    declared = load_agent(name)
    with pytest.raises(TrialError, match=declared.key_env):
        reach_of(declared, {})
    with pytest.raises(TrialError, match="characters that no key has"):
        reach_of(declared, {declared.key_env: 'quoted" key'})


def test_a_server_of_one_s_own_needs_an_address_and_no_key():
    mini = load_agent("mini-swe-agent")
    with pytest.raises(TrialError, match="OPENAI_BASE_URL"):
        reach_of(mini, {})
    reach = reach_of(mini, {"OPENAI_BASE_URL": "http://models.test:8000/v1"})
    assert (reach.server, reach.need.model.key, reach.need.attach) == ("http://models.test:8000/v1", None, ())
    for wrong in ("http://localhost:11434/v1", "http://user:word@models.test/v1", "file:///etc/passwd"):
        with pytest.raises(TrialError):
            reach_of(mini, {"OPENAI_BASE_URL": wrong})


def test_a_server_in_a_container_closes_everything_beyond_it():
    reach = reach_of(load_agent("opencode"), {"OPENAI_BASE_URL": "container://vllm:8000/v1"})
    assert reach.need.attach == ("vllm",)
    assert reach.need.model.upstream == "http://vllm:8000/v1"
    assert reach.server == "container://vllm:8000/v1"


@pytest.mark.parametrize("name", ["gpt-5.1", "qwen2.5-coder:32b", "org/model:q4@v2", "a" * 200])
def test_names_of_models_with_colons_and_slashes_are_taken(name):
    assert checked_model(name) == name
    require_runnable(load_agent("codex"), TrialRequest(task="x", agent="codex", model=name))


@pytest.mark.parametrize("name", ["--help", "a b", 'a"b', "a\nb", "$(x)", "{model}", "a" * 201])
def test_what_is_no_name_of_a_model_is_refused(name):
    with pytest.raises(TrialError, match="not a name of a model"):
        require_runnable(load_agent("codex"), TrialRequest(task="x", agent="codex", model=name))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_prompt_is_the_same_in_every_condition_but_for_where_skills_are(name, tmp_path):
    workspace = make_workspace(tmp_path / "workspace")
    task, declared = workspace.task("mimic-sirs-24h-raw"), load_agent(name)
    without = offer(workspace, task, Condition.NO_SKILL)
    skilled = offer(workspace, task, Condition.WITH_SKILL)
    plain, told = (prompt_of(declared, given, given.instruction(task)) for given in (without, skilled))
    assert plain.startswith(task.instruction.strip("\n"))
    assert "/data/task.duckdb" in plain
    assert "skill" not in plain.lower()
    assert told.startswith(plain.rstrip("\n"))
    assert bool(declared.skill_prompt) == (told != plain)
    assert ("/task/skills/sirs-criteria/SKILL.md" in told) == bool(declared.skill_prompt)
    assert bool(declared.skill_folders) != bool(declared.skill_prompt)


@pytest.mark.parametrize("name", PROGRAMS)
def test_seeds_are_whole_with_any_model_s_name(name, tmp_path):
    declared = load_agent(name)
    write_seeds(tmp_path, declared, "org/model:q4")
    for path in declared.seeds:
        text = (tmp_path / path).read_text()
        (json.loads if path.endswith(".json") else tomllib.loads)(text)
        assert "{model" not in text
        assert "{dummy_key}" not in text
    if name == "opencode":
        settings = json.loads((tmp_path / ".config/opencode/opencode.json").read_text())
        assert settings["provider"]["local"]["options"] == {"baseURL": MODEL_URL, "apiKey": DUMMY_KEY}
        assert list(settings["provider"]["local"]["models"]) == ["org/model:q4"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"protocol": 'protocl = "chat"'}, "protocl"),
        ({"protocol": 'protocol = "smtp"'}, "protocol"),
        ({"protocol": ""}, "needs a protocol"),
        ({"network": ""}, "go with network = 'model'"),
        ({"network": 'network = "host"'}, "network"),
        ({"stdin": 'stdin = "task"'}, "stdin"),
        ({"parser": 'parser = "codex"'}, "parser 'codex'"),
        ({"version_argv": 'local_argv = ["codex"]'}, "container only"),
        ({"pattern": "pattern = '('"}, "not a regular expression"),
        ({"kind": "kind = 'quota'"}, "failures"),
        ({"OPENAI_API_KEY": 'OPENAI_API_KEY = "{secret}"'}, "{secret} in environment"),
        ({"memory_mib": "memory_mb = 1"}, "memory_mb"),
        ({'"[.]codex/config[.]toml"': '"../x" = """'}, "not a path in the agent's HOME"),
    ],
)
def test_a_mistake_in_an_agent_s_own_file_is_named(tmp_path, change, said):
    path = own_file(tmp_path, "codex", **change)
    with pytest.raises(TrialError) as wrong:
        load_agent(path)
    assert said in str(wrong.value)
    assert path in str(wrong.value)


def test_a_misspelt_key_is_named_with_its_line_and_the_likely_one(tmp_path):
    path = own_file(tmp_path, "codex", key_env='key_evn = "X"')
    with pytest.raises(TrialError, match="did you mean key_env") as wrong:
        load_agent(path)
    assert wrong.value.line == 1 + Path(path).read_text().splitlines().index('key_evn = "X"')


def test_agents_are_listed_and_shown_for_people_and_for_scripts():
    run = CliRunner()
    listed = json.loads(run.invoke(agent_command, ["list", "--json"]).stdout)
    assert listed["schema"] == "m4review.agents.v1"
    assert [entry["name"] for entry in listed["agents"]] == agent_names()
    shown = json.loads(run.invoke(agent_command, ["show", "codex", "--json"]).stdout)
    assert (shown["schema"], shown["version"]) == ("m4review.agent.v1", load_agent("codex").version)
    assert "never to the agent" in run.invoke(agent_command, ["show", "codex"]).stdout
    assert run.invoke(agent_command, ["show", "codecs"]).exception.expected.endswith("did you mean codex?")
