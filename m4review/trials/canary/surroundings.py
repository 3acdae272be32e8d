"""What the intruder is let loose among: a stand-in for the outside, a neighbour, planted secrets, a host's service.

Everything is the canary's own; nothing of it speaks to anybody else. Names end in ``.test``.
"""

from __future__ import annotations

import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from m4review.trials.canary import standin
from m4review.trials.canary.intruder.tools import MARK
from m4review.trials.sandbox.hardening import SIDECAR_LIMITS, hardening, sidecar_log
from m4review.trials.sandbox.job import SandboxFailure
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.sandbox.removal import remove_run
from m4review.trials.sandbox.runnetwork import CLOSED

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container

ALLOWED, FORBIDDEN, ENDPOINT = "allowed.test", "forbidden.test", "endpoint.test"
TRICKS = (f"{ALLOWED}.{FORBIDDEN}", f"not{ALLOWED}", f"{ALLOWED}.")
MODEL_PORT, NEIGHBOUR_PORT = 8000, 8000


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where everything is that the intruder should not reach."""

    stand_in: str
    """Container that answers as every outside host."""
    outside: str
    """Network on which it stands."""
    stand_in_address: str
    neighbour: str
    neighbour_address: str
    gateways: tuple[str, ...]
    """The host's addresses, on every network of the engine."""
    host: HostService

    @property
    def attach(self) -> str:
        """The stand-in with the names under which the sidecars find it."""
        names = (ALLOWED, FORBIDDEN, ENDPOINT, *(trick.rstrip(".") for trick in TRICKS))
        return f"{self.stand_in}:{','.join(dict.fromkeys(names))}"


@dataclass
class HostService:
    """A service of the host that listens on all its addresses and counts its callers."""

    port: int
    callers: list[str] = field(default_factory=list)


def planted_secret() -> str:
    """A new secret under the mark that the intruder looks for."""
    return MARK.decode() + secrets.token_hex(16)


@contextmanager
def surroundings(client: DockerClient, canary: str, image: str, owner: Owner) -> Iterator[Surroundings]:
    """Make the surroundings of one canary run; they are gone afterwards.

    Raises:
        SandboxFailure: a stand-in did not come up.
    """
    stem, labels = f"m4review-{canary.lower()}", owner.labels(canary)
    try:
        with host_service() as host:
            outside, beside = f"{stem}-outside", f"{stem}-beside"
            # Internal, so that not even a broken sandbox sends anything beyond this machine; the host is on it.
            client.api.create_network(outside, driver="bridge", internal=True, enable_ipv6=False, labels=labels)
            client.api.create_network(
                beside, driver="bridge", internal=True, enable_ipv6=False, options=CLOSED, labels=labels
            )
            stand_in = _answering(client, image, f"{stem}-stand-in", outside, labels)
            neighbour = _answering(client, image, f"{stem}-neighbour", beside, labels)
            yield Surroundings(
                stand_in=str(stand_in.name),
                outside=outside,
                stand_in_address=_address(stand_in, outside),
                neighbour=str(neighbour.name),
                neighbour_address=_address(neighbour, beside),
                gateways=tuple(sorted(_gateways(client))),
                host=host,
            )
    finally:
        left = remove_run(client, canary)
    if left:
        raise SandboxFailure("could not be removed from the engine: " + ", ".join(left), fix="m4review trial clean")


@contextmanager
def host_service() -> Iterator[HostService]:
    """Listen on every address of this host for as long as the block lasts."""
    with socket.create_server(("0.0.0.0", 0)) as server:
        service = HostService(server.getsockname()[1])

        def answer() -> None:
            while True:
                try:
                    connection, caller = server.accept()
                except OSError:
                    return  # closed: the canary is over
                service.callers.append(caller[0])
                connection.close()

        threading.Thread(target=answer, name="canary-host-service", daemon=True).start()
        try:
            yield service
        finally:
            server.shutdown(socket.SHUT_RDWR)


def _answering(client: DockerClient, image: str, name: str, network: str, labels: dict[str, str]) -> Container:
    settings = hardening(SIDECAR_LIMITS, labels, SIDECAR_LIMITS.cpus, home=False)
    settings |= {"network_mode": None, "network": network, "log_config": sidecar_log()}
    source = Path(standin.__file__).read_text(encoding="utf-8")
    container = client.containers.create(image, ["python3", "-c", source], name=name, environment={}, **settings)
    container.start()
    for line in container.logs(stdout=True, stderr=True, stream=True, follow=True):
        if b"ready" in line:
            container.reload()
            return container
    raise SandboxFailure("a stand-in for the outside did not come up", where=name)


def _address(container: Container, network: str) -> str:
    return str(container.attrs["NetworkSettings"]["Networks"][network]["IPAddress"])


def _gateways(client: DockerClient) -> Iterator[str]:
    for network in client.api.networks():
        for entry in (network.get("IPAM") or {}).get("Config") or []:
            if entry.get("Gateway"):
                yield str(entry["Gateway"]).partition("/")[0]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: asks only which of its addresses the host would use
            yield str(probe.getsockname()[0])
        except OSError:
            return
