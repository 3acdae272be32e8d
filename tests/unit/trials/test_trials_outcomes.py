"""How runs end: every ending has its own outcome, and only the agent's own failures count."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from trials_bench import run_of

from m4review.errors import TrialError
from m4review.trials import Outcome

SCORED = "printf 'stay_id,sirs\\n' > {output}"


@pytest.mark.parametrize(
    ("script", "outcome", "said"),
    [
        ("exit 0", Outcome.NO_OUTPUT, "left no output"),
        ("exit 3", Outcome.AGENT_ERROR, "exit code 3"),
        ("printf 'a,b\\n1,2\\n' > {output}", Outcome.INVALID_OUTPUT, "key column stay_id"),
        (": > {output}", Outcome.INVALID_OUTPUT, "empty"),
        ("ln -s /etc/passwd {output}", Outcome.INVALID_OUTPUT, "never followed"),
        ("mkdir {output}", Outcome.INVALID_OUTPUT, "never followed"),
        ("mkfifo {output}", Outcome.INVALID_OUTPUT, "never followed"),
    ],
)
def test_an_agent_that_leaves_no_table_counts_as_zero(workspace, try_script, script, outcome, said):
    summary = try_script(script)
    record = run_of(workspace, summary, "no-skill")
    assert record.outcome is outcome
    assert said in record.reason
    assert summary.reward("no-skill") == 0.0
    assert summary.unscored[0].counts


def test_the_output_decides_not_the_exit_code(workspace, try_script):
    record = run_of(workspace, try_script(f"{SCORED}; exit 7"), "no-skill")
    assert record.outcome is Outcome.SCORED
    assert record.exit_code == 7


def test_an_output_above_the_work_folder_s_size_is_invalid(workspace, try_script):
    summary = try_script("head -c 3000000 /dev/zero > {output}", limits={"work_mib": 1})
    assert run_of(workspace, summary, "no-skill").outcome is Outcome.INVALID_OUTPUT


def test_the_deadline_ends_an_agent_and_what_it_started(workspace, try_script, tmp_path):
    summary = try_script(f"sleep 300 & echo $! > {tmp_path}/child; wait", seconds=1)
    record = run_of(workspace, summary, "no-skill")
    assert record.outcome is Outcome.AGENT_TIMEOUT
    assert summary.reward("no-skill") == 0.0
    assert_ended(int((tmp_path / "child").read_text()))


def test_a_program_left_in_the_background_ends_with_the_run(workspace, try_script, tmp_path):
    try_script(f"{SCORED}; sleep 300 >/dev/null 2>&1 & echo $! > {tmp_path}/child")
    assert_ended(int((tmp_path / "child").read_text()))


def test_stopping_ends_the_agent_keeps_an_honest_record_and_starts_nothing_more(workspace, try_script, tmp_path):
    cancel = threading.Event()

    def stop_when_it_works(event):
        if event.kind == "trace":
            cancel.set()

    script = f'echo \'{{{{"event":"message","text":"at work"}}}}\'; echo $$ > {tmp_path}/agent; sleep 300'
    script = script.replace("{{", "{").replace("}}", "}")
    conditions = ("no-skill", "with-skill")
    summary = try_script(script, conditions=conditions, cancel=cancel, listener=stop_when_it_works)
    assert summary.cancelled
    assert not summary.complete
    assert len(summary.order) == 1
    assert summary.unscored[0].outcome is Outcome.CANCELLED
    assert not summary.unscored[0].counts
    assert summary.delta is None


def test_a_sandbox_that_fails_is_tried_once_more_and_never_counts_as_zero(workspace, try_reader, tmp_path):
    agent = tmp_path / "gone.toml"
    agent.write_text(
        'name = "gone"\nversion = "1"\ntitle = "Gone."\nimage = "reader"\nparser = "m4review-events"\n'
        'argv = ["true"]\nlocal_argv = ["/nowhere/agent"]\n',
        encoding="utf-8",
    )
    said = []
    summary = try_reader(agent=str(agent), conditions=("no-skill",), listener=said.append)
    assert [run.outcome for run in summary.unscored] == [Outcome.INFRA_ERROR, Outcome.INFRA_ERROR]
    assert summary.reward("no-skill") is None
    assert not summary.complete
    assert any(event.kind == "notice" and "trying once more" in event.text for event in said)


def test_a_talkative_agent_is_cut_off_and_the_record_says_so(workspace, try_script):
    summary = try_script(f"yes | head -c 3000000; {SCORED}", limits={"trace_mib": 1})
    record = run_of(workspace, summary, "no-skill")
    assert record.outcome is Outcome.SCORED
    assert (workspace.runs_dir / record.id / "trace.jsonl").stat().st_size == 1 << 20
    assert any("longer than its limit" in note for note in record.audit.notes)


def test_an_empty_trace_gets_no_clean_bill(workspace, try_script):
    summary = try_script(SCORED)
    assert summary.conditions[0].audit == "blind"
    assert run_of(workspace, summary, "no-skill").trace.skill_opened is None


def test_a_full_disk_stops_the_trial_with_a_clear_message_and_leaves_nothing(workspace, try_script, mount_small_disk):
    small = workspace.runs_dir
    small.mkdir(parents=True)
    mount_small_disk(small, "1m")
    with pytest.raises(TrialError, match="No space left") as full:
        try_script("head -c 4000000 /dev/zero | tr '\\0' x; exec sleep 300")
    assert "free disk space" in full.value.fix
    assert list((workspace.local_dir / "staging").iterdir()) == []


def assert_ended(pid: int) -> None:
    """The process is gone, or a zombie that nobody has waited for yet."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return
    assert state == "Z"
