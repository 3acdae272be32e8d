"""Why something cannot be done, for people who press keys: without the commands that would do it in a terminal."""

from __future__ import annotations

import re

from m4review.errors import M4ReviewError

IN_BRACKETS = re.compile(r"\s*\((?:m4review|git) [^)]*\)")
AT_THE_END = re.compile(r":\s*'?(?:m4review|git) .*$")
COMMAND = re.compile(r"\b(?:m4review|git) [a-z]|(?<!\w)--\w")


def reason_of(error: M4ReviewError) -> str:
    """What went wrong and what to do; a remedy that is nothing but a command is left out, for there is a key for it or
    a sentence that says so."""
    fix = AT_THE_END.sub("", IN_BRACKETS.sub("", error.fix or ""))
    return error.what if not fix or COMMAND.search(fix) else f"{error.what}. To fix: {fix}"
