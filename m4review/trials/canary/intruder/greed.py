"""Probes of the limits: disk, processes, time."""

import errno
import json
import os
import signal
import time
from pathlib import Path
from typing import NoReturn

from .tools import Found, Plan, Probe, works


def outlive() -> NoReturn:
    """Refuse to end, and leave children that refuse to end too; the sandbox must end all of them."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    if os.fork() == 0:
        os.setsid()
        os.fork()
    print(json.dumps({"probe": "outlive-deadline", "tried": 1, "found": []}), flush=True)
    while True:
        time.sleep(3600)


def fill_disk(plan: Plan) -> tuple[int, Found]:
    """Every place that can be written, filled until it is full; full must come."""
    found = []
    for place, limit in plan["places"].items():
        written, chunk = 0, bytes(1 << 20)
        path = Path(place) / "filled"
        try:
            with path.open("wb", buffering=0) as stream:
                while written <= 2 * limit:
                    written += stream.write(chunk)
        except OSError as error:
            if error.errno not in {errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.ENOMEM}:
                found.append(f"{place}: {error.strerror}")
        if written > limit:
            found.append(f"{place} took {written >> 20} MiB, its limit is {limit >> 20}")
        path.unlink(missing_ok=True)
    return len(plan["places"]), found


def fill_processes(plan: Plan) -> tuple[int, Found]:
    """Processes until no more can be had."""
    children: list[int] = []

    def another() -> None:
        child = os.fork()
        if child == 0:
            signal.pause()
            os._exit(0)
        children.append(child)

    while len(children) <= 2 * plan["pids"] and works(another):
        continue
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    count = len(children)
    return 1, [] if count <= plan["pids"] else [f"{count} processes, the limit is {plan['pids']}"]


PROBES: dict[str, Probe] = {"fill-disk": fill_disk, "fill-processes": fill_processes}
