"""What a trial is asked to do."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from m4review.errors import TrialError
from m4review.trials.agents.agent import Agent
from m4review.trials.agents.modelserver import checked_model
from m4review.trials.conditions import PAIR, Condition
from m4review.trials.records import SchemaShown


class TrialRequest(BaseModel):
    """What to try. ``seed`` decides the order of the runs; without one it is drawn and recorded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    agent: str = "reader"
    """Name of an agent, or path of an agent's own ``.toml``."""
    model: str | None = None
    conditions: tuple[Condition, ...] = PAIR
    ablate: tuple[str, ...] | None = None
    """Sections to leave out of the skill one at a time, all when none is named; no ablation without it."""
    repeats: int = Field(default=1, ge=1, le=100)
    dataset: str | None = None
    schema_name: SchemaShown = "native"
    """The tables that the agent finds: the dataset's own, or a changed schema made with ``m4review data schema``."""
    schema_seed: int = Field(default=1, ge=1)
    """Which obfuscated schema."""
    map_skill: bool = False
    """Replace the native names and item identifiers in skills by those of the changed schema."""
    sandbox: Literal["docker", "local"] = "docker"
    seconds: int | None = Field(default=None, gt=0)
    """The agent's time; without it what the agent's file says."""
    seed: int | None = None
    reuse: bool = False
    """Take finished runs with the same inputs instead of making them again."""

    @field_validator("conditions")
    @classmethod
    def _each_once(cls, conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
        if not conditions:
            raise ValueError("at least one condition")
        return tuple(dict.fromkeys(conditions))


def require_runnable(agent: Agent, request: TrialRequest) -> None:
    """Check that the agent can do what is asked.

    Raises:
        TrialError: it runs in Docker only, needs a model, uses none, or the model's name is none; skills are to be
            mapped to the native schema.
    """
    if request.map_skill and request.schema_name == "native":
        raise TrialError(
            "skills are mapped to a changed schema only",
            expected="--map-skill with --schema obfuscated or restructured",
        )
    if request.sandbox == "local" and not agent.local_argv:
        raise TrialError(
            f"the agent {agent.name} runs in Docker only", expected="--sandbox docker", fix="start Docker and try again"
        )
    if agent.needs_model and not request.model:
        raise TrialError(f"the agent {agent.name} needs a model", expected="--model NAME")
    if request.model:
        checked_model(request.model)
    if request.model and not agent.needs_model:
        raise TrialError(f"the agent {agent.name} uses no model", fix="leave --model out")
