"""Claude Code: ``--output-format stream-json``. The tokens of its messages are taken while they are still being
written, so that only their input is right; the last line holds the sums."""

from __future__ import annotations

from typing import Any

from m4review.trials.agents.formats.parts import Said, call, count, end, mapping, message, objects, result, text_of

CACHED = ("cache_read_input_tokens", "cache_creation_input_tokens")


def claude_events(line: dict[str, Any]) -> list[Said] | None:
    """What a line of Claude Code says."""
    match line.get("type"):
        case "assistant":
            return _assistant(mapping(line.get("message")), failed=bool(line.get("error")))
        case "user":
            return [
                result(part.get("tool_use_id"), part.get("content"), failed=bool(part.get("is_error")))
                for part in objects(mapping(line.get("message")).get("content"))
                if part.get("type") == "tool_result"
            ]
        case "system":
            if line.get("subtype") == "api_retry":
                return message(f"{line.get('error')} {line.get('error_status') or ''}".strip(), problem=True)
            return []
        case "result":
            return _result(line)
        case "stream_event" | "rate_limit_event" | "tool_progress" | "control_request" | "control_response":
            return []
        case _:
            return None


def _assistant(said: dict[str, Any], *, failed: bool) -> list[Said]:
    events: list[Said] = []
    for part in objects(said.get("content")):
        if part.get("type") == "text":
            events += message(part.get("text"), problem=failed)
        elif part.get("type") == "tool_use":
            events.append(call(part.get("id"), part.get("name"), mapping(part.get("input"))))
    used = mapping(said.get("usage"))
    if not failed and used:
        events.append(("usage", {"id": str(said.get("id")), **_input(used)}))
    return events


def _result(line: dict[str, Any]) -> list[Said]:
    used = mapping(line.get("usage"))
    refused = line.get("stop_reason") == "refusal"
    good = line.get("subtype") == "success" and not line.get("is_error") and not refused
    return [
        ("usage", {**_input(used), "output_tokens": count(used.get("output_tokens")), "total": True}),
        end("ok" if good else "refused" if refused else "failed", text_of(line.get("result")) or line.get("subtype")),
    ]


def _input(used: dict[str, Any]) -> dict[str, Any]:
    cached = sum(count(used.get(key)) for key in CACHED)
    read = count(used.get("cache_read_input_tokens"))
    return {"input_tokens": count(used.get("input_tokens")) + cached, "cached_tokens": read}
