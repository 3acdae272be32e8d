"""The sealed room: what an agent in it can see, write, reach and use up."""

from __future__ import annotations

import errno
import json

import pytest
from trials_bench import SKILL, run_of

from m4review.trials import Outcome
from m4review.trials.sandbox.docker_sandbox import UID, Names

pytestmark = pytest.mark.docker


def stderr_of(workspace, summary) -> str:
    return (workspace.runs_dir / summary.order[-1] / "stderr.txt").read_text()


def test_the_container_is_hardened_as_promised(engine, workspace, try_script, leftovers):
    seen = {}

    def inspect_while_it_works(event):
        if event.kind == "trace" and not seen:
            names = Names.of(event.run)
            seen["agent"] = engine.api.inspect_container(names.agent)
            seen["keeper"] = engine.api.inspect_container(names.keeper)
            seen["volume"] = engine.api.inspect_volume(names.volume)

    script = 'echo \'{"event":"message","text":"here"}\'; sleep 2'
    limits = {"memory_mib": 512, "pids": 77, "work_mib": 9}
    try_script(script, limits=limits, listener=inspect_while_it_works, conditions=("with-skill",))
    for name in ("agent", "keeper"):
        host, config = seen[name]["HostConfig"], seen[name]["Config"]
        assert host["NetworkMode"] == "none"
        assert host["ReadonlyRootfs"]
        assert host["CapDrop"] == ["ALL"]
        assert not host["CapAdd"]
        assert not host["Privileged"]
        assert host["SecurityOpt"] == ["no-new-privileges"]
        assert host["Init"]
        assert host["LogConfig"]["Type"] == "none"
        assert all("noexec" in options and "size=" in options for options in host["Tmpfs"].values())
        assert config["User"] == f"{UID}:{UID}"
        assert not any("proxy" in entry.lower() for entry in config["Env"])
        assert config["Labels"]["m4review.run"]
        assert json.loads(config["Labels"]["m4review.owner"])["pid"]
    host = seen["agent"]["HostConfig"]
    assert host["Memory"] == host["MemorySwap"] == 512 << 20
    assert host["PidsLimit"] == 77
    assert host["NanoCpus"] == 2_000_000_000
    writable = [mount["Destination"] for mount in seen["agent"]["Mounts"] if mount["RW"]]
    assert writable == ["/work"]
    assert not [mount for mount in seen["keeper"]["Mounts"] if mount["RW"]]
    assert "size=9m" in seen["volume"]["Options"]["o"]
    assert leftovers() == []


def test_only_the_promised_places_can_be_written(workspace, try_script):
    script = """
for place in / /etc /data /data/tables /task /task/skills /opt/site /var/tmp /usr/local; do
  (echo x > $place/probe) 2>/dev/null && echo "WROTE $place" >&2
done
for file in /data/task.duckdb /task/instruction.md $(find /data /task -type f); do
  (echo x >> $file) 2>/dev/null && echo "CHANGED $file" >&2
  chmod 666 $file 2>/dev/null && echo "OPENED $file" >&2
  rm -f $file 2>/dev/null && echo "REMOVED $file" >&2
done
for place in /work /tmp /home/agent; do echo x > $place/probe && echo "fine $place" >&2; done
printf '#!/bin/sh\\necho RAN' > /tmp/program; chmod +x /tmp/program; /tmp/program >&2 2>/dev/null
mount -t tmpfs none /mnt 2>/dev/null && echo MOUNTED >&2
exit 0
"""
    summary = try_script(script, conditions=("with-skill",))
    said = stderr_of(workspace, summary)
    assert said.split("\n") == ["fine /work", "fine /tmp", "fine /home/agent", ""]


def test_there_is_no_network_at_all(workspace, try_script):
    script = """
python3 - <<'E' >&2
import os, socket
print("interfaces", sorted(os.listdir("/sys/class/net")))
for family, address in ((socket.AF_INET, ("192.0.2.1", 80)), (socket.AF_INET, ("172.17.0.1", 22)),
                        (socket.AF_INET6, ("2001:db8::1", 80))):
    try:
        probe = socket.socket(family, socket.SOCK_STREAM)
        probe.settimeout(3)
        probe.connect(address)
        print("REACHED", address)
    except OSError as error:
        print(type(error).__name__, error.errno)
try:
    print("RESOLVED", socket.getaddrinfo("host.test", 80))
except socket.gaierror:
    print("no names")
E
"""
    said = stderr_of(workspace, try_script(script))
    assert "interfaces ['lo']" in said
    assert "REACHED" not in said
    assert "RESOLVED" not in said
    assert said.count("OSError 101") + said.count("OSError 99") == 3, said


def test_the_answers_the_tasks_other_runs_and_the_host_are_nowhere(workspace, data_home, try_script):
    script = r"""
find / -xdev \( -path /proc -o -path /sys \) -prune -o -print 2>/dev/null | grep -v '^/usr/\|^/opt/site/' >&2
find /data /task /work -print >&2
echo MOUNTS >&2
cat /proc/self/mountinfo >&2
env >&2
test -e /var/run/docker.sock && echo SOCKET >&2
exit 0
"""
    summary = try_script(script, conditions=("with-skill",))
    said = stderr_of(workspace, summary)
    places, _, mounts = said.partition("MOUNTS")
    for word in ("/references", "sirs-24h", "task.toml", "roster", "run.json", ".git"):
        assert word not in places, word
    shown = [line for line in places.split("\n") if line.startswith(("/data/", "/task/"))]
    assert "/data/task.duckdb" in shown
    assert f"/task/skills/{SKILL}/SKILL.md" in shown
    assert not [line for line in shown if "mimiciv_derived" in line], "a raw task has no derived table"
    assert str(data_home / "oracle" / "references") not in mounts
    assert "SOCKET" not in mounts
    assert "M4REVIEW" not in mounts


def test_without_skill_nothing_of_the_skill_is_there(workspace, try_script):
    summary = try_script("find /task >&2; exit 0")
    assert stderr_of(workspace, summary).split() == ["/task", "/task/instruction.md"]


def test_the_agent_s_user_has_no_rights_and_no_way_to_more(workspace, try_script):
    script = r"id >&2; grep 'Cap\|NoNewPrivs\|Seccomp:' /proc/self/status >&2; exit 0"
    said = stderr_of(workspace, try_script(script))
    assert f"uid={UID}(agent) gid={UID}(agent) groups={UID}(agent)" in said
    lines = dict(line.split(":\t") for line in said.split("\n") if ":\t" in line)
    assert {lines[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert lines["NoNewPrivs"] == "1"
    assert lines["Seccomp"] == "2"


def test_what_could_fetch_or_build_programs_is_not_in_the_image(workspace, try_script):
    script = "for name in git gcc cc make pip pip3 curl wget ssh nc; do command -v $name >&2; done; exit 0"
    assert stderr_of(workspace, try_script(script)) == ""


def test_a_full_work_folder_is_the_agent_s_problem_only(workspace, try_script, leftovers):
    script = """
printf 'stay_id\\n' > /work/output.csv
for n in 1 2 3; do head -c 8000000 /dev/zero > /work/fill$n; done
df -k /work | tail -1 >&2
python3 -c "
import sys
try:
    for n in range(25000): open('/work/f' + str(n), 'x').close()
except OSError as error: print(n, error.errno, file=sys.stderr)
"
exit 0
"""
    summary = try_script(script, limits={"work_mib": 16})
    record = run_of(workspace, summary, "no-skill")
    *_, size, files = stderr_of(workspace, summary).strip().split("\n")
    assert int(size.split()[1]) == 16 << 10
    made, reason = files.split()
    assert int(made) < 20_000
    assert int(reason) == errno.ENOSPC
    assert record.outcome is Outcome.SCORED
    assert leftovers() == []


def test_more_memory_than_allowed_ends_the_agent_not_the_host(workspace, try_script):
    script = "python3 -c 'b = bytearray(600 << 20)'"
    record = run_of(workspace, try_script(script, limits={"memory_mib": 128, "work_mib": 16}), "no-skill")
    assert record.outcome is Outcome.AGENT_ERROR
    assert record.reason.endswith("left no output")


def test_a_flood_of_processes_is_stopped_at_the_limit(workspace, try_script):
    script = "for n in $(seq 200); do sleep 30 & done 2>/dev/null; exit 0"
    record = run_of(workspace, try_script(script, limits={"pids": 32}), "no-skill")
    assert record.outcome in {Outcome.NO_OUTPUT, Outcome.AGENT_ERROR}
    assert record.seconds["agent"] < 25
