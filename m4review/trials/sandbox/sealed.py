"""Proof, before an agent starts, that its container and its network are closed. What is not proved does not run.

Two kinds: the engine's own account of the container and the network, compared with what was ordered (an engine may
ignore an option it does not know), and a program in the agent's place that finds every way out shut.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from m4review.trials.sandbox import closedproof
from m4review.trials.sandbox.hardening import (
    PROOF_LIMITS,
    UID,
    UNANSWERED_NAMESERVER,
    hardening,
    networked,
    sidecar_log,
)
from m4review.trials.sandbox.job import WORK, SandboxFailure
from m4review.trials.sandbox.names import Names
from m4review.trials.sandbox.runnetwork import CLOSED, MODEL, PROXY, RunNetwork

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container

GATEWAY_PORTS = (22, 53, 80, 443, 2375, 2376)
OUTSIDE = (("192.0.2.1", 443), ("198.51.100.1", 80))
"""Documentation addresses: nobody has them, but the way there must already be missing."""

NAME_OF_OURS = "m4review-proof.invalid"


class Prover:
    """The proofs of a run, each made just before the agent starts."""

    def prove_container(self, client: DockerClient, agent: Container, names: Names, network: RunNetwork | None) -> None:
        """Compare the engine's account of the agent's container, and of its network, with what was ordered.

        Raises:
            SandboxFailure: something is open, or the engine does not say that it is closed.
        """
        agent.reload()
        wrong = [*_container_faults(agent.attrs, names.inner if network else "none")]
        if network is not None:
            wrong += _network_faults(
                client.api.inspect_network(names.inner), network.members | {names.agent, names.proof}
            )
        if wrong:
            raise SandboxFailure(
                "the sandbox is not closed: " + "; ".join(wrong),
                where=names.agent,
                fix="this engine does not do what was asked of it; use another one, or ask its administrator",
            )

    def prove_network(
        self,
        client: DockerClient,
        names: Names,
        network: RunNetwork,
        image: str,
        labels: dict[str, str],
        cpus: float,
    ) -> None:
        """Let a program in the agent's place try every way out, and wait until the sidecars answer.

        Raises:
            SandboxFailure: a way out is open, or a sidecar does not answer.
        """
        ways = network_ways(client, names, network)
        told = _try_ways(client, names, ways, image, labels, cpus)
        for what, came in told.items():
            alias, wanted = (MODEL, "204") if what == MODEL else (PROXY, "403")
            if what != MODEL and not what.startswith(f"{PROXY} "):
                continue
            if came == "no answer":
                raise SandboxFailure(f"the sidecar {alias} does not answer: {network.why_not_ready(alias)}")
            if came != wanted:
                raise SandboxFailure(f"the sidecar {alias} answered {came} where {wanted} was expected")
        opened = [f"{what}: {came}" for what, came in told.items() if _is_open(what, came)]
        if opened or len(told) != _expected(ways):
            raise SandboxFailure("the network is not closed: " + ("; ".join(opened) or "not everything was tried"))


def _try_ways(
    client: DockerClient, names: Names, ways: dict[str, Any], image: str, labels: dict[str, str], cpus: float
) -> dict[str, str]:
    settings = hardening(PROOF_LIMITS, labels, cpus) | networked(names.inner) | {"log_config": sidecar_log()}
    source = Path(closedproof.__file__).read_text(encoding="utf-8")
    container = client.containers.create(
        image, ["python3", "-c", source, json.dumps(ways)], name=names.proof, environment={}, **settings
    )
    container.start()
    printed = b""
    # Not waiting for its end: an engine takes seconds to forget a question for a name that nobody answered.
    for piece in container.logs(stdout=True, stderr=False, stream=True, follow=True):
        printed += piece
        if printed.endswith(b"\n"):
            break
    try:
        told: dict[str, str] = json.loads(printed)
    except ValueError:
        said = container.logs(stdout=False, stderr=True, tail=3).decode("utf-8", "replace").strip()
        raise SandboxFailure(
            "the proof that the network is closed could not be made", where=said[-200:] or names.proof
        ) from None
    return told


def network_ways(client: DockerClient, names: Names, network: RunNetwork) -> dict[str, Any]:
    """What the program tries: see :mod:`closedproof`."""
    config = client.api.inspect_network(names.inner)["IPAM"]["Config"] or []
    gateways = [str(entry["Gateway"]).partition("/")[0] for entry in config if entry.get("Gateway")]
    aliases = {sidecar.alias for sidecar in network.sidecars}
    return {
        "gateways": [[gateway, port] for gateway in gateways for port in GATEWAY_PORTS],
        "outside": [list(address) for address in OUTSIDE],
        "names": [NAME_OF_OURS],
        "model": MODEL in aliases,
        "proxy": PROXY in aliases,
    }


def _is_open(what: str, came: str) -> bool:
    if what.startswith("connect "):
        return came != "closed"
    return what.startswith("look up ") and came != "no such name"


def _expected(ways: dict[str, Any]) -> int:
    count = len(ways["gateways"]) + len(ways["outside"]) + len(ways["names"]) + bool(ways["model"])
    return count + (len(ways["names"]) if ways["proxy"] else 0)


def _container_faults(attrs: dict[str, Any], network: str) -> Iterator[str]:
    host, config = attrs["HostConfig"], attrs["Config"]
    wanted: dict[str, tuple[Any, Any]] = {
        "its network": (host["NetworkMode"], network),
        "a read-only root": (host["ReadonlyRootfs"], True),
        "all capabilities dropped": (host["CapDrop"], ["ALL"]),
        "no capability added": (host["CapAdd"] or [], []),
        "no privileged mode": (host["Privileged"], False),
        "no new privileges": (
            [str(word).removesuffix(":true") for word in host["SecurityOpt"] or []],
            ["no-new-privileges"],
        ),
        "its own user": (config["User"], f"{UID}:{UID}"),
        "no device": (host["Devices"] or [], []),
        "its own processes": (host["PidMode"], ""),
        "its own shared memory": (host["IpcMode"], "private"),
        "no port published": (host["PortBindings"] or {}, {}),
        "the networks ordered": (sorted(attrs["NetworkSettings"]["Networks"]), [network]),
        "only the work folder writable": ([mount["Destination"] for mount in attrs["Mounts"] if mount["RW"]], [WORK]),
    }
    if network != "none":
        wanted["no way to ask for names"] = (host["Dns"], [UNANSWERED_NAMESERVER])
    for what, (found, ordered) in wanted.items():
        if found != ordered:
            yield f"{what} was ordered, and the engine says {json.dumps(found)}"
    if not host["Memory"] or not host["PidsLimit"] or not host["NanoCpus"]:
        yield "limits of memory, processes and time were ordered, and the engine has none"
    if any(mount["Source"].endswith(".sock") for mount in attrs["Mounts"]):
        yield "a socket of the host is mounted"


def _network_faults(attrs: dict[str, Any], members: frozenset[str]) -> Iterator[str]:
    if not attrs["Internal"] or attrs["EnableIPv6"] or attrs["Driver"] != "bridge":
        yield "an internal bridge network was ordered, and the engine says otherwise"
    if any(attrs["Options"].get(option) != value for option, value in CLOSED.items()):
        yield "the bridge has an address on the host"
    strangers = {entry["Name"] for entry in (attrs["Containers"] or {}).values()} - members
    if strangers:
        yield "strangers are on the agent's network: " + ", ".join(sorted(strangers))
