"""The raw values of a task card, read without pydantic: what a hook needs of it, and fast."""

from __future__ import annotations

from pathlib import Path

from m4review.errors import TaskError

TASK_FILE = "task.toml"
INSTRUCTION_FILE = "instruction.md"
FAMILY_FILE = "family.md"
"""Beside the task folders of a family: clinical definition, source basis, validity audit."""


def task_values(text: str, path: Path) -> dict[str, object]:
    """The raw values of a task.toml, without pydantic (the lint reads ``skills`` and ``removed`` this way).

    Raises:
        TaskError: not valid TOML.
    """
    from m4review.tasks.plaintoml import read_plain  # here: who asks for the name of a file only need not load it

    plain = read_plain(text)
    if plain is not None:
        return plain
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        from m4review.tomllines import syntax_error

        said, line = syntax_error(text, error)
        raise TaskError(
            f"not valid TOML: {said}",
            where=path,
            line=line,
            fix="check quotes, brackets and '=' on this line and above it",
        ) from None
