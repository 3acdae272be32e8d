"""What the intruder is told: where things are that it must not reach. The plan holds no planted secret."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from m4review.trials.canary.probes import INSIDE
from m4review.trials.canary.surroundings import ALLOWED, FORBIDDEN, NEIGHBOUR_PORT, TRICKS, Surroundings
from m4review.trials.sandbox.givenfiles import skill_place
from m4review.trials.sandbox.job import DATABASE, DUMMY_KEY, EGRESS_NAME, HOME, MEBIBYTE, TRACE_NAME, WORK, Limits

PLAN = "plan"
SKILL_FOLDERS = ("~/.agents/skills", f"{WORK}/.agents/skills")
ENGINES_OWN = (
    "/",
    "/etc/resolv.conf",
    "/etc/hostname",
    "/etc/hosts",
    "/sbin/docker-init",
    "/usr/sbin/docker-init",
    "/dev/init",
)
"""What an engine mounts into every container, read-only when the root is."""

SHARED_MEMORY_MIB = 16
COMMON = {"/", "/data", "/home", "/root", "/tmp", "/var", "/work", "/task"}
"""Folders that a container may well have too."""


def intruder_plan(
    around: Surroundings,
    folder: Path,
    secret: Path,
    host_paths: tuple[Path, ...],
    limits: Limits,
    tables: tuple[str, ...],
) -> dict[str, Any]:
    """The plan as the JSON object that :mod:`intruder` reads. ``tables``: where the data may be seen."""
    places = [skill_place(skills) for skills in SKILL_FOLDERS]
    temporary = limits.temporary_mib * MEBIBYTE
    writable = ["/tmp", HOME, WORK, *(str(Path(place).parent) for place in places if place.startswith(f"{HOME}/"))]
    return {
        "probes": [probe.name for probe in INSIDE],
        "dummy_key": DUMMY_KEY,
        "host_paths": [str(path) for path in (folder, secret, *host_paths) if str(path) not in COMMON],
        "secret_names": [secret.parent.name, secret.name],
        "readable": [*ENGINES_OWN, DATABASE, "/task", *tables, "/data", *places],
        "writable": writable,
        "temporary": ["/tmp", HOME],
        "skill_places": places,
        "audit": [str(folder / "record" / name) for name in (TRACE_NAME, EGRESS_NAME, "run.json")],
        "proxy": _proxy(around),
        "names": [f"{folder.name.lower().replace('_', '-')}.m4review-canary.invalid"],
        "outside": [[around.stand_in_address, 8000], ["192.0.2.1", 443], [ALLOWED, 443]],
        "gateways": list(around.gateways),
        "host_ports": [around.host.port],
        "neighbours": [
            [around.neighbour_address, NEIGHBOUR_PORT],
            [around.neighbour, NEIGHBOUR_PORT],
        ],
        "places": {
            WORK: limits.work_mib * MEBIBYTE,
            "/tmp": temporary,
            HOME: temporary,
            "/dev/shm": SHARED_MEMORY_MIB * MEBIBYTE,
        },
        "pids": limits.pids,
    }


def _proxy(around: Surroundings) -> dict[str, list[list[str]]]:
    """Request lines for the proxy, and the status that must come."""

    def refused(*lines: str) -> list[list[str]]:
        return [[line, "403"] for line in lines]

    address = around.stand_in_address
    number = int.from_bytes(bytes(int(part) for part in address.split(".")), "big")
    return {
        "allowed": [[f"CONNECT {ALLOWED}:443", "200"]],
        "other-name": refused(f"CONNECT {FORBIDDEN}:443"),
        "suffix-trick": refused(*(f"CONNECT {trick}:443" for trick in TRICKS), f"CONNECT {FORBIDDEN}#{ALLOWED}:443"),
        "address-literal": refused(f"CONNECT {address}:443", f"CONNECT {number}:443", "CONNECT [::1]:443"),
        "other-port": refused(*(f"CONNECT {ALLOWED}:{port}" for port in (80, 8000, 8443))),
        "plain-http": refused(
            f"GET http://{ALLOWED}/", f"GET http://{ALLOWED}:443/", f"POST http://{FORBIDDEN}/", f"GET {ALLOWED}:443"
        ),
    }
