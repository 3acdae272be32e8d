"""Traces of the real programs, recorded against the scripted model: one form, tokens once, failures told apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from m4review.trials.agents.agent import load_agent
from m4review.trials.agents.trace import PARSERS, TraceEvent, TraceReader, TraceSummary, read_trace

TRACES = Path(__file__).parent / "traces"
ODD = [
    json.dumps(
        {"event": kind, "id": [1], "name": {}, "status": [], "input_tokens": "x", "total": 1, "text": 7}
    ).encode()
    for kind in ("message", "tool_call", "tool_result", "gap", "usage", "end")
]
AGENTS = {
    "claude": "claude-code",
    "codex": "codex",
    "gemini": "gemini-cli",
    "mini": "mini-swe-agent",
    "opencode": "opencode",
}


def lines(sample: str) -> list[bytes]:
    return (TRACES / f"{sample}.jsonl").read_bytes().splitlines()


def summary(sample: str) -> TraceSummary:
    return read_trace(lines(sample), load_agent(AGENTS[sample.partition("-")[0]]).parser)


def events(sample: str) -> list[TraceEvent]:
    reader = TraceReader(load_agent(AGENTS[sample.partition("-")[0]]).parser)
    return [event for line in lines(sample) for event in reader.feed(line) or ()]


@pytest.mark.parametrize("name", AGENTS)
def test_every_line_is_understood_and_the_skill_was_opened(name):
    found = summary(f"{name}-ok-skill")
    assert found.understood == found.lines
    assert found.skill_opened is True
    assert found.status == "ok"


@pytest.mark.parametrize("name", AGENTS)
def test_three_answers_are_counted_as_three_however_often_the_trace_repeats_them(name):
    found = summary(f"{name}-ok-skill")
    assert (found.input_tokens, found.output_tokens) == (3000, 150)
    assert found.tokens_agree is not False


@pytest.mark.parametrize("name", AGENTS)
def test_calls_and_results_are_paired_and_the_command_is_shown(name):
    found = events(f"{name}-ok-skill")
    calls = [event for event in found if event.kind == "tool_call"]
    results = {event.values["id"]: event for event in found if event.kind == "tool_result"}
    assert any("/work/output.csv" in event.values.get("command", "") for event in calls)
    assert all(event.values["name"] for event in calls)
    assert {event.values["id"] for event in calls} == results.keys()
    written = next(event for event in calls if "output.csv" in event.values.get("command", ""))
    assert "stay_id,sirs" in results[written.values["id"]].values["text"]


@pytest.mark.parametrize(
    ("sample", "kind"),
    [
        ("codex-401", "auth"),
        ("codex-429", "rate-limit"),
        ("codex-500", "server"),
        ("codex-cut", "server"),
        ("claude-401", "auth"),
        ("claude-429", "rate-limit"),
        ("claude-500", "server"),
        ("claude-refusal", "refusal"),
        ("gemini-401", "auth"),
        ("gemini-cut", "server"),
        ("opencode-401", "auth"),
        ("opencode-500", "server"),
        ("opencode-refusal", "refusal"),
        ("mini-401", "auth"),
        ("mini-500", "server"),
        ("mini-refusal", "refusal"),
    ],
)
def test_a_failure_is_laid_where_the_program_lays_it(sample, kind):
    agent = load_agent(AGENTS[sample.partition("-")[0]])
    assert agent.classify(summary(sample), 1, "") == kind


@pytest.mark.parametrize("name", AGENTS)
def test_a_run_that_ended_well_failed_of_nothing_whatever_its_errors_on_the_way(name):
    agent = load_agent(AGENTS[name])
    found = summary(f"{name}-ok-skill").model_copy(update={"problems": ("429 500 401 RateLimitError",)})
    assert agent.classify(found, 0, "status: 401") is None


def test_what_stands_on_standard_error_counts_only_after_a_bad_end():
    agent = load_agent("gemini-cli")
    silent = summary("gemini-401").model_copy(update={"status": None, "problems": ()})
    assert agent.classify(silent, 1, "  status: 429\n") == "rate-limit"
    assert agent.classify(silent, 0, "  status: 429\n") is None


def test_a_call_for_a_skill_that_fails_opens_none():
    broken = [line.replace(b'"status": "completed"', b'"status": "error"') for line in lines("opencode-ok-skill")]
    assert read_trace(broken, "opencode-json").skill_opened is False


def test_a_command_that_only_lists_the_skills_opens_none():
    item = {"id": "1", "type": "command_execution", "command": "ls /task/skills", "exit_code": 0}
    trace = [json.dumps({"type": kind, "item": item}).encode() for kind in ("item.started", "item.completed")]
    assert read_trace(trace, "codex-jsonl").skill_opened is False


def test_sums_that_differ_from_the_program_s_total_are_said():
    changed = [line.replace(b'"input_tokens": 3000', b'"input_tokens": 9000') for line in lines("claude-ok-skill")]
    found = read_trace(changed, "claude-stream-json")
    assert found.tokens_agree is False
    assert found.input_tokens == 9000


@pytest.mark.parametrize("parser", sorted(PARSERS))
@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b"[]",
        b"{",
        b'{"type": 3}',
        b"null",
        b"\xff\xfe",
        b"plain words",
        b'{"type":"item.completed","item":7}',
        *ODD,
    ],
)
def test_a_line_of_another_form_never_breaks_the_trace(parser, line):
    reader = TraceReader(parser)
    reader.feed(line)
    assert reader.summary().lines == 1


@pytest.mark.parametrize("name", AGENTS)
def test_values_of_a_wrong_kind_never_break_the_trace(name):
    parser = load_agent(AGENTS[name]).parser
    for line in lines(f"{name}-ok-skill"):
        whole = json.loads(line)
        for key in whole:
            for wrong in (None, 7, "x", [], {}, [1], {"content": [1, {"type": "tool_use", "input": 3}]}):
                read_trace([json.dumps({**whole, key: wrong}).encode()], parser)


def test_a_format_that_nobody_described_is_kept_and_not_taken_for_understood():
    found = read_trace([b'{"anything": 1}'], "raw")
    assert (found.lines, found.understood, found.readable) == (1, 0, False)
    assert found.skill_opened is None
