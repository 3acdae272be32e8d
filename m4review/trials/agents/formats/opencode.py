"""opencode: ``run --format json``. Each step ends with its tokens; the cached ones are counted apart from the input."""

from __future__ import annotations

from typing import Any

from m4review.trials.agents.formats.parts import Said, call, count, end, mapping, message, result


def opencode_events(line: dict[str, Any]) -> list[Said] | None:
    """What a line of opencode says."""
    part = mapping(line.get("part"))
    match line.get("type"):
        case "tool_use":
            state = mapping(part.get("state"))
            failed = state.get("status") == "error"
            text = state.get("error") if failed else state.get("output")
            code = mapping(state.get("metadata")).get("exit")
            identifier = part.get("callID")
            return [
                call(identifier, part.get("tool"), mapping(state.get("input"))),
                result(identifier, text, failed=failed, exit_code=code),
            ]
        case "text":
            return message(part.get("text"))
        case "step_finish":
            return _step(part)
        case "error":
            told = mapping(line.get("error"))
            data = mapping(told.get("data"))
            known = (told.get("name"), data.get("statusCode"), data.get("message") or told.get("message"))
            return [end("failed", " ".join(str(part) for part in known if part))]
        case "step_start" | "reasoning":
            return []
        case _:
            return None


def _step(part: dict[str, Any]) -> list[Said]:
    tokens = mapping(part.get("tokens"))
    cache = mapping(tokens.get("cache"))
    read = count(cache.get("read"))
    used = {
        "id": str(part.get("id")),
        "input_tokens": count(tokens.get("input")) + read + count(cache.get("write")),
        "output_tokens": count(tokens.get("output")) + count(tokens.get("reasoning")),
        "cached_tokens": read,
    }
    match part.get("reason"):
        case "content-filter":
            return [("usage", used), end("refused")]
        case "stop":
            return [("usage", used), end("ok")]
        case _:
            return [("usage", used)]
