"""The sandboxes of a trial: opened when it starts, one per run that is under way, closed when it is over."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from m4review.errors import EngineUnavailableError
from m4review.trials.agents.agent import Agent
from m4review.trials.events import Notice, TrialEvent
from m4review.trials.sandbox.job import MEBIBYTE, Sandbox
from m4review.trials.sandbox.local_sandbox import LocalSandbox
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.schedule import Machine
from m4review.workspace import Workspace

NOT_ISOLATED = "the local sandbox is not isolated: the agent runs as an ordinary process of this machine"


@dataclass(frozen=True, slots=True)
class Rooms:
    """Where runs can be made: what the rooms share, and a way to get one more."""

    kind: Literal["docker", "local"]
    image: str | None
    """Id of the agent's image; ``None`` without a container."""
    machine: Machine
    another: Callable[[], Sandbox]
    """A sandbox for one run at a time."""

    @property
    def isolated(self) -> bool:
        """Whether what an agent can see and reach is limited by more than good manners."""
        return self.kind == "docker"


@contextmanager
def opened(
    kind: Literal["docker", "local"],
    agent: Agent,
    owner: Owner,
    listener: Callable[[TrialEvent], None],
    environment: Mapping[str, str],
    *,
    workspace: Workspace,
    clock: Callable[[], datetime],
    cancel: threading.Event,
) -> Iterator[Rooms]:
    """The rooms for an agent's runs; what they hold open is closed at the end.

    Raises:
        EngineUnavailableError: no engine answers.
        TrialError: the agent's image is not built; the canary found a breach of the sandbox.
    """
    if kind == "local":
        listener(Notice(text=NOT_ISOLATED))
        yield Rooms(kind=kind, image=None, machine=Machine.here(), another=LocalSandbox)
        return
    from m4review.trials.canary.gate import require_proved_sandbox
    from m4review.trials.sandbox.docker_sandbox import DockerSandbox
    from m4review.trials.sandbox.engine import NO_ENGINE, connect, engine_status
    from m4review.trials.sandbox.recipe import require_image
    from m4review.trials.sandbox.sentfiles import is_elsewhere
    from m4review.trials.sandbox.sweep import sweep_orphans

    status = engine_status(environment)
    if not status.available:
        raise EngineUnavailableError(status.reason or "no Docker engine answers", fix=NO_ENGINE)
    with ExitStack() as clients:
        client = connect(environment=environment)
        clients.callback(client.close)
        for line in sweep_orphans(client):
            listener(Notice(text=f"left by an earlier process: {line}"))
        image = require_image(client, agent.image)
        info = client.info()

        # Each run of it has a connection of its own, so one sandbox serves runs side by side.
        sandbox = DockerSandbox(
            client,
            owner,
            reconnect=lambda: connect(environment=environment),
            elsewhere=is_elsewhere(client, environment),
        )
        require_proved_sandbox(
            client,
            sandbox,
            image=image.id,
            owner=owner,
            workspace=workspace,
            networked=agent.network != "none",
            environment=environment,
            listener=listener,
            clock=clock,
            cancel=cancel,
        )

        yield Rooms(
            kind=kind,
            image=image.id,
            machine=Machine(cpus=float(info["NCPU"]), memory_mib=int(info["MemTotal"]) // MEBIBYTE),
            another=lambda: sandbox,
        )
