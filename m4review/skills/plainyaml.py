"""The front matter that nearly every skill has, read without a YAML library: loading one takes longer than the lint.

Only lines whose meaning in YAML leaves no doubt are read: ``key: text``, ``key: "text"``, and one level of keys
indented by two blanks. Anything else is left to :mod:`m4review.skills.strictyaml`, which also says what is wrong.
"""

from __future__ import annotations

import re
from typing import Any

LINE = re.compile(
    r"(?P<indent>(?:  )?)(?P<key>[a-z][a-z-]{0,60}):"
    r"(?: (?P<plain>[A-Za-z](?:[^:#]*[^:# ])?|\d+\.\d+\.\d+)| \"(?P<quoted>[^\"\\]*)\")?"
)
NO_TEXT = frozenset(("yes", "no", "on", "off", "true", "false", "null"))
"""Words that YAML takes for a value of another kind."""


def read_plain(block: str) -> tuple[dict[str, Any], dict[str, int]] | None:
    """The values of a block and the 0-based line of each top-level key; ``None`` where YAML itself must be asked."""
    values: dict[str, Any] = {}
    lines: dict[str, int] = {}
    inner: dict[str, Any] | None = None
    for number, line in enumerate(block.split("\n")):
        found = LINE.fullmatch(line)
        if found is None or not line.isprintable():
            return None
        key, text = found["key"], found["quoted"] if found["plain"] is None else found["plain"]
        target = inner if found["indent"] else values
        if target is None or key in target or key in NO_TEXT or (found["plain"] or "").lower() in NO_TEXT:
            return None
        if not found["indent"]:
            if inner == {}:
                return None
            inner = {} if text is None else None
            lines[key] = number
        elif text is None:
            return None
        target[key] = inner if text is None else text
    return None if inner == {} else (values, lines)
