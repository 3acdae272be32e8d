"""The front matter of an event, read fast where its meaning leaves no doubt.

A ledger holds thousands of events and nearly all have one shape: ``key: text``, ``key: number``, empty lists and maps,
one list of texts or one map of texts below a key. These lines are read here; for anything else ``None`` is returned
and YAML itself is asked (:mod:`m4review.skills.strictyaml`), which also says what is wrong. Both must give the same
values: ``tests/unit/reviews/test_reviews_fastread.py`` compares them.
"""

from __future__ import annotations

import re
from typing import Any

KEY = r"[A-Za-z][A-Za-z0-9_-]{0,80}"
PLAIN = r"[A-Za-z](?:[^:#]|:(?=[^ ])|(?<! )#)*"
SCALAR = rf"(?:(?P<plain>{PLAIN})|'(?P<quoted>(?:[^']|'')*)'|(?P<number>0|[1-9][0-9]{{0,15}})|(?P<empty>\[\]|\{{\}}))"
LINE = re.compile(rf"(?:(?P<key>{KEY}):(?: {SCALAR})?)")
ENTRY = re.compile(rf"  (?P<key>{KEY}): (?:(?P<plain>{PLAIN})|'(?P<quoted>(?:[^']|'')*)')")
ITEM = re.compile(rf"- (?:(?P<plain>{PLAIN})|'(?P<quoted>(?:[^']|'')*)')")
OTHER_KINDS = frozenset(("yes", "no", "on", "off", "true", "false", "null", "y", "n"))
"""Words that a YAML reader may take for a value of another kind."""


def read_event_block(block: str) -> tuple[dict[str, Any], dict[str, int]] | None:
    """The values of a block and the 0-based line of each top-level key; ``None`` where YAML must be asked."""
    values: dict[str, Any] = {}
    lines: dict[str, int] = {}
    open_key: str | None = None
    for number, line in enumerate(block.split("\n")):
        if not line.isprintable():
            return None
        if line.startswith("  "):
            if not _add_entry(values, open_key, line):
                return None
        elif line.startswith("- "):
            if not _add_item(values, open_key, line):
                return None
        else:
            if open_key is not None and values[open_key] is None:
                return None
            found = LINE.fullmatch(line)
            if found is None or found["key"] in values or found["key"].lower() in OTHER_KINDS:
                return None
            key = found["key"]
            lines[key] = number
            known, value = _scalar(found)
            if not known:
                return None
            values[key] = value
            open_key = key if value is None else None
    if open_key is not None and values[open_key] is None:
        return None
    return values, lines


def _scalar(found: re.Match[str]) -> tuple[bool, Any]:
    if found["number"] is not None:
        return True, int(found["number"])
    if found["empty"] is not None:
        return True, [] if found["empty"] == "[]" else {}
    if found["plain"] is None and found["quoted"] is None:
        return True, None
    text = _text(found)
    return text is not None, text


def _text(found: re.Match[str]) -> str | None:
    plain: str | None = found["plain"]
    if plain is None:
        quoted: str = found["quoted"]
        return quoted.replace("''", "'")
    if plain[-1] in " :" or plain.lower() in OTHER_KINDS:
        return None
    return plain


def _add_entry(values: dict[str, Any], key: str | None, line: str) -> bool:
    found = ENTRY.fullmatch(line)
    if key is None or found is None or found["key"].lower() in OTHER_KINDS:
        return False
    if values[key] is None:
        values[key] = {}
    inner, text = values[key], _text(found)
    if not isinstance(inner, dict) or text is None or found["key"] in inner:
        return False
    inner[found["key"]] = text
    return True


def _add_item(values: dict[str, Any], key: str | None, line: str) -> bool:
    found = ITEM.fullmatch(line)
    if key is None or found is None:
        return False
    if values[key] is None:
        values[key] = []
    inner, text = values[key], _text(found)
    if not isinstance(inner, list) or text is None:
        return False
    inner.append(text)
    return True
