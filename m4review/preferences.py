"""What somebody prefers in a workspace: one small TOML file of texts under its local folder, never versioned."""

from __future__ import annotations

import tomllib
from pathlib import Path

from m4review.errors import WorkspaceError
from m4review.textfile import read_text, write_text
from m4review.tomllines import syntax_error


def read_preferences(path: Path) -> dict[str, object]:
    """What is kept in the file; nothing where there is none.

    Raises:
        WorkspaceError: it is not TOML (the line is named).
    """
    if not path.exists():
        return {}
    text = read_text(path).text
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said, line = syntax_error(text, error)
        raise WorkspaceError(
            f"not valid TOML: {said}",
            where=path,
            line=line,
            fix="correct the file or delete it; it holds only preferences",
        ) from None


def keep_preference(path: Path, key: str, value: str) -> None:
    """Keep one text under ``key`` beside what is kept already."""
    values = {**read_preferences(path), key: value}
    write_text(path, "\n".join(f'{name} = "{text}"' for name, text in sorted(values.items())) + "\n")
