"""mini-swe-agent: its trajectory, a message per line as the image's ``mini-events`` prints it. The answers of the
model's server are kept whole in it, so that each message has its own tokens."""

from __future__ import annotations

import json
from typing import Any

from m4review.trials.agents.formats.parts import Said, call, count, end, mapping, message, objects, result

FINISHED = "Submitted"


def mini_events(line: dict[str, Any]) -> list[Said] | None:
    """What a line of the trajectory says."""
    match line.get("type"):
        case "message":
            return _message(mapping(line.get("message")))
        case "end":
            status = str(line.get("exit_status") or "")
            return [end("ok" if status == FINISHED else "failed", status)]
        case _:
            return None


def _message(said: dict[str, Any]) -> list[Said] | None:
    extra = mapping(said.get("extra"))
    response = mapping(extra.get("response"))
    events = _answered(response) if response else []
    match said.get("role"):
        case "assistant":
            events += message(said.get("content"))
            for tool in objects(said.get("tool_calls")):
                function = mapping(tool.get("function"))
                events.append(call(tool.get("id"), function.get("name"), _arguments(function.get("arguments"))))
        case "tool":
            code = extra.get("returncode")
            events.append(result(said.get("tool_call_id"), extra.get("raw_output"), failed=code != 0, exit_code=code))
        case "exit":
            events += message(extra.get("exception_str"), problem=True)
        case "system" | "user":
            pass
        case _:
            return None
    return events


def _answered(response: dict[str, Any]) -> list[Said]:
    """What an answer of the model's server says of itself. A malformed answer is kept with the complaint about it."""
    refused = any(choice.get("finish_reason") == "content_filter" for choice in objects(response.get("choices")))
    return [_used(response), *([end("refused")] if refused else [])]


def _used(response: dict[str, Any]) -> Said:
    used = mapping(response.get("usage"))
    return "usage", {
        "id": str(response.get("id")),
        "input_tokens": count(used.get("prompt_tokens")),
        "output_tokens": count(used.get("completion_tokens")),
        "cached_tokens": count(mapping(used.get("prompt_tokens_details")).get("cached_tokens")),
    }


def _arguments(text: object) -> dict[str, Any]:
    try:
        return mapping(json.loads(text)) if isinstance(text, str) else {}
    except (ValueError, RecursionError):
        return {}
