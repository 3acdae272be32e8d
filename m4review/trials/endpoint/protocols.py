"""The four protocols: how a request is read, and how an answer is written as the events of a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .conversation import INPUT_TOKENS, OUTPUT_TOKENS, Call, Conversation, Reply, Say, Tool, words_of

Event = tuple[str | None, dict[str, Any]]
"""The name of a server-sent event, if the protocol names them, and its data."""

TOTAL = INPUT_TOKENS + OUTPUT_TOKENS


class Responses:
    """OpenAI's Responses."""

    @staticmethod
    def read(body: dict[str, Any]) -> Conversation:
        """The conversation of ``POST …/responses``."""
        given = body.get("input", [])
        items = given if isinstance(given, list) else []
        return Conversation(
            model=str(body.get("model", "")),
            tools=tuple(_tool(tool, "parameters") for tool in body.get("tools", []) if tool.get("name")),
            results=sum(1 for item in items if str(item.get("type", "")).endswith("_call_output")),
            text=words_of([body.get("instructions", ""), given]),
            stream=bool(body.get("stream")),
        )

    @staticmethod
    def events(reply: Reply, number: str, model: str) -> Iterator[Event]:
        """The answer as a stream."""
        head = {"id": f"resp_{number}", "object": "response", "model": model, "status": "in_progress", "output": []}
        yield "response.created", {"type": "response.created", "response": head}
        if isinstance(reply, Call):
            item: dict[str, Any] = {
                "type": "function_call",
                "id": f"fc_{number}",
                "call_id": f"call_{number}",
                "name": reply.tool,
                "arguments": json.dumps(reply.arguments),
                "status": "completed",
            }
        else:
            part = {"type": "refusal", "refusal": reply.text} if reply.refusal else _output_text(reply.text)
            item = {
                "type": "message",
                "id": f"msg_{number}",
                "role": "assistant",
                "status": "completed",
                "content": [part],
            }
        yield (
            "response.output_item.done",
            {"type": "response.output_item.done", "output_index": 0, "item": item},
        )
        usage = {
            "input_tokens": INPUT_TOKENS,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": OUTPUT_TOKENS,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": TOTAL,
        }
        done = {**head, "status": "completed", "output": [item], "usage": usage}
        yield "response.completed", {"type": "response.completed", "response": done}

    @staticmethod
    def whole(reply: Reply, number: str, model: str) -> dict[str, Any]:
        """The answer in one piece."""
        response: dict[str, Any] = list(Responses.events(reply, number, model))[-1][1]["response"]
        return response

    @staticmethod
    def error(status: int) -> dict[str, Any]:
        """The body of an error."""
        return _openai_error(status)


class Messages:
    """Anthropic's Messages."""

    @staticmethod
    def read(body: dict[str, Any]) -> Conversation:
        """The conversation of ``POST …/messages``."""
        turns = body.get("messages", [])
        parts = [part for turn in turns if isinstance(turn.get("content"), list) for part in turn["content"]]
        return Conversation(
            model=str(body.get("model", "")),
            tools=tuple(_tool(tool, "input_schema") for tool in body.get("tools", []) if tool.get("name")),
            results=sum(1 for part in parts if part.get("type") == "tool_result"),
            text=words_of([body.get("system", ""), turns]),
            stream=bool(body.get("stream")),
        )

    @staticmethod
    def events(reply: Reply, number: str, model: str) -> Iterator[Event]:
        """The answer as a stream."""
        message = Messages.whole(reply, number, model)
        block, stop = message["content"][0], message["stop_reason"]
        head = {**message, "content": [], "stop_reason": None, "usage": {**message["usage"], "output_tokens": 1}}
        yield "message_start", {"type": "message_start", "message": head}
        if isinstance(reply, Call):
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(reply.arguments)}
        else:
            start = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": reply.text}
        yield "content_block_start", {"type": "content_block_start", "index": 0, "content_block": start}
        yield "content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": 0}
        yield (
            "message_delta",
            {
                "type": "message_delta",
                "delta": {"stop_reason": stop, "stop_sequence": None},
                "usage": {"output_tokens": OUTPUT_TOKENS},
            },
        )
        yield "message_stop", {"type": "message_stop"}

    @staticmethod
    def whole(reply: Reply, number: str, model: str) -> dict[str, Any]:
        """The answer in one piece."""
        if isinstance(reply, Call):
            block: dict[str, Any] = {
                "type": "tool_use",
                "id": f"toolu_{number}",
                "name": reply.tool,
                "input": reply.arguments,
            }
            stop = "tool_use"
        else:
            block = {"type": "text", "text": reply.text}
            stop = "refusal" if reply.refusal else "end_turn"
        return {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [block],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {
                "input_tokens": INPUT_TOKENS,
                "output_tokens": OUTPUT_TOKENS,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
            },
        }

    @staticmethod
    def error(status: int) -> dict[str, Any]:
        """The body of an error."""
        kind = {401: "authentication_error", 429: "rate_limit_error"}.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": f"scripted {status}"}}


class Chat:
    """Chat completions, which servers of one's own speak."""

    @staticmethod
    def read(body: dict[str, Any]) -> Conversation:
        """The conversation of ``POST …/chat/completions``."""
        turns = body.get("messages", [])
        tools = [tool["function"] for tool in body.get("tools") or [] if tool.get("type") == "function"]
        return Conversation(
            model=str(body.get("model", "")),
            tools=tuple(_tool(tool, "parameters") for tool in tools),
            results=sum(1 for turn in turns if turn.get("role") == "tool"),
            text=words_of(turns),
            stream=bool(body.get("stream")),
        )

    @staticmethod
    def events(reply: Reply, number: str, model: str) -> Iterator[Event]:
        """The answer as a stream."""
        whole = Chat.whole(reply, number, model)
        choice = whole["choices"][0]
        head = {**whole, "object": "chat.completion.chunk", "usage": None}
        delta = {
            **choice["message"],
            "tool_calls": [{**c, "index": 0} for c in choice["message"].get("tool_calls", [])],
        }
        if not delta["tool_calls"]:
            del delta["tool_calls"]
        yield None, {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        yield None, {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
        yield None, {**head, "choices": [], "usage": whole["usage"]}

    @staticmethod
    def whole(reply: Reply, number: str, model: str) -> dict[str, Any]:
        """The answer in one piece."""
        message: dict[str, Any] = {"role": "assistant", "content": None}
        if isinstance(reply, Call):
            function = {"name": reply.tool, "arguments": json.dumps(reply.arguments)}
            message["tool_calls"] = [{"id": f"call_{number}", "type": "function", "function": function}]
        elif reply.refusal:
            message |= {"content": reply.text, "refusal": reply.text}
        else:
            message["content"] = reply.text
        refused = isinstance(reply, Say) and reply.refusal
        finish = "tool_calls" if isinstance(reply, Call) else "content_filter" if refused else "stop"
        return {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": 0,
            "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {"prompt_tokens": INPUT_TOKENS, "completion_tokens": OUTPUT_TOKENS, "total_tokens": TOTAL},
        }

    @staticmethod
    def error(status: int) -> dict[str, Any]:
        """The body of an error."""
        return _openai_error(status)


class Gemini:
    """Google's generateContent; the model's name stands in the path."""

    @staticmethod
    def read(body: dict[str, Any]) -> Conversation:
        """The conversation of ``POST …/models/NAME:streamGenerateContent``, with the name under ``model``."""
        turns = body.get("contents", [])
        parts = [part for turn in turns for part in turn.get("parts", [])]
        tools = [tool for group in body.get("tools") or [] for tool in group.get("functionDeclarations", [])]
        schema = "parametersJsonSchema" if any("parametersJsonSchema" in tool for tool in tools) else "parameters"
        return Conversation(
            model=str(body.get("model", "")),
            tools=tuple(_tool(tool, schema) for tool in tools),
            results=sum(1 for part in parts if "functionResponse" in part),
            text=words_of([body.get("systemInstruction", ""), turns]),
        )

    @staticmethod
    def events(reply: Reply, number: str, model: str) -> Iterator[Event]:
        """The answer as a stream."""
        yield None, Gemini.whole(reply, number, model)

    @staticmethod
    def whole(reply: Reply, number: str, model: str) -> dict[str, Any]:
        """The answer in one piece."""
        finish = "STOP"
        if isinstance(reply, Call):
            part: dict[str, Any] = {"functionCall": {"name": reply.tool, "args": reply.arguments}}
        else:
            part = {"text": reply.text}
            finish = "SAFETY" if reply.refusal else "STOP"
        usage = {
            "promptTokenCount": INPUT_TOKENS,
            "candidatesTokenCount": OUTPUT_TOKENS,
            "totalTokenCount": TOTAL,
        }
        return {
            "candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": finish}],
            "usageMetadata": usage,
            "modelVersion": model,
            "responseId": number,
        }

    @staticmethod
    def error(status: int) -> dict[str, Any]:
        """The body of an error."""
        word = {401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED"}.get(status, "INTERNAL")
        return {"error": {"code": status, "message": f"scripted {status}", "status": word}}


Protocol = type[Responses] | type[Messages] | type[Chat] | type[Gemini]


def _tool(tool: dict[str, Any], schema: str) -> Tool:
    return Tool(str(tool["name"]), dict((tool.get(schema) or {}).get("properties") or {}))


def _output_text(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": []}


def _openai_error(status: int) -> dict[str, Any]:
    kind = {401: "invalid_request_error", 429: "rate_limit_error"}.get(status, "server_error")
    code = {401: "invalid_api_key", 429: "rate_limit_exceeded"}.get(status, "server_error")
    return {"error": {"message": f"scripted {status}", "type": kind, "code": code, "param": None}}
