"""What the scripted model does: look into the skill if one is offered, run one command, finish.

The scenario is the end of the model's name: ``scripted-ok``, ``scripted-429``, …
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .conversation import Call, Conversation, Reply, Say, Tool

MODEL_PREFIX = "scripted-"

SHELLS = ("exec_command", "shell_command", "shell", "Bash", "bash", "run_shell_command")
SKILL_TOOLS = ("Skill", "skill", "activate_skill")

OUTPUT = "/work/output.csv"
FINISHED = "The output is written."
REFUSED = "I cannot help with that."
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
"""How mini-swe-agent wants to be told that the work is done: as a command, since its loop ends with nothing else."""

HUGE = f"yes 0123456789012345678901234567890123456789 | head -c 3000000000 > {OUTPUT}"
HANG = "tail -f /dev/null"
BACKGROUND = "(setsid nohup sleep 100000 >/dev/null 2>&1 &); (nohup sleep 100000 >/dev/null 2>&1 &); "


@dataclass(frozen=True)
class Delivery:
    """How an answer is sent. ``status`` other than 200 is an error; ``pause`` seconds lie between parts of a stream."""

    status: int = 200
    pause: float = 0.0
    cut: bool = False
    stall: bool = False


DELIVERIES = {
    "401": Delivery(status=401),
    "429": Delivery(status=429),
    "500": Delivery(status=500),
    "slow": Delivery(pause=0.3),
    "cut": Delivery(cut=True),
    "stall": Delivery(stall=True),
}


def scenario_of(model: str) -> str:
    """``scripted-hang-command`` → ``hang-command``; any other name is ``ok``."""
    return model.partition(MODEL_PREFIX)[2] or "ok"


def delivery_of(model: str) -> Delivery:
    """How answers to this model's name are sent."""
    return DELIVERIES.get(scenario_of(model), Delivery())


def reply_to(conversation: Conversation, command: str) -> Reply:
    """The next thing the model does. ``command`` writes the output from the task database."""
    scenario = scenario_of(conversation.model)
    shell = conversation.tool(*SHELLS)
    if scenario == "refusal":
        return Say(REFUSED, refusal=True)
    if shell is None:
        return Say("ok")
    steps: list[Reply] = [
        *_looks_at_skill(conversation, shell),
        run(shell, _command(scenario, command)),
    ]
    if "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT" in conversation.text:
        steps.append(run(shell, SUBMIT))
    return steps[conversation.results] if conversation.results < len(steps) else Say(FINISHED)


def run(shell: Tool, command: str) -> Call:
    """A shell command in the form the tool wants it."""
    name = next(name for name in ("cmd", "command") if name in shell.properties)
    as_list = shell.properties[name].get("type") == "array"
    arguments: dict[str, object] = {name: ["bash", "-c", command] if as_list else command}
    if "description" in shell.properties:
        arguments["description"] = "Run a command"
    return Call(shell.name, arguments)


def _command(scenario: str, command: str) -> str:
    match scenario:
        case "hang-command":
            return HANG
        case "no-output":
            return "true"
        case "huge-output":
            return HUGE
        case "background-processes":
            return BACKGROUND + command
        case _:
            return command


def _looks_at_skill(conversation: Conversation, shell: Tool) -> list[Reply]:
    """Open the first skill by the agent's own tool for skills, else by reading the file that the prompt names."""
    tool = conversation.tool(*SKILL_TOOLS)
    name = offered_skill(conversation.text)
    if tool is not None and name is not None:
        return [Call(tool.name, {"skill" if "skill" in tool.properties else "name": name})]
    path = skill_file(conversation.text)
    return [] if path is None else [run(shell, f"cat {path}")]


def skill_file(text: str) -> str | None:
    """The first path of a ``SKILL.md`` in the text; a root that the text abbreviates is put back."""
    found = re.search(r"(?<![\w/-])(/?[\w.~-]+(?:/[\w.-]+)*/SKILL\.md)", text)
    if found is None:
        return None
    root, slash, rest = found.group(1).partition("/")
    full = re.search(rf"`{re.escape(root)}` = `([^`]+)`", text) if root else None
    return full.group(1) + slash + rest if full else found.group(1)


def offered_skill(text: str) -> str | None:
    """The name of the first skill that an agent's list of skills names."""
    for pattern in (
        r"<skill>\s*<name>\s*([\w-]+)\s*</name>",
        r"skills? are available for use with the Skill tool:\s*- ([\w-]+):",
        r"\n- ([\w-]+): .*?\(file: ",
    ):
        found = re.search(pattern, text)
        if found:
            return found.group(1)
    return None
