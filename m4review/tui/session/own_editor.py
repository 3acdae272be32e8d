"""The user's own editor on the text, and back."""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from m4review.errors import M4ReviewError
from m4review.textfile import read_text, write_text
from m4review.tui.session.opened import OpenedSkill


class Suspends(Protocol):
    """What can give the terminal away for a while."""

    def suspend(self) -> AbstractContextManager[None]: ...


def editor_command(environment: Mapping[str, str]) -> list[str] | None:
    """The command that ``$VISUAL`` or ``$EDITOR`` names, or ``None``."""
    for name in ("VISUAL", "EDITOR"):
        if environment.get(name, "").strip():
            return shlex.split(environment[name])
    return None


def edit_outside(terminal: Suspends, command: Sequence[str], opened: OpenedSkill) -> str:
    """Let the user edit a copy of the text; returns the text as the editor left it.

    Raises:
        M4ReviewError: the editor cannot be started or failed; the text is unchanged.
        TextFileError: the editor left something that is not UTF-8 text.
    """
    with tempfile.TemporaryDirectory(prefix="m4review-edit-") as scratch:
        copy = Path(scratch) / opened.path.name
        write_text(copy, opened.text)
        with terminal.suspend():
            try:
                code = subprocess.run([*command, str(copy)], check=False).returncode
            except OSError as error:
                raise M4ReviewError(
                    f"the editor {command[0]!r} cannot be started ({error.strerror})",
                    fix="set EDITOR to a command that is installed",
                ) from None
        if code:
            raise M4ReviewError(f"the editor {command[0]!r} ended with code {code}; your text is unchanged")
        return read_text(copy).text
