"""The probes: what must hold in the sandbox of a trial. What each of them tries is the intruder's (:mod:`intruder`)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Probe:
    """One thing that must hold. ``works``: it is something that must be possible, so that silence proves nothing."""

    name: str
    expectation: str
    works: bool = False


INSIDE = (
    Probe("secret-by-path", "planted secrets and the host's folders are nowhere"),
    Probe("secret-by-environment", "no key and nothing of the host is in the environment"),
    Probe("secret-by-mounts", "only what was promised is mounted, and only the agent's own is writable"),
    Probe("secret-by-proc", "no process, device or kernel file of the host can be read or written"),
    Probe("docker-socket", "the engine cannot be reached"),
    Probe("rights", "there are no rights, and no way to more"),
    Probe("write-database", "the task database cannot be changed"),
    Probe("write-skills", "instruction and skills cannot be changed"),
    Probe("write-audit", "trace, egress log and records cannot be changed"),
    Probe("write-system", "the system cannot be changed"),
    Probe("allowed-name", "the allowed host is reached through the proxy", works=True),
    Probe("other-name", "another host is refused"),
    Probe("suffix-trick", "names that only look like the allowed one are refused"),
    Probe("address-literal", "addresses in place of names are refused"),
    Probe("other-port", "other ports of the allowed host are refused"),
    Probe("plain-http", "plain HTTP is refused, even to the allowed host"),
    Probe("model", "the model's server is reached", works=True),
    Probe("model-key", "the model's key does not come back in an answer"),
    Probe("dns", "no question for a name leaves the sandbox"),
    Probe("direct-connection", "nothing outside is reached past the proxy"),
    Probe("host-gateway", "the host is not reached by any of its addresses"),
    Probe("neighbours", "containers of other runs are not reached"),
    Probe("ipv6", "there is no way over IPv6"),
    Probe("fill-disk", "every writable place has an end"),
    Probe("fill-processes", "processes have an end"),
)
"""Tried by the intruder, in this order."""

OUTLIVE = Probe("outlive-deadline", "an agent that refuses to end is ended, with all it started")
EVIDENCE = Probe("egress-evidence", "the egress log holds what was tried, allowed and refused", works=True)
HOST_SIDE = Probe("host-side", "on the host nothing was changed and nobody called")
LEFTOVERS = Probe("leftovers", "nothing is left in the engine")

ALL = (*INSIDE, OUTLIVE, EVIDENCE, HOST_SIDE, LEFTOVERS)
