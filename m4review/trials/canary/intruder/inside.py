"""Probes of the container itself: what lies in it, what can be changed, what rights there are."""

import ctypes
import os
import re
import socket
from collections.abc import Callable
from pathlib import Path

from .tools import MARK, Found, Plan, Probe, files_in, mounted_files, reads, works, works_in_child

SYSTEM = {"proc", "sys", "dev", "usr", "lib", "lib32", "lib64", "bin", "sbin", "opt"}
"""The image's own folders and the kernel's: no file of the host is there, unless it is mounted."""

SUSPICIOUS = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)|^(M4REVIEW|DOCKER|AWS|SSH)_")
READABLE = ("/proc/kcore", "/proc/1/mem", "/dev/mem", "/dev/kmsg", "/proc/sched_debug")
WRITABLE = ("/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches", "/sys/power/state")
MOST_READ = 8 << 20
NEW_USER_NAMESPACE = 0x10000000


def secret_by_path(plan: Plan) -> tuple[int, Found]:
    """Host paths that must not be here, and every file outside the system's own folders searched for the mark."""
    found = [f"{path} is here" for path in plan["host_paths"] if Path(path).exists()]
    tried = len(plan["host_paths"])
    for path in files_in([path for path in Path("/").iterdir() if path.name not in SYSTEM] + mounted_files()):
        tried += 1
        try:
            with path.open("rb") as stream:
                if MARK in stream.read(MOST_READ):
                    found.append(f"{path} holds a planted secret")
        except OSError:
            continue  # it cannot be read, which is as well
    return tried, found


def secret_by_environment(plan: Plan) -> tuple[int, Found]:
    """Its own environment: planted values, and names that keys have."""
    found = []
    for name, value in os.environb.items():
        text = name.decode("utf-8", "replace")
        if MARK in value or (SUSPICIOUS.search(text) and value.decode("utf-8", "replace") != plan["dummy_key"]):
            found.append(f"the variable {text}")
    return len(os.environb), found


def secret_by_mounts(plan: Plan) -> tuple[int, Found]:
    """The mount table: nothing but what was promised, and nothing writable but what is the agent's own."""
    found, tried = [], 0
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, _rest = line.partition(" - ")
        fields = before.split()
        source, target, writable = fields[3], fields[4], "rw" in fields[5].split(",")
        tried += 1
        own = target in plan["writable"] or re.match(r"/(proc|sys|dev)(/|$)", target)
        if not own and target not in plan["readable"]:
            found.append(f"{target} is mounted")
        if writable and not own:
            found.append(f"{target} is writable")
        if any(part and part in source for part in plan["secret_names"]):
            found.append(f"{target} shows a planted folder")
    return tried, found


def secret_by_proc(plan: Plan) -> tuple[int, Found]:
    """Other processes, the host's kernel, its devices."""
    found, tried = [], 0
    for folder in Path("/proc").glob("[0-9]*"):
        for name in ("environ", "cmdline", "cwd", "root"):
            tried += 1
            path = folder / name
            try:
                data = bytes(path.readlink()) if name in {"cwd", "root"} else path.read_bytes()
            except OSError:
                continue  # a process that has ended, or one that cannot be read
            if MARK in data:
                found.append(f"{path} holds a planted secret")
    if reads(Path("/proc/2/comm")) == b"kthreadd\n":
        found.append("processes of the host are visible")
    readable = [Path(path) for path in READABLE]
    writable = [*(Path(path) for path in WRITABLE), *Path("/sys/fs/cgroup").rglob("release_agent")]
    found += [f"{path} can be read" for path in readable if reads(path)]
    found += [f"{path} can be written" for path in writable if works(write_into, path)]
    tried += len(readable) + len(writable)
    devices = {"console", "core", "fd", "full", "mqueue", "null", "ptmx", "pts", "random", "shm"}
    devices |= {"stderr", "stdin", "stdout", "tty", "urandom", "zero"}
    found += [f"the device /dev/{name}" for name in sorted({path.name for path in Path("/dev").iterdir()} - devices)]
    return tried, found


def rights(plan: Plan) -> tuple[int, Found]:
    """Root, capabilities, new namespaces, mounts, raw sockets, programs of its own."""
    found = []
    status = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":\t" in line)
    found += [f"{name} is {status[name]}" for name in ("CapEff", "CapPrm", "CapBnd", "CapAmb") if int(status[name], 16)]
    if status["NoNewPrivs"].strip() != "1":
        found.append("new privileges can be had")
    if status["Seccomp"].strip() == "0":
        found.append("no filter of system calls")
    if os.getuid() == 0:
        found.append("it is root")
    libc = ctypes.CDLL(None, use_errno=True)
    if works_in_child(lambda: libc.unshare(NEW_USER_NAMESPACE) == 0):
        found.append("a user namespace can be made")
    if works_in_child(lambda: libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0):
        found.append("a file system can be mounted")
    for family, name in ((socket.AF_PACKET, "packet"), (socket.AF_INET, "raw")):
        if works(socket.socket, family, socket.SOCK_RAW, socket.IPPROTO_ICMP):
            found.append(f"a {name} socket can be made")
    for place in plan["temporary"]:
        program = Path(place) / "program"
        program.write_text("#!/bin/sh\nexit 0\n")
        program.chmod(0o755)
        if works_in_child(run, program):
            found.append(f"a program in {place} can be run")
    return 9 + len(plan["temporary"]), found


def given_changed(roots: list[str]) -> tuple[int, Found]:
    """What is given to read only: changed, replaced, made writable, added to."""
    found, tried = [], 0
    for root in map(Path, roots):
        for path in [*files_in([root]), root, (root if root.is_dir() else root.parent) / "new"]:
            for what, attempt in CHANGES.items():
                tried += 1
                if works(attempt, path):
                    found.append(f"{path} can be {what}")
    return tried, found


def write_into(path: Path) -> None:
    """Open for writing, and write nothing."""
    os.close(os.open(path, os.O_WRONLY))


def append_to(path: Path) -> None:
    """Open for writing at the end; makes the file where there is none."""
    path.open("ab").close()


def open_up(path: Path) -> None:
    """Let everybody write."""
    path.chmod(0o777)


def put_aside(path: Path) -> None:
    """Rename, so that another one can take its place."""
    path.rename(path.with_name("old"))


def run(program: Path) -> bool:
    """Run a program and see it end well."""
    return os.spawnv(os.P_WAIT, program, [str(program)]) == 0


CHANGES: dict[str, Callable[[Path], None]] = {"written": append_to, "opened up": open_up, "replaced": put_aside}

PROBES: dict[str, Probe] = {
    "secret-by-path": secret_by_path,
    "secret-by-environment": secret_by_environment,
    "secret-by-mounts": secret_by_mounts,
    "secret-by-proc": secret_by_proc,
    "rights": rights,
    "write-database": lambda plan: given_changed(["/data/task.duckdb", "/data/tables"]),
    "write-skills": lambda plan: given_changed(["/task", *plan["skill_places"]]),
    "write-audit": lambda plan: given_changed(plan["audit"]),
    "write-system": lambda plan: given_changed(["/etc/passwd", "/usr/bin", "/opt"]),
}
