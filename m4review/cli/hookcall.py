"""What git's hooks call, without the parser of the command line: every commit waits for it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from m4review.lint.finding import LintReport


def run_hook_call(words: list[str]) -> int | None:
    """Run ``lint --staged`` or ``lint --message FILE`` and return the exit code; ``None`` for any other call.

    Both mean the same as through ``m4review lint``, which knows them with all their options.
    """
    if words[:1] != ["lint"]:
        return None
    report: LintReport
    if words == ["lint", "--staged"]:
        from m4review.lint.ingit import lint_staged

        report = lint_staged()
    elif len(words) == 3 and words[1] == "--message" and not words[2].startswith("-"):
        from m4review.lint.gate import lint_message_file

        report = lint_message_file(Path(words[2]))
    else:
        return None
    from m4review.lint.output import as_text

    write(as_text(report))
    return report.exit_code


def write(text: str) -> None:
    """Print findings. They may quote any character; a terminal without it gets an escape instead of a failure."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding, "replace"), flush=True)
