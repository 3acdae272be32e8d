"""What an agent is given under one arm, written as files: instruction, prompt, skills, and the seeds of its HOME."""

from __future__ import annotations

import os
from pathlib import Path

from m4review.skills import SKILL_FILE
from m4review.tasks import INSTRUCTION_FILE, Task
from m4review.trials.agents.agent import Agent, filled
from m4review.trials.offers import Offer
from m4review.trials.sandbox.job import DATABASE, DUMMY_KEY, INSTRUCTION, MODEL_URL, OUTPUT_NAME, SKILLS, WORK

PROMPT_FILE = "prompt.md"
PROMPT = "/task/" + PROMPT_FILE
SEEDS = "seeds"
CONTAINER_PLACES = {
    "instruction": INSTRUCTION,
    "skills": SKILLS,
    "database": DATABASE,
    "output": f"{WORK}/{OUTPUT_NAME}",
}
"""Where an agent in a container finds things, by their names in an agent's file."""


def write_materials(folder: Path, task: Task, agent: Agent, offer: Offer, note: str | None = None) -> None:
    """The folder is mounted by itself, so it is readable for the sandbox's user though its parent is private.

    ``note`` is added to the instruction, whatever is offered.
    """
    instruction = offer.instruction(task) + (f"\n{note}" if note else "")
    _write_shown(folder / INSTRUCTION_FILE, instruction.encode())
    if agent.prompt:
        _write_shown(folder / PROMPT_FILE, prompt_of(agent, offer, instruction).encode())
    for skill in offer.skills:
        for name, data in skill.files.items():
            _write_shown(folder / "skills" / skill.name / name, data)
    _show(folder)


def prompt_of(agent: Agent, offer: Offer, instruction: str) -> str:
    """What an agent is told under an arm: the instruction, where things are, and for some where the skills are."""
    files = [f"{SKILLS}/{skill.name}/{name}" for skill in offer.skills for name in skill.files if name == SKILL_FILE]
    values = {**CONTAINER_PLACES, "skill_files": "\n".join(f"- `{path}`" for path in files)}
    parts = [instruction, filled(agent.prompt, values)]
    if offer.skills and agent.skill_prompt:
        parts.append(filled(agent.skill_prompt, values))
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def model_values(model: str | None) -> dict[str, str]:
    """What stands for the model, by the names in an agent's file."""
    return {"model": model or "", "model_url": MODEL_URL, "dummy_key": DUMMY_KEY}


def write_seeds(folder: Path, agent: Agent, model: str | None) -> None:
    """The files that the agent's HOME begins with."""
    values = {**model_values(model), **CONTAINER_PLACES}
    for path, text in agent.seeds.items():
        _write_shown(folder / path, filled(text, values).encode())
    _show(folder, 0o644)


def _show(folder: Path, mode: int = 0o444) -> None:
    """Make a folder and all in it readable for the sandbox's user."""
    for path in (folder, *folder.rglob("*")) if folder.is_dir() else ():
        path.chmod(0o755 if path.is_dir() else mode)


def _write_shown(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
