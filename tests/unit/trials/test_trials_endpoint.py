"""The scripted model: four protocols, answers that depend on the request alone, keys that are never kept."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from typing import Any

import pytest

from m4review.trials.endpoint.protocols import Chat, Gemini, Messages, Responses
from m4review.trials.endpoint.script import delivery_of, reply_to, scenario_of, skill_file
from m4review.trials.endpoint.server import Handler, masked

SHELL = {"name": "bash", "properties": {"command": {"type": "string"}}}


def chat(results: int, text: str = "Do it.", model: str = "scripted-ok") -> dict[str, Any]:
    turns = [{"role": "user", "content": text}, *[{"role": "tool", "content": "done"}] * results]
    function = {"name": "bash", "parameters": {"properties": SHELL["properties"]}}
    return {"model": model, "messages": turns, "tools": [{"type": "function", "function": function}]}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    class Told(Handler):
        command_line = "write the output"

    with ThreadingHTTPServer(("127.0.0.1", 0), Told) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def post(address: str, body: object, **headers: str) -> tuple[int, str]:
    request = urllib.request.Request(address, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_the_step_is_the_number_of_results_in_the_request():
    plan = [reply_to(Chat.read(chat(results)), "write the output") for results in range(2)]
    assert plan[0].arguments == {"command": "write the output"}
    assert plan[1].text == "The output is written."
    again = reply_to(Chat.read(chat(0)), "write the output")
    assert again == plan[0]


def test_a_skill_that_the_prompt_names_is_read_first():
    told = Chat.read(chat(0, "Read `/task/skills/sirs/SKILL.md` first."))
    assert reply_to(told, "x").arguments == {"command": "cat /task/skills/sirs/SKILL.md"}
    assert reply_to(Chat.read(chat(1, "Read `/task/skills/sirs/SKILL.md` first.")), "x").arguments == {"command": "x"}


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("- `r0` = `/root/skills`\n- sirs: … (file: r0/sirs/SKILL.md)", "/root/skills/sirs/SKILL.md"),
        ("see /task/skills/a/SKILL.md and /task/skills/b/SKILL.md", "/task/skills/a/SKILL.md"),
        ("a skill is stored in a `SKILL.md` file", None),
    ],
)
def test_the_path_of_a_skill_is_found_in_the_request(text, path):
    assert skill_file(text) == path


@pytest.mark.parametrize(
    ("protocol", "body"),
    [
        (
            Responses,
            {
                "model": "m",
                "input": [{"type": "function_call_output"}, {"type": "custom_tool_call_output"}],
                "tools": [{"type": "function", "name": "bash", "parameters": {"properties": {"command": {}}}}],
            },
        ),
        (
            Messages,
            {
                "model": "m",
                "messages": [{"role": "user", "content": [{"type": "tool_result"}, {"type": "tool_result"}]}],
                "tools": [{"name": "bash", "input_schema": {"properties": {"command": {}}}}],
            },
        ),
        (Chat, chat(2, model="m")),
        (
            Gemini,
            {
                "model": "m",
                "contents": [{"parts": [{"functionResponse": {}}, {"functionResponse": {}}]}],
                "tools": [{"functionDeclarations": [{"name": "bash", "parameters": {"properties": {"command": {}}}}]}],
            },
        ),
    ],
)
def test_every_protocol_is_read_alike(protocol, body):
    told = protocol.read(body)
    assert (told.model, told.results, [tool.name for tool in told.tools]) == ("m", 2, ["bash"])
    assert list(told.tools[0].properties) == ["command"]


def test_scenarios_are_named_by_the_model():
    assert scenario_of("openai/scripted-hang-command") == "hang-command"
    assert scenario_of("any-other") == "ok"
    assert [delivery_of(f"scripted-{name}").status for name in ("401", "429", "500", "ok")] == [401, 429, 500, 200]


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("/v1/responses", "response.completed"),
        ("/v1/messages?beta=true", "message_stop"),
        ("/v1/chat/completions", "[DONE]"),
        ("/v1beta/models/scripted-ok:streamGenerateContent?alt=sse", "usageMetadata"),
    ],
)
def test_answers_are_streamed_to_their_end(server, path, word):
    status, text = post(server + path, {"model": "scripted-ok", "stream": True})
    assert status == 200
    assert word in text


def test_errors_have_their_status_and_what_is_not_json_is_refused(server):
    for status in (401, 429, 500):
        assert post(f"{server}/v1/messages", {"model": f"scripted-{status}"})[0] == status
    assert post(f"{server}/v1/messages", [1])[0] == 400
    assert post(f"{server}/v1/nothing", {})[0] == 404


def test_a_stream_that_is_cut_has_no_end(server):
    assert "message_stop" not in post(f"{server}/v1/messages", {"model": "scripted-cut", "stream": True})[1]


def test_requests_are_recorded_and_keys_are_not(server, capsys):
    post(f"{server}/v1/messages?key=hunter2", {"model": "scripted-ok", "mark": 7}, **{"x-api-key": "hunter2"})
    said = capsys.readouterr().out
    record = json.loads(said.splitlines()[-1])
    assert record["body"]["mark"] == 7
    assert "hunter2" not in said
    assert masked("Authorization", "Bearer hunter2").startswith("Bearer (hidden, 7 characters, ")
    assert masked("Accept", "text/plain") == "text/plain"
