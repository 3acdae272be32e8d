"""What git's hooks call, without the parser of the command line: every commit waits for it."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from m4review.lint.finding import LintReport

BETWEEN_COLLECTIONS = 200_000
"""Objects made between two searches for garbage: imports and patterns make many that stay, and a hook ends soon."""


def run_hook_call(words: list[str]) -> int | None:
    """Run ``lint --staged`` or ``lint --message FILE`` and return the exit code; ``None`` for any other call.

    Both mean the same as through ``m4review lint``, which knows them with all their options.
    """
    if words[:1] != ["lint"]:
        return None
    usual = gc.get_threshold()
    gc.set_threshold(BETWEEN_COLLECTIONS)
    try:
        report = _report(words[1:])
        if report is None:
            return None
        from m4review.lint.output import as_text

        write(as_text(report))
        return report.exit_code
    finally:
        gc.set_threshold(*usual)


def _report(words: list[str]) -> LintReport | None:
    if words == ["--staged"]:
        from m4review.lint.ingit import lint_staged

        return lint_staged()
    if len(words) == 2 and words[0] == "--message" and not words[1].startswith("-"):
        from m4review.lint.gate import lint_message_file

        return lint_message_file(Path(words[1]))
    return None


def write(text: str) -> None:
    """Print findings. They may quote any character; a terminal without it gets an escape instead of a failure."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding, "replace"), flush=True)
