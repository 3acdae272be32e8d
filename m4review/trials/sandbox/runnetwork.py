"""The network of one run: closed, with sidecars as the only neighbours of the agent.

The *inner* network has no way out: it is internal, and its bridge has no address on the host, so that not even the
host's own services can be reached from it. A sidecar stands on it and on the *outer* network. Both networks belong to
one run, so that runs cannot meet.
"""

from __future__ import annotations

import io
import tarfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from docker.errors import APIError, NotFound
from docker.types import Mount

from m4review.trials.sandbox.egress import EgressLog, merged, model_log, proxy_log
from m4review.trials.sandbox.hardening import SIDECAR_LIMITS, UID, hardening, owned, sidecar_log
from m4review.trials.sandbox.job import NetworkNeed, SandboxFailure
from m4review.trials.sandbox.names import Names
from m4review.trials.sandbox.sidecarfiles import (
    COMPLETE,
    CONFIGURATION,
    HOST_ITSELF,
    check_need,
    model_files,
    parse_upstream,
    proxy_files,
)

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container

RECIPE = "sidecars"
CLOSED = {"com.docker.network.bridge.inhibit_ipv4": "true"}
"""No address of the bridge on the host: without it an internal network still reaches the host's services."""

BETWEEN = "com.docker.network.bridge.enable_icc"
MODEL, PROXY = "model", "proxy"
"""Under what names the agent finds the sidecars."""

SETTLE_SECONDS = 10
"""How long sidecars may take to write down the last requests after the agent's end."""


@dataclass(frozen=True, slots=True)
class Sidecar:
    """One neighbour of the agent: its program, and its configuration for the address it will listen on."""

    alias: str
    argv: tuple[str, ...]
    files: Callable[[str], Mapping[str, bytes]]
    log: Callable[[list[bytes]], EgressLog]
    extra_hosts: Mapping[str, str]


class RunNetwork:
    """Makes a run's networks and sidecars in the engine. Taking them away is the sandbox's, as for all parts."""

    def __init__(
        self, client: DockerClient, names: Names, labels: dict[str, str], need: NetworkNeed, *, image: str, cpus: float
    ) -> None:
        check_need(need)
        self._client = client
        self._names = names
        self._labels = labels
        self._need = need
        self._image = image
        self._cpus = cpus
        self._running: dict[str, Container] = {}
        self.sidecars = _sidecars(need)

    @property
    def members(self) -> frozenset[str]:
        """The sidecars' containers, by name."""
        return frozenset(self._names.sidecar(sidecar.alias) for sidecar in self.sidecars)

    def open(self) -> None:
        """Make both networks and start the sidecars; the agent may then be put on the inner one.

        Raises:
            SandboxFailure: a sidecar did not come up.
        """
        api = self._client.api
        self._make_network(self._names.inner, CLOSED, internal=True)
        # With stand-ins for the outside there is no outside; without them sidecars have nothing to tell each other.
        together = "true" if self._need.attach else "false"
        self._make_network(self._names.outer, {BETWEEN: together}, internal=bool(self._need.attach))
        for stand_in in self._need.attach:
            container, _, names = stand_in.partition(":")
            try:
                api.connect_container_to_network(
                    container, self._names.outer, aliases=names.split(",") if names else None
                )
            except NotFound:
                raise SandboxFailure("there is no such container to attach", where=container) from None
        for sidecar in self.sidecars:
            self._running[sidecar.alias] = self._start(sidecar)

    def _make_network(self, name: str, options: dict[str, str], *, internal: bool) -> None:
        try:
            self._client.api.create_network(
                name, driver="bridge", internal=internal, enable_ipv6=False, options=options, labels=self._labels
            )
        except APIError as error:
            if "address pool" not in str(error):
                raise
            raise SandboxFailure(
                "the engine has no addresses left for another network",
                where=name,
                fix="remove networks that nobody uses (docker network prune), or run fewer agents at once",
            ) from None

    def log(self) -> EgressLog:
        """End the sidecars and read what they saw. To be called when nothing of the agent runs any more."""
        logs = []
        for sidecar in self.sidecars:
            container = self._running[sidecar.alias]
            # nginx and tinyproxy write a request down when its connection closes, which the agent's end has caused.
            container.stop(timeout=SETTLE_SECONDS)
            text = container.logs(stdout=True, stderr=False, timestamps=True)
            logs.append(sidecar.log(text.splitlines()))
        return merged(logs)

    def why_not_ready(self, alias: str) -> str:
        """What a sidecar that does not answer said last, without anything secret."""
        container = self._running[alias]
        container.reload()
        lines = container.logs(stdout=False, stderr=True, tail=5).decode("utf-8", "replace").split("\n")
        said = next((line.strip() for line in reversed(lines) if line.strip()), "nothing")
        key = self._need.model.key if self._need.model else None
        return said[-300:] if key is None else said.replace(key.reveal(), "[key]")[-300:]

    def _start(self, sidecar: Sidecar) -> Container:
        memory = self._names.memory(sidecar.alias)
        self._client.api.create_volume(
            memory,
            driver="local",
            driver_opts={
                "type": "tmpfs",
                "device": "tmpfs",
                "o": f"size=1m,nr_inodes=32,{owned()},nosuid,nodev,noexec",
            },
            labels=self._labels,
        )
        settings = hardening(SIDECAR_LIMITS, self._labels, self._cpus, home=False)
        settings |= {"network_mode": None, "network": self._names.inner, "log_config": sidecar_log()}
        container = self._client.containers.create(
            self._image,
            ["/sidecar/begin", *sidecar.argv],
            name=self._names.sidecar(sidecar.alias),
            mounts=[Mount(CONFIGURATION, memory, type="volume", no_copy=True)],
            networking_config={
                self._names.inner: self._client.api.create_endpoint_config(aliases=[sidecar.alias]),
            },
            extra_hosts=dict(sidecar.extra_hosts),
            # A sidecar has two networks and must not be a bridge between them.
            sysctls={"net.ipv4.ip_forward": "0"},
            environment={},
            **settings,
        )
        self._client.api.connect_container_to_network(str(container.id), self._names.outer)
        container.start()
        container.reload()
        address = container.attrs["NetworkSettings"]["Networks"][self._names.inner]["IPAddress"]
        if not address:
            raise SandboxFailure("the engine gave a sidecar no address", where=container.name)
        # Into memory, and only while the container runs: the volume exists no longer than that.
        if not container.put_archive(CONFIGURATION, _private_archive(sidecar.files(address))):
            raise SandboxFailure("the engine did not take a sidecar's configuration", where=container.name)
        return container


def _sidecars(need: NetworkNeed) -> tuple[Sidecar, ...]:
    found = []
    if need.model is not None:
        model = need.model
        upstream = parse_upstream(model.upstream)
        found.append(
            Sidecar(
                MODEL,
                ("nginx", "-c", f"{CONFIGURATION}/nginx.conf"),
                lambda address: model_files(model, address),
                lambda lines: model_log(lines, upstream.host, upstream.port),
                {HOST_ITSELF: "host-gateway"} if upstream.host == HOST_ITSELF else {},
            )
        )
    if need.allowed_hosts:
        found.append(
            Sidecar(
                PROXY,
                ("tinyproxy", "-d", "-c", f"{CONFIGURATION}/tinyproxy.conf"),
                lambda address: proxy_files(need.allowed_hosts, address),
                proxy_log,
                {},
            )
        )
    return tuple(found)


def _private_archive(files: Mapping[str, bytes]) -> bytes:
    """Files that only the sidecar's user may read, and last the one that says that they are whole."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, data in (*files.items(), (COMPLETE, b"")):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.uid, entry.gid = len(data), 0o600, UID, UID
            entry.mtime = int(time.time())
            archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()
