"""A request, whatever its protocol, as the script needs it: who may do what, and how far the conversation is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Tool:
    """A tool that the agent offers. ``properties`` are its arguments' schemas."""

    name: str
    properties: dict[str, Any]


@dataclass(frozen=True)
class Conversation:
    """What one request says. ``results`` is the number of tool results so far, ``text`` all words of the request."""

    model: str
    tools: tuple[Tool, ...]
    results: int
    text: str
    stream: bool = True

    def tool(self, *names: str) -> Tool | None:
        """The first of these tools that is offered."""
        known = {tool.name: tool for tool in self.tools}
        return next((known[name] for name in names if name in known), None)


@dataclass(frozen=True)
class Call:
    """A tool call as the model would make it."""

    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Say:
    """Words of the model that end its turn; ``refusal`` when it declines."""

    text: str
    refusal: bool = False


Reply = Call | Say

INPUT_TOKENS, OUTPUT_TOKENS = 1000, 50
"""What every answer claims to have used, so that a test can tell tokens counted once from tokens counted twice."""


def words_of(value: Any) -> str:
    """All strings in a JSON value, one per line."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\n".join(words_of(part) for part in value.values())
    if isinstance(value, list):
        return "\n".join(words_of(part) for part in value)
    return ""
