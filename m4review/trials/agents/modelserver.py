"""Where an agent's model is: the address and the key, taken from this machine's environment and kept off the agent.

An address may be ``container://NAME:PORT/path``: a model server in a container on the same engine. Then nothing beyond
that container can be reached.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from m4review.errors import TrialError
from m4review.trials.agents.agent import Agent, Protocol
from m4review.trials.sandbox.job import ModelServer, NetworkNeed, Secret
from m4review.trials.sandbox.sidecarfiles import check_need

CERTIFICATES = "M4REVIEW_MODEL_CERTIFICATES"
"""Names a PEM file of authorities to trust besides the public ones."""

KEY_HEADERS: dict[Protocol, tuple[str, str]] = {
    "responses": ("authorization", "Bearer "),
    "chat": ("authorization", "Bearer "),
    "messages": ("x-api-key", ""),
    "gemini": ("x-goog-api-key", ""),
}
IN_CONTAINER = re.compile(r"container://([A-Za-z0-9][A-Za-z0-9_.-]*)(:\d+)?(/.*)?")
MODEL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+=-]{0,199}")


@dataclass(frozen=True, slots=True)
class Reach:
    """What an agent may reach, and how its model server is named in records. ``server`` holds no key."""

    need: NetworkNeed
    server: str | None


def reach_of(agent: Agent, environment: Mapping[str, str]) -> Reach | None:
    """What the agent needs of the network; ``None`` for an agent that needs none.

    Raises:
        TrialError: the address or the key is missing or cannot be used.
    """
    if agent.network == "none" or agent.protocol is None:
        return None
    own = environment.get(agent.upstream_env, "").strip() if agent.upstream_env else ""
    address = own or agent.upstream
    if not address:
        raise TrialError(
            f"the agent {agent.name} does not know where its model is",
            expected=f"{agent.upstream_env} in the environment, like http://host.docker.internal:11434/v1",
        )
    key = environment.get(agent.key_env, "").strip() if agent.key_env else ""
    if not key and not own:
        raise TrialError(
            f"the agent {agent.name} needs a key for {address}",
            expected=f"{agent.key_env} in the environment; it is handed to the model's server and never to the agent",
        )
    header, prefix = KEY_HEADERS[agent.protocol]
    inside = IN_CONTAINER.fullmatch(address)
    certificates = environment.get(CERTIFICATES)
    model = ModelServer(
        upstream=f"http://{inside.group(1)}{inside.group(2) or ''}{inside.group(3) or ''}" if inside else address,
        header=header,
        prefix=prefix,
        key=Secret(key) if key else None,
        certificates=Path(certificates) if certificates else None,
    )
    attach = (inside.group(1),) if inside else ()
    need = NetworkNeed(model=model, allowed_hosts=agent.hosts, attach=attach)
    check_need(need)
    return Reach(need=need, server=address)


def checked_model(name: str) -> str:
    """A model's name as it may stand in a command line or a configuration file.

    Raises:
        TrialError: it holds characters that no model's name has.
    """
    if not MODEL_NAME.fullmatch(name):
        raise TrialError(f"not a name of a model: {name!r}", expected="letters, digits and . _ : / @ + = -")
    return name
