"""Reading the parts of a trace that was written by a program nobody here controls: nothing is taken for granted."""

from __future__ import annotations

from typing import Any, Literal

Kind = Literal["message", "tool_call", "tool_result", "usage", "end"]
Said = tuple[Kind, dict[str, Any]]
"""A kind of event and its values."""

PATH_KEYS = ("file_path", "filePath", "path", "dir_path")


def mapping(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects(value: object) -> list[dict[str, Any]]:
    """The objects in a list; nothing if it is none."""
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def text_of(value: object) -> str:
    """A text, or the texts in a list of parts."""
    if isinstance(value, str):
        return value
    return "\n".join(part["text"] for part in objects(value) if isinstance(part.get("text"), str))


def count(value: object) -> int:
    """A number of tokens; 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def call(identifier: object, name: object, arguments: dict[str, Any]) -> Said:
    """A tool call with the part of its arguments that says what it does."""
    values: dict[str, Any] = {"id": str(identifier or ""), "name": str(name or "tool")}
    command = arguments.get("command") or arguments.get("cmd")
    path = next((arguments[key] for key in PATH_KEYS if isinstance(arguments.get(key), str)), None)
    if isinstance(command, list):
        command = " ".join(map(str, command))
    if isinstance(command, str):
        values["command"] = command
    elif path is not None:
        values["path"] = path
    else:
        title = next((value for value in arguments.values() if isinstance(value, str)), "")
        values["title"] = title
    return "tool_call", values


def result(identifier: object, text: object, *, failed: bool, exit_code: object = None) -> Said:
    """What a tool gave back."""
    values: dict[str, Any] = {"id": str(identifier or ""), "text": text_of(text), "failed": failed}
    if isinstance(exit_code, int):
        values["exit_code"] = exit_code
    return "tool_result", values


def message(text: object, *, problem: bool = False) -> list[Said]:
    """Words of the agent or, as a ``problem``, of its program; nothing when there are none."""
    said = text_of(text)
    if not said:
        return []
    return [("message", {"text": said, "problem": True} if problem else {"text": said})]


def end(status: Literal["ok", "failed", "refused"], text: object = "") -> Said:
    """The end of the run as the program sees it."""
    return "end", {"status": status, "text": text_of(text)}
