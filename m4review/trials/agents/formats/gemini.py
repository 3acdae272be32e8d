"""Gemini CLI: ``-o stream-json``. The last line holds the tokens of the whole run."""

from __future__ import annotations

from typing import Any

from m4review.trials.agents.formats.parts import Said, call, count, end, mapping, message, result


def gemini_events(line: dict[str, Any]) -> list[Said] | None:
    """What a line of Gemini CLI says."""
    match line.get("type"):
        case "tool_use":
            return [call(line.get("tool_id"), line.get("tool_name"), mapping(line.get("parameters")))]
        case "tool_result":
            return [result(line.get("tool_id"), line.get("output"), failed=line.get("status") != "success")]
        case "message":
            return message(line.get("content")) if line.get("role") == "assistant" else []
        case "error":
            return message(line.get("message"), problem=True)
        case "result":
            used = mapping(line.get("stats"))
            tokens = {
                "input_tokens": count(used.get("input_tokens")),
                "output_tokens": count(used.get("output_tokens")),
                "cached_tokens": count(used.get("cached")),
            }
            good = line.get("status") == "success"
            told = mapping(line.get("error")).get("message")
            return [("usage", {**tokens, "total": True}), end("ok" if good else "failed", told)]
        case "init":
            return []
        case _:
            return None
