"""Whether an agent can be run here: its image, its program's version, its model's address and key.

Nothing is asked of a model's server. Whether a key is right shows in the first run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict

from m4review.errors import TrialError
from m4review.trials.agents.agent import Agent
from m4review.trials.agents.modelserver import reach_of
from m4review.trials.printable import printable
from m4review.trials.sandbox.hardening import PROOF_LIMITS, hardening
from m4review.trials.sandbox.job import HOME
from m4review.trials.sandbox.ownership import Owner
from m4review.trials.sandbox.recipe import build_command, find_image
from m4review.trials.sandbox.removal import remove_part

if TYPE_CHECKING:
    from docker import DockerClient

VERSION_SECONDS = 60
SHOWN = 200


class Check(BaseModel):
    """One thing that was looked at. ``fix`` says what to do when it is not right."""

    model_config = ConfigDict(frozen=True)

    name: Literal["image", "version", "server", "key"]
    good: bool
    detail: str
    fix: str | None = None


def check_agent(client: DockerClient, agent: Agent, environment: Mapping[str, str], owner: Owner) -> list[Check]:
    """Look at everything an agent needs; a lack is a check that is not good."""
    image = find_image(client, agent.image)
    if image is None:
        checks = [Check(name="image", good=False, detail="not built from this source", fix=build_command(agent.image))]
    else:
        checks = [Check(name="image", good=True, detail=f"{image.tag} ({image.id})")]
        if agent.version_argv:
            checks.append(_version(client, image.id, agent, owner))
    try:
        reach = reach_of(agent, environment)
    except TrialError as error:
        checks.append(Check(name="server", good=False, detail=error.what, fix=error.expected))
    else:
        if reach is not None:
            checks.append(Check(name="server", good=True, detail=str(reach.server)))
            held = reach.need.model is not None and reach.need.model.key is not None
            said = f"{agent.key_env} is set" if held else f"{agent.key_env} is not set; the server must ask for none"
            checks.append(Check(name="key", good=True, detail=said))
    return checks


def _version(client: DockerClient, image: str, agent: Agent, owner: Owner) -> Check:
    """Ask the program in its image, sealed as in a run."""
    run = f"version-{agent.name}-{owner.pid}"
    name = f"m4review-{run}"
    settings = hardening(PROOF_LIMITS.model_copy(update={"memory_mib": 1024}), owner.labels(run), 1.0)
    del settings["log_config"]
    try:
        container = client.containers.create(
            image, list(agent.version_argv), name=name, environment={"HOME": HOME, **_plain(agent)}, **settings
        )
        container.start()
        container.wait(timeout=VERSION_SECONDS)
        said = printable(container.logs(stderr=True).decode("utf-8", "replace").strip(), SHOWN)
    finally:
        remove_part(client, "container", name)
    good = agent.version in said
    fix = None if good else f"the agent's file says {agent.version}; build its image again, or correct the file"
    return Check(name="version", good=good, detail=said or "the program said nothing", fix=fix)


def _plain(agent: Agent) -> dict[str, str]:
    """The agent's variables that are the same in every run."""
    return {name: text for name, text in agent.environment.items() if "{" not in text}
