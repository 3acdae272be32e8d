"""What every container of a run gets, whatever runs in it."""

from __future__ import annotations

from typing import Any

from docker.types import LogConfig, Ulimit

from m4review.trials.sandbox.job import HOME, MEBIBYTE, Limits

UID = 10001
KEEPER_LIMITS = Limits(memory_mib=64, cpus=0.5, pids=8, temporary_mib=1)
SIDECAR_LIMITS = Limits(memory_mib=128, cpus=0.5, pids=64, temporary_mib=64)
PROOF_LIMITS = Limits(memory_mib=128, cpus=1.0, pids=64, temporary_mib=1)

SIDECAR_LOG_MIB = 32
"""A sidecar's log is evidence; it is kept by the engine up to this size and read when the agent has ended."""

UNANSWERED_NAMESERVER = "192.0.2.53"
"""A documentation address. Docker's own resolver answers for containers and hands every other name to this one, so that
no question leaves; some engines would else ask through the host, even from a network that is internal."""

FAST_LOOKUPS = ["timeout:1", "attempts:1"]


def hardening(limits: Limits, labels: dict[str, str], cpus: float, *, home: bool = True) -> dict[str, Any]:
    """Arguments of ``containers.create`` that take every right and every luxury from a container.

    ``cpus`` is what the engine has; ``home`` whether the container has a home folder.
    """
    return {
        "labels": labels,
        "user": f"{UID}:{UID}",
        "init": True,
        "network_mode": "none",
        "read_only": True,
        "tmpfs": {"/tmp": temporary(limits, "mode=1777"), **({HOME: temporary(limits, owned())} if home else {})},
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "privileged": False,
        "ipc_mode": "private",
        "mem_limit": limits.memory_mib * MEBIBYTE,
        "memswap_limit": limits.memory_mib * MEBIBYTE,
        "nano_cpus": int(min(limits.cpus, cpus) * 1e9),
        "pids_limit": limits.pids,
        "shm_size": 16 * MEBIBYTE,
        # Standard output is captured by the host; kept by the engine too it could fill the engine's disk.
        "log_config": LogConfig(type="none"),
        # The engine's client configuration may hold a proxy address with a password.
        "use_config_proxy": False,
    }


def networked(network: str) -> dict[str, Any]:
    """What replaces the absent network of :func:`hardening` in a container on a closed network."""
    return {
        "network_mode": None,
        "network": network,
        "dns": [UNANSWERED_NAMESERVER],
        "dns_opt": FAST_LOOKUPS,
    }


def sidecar_log() -> LogConfig:
    """A log that the engine keeps, bounded: when it runs over, its first line is gone, and that is noticed."""
    return LogConfig(type="json-file", config={"max-size": f"{SIDECAR_LOG_MIB}m", "max-file": "1"})


def file_limits(limits: Limits) -> list[Ulimit]:
    """No file larger than the work folder, and no core files."""
    size = limits.work_mib * MEBIBYTE
    return [Ulimit(name="fsize", soft=size, hard=size), Ulimit(name="core", soft=0, hard=0)]


def temporary(limits: Limits, more: str) -> str:
    """Options of a folder in memory in which no program can be run."""
    return f"size={limits.temporary_mib}m,noexec,nosuid,nodev,{more}"


def owned() -> str:
    """Options that give a folder in memory to the container's user alone."""
    return f"uid={UID},gid={UID},mode=0700"
