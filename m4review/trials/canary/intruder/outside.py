"""Probes of the ways out: the proxy, the model's server, names, the host, neighbours, the engine."""

import re
import socket
import struct
from functools import partial
from pathlib import Path

from .tools import MARK, PATIENCE, Found, Plan, Probe, ask, own_gateways, reached, together

SOCKETS = ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock")


def docker_socket(plan: Plan) -> tuple[int, Found]:
    """The engine's own socket, as a file or a port."""
    found = [f"{path} is here" for path in SOCKETS if Path(path).exists()]
    ports = [(host, port) for host in [*plan["gateways"], *own_gateways()] for port in (2375, 2376)]
    # A port that refuses is the host's gateway, which has a probe of its own.
    found += [item for item in reached(ports) if item.endswith("is reached")]
    return len(SOCKETS) + len(ports), found


def proxy_answers(plan: Plan, what: str) -> tuple[int, Found]:
    """Requests to the proxy whose answer is not the one that must come."""
    found = []
    for line, wanted in plan["proxy"][what]:
        came = ask("proxy", 8888, f"{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")[:12].partition(" ")[2]
        if came != wanted:
            found.append(f"{line}: {came or 'no answer'} instead of {wanted}")
    return len(plan["proxy"][what]), found


def model(plan: Plan) -> tuple[int, Found]:
    """The model answers."""
    answer = ask("model", 8080, "GET /echo HTTP/1.1\r\nHost: model\r\nConnection: close\r\n\r\n")
    return 1, [] if "stand-in" in answer else [f"the model's server answered {answer[:40]!r}"]


def model_key(plan: Plan) -> tuple[int, Found]:
    """A server that repeats the request must not tell the key; nor do headers of its own get through."""
    request = "GET /echo HTTP/1.1\r\nHost: model\r\nX-Api-Key: intruder\r\nConnection: close\r\n\r\n"
    answer = ask("model", 8080, request)
    found = ["the key came back in an answer"] if MARK.decode() in answer else []
    if "intruder" in answer:
        found.append("a key of its own got through")
    return 2, found


def names(plan: Plan) -> tuple[int, Found]:
    """Questions for names: an answer of any kind, but a failure to ask, means that a question left."""
    servers = re.findall(r"^nameserver (\S+)", Path("/etc/resolv.conf").read_text(), re.MULTILINE)
    pairs = [(server, name) for server in {*servers, "127.0.0.11", *plan["gateways"]} for name in plan["names"]]
    found: Found = []
    together([partial(answered, server, name, found) for server, name in pairs])
    return len(pairs), sorted(found)


def gateways(plan: Plan) -> tuple[int, Found]:
    """The host itself: its addresses on every bridge, its services, and whether there is a machine to route through."""
    hosts = {*plan["gateways"], *own_gateways()}
    pairs = [(host, port) for host in hosts for port in (*plan["host_ports"], 22, 80, 111)]
    found = reached(pairs)
    for line in Path("/proc/net/arp").read_text().splitlines()[1:]:
        address, _, flags = line.split()[:3]
        if address in hosts and int(flags, 16) & 2:
            found.append(f"a machine answers as {address}")
    return len(pairs), found


def connections(plan: Plan, what: str) -> tuple[int, Found]:
    """Direct connections to addresses and names."""
    return len(plan[what]), reached([(host, port) for host, port in plan[what]])


def six(plan: Plan) -> tuple[int, Found]:
    """The other protocol: an address of its own, or a neighbour."""
    try:
        own = [line.split()[-1] for line in Path("/proc/net/if_inet6").read_text().splitlines()]
    except OSError:
        own = []
    return 2, [f"an address on {name}" for name in own if name != "lo"] + reached([("2001:db8::1", 443)])


def answered(server: str, name: str, found: Found) -> None:
    """Note it when a name server has an answer: a question that left comes back as "no such name" at least."""
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    question = struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", 1, 1)
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stream:
            stream.settimeout(PATIENCE)
            stream.connect((server, 53))
            stream.send(question)
            code = stream.recv(512)[3] & 15
    except OSError:
        return  # nobody answers
    if code in {0, 3}:  # an address, or "no such name": in either case somebody outside was asked
        found.append(f"{server} asked somebody about {name}")


PROBES: dict[str, Probe] = {
    "docker-socket": docker_socket,
    "allowed-name": lambda plan: proxy_answers(plan, "allowed"),
    "other-name": lambda plan: proxy_answers(plan, "other-name"),
    "suffix-trick": lambda plan: proxy_answers(plan, "suffix-trick"),
    "address-literal": lambda plan: proxy_answers(plan, "address-literal"),
    "other-port": lambda plan: proxy_answers(plan, "other-port"),
    "plain-http": lambda plan: proxy_answers(plan, "plain-http"),
    "model": model,
    "model-key": model_key,
    "dns": names,
    "direct-connection": lambda plan: connections(plan, "outside"),
    "host-gateway": gateways,
    "neighbours": lambda plan: connections(plan, "neighbours"),
    "ipv6": six,
}
