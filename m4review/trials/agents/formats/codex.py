"""Codex: ``codex exec --json``, one item per line. The last line holds the tokens of the whole turn."""

from __future__ import annotations

from typing import Any

from m4review.trials.agents.formats.parts import Said, call, count, end, mapping, message, result


def codex_events(line: dict[str, Any]) -> list[Said] | None:
    """What a line of Codex says."""
    match line.get("type"):
        case "item.started" | "item.updated" | "item.completed" as stage:
            return _item(str(stage), mapping(line.get("item")))
        case "turn.completed":
            used = mapping(line.get("usage"))
            tokens = {
                "input_tokens": count(used.get("input_tokens")),
                "output_tokens": count(used.get("output_tokens")),
                "cached_tokens": count(used.get("cached_input_tokens")),
            }
            return [("usage", {**tokens, "total": True}), end("ok")]
        case "turn.failed":
            return [end("failed", mapping(line.get("error")).get("message"))]
        case "error":
            return message(line.get("message"), problem=True)
        case "thread.started" | "turn.started":
            return []
        case _:
            return None


def _item(stage: str, item: dict[str, Any]) -> list[Said]:
    kind, done = item.get("type"), stage == "item.completed"
    match kind:
        case "command_execution" if stage == "item.started":
            return [call(item.get("id"), "shell", {"command": item.get("command")})]
        case "command_execution" if done:
            code = item.get("exit_code")
            return [result(item.get("id"), item.get("aggregated_output"), failed=code != 0, exit_code=code)]
        case "agent_message" if done:
            return message(item.get("text"))
        case "error" if done:
            return message(item.get("message"), problem=True)
        case "file_change" if done:
            paths = [str(change.get("path")) for change in item.get("changes") or [] if isinstance(change, dict)]
            return [call(item.get("id"), "edit", {"path": ", ".join(paths)})]
        case "mcp_tool_call" | "web_search" if done:
            return [call(item.get("id"), kind, {"title": str(item.get("query") or item.get("tool") or "")})]
        case _:
            return []
