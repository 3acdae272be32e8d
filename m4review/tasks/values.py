"""The raw values of a task card, read without pydantic: what a hook needs of it, and fast."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from m4review.errors import TaskError

TASK_FILE = "task.toml"
INSTRUCTION_FILE = "instruction.md"


def task_values(text: str, path: Path) -> dict[str, object]:
    """The raw values of a task.toml, without pydantic (the lint reads ``skills`` and ``removed`` this way).

    Raises:
        TaskError: not valid TOML.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = re.search(r"\(at line (\d+), column \d+\)", str(error))
        raise TaskError(
            f"not valid TOML: {re.sub(r' *[(]at .*[)]', '', str(error))}",
            where=path,
            line=int(match.group(1)) if match else None,
            fix="check quotes, brackets and '=' on this line",
        ) from None
