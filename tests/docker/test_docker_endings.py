"""However a run ends, it has the right outcome and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from trials_bench import DATASET, TASK, run_of, write_agent

from m4review.trials import Outcome, load_runs, load_trials
from m4review.trials.sandbox.docker_sandbox import Names
from m4review.trials.sandbox.ownership import OWNER_LABEL, RUN_LABEL, Owner
from m4review.trials.sandbox.sweep import sweep_orphans

pytestmark = pytest.mark.docker

AT_WORK = 'echo \'{"event":"message","text":"at work"}\''


def test_the_skill_helps_on_sirs_in_a_container_and_nothing_is_left(workspace, try_docker, leftovers):
    summary = try_docker()
    assert summary.isolated
    assert summary.delta > 0.3
    record = run_of(workspace, summary, "with-skill")
    assert record.isolated
    assert record.audit.findings == ()
    assert record.trace.skill_opened
    assert record.inputs.image.startswith("sha256:")
    targets = [mount.target for mount in record.mounts]
    assert "/data/task.duckdb" in targets
    assert "/task/skills/sirs-criteria/SKILL.md" in targets
    assert all(":" in mount.digest for mount in record.mounts)
    assert {"create", "start", "agent", "stop", "read", "audit", "score"} == set(record.seconds)
    assert leftovers() == []


def test_the_same_edit_moves_the_reward_in_a_container_too(workspace, try_docker):
    before = try_docker(conditions=("with-skill",)).reward("with-skill")
    path = workspace.skill_file("sirs-criteria")
    text = path.read_text(encoding="utf-8")
    assert "highest heart rate > 90" in text
    path.write_text(text.replace("highest heart rate > 90", "highest heart rate > 130"), encoding="utf-8")
    assert try_docker(conditions=("with-skill",)).reward("with-skill") < before


def test_the_deadline_ends_an_agent_that_refuses_to_end(workspace, try_script, leftovers):
    summary = try_script("trap '' TERM; while :; do sleep 1; done", seconds=2)
    record = run_of(workspace, summary, "no-skill")
    assert record.outcome is Outcome.AGENT_TIMEOUT
    assert record.seconds["agent"] < 20
    assert leftovers() == []


def test_an_agent_that_freezes_its_own_deadline_is_ended_by_the_host(workspace, try_script, leftovers):
    summary = try_script("kill -STOP $PPID; sleep 300", seconds=1)
    assert run_of(workspace, summary, "no-skill").outcome is Outcome.AGENT_TIMEOUT
    assert leftovers() == []


def test_programs_left_in_the_background_die_with_the_container(workspace, try_script, leftovers):
    mark = f"61{os.getpid()}"
    summary = try_script(f"(setsid nohup sleep {mark} >/dev/null 2>&1 &); printf 'stay_id\\n' > /work/output.csv")
    assert run_of(workspace, summary, "no-skill").outcome is Outcome.SCORED
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [line for line in running if mark.encode() in line]
    assert leftovers() == []


def test_an_agent_that_ends_at_once_keeps_its_first_and_last_words(workspace, try_script):
    summary = try_script(f"{AT_WORK}; echo last >&2; exit 3")
    record = run_of(workspace, summary, "no-skill")
    assert record.outcome is Outcome.AGENT_ERROR
    assert record.exit_code == 3
    assert record.trace.understood == 1
    assert (workspace.runs_dir / record.id / "stderr.txt").read_text() == "last\n"


@pytest.mark.parametrize(
    "script",
    [
        "ln -s /etc/passwd /work/output.csv",
        "ln -s /work/real.csv /work/output.csv; printf 'stay_id\\n' > /work/real.csv",
        "mkfifo /work/output.csv",
        "mkdir /work/output.csv",
    ],
)
def test_an_output_that_is_no_plain_file_is_refused_and_never_followed(workspace, try_script, script):
    summary = try_script(script)
    record = run_of(workspace, summary, "no-skill")
    assert record.outcome is Outcome.INVALID_OUTPUT
    assert not (workspace.runs_dir / record.id / "output.csv").exists()


def test_an_endless_output_is_bounded_by_the_work_folder(workspace, try_script, leftovers):
    script = "printf 'stay_id\\n' > /work/output.csv; yes 1 >> /work/output.csv; exit 0"
    record = run_of(workspace, try_script(script, limits={"work_mib": 4}), "no-skill")
    assert (workspace.runs_dir / record.id / "output.csv").stat().st_size <= 4 << 20
    assert record.outcome is Outcome.SCORED
    assert leftovers() == []


def test_files_that_claim_to_be_huge_are_not_read_for_ever(workspace, try_script):
    script = "printf 'stay_id\\n' > /work/output.csv; for n in 1 2 3 4; do truncate -s 8M /work/hole$n; done"
    record = run_of(workspace, try_script(script, limits={"work_mib": 8}), "no-skill")
    assert record.outcome is Outcome.AUDIT_HOLD
    assert record.audit.findings[0].rule == "unfinished-audit"
    assert record.audit.bytes_read < 32 << 20


def test_a_flood_on_standard_output_is_cut_off_on_the_host(workspace, try_script):
    summary = try_script("yes | head -c 30000000; exit 0", limits={"trace_mib": 1})
    record = run_of(workspace, summary, "no-skill")
    assert (workspace.runs_dir / record.id / "trace.jsonl").stat().st_size == 1 << 20
    assert record.outcome is Outcome.NO_OUTPUT


def test_a_name_of_the_host_in_what_was_left_holds_the_run(workspace, try_script):
    script = f"printf 'stay_id\\n' > /work/output.csv; echo {workspace.root}/tasks > /work/notes"
    record = run_of(workspace, try_script(script), "no-skill")
    assert record.outcome is Outcome.AUDIT_HOLD
    assert record.audit.findings[0].file == "notes"


def test_stopping_removes_the_container_and_says_so(workspace, try_script, leftovers):
    cancel = threading.Event()

    def stop_when_it_works(event):
        if event.kind == "trace":
            cancel.set()

    summary = try_script(f"{AT_WORK}; sleep 300", cancel=cancel, listener=stop_when_it_works)
    assert summary.cancelled
    assert summary.unscored[0].outcome is Outcome.CANCELLED
    assert leftovers() == []


def test_an_engine_that_loses_the_container_is_no_fault_of_the_agent(engine, workspace, try_script, leftovers):
    def remove_it(event):
        if event.kind == "trace":
            engine.api.remove_container(Names.of(event.run).agent, force=True)

    summary = try_script(f"{AT_WORK}; sleep 300", listener=remove_it)
    assert {run.outcome for run in summary.unscored} == {Outcome.INFRA_ERROR}
    assert len(summary.order) == 2, "tried once more"
    assert summary.reward("no-skill") is None
    assert leftovers() == []


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_on_the_command_line_leaves_no_container(image, workspace, data_home, tmp_path, leftovers, sent, code):
    process = start_trial(workspace, data_home, tmp_path)
    process.send_signal(sent)
    out, err = process.communicate(timeout=90)
    assert process.returncode == code, err
    assert "CANCELLED" in out
    assert "Traceback" not in err
    assert leftovers() == []
    assert [run.outcome for run in load_runs(workspace)] == [Outcome.CANCELLED]
    assert load_trials(workspace)[0].cancelled


def test_what_a_killed_process_left_is_removed_by_clean(image, workspace, data_home, tmp_path, leftovers):
    process = start_trial(workspace, data_home, tmp_path)
    process.kill()
    process.communicate()
    assert len(leftovers()) == 3
    command = [sys.executable, "-m", "m4review", "trial", "clean"]
    cleaned = start(command, workspace, data_home).communicate()[0]
    assert cleaned.count("container m4review-") == 2
    assert cleaned.count("volume m4review-") == 1
    assert "unfinished run" in cleaned
    assert leftovers() == []
    assert load_runs(workspace) == []


def test_parts_of_living_processes_and_other_hosts_are_left_alone(engine):
    me = Owner.of_this_process()
    owners = {
        "living": me,
        "elsewhere": me.model_copy(update={"host": "another-host", "started": "1"}),
        "dead": me.model_copy(update={"started": "1"}),
    }
    names = {key: f"m4review-test-{key}-{os.getpid()}" for key in owners}
    try:
        for key, owner in owners.items():
            engine.volumes.create(names[key], labels={RUN_LABEL: key, OWNER_LABEL: owner.model_dump_json()})
        removed = sweep_orphans(engine)
        assert f"volume {names['dead']} of run dead" in removed
        kept = {volume.name for volume in engine.volumes.list()}
        assert names["living"] in kept
        assert names["elsewhere"] in kept
        assert names["dead"] not in kept
    finally:
        for name in names.values():
            for volume in engine.volumes.list(filters={"name": name}):
                volume.remove(force=True)


def start_trial(workspace, data_home: Path, tmp_path: Path) -> subprocess.Popen[str]:
    """The command in a process of its own, up to the moment its agent works."""
    agent = write_agent(tmp_path, f"{AT_WORK}; sleep 300")
    command = [sys.executable, "-m", "m4review", "trial", TASK, "--agent", agent, "--dataset", DATASET]
    process = start(command, workspace, data_home)
    until = time.monotonic() + 60
    seen = ""
    while "the agent works" not in seen:
        seen = process.stderr.readline()
        assert seen, "the command ended before its agent worked"
        assert time.monotonic() < until
    return process


def start(command: list[str], workspace, data_home: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "M4REVIEW_DATA": str(data_home)}
    return subprocess.Popen(
        command, cwd=workspace.root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
