"""``m4review agent …``: the programs that can be tried; their images; what they need on this machine."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from m4review.errors import TrialError
from m4review.trials.agents.agent import Agent, agent_names, load_agent
from m4review.trials.sandbox.engine import connect, engine_errors

if TYPE_CHECKING:
    from docker import DockerClient

LIST_SCHEMA, SHOW_SCHEMA, CHECK_SCHEMA = "m4review.agents.v1", "m4review.agent.v1", "m4review.agent-check.v1"
BUILD_SCHEMA = "m4review.agent-images.v1"
NOT_READY_EXIT = 1


@click.group()
def agent() -> None:
    """The programs that can be tried: which there are, what they need, whether they are ready here."""


@agent.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def list_agents(as_json: bool) -> None:
    """The agents that come with m4review. An own .toml file may be named wherever an agent is."""
    agents = [load_agent(name) for name in agent_names()]
    if as_json:
        click.echo(json.dumps({"schema": LIST_SCHEMA, "agents": [_short(entry) for entry in agents]}, indent=1))
        return
    for entry in agents:
        model = f"{entry.protocol}, key in {entry.key_env}" if entry.needs_model else "no model, no network"
        click.echo(f"{entry.name:<16}{entry.version:<10}{model}")


@agent.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def show(name: str, as_json: bool) -> None:
    """What an agent's file declares. NAME is an agent, or an agent's own .toml file."""
    declared = load_agent(name)
    if as_json:
        click.echo(json.dumps({"schema": SHOW_SCHEMA, **declared.model_dump(mode="json")}, indent=1))
        return
    for key, value in _shown(declared).items():
        click.echo(f"{key + ':':<16}{value}")


@agent.command()
@click.argument("names", metavar="NAME…", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def build(names: tuple[str, ...], as_json: bool) -> None:
    """Build the images of agents from their public packages, pinned. A current image is left alone.

    NAME is an agent, an agent's own .toml file, or an image recipe like 'sidecars'.
    """
    from m4review.trials.sandbox.images import build_image
    from m4review.trials.sandbox.recipe import recipe_names

    known = agent_names()
    recipes = [name if name in recipe_names() and name not in known else load_agent(name).image for name in names]
    with _engine() as client:
        images = [build_image(client, recipe, lambda line: click.echo(line, err=True)) for recipe in recipes]
    if as_json:
        entries = [{"tag": image.tag, "id": image.id} for image in images]
        click.echo(json.dumps({"schema": BUILD_SCHEMA, "images": entries}, indent=1))
    else:
        click.echo("\n".join(f"{image.tag}  {image.id}" for image in images))


@agent.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_context
def check(context: click.Context, name: str, as_json: bool) -> None:
    """Say whether an agent is ready here: image, version, model server, key. Nothing is sent to a server.

    Exit 0: ready. 1: something is missing.
    """
    from m4review.trials.agentcheck import check_agent
    from m4review.trials.sandbox.ownership import Owner

    declared = load_agent(name)
    with _engine() as client:
        checks = check_agent(client, declared, os.environ, Owner.of_this_process())
    ready = all(entry.good for entry in checks)
    if as_json:
        entries = [entry.model_dump() for entry in checks]
        answer = {"schema": CHECK_SCHEMA, "agent": declared.name, "ready": ready, "checks": entries}
        click.echo(json.dumps(answer, indent=1))
    else:
        for entry in checks:
            click.echo(f"{'ok' if entry.good else 'MISSING':<8}{entry.name:<9}{entry.detail}")
            if entry.fix and not entry.good:
                click.echo(f"{'':<17}to fix: {entry.fix}")
    context.exit(0 if ready else NOT_READY_EXIT)


@contextmanager
def _engine() -> Iterator[DockerClient]:
    from m4review.trials.sandbox.debianbase import BUILD_SECONDS

    client = connect(timeout=BUILD_SECONDS)
    try:
        yield client
    except engine_errors() as error:
        raise TrialError(f"the Docker engine failed: {' '.join(str(error).split())[-300:]}") from None
    finally:
        client.close()


def _short(declared: Agent) -> dict[str, Any]:
    keys = ("name", "version", "title", "image", "network", "protocol", "upstream", "upstream_env", "key_env", "parser")
    return declared.model_dump(mode="json", include=set(keys))


def _shown(declared: Agent) -> dict[str, str]:
    """The lines of ``agent show``."""
    server = declared.upstream or f"named by {declared.upstream_env}"
    lines = {
        "agent": f"{declared.name} {declared.version} ({declared.title})",
        "image": f"m4review/{declared.image}",
        "command": " ".join(declared.argv),
        "trace": declared.parser,
        "time": f"{declared.limits.seconds} s, {declared.limits.memory_mib} MiB, {declared.limits.cpus:g} CPUs",
    }
    if declared.needs_model:
        lines |= {
            "model": f"{declared.protocol} at {server} (or what {declared.upstream_env} names)",
            "key": f"{declared.key_env}, handed to the model's server and never to the agent",
            "other hosts": ", ".join(declared.hosts) or "none",
        }
    lines["skills"] = ", ".join(declared.skill_folders) or (
        "named in the prompt" if declared.skill_prompt else "/task/skills"
    )
    return lines
