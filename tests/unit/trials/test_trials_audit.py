"""The audit: what holds a run, and what does not."""

from __future__ import annotations

import hashlib
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from trials_bench import run_of

from m4review.trials import Outcome, trial_table
from m4review.trials.agents.trace import TraceReader, parse_event
from m4review.trials.audit import CHUNK, Auditor
from m4review.trials.detectors import network_command
from m4review.trials.sandbox.job import Egress, LeftFile

REFERENCE = hashlib.sha256(b"the reference").hexdigest()
HOST = Path("/srv/hospital/m4review")
KEY = "sk-proj-" + "Ab3" * 12


def audit(data: bytes, *, name: str = "note", own: tuple[Path, ...] = (), chunks: int = 1):
    auditor = Auditor(forbidden=[HOST], own=own, reference=REFERENCE, spool=Path(tempfile.gettempdir()))
    step = -(-len(data) // chunks) or 1
    pieces = (data[at : at + step] for at in range(0, len(data), step))
    auditor.visit(LeftFile(name, "file", len(data), pieces))
    return auditor.result(TraceReader("m4review-events").summary(), trace_truncated=False)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("copied from /answers/ground_truth/sirs.csv", "answer-path"),
        ('{"source": "see ground-truth.parquet"}', "answer-path"),
        ("read expected_output.csv.gz first", "answer-path"),
        ("open references/sofa-24h.parquet", "answer-path"),
        (f"cat {HOST}/tasks", "answer-path"),
        ("thresholds are in task.toml", "task-internals"),
        ("scored by m4review/scoring/comparison.py", "task-internals"),
        ("see .m4review/runs/old/output.csv", "earlier-run"),
        ("cp runs/01HZX3K5Q7T9V1W2Y4Z6A8B0CD/output.csv .", "earlier-run"),
        (f"OPENAI_API_KEY={KEY}", "secret"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", "secret"),
        ("ls /solution/sofa", "answer-path"),
        ("from m4review.scoring.comparison import compare", "task-internals"),
        ('{"source": ["a = 1\\n", "see\\ntask.toml"]}', "task-internals"),
    ],
)
def test_a_trace_of_the_answers_holds_the_run_whatever_the_file_is_called(text, rule):
    findings = audit(b"one line\n" + text.encode() + b"\n", name="analysis.ipynb").findings
    assert [finding.rule for finding in findings] == [rule]
    assert findings[0].line == 2
    assert findings[0].file == "analysis.ipynb"


@pytest.mark.parametrize(
    "text",
    [
        "see data_dictionary.json for the columns",
        "# https://example.invalid/sirs.html explains the criteria",
        "the reference range is 4 to 12; references: Bone 1992",
        "no ground truth was used; the expected output has five columns",
        "this task (instruction.md) asks for task-level scores",
        "runs/first and trials of antibiotics",
        "risk-adjusted-mortality-of-the-whole-cohort-by-year",
        "stay_id,sirs\n30000001,2\n",
        "see https://example.invalid/solution/of/the/week and ./answers/mine.txt",
        "the best solution/answer; ground truth unknown; a golden hour",
        "SELECT 1 AS expected_value, 2 AS reference_id",
    ],
)
def test_ordinary_notes_hold_nothing(text):
    assert audit(text.encode()).findings == ()


def test_a_copy_of_the_hidden_reference_is_found_by_its_bytes():
    assert [finding.rule for finding in audit(b"the reference").findings] == ["copied-reference"]


def test_a_secret_is_shown_by_its_beginning_only():
    finding = audit(f"key {KEY}".encode()).findings[0]
    assert KEY not in finding.excerpt
    assert KEY.lower() not in finding.excerpt


def test_words_across_two_chunks_are_seen_and_their_line_is_right():
    padding = b"x\n" * (CHUNK // 2 - 4)
    data = padding + b"see task.toml" + padding
    finding = audit(data, chunks=2).findings[0]
    assert finding.line == CHUNK // 2 - 4 + 1


def test_a_finding_repeated_on_every_row_is_listed_once():
    assert len(audit(b"see task.toml\n" * 1000).findings) == 1


def test_without_isolation_an_agent_may_name_the_folder_it_was_given():
    own = Path("/srv/ws/.m4review/runs/01HZX3K5Q7T9V1W2Y4Z6A8B0CD")
    assert audit(f"open {own}/work/notes".encode(), own=(own,)).findings == ()
    assert audit(f"open {own}".encode()).findings != ()


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("curl -s https://example.invalid/x", "curl"),
        ("cd /work && PIP_NO_INPUT=1 pip install polars", "pip install"),
        ("python3 -m pip install polars", "pip install"),
        ("/usr/bin/wget x; true", "wget"),
        ("git clone https://example.invalid/r", "git clone"),
        ("echo 'see https://example.invalid' > note.txt", None),
        ("python3 derive.py # like curl, but local", None),
        ("git status", None),
        ("grep curl notes.txt", None),
        ("python3 - <<X\nimport requests\nrequests.get('https://example.invalid')\nX", "requests.get"),
        ("python3 -c 'import urllib.request as u; u.urlopen(\"http://192.0.2.1\")'", "urlopen"),
        ("exec 3<>/dev/tcp/192.0.2.1/80", "/dev/tcp/"),
        ("bash -lc 'curl https://example.invalid'", "curl"),
        ("timeout 5 wget -q x", "wget"),
        ("# requests.get('https://example.invalid') would be the way\npython3 derive.py", None),
        ("python3 derive.py # see https://example.invalid", None),
        ("duckdb /data/task.duckdb -c 'SELECT 1'", None),
    ],
)
def test_a_command_that_reaches_for_the_network_is_told_from_one_that_mentions_it(command, program):
    assert network_command(command) == program


def attempt(kind: str, host: str, port: int | None = 443) -> Egress:
    return Egress(time=datetime(2030, 1, 1, tzinfo=UTC), kind=kind, host=host, port=port)


def test_a_refused_connection_holds_and_what_was_allowed_does_not():
    def look(*attempts: Egress):
        auditor = Auditor(forbidden=[], own=[], reference=REFERENCE, spool=Path(tempfile.gettempdir()))
        auditor.look_at_egress(attempts)
        return auditor.result(TraceReader("m4review-events").summary(), trace_truncated=False).findings

    assert look(attempt("model", "model"), attempt("connect", "allowed.test")) == ()
    (finding,) = look(*[attempt("refused", "other.test", 80)] * 3, attempt("model", "model"))
    assert (finding.rule, finding.file) == ("network", "egress.jsonl")
    assert finding.excerpt == "other.test:80 (3 times)"


def test_a_held_run_is_shown_with_its_evidence_and_enters_no_mean(workspace, try_script):
    script = "printf 'stay_id,sirs\\n' > {output}; echo 'copied from /answers/ground_truth/sirs.csv' > notes"
    summary = try_script(script)
    record = run_of(workspace, summary, "no-skill")
    assert record.outcome is Outcome.AUDIT_HOLD
    assert record.score is not None, "a decision to release it needs no new run"
    assert summary.held
    assert summary.reward("no-skill") is None
    text = trial_table(summary)
    assert "notes:1" in text
    assert "ground_truth/sirs.csv" in text
    assert "HELD" in text


def test_runs_that_failed_or_ran_out_of_time_are_audited_too(workspace, try_script):
    summary = try_script("echo 'see task.toml' > notes; exec sleep 300", seconds=1)
    assert run_of(workspace, summary, "no-skill").outcome is Outcome.AUDIT_HOLD


def test_hostile_names_and_broken_text_neither_break_a_record_nor_reach_a_terminal(workspace, try_script):
    script = r"""
printf 'stay_id,sirs\n' > {output}
printf x > "$(printf 'bell\007escape\033[2J\377end')"
printf '%s\n' '{"event":"message","text":"\ud800 broken \u001b[2J"}'
printf '%s\n' '{"event":"gap","where":"a:1","text":"\udfff","why":"\u0007"}'
printf '%s\n' '{"event":"usage","input_tokens":true,"output_tokens":-5}'
printf '%s\n' '{"event":"usage","input_tokens":1e400,"output_tokens":"x"}'
"""
    heard = []
    summary = try_script(script, listener=heard.append)
    record = run_of(workspace, summary, "no-skill")
    assert record.outcome is Outcome.SCORED
    said = trial_table(summary) + "".join(event.text for event in heard if event.kind == "trace")
    said += "".join(entry.path for entry in record.audit.left)
    assert not any(sign in said for sign in "\x1b\x07\ud800\udfff")
    assert any("bell" in entry.path for entry in record.audit.left)


def test_trace_lines_that_are_not_understood_are_counted_not_dropped():
    reader = TraceReader("m4review-events")
    for line in (b"hello", b'{"event":"dance"}', b"[1]", b"", b'{"event":"message","text":"SKILL.md opened"}'):
        reader.feed(line)
    summary = reader.summary()
    assert (summary.lines, summary.understood) == (4, 1)
    assert summary.skill_opened is True
    assert parse_event(1, b"[" * 100_000) is None
