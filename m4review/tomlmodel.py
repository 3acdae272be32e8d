"""A TOML file as a model: strictly, with the line of whatever is wrong."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from m4review.errors import WorkspaceError
from m4review.textfile import read_text
from m4review.tomllines import line_of, syntax_error

Model = TypeVar("Model", bound=BaseModel)


def load_toml(path: Path, model: type[Model]) -> Model:
    """A model from a TOML file; see :func:`parse_toml`."""
    return parse_toml(read_text(path).text, model, path)


def parse_toml(text: str, model: type[Model], path: str | Path) -> Model:
    """A model from a TOML text; ``path`` is where it lies, for messages.

    Raises:
        WorkspaceError: not TOML, or not what the model asks for (the line is named).
    """
    text = text.removeprefix("\ufeff")
    try:
        return model.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        said, line = syntax_error(text, error)
        raise WorkspaceError(
            f"not valid TOML: {said}",
            where=path,
            line=line,
            fix="check quotes, brackets and '=' on this line and above it",
        ) from None
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise WorkspaceError(
            f"{key}: {message}" if key else message,
            where=path,
            line=line_of(text, first["loc"]),
            fix=f"correct {key} in this file" if key else "correct this file",
        ) from None
