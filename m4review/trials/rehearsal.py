"""A scripted model in a container beside the sandbox, with which an agent is tried before a real model is paid for.

It proves that prompt, skill, command, output and tokens find their way. It says nothing about any model.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ulid import ULID

from m4review.errors import TrialError
from m4review.trials.agents.agent import Protocol
from m4review.trials.sandbox.hardening import UID
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.sandbox.recipe import require_image
from m4review.trials.sandbox.removal import remove_part

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container

RECIPE = "endpoint"
PORT = 8080
READY_SECONDS = 30
ALIVE = f"import urllib.request; urllib.request.urlopen('http://127.0.0.1:{PORT}/alive', timeout=1)"


@dataclass(frozen=True, slots=True)
class Request:
    """One request that the scripted model got. Keys in its headers are masked."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any

    @property
    def text(self) -> str:
        """The body as it was sent, in JSON."""
        return json.dumps(self.body, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class ScriptedModel:
    """A running scripted model."""

    container: Container

    def address(self, protocol: Protocol) -> str:
        """What to set as the model server's address for an agent of that protocol."""
        version = "/v1" if protocol in {"responses", "chat"} else ""
        return f"container://{self.container.name}:{PORT}{version}"

    def requests(self) -> list[Request]:
        """Every request so far. They are kept by the engine, where no agent can reach them."""
        lines = self.container.logs(stdout=True, stderr=False).decode("utf-8").splitlines()
        entries = [json.loads(line) for line in lines]
        return [Request(entry["method"], entry["path"], entry["headers"], entry["body"]) for entry in entries]


@contextmanager
def scripted_model(client: DockerClient, owner: Owner, command: str) -> Iterator[ScriptedModel]:
    """A scripted model that has agents run ``command``; it is gone when the block is left.

    Raises:
        TrialError: its image is not built, or it does not answer.
    """
    image = require_image(client, RECIPE)
    name = f"m4review-{str(ULID()).lower()}"
    labels = owner.labels(name.removeprefix("m4review-").upper())
    try:
        client.networks.create(name, driver="bridge", internal=True, labels=labels)
        container = client.containers.run(
            image.id,
            ["python3", "-m", "endpoint", "--port", str(PORT), "--command", command],
            name=name,
            network=name,
            labels=labels,
            detach=True,
            user=f"{UID}:{UID}",
            init=True,
            read_only=True,
            cap_drop=["ALL"],
            security_opt=["no-new-privileges"],
            mem_limit="256m",
            pids_limit=128,
            use_config_proxy=False,
        )
        _wait_until_ready(container)
        yield ScriptedModel(container)
    finally:
        for kind in ("container", "network"):
            remove_part(client, kind, name)


def _wait_until_ready(container: Container) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while container.exec_run(["python3", "-c", ALIVE]).exit_code != 0:
        if time.monotonic() > deadline:
            raise TrialError("the scripted model does not answer", where=str(container.name))
        time.sleep(0.1)
