"""The front matter of an event, read fast where its meaning leaves no doubt.

A ledger holds thousands of events, and a YAML library takes milliseconds for each. Events are written in one plain
form of YAML: ``key: value`` lines, maps indented by two blanks, lists of ``- value`` lines, long texts folded at
blanks. This form is read here; for anything else ``None`` is returned and YAML itself is asked
(:mod:`m4review.skills.strictyaml`), which also says what is wrong. Both must give the same values:
``tests/unit/reviews/test_reviews_fastread.py`` compares them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final, Literal

KEY = r"[A-Za-z](?:[A-Za-z0-9_ ,()/?.%-]{0,80}[A-Za-z0-9_)?.%-])?"
PLAIN_END = r"(?:[^:#]|:(?=[^ ])|(?<! )#)*"
VALUE = re.compile(
    rf"(?P<plain>[A-Za-z]{PLAIN_END})|'(?P<quoted>(?:[^']|'')*)'|'(?P<begun>(?:[^']|'')*)"
    r"|(?P<number>0|[1-9][0-9]{0,15})|(?P<fraction>(?:0|[1-9][0-9]{0,15})\.[0-9]{1,20})|(?P<empty>\[\]|\{\})"
)
ENTRY = re.compile(rf"(?P<key>{KEY}):(?: (?P<value>.+))?")
CONTINUED = re.compile(rf"[A-Za-z0-9(]{PLAIN_END}")
QUOTED_ON = re.compile(r"(?P<text>(?:[^']|'')*)(?P<end>'?)")
OTHER_KINDS = frozenset(("yes", "no", "on", "off", "true", "false", "null", "y", "n"))
"""Words that a YAML reader may take for a value of another kind."""
CONSTANTS: Final = {"null": None, "true": True, "false": False}
INDENT: Final = 2
DEPTH: Final = 12

Shape = Literal["whole", "plain", "begun", "nothing"]


class _DoubtError(Exception):
    """What stands here may mean something else to YAML."""


def read_event_block(block: str) -> tuple[dict[str, Any], dict[str, int]] | None:
    """The values of a block and the 0-based line of each top-level key; ``None`` where YAML must be asked."""
    lines = block.split("\n")
    if not "".join(lines).isprintable():
        return None
    reader = _Reader(lines)
    try:
        values = reader.mapping(0)
    except _DoubtError:
        return None
    return (values, reader.top) if reader.at == len(lines) else None


class _Reader:
    """A position in the lines of a block."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.indents = [*(len(line) - len(line.lstrip(" ")) for line in lines), -1]
        """How far each line is indented; -1 after the last one."""
        self.at = 0
        self.top: dict[str, int] = {}

    def mapping(self, indent: int) -> dict[str, Any]:
        """The map whose entries are indented by ``indent``."""
        found: dict[str, Any] = {}
        while self.indents[self.at] == indent and not self.lines[self.at].startswith("- ", indent):
            key, shape, value = _entry(self.lines[self.at][indent:])
            if key in found:
                raise _DoubtError
            if indent == 0:
                self.top[key] = self.at
            self.at += 1
            found[key] = self._below(indent) if shape == "nothing" else self._value(shape, value, indent)
        if not found:
            raise _DoubtError
        return found

    def _below(self, indent: int) -> Any:
        """What stands under a key that has no value in its line."""
        deeper = self.indents[self.at]
        if deeper == indent and self.lines[self.at].startswith("- ", indent):
            return self._sequence(indent)
        if deeper == indent + INDENT and deeper < INDENT * DEPTH:
            return self.mapping(deeper)
        raise _DoubtError

    def _sequence(self, indent: int) -> list[Any]:
        found: list[Any] = []
        while self.indents[self.at] == indent and self.lines[self.at].startswith("- ", indent):
            body = self.lines[self.at][indent + INDENT :]
            if ENTRY.fullmatch(body) and indent < INDENT * DEPTH:
                self.lines[self.at] = " " * (indent + INDENT) + body
                self.indents[self.at] = indent + INDENT
                found.append(self.mapping(indent + INDENT))
            else:
                self.at += 1
                found.append(self._value(*_value(body), indent))
        return found

    def _value(self, shape: Shape, value: Any, indent: int) -> Any:
        """A value whose first line was read, with the lines on which it goes on."""
        text = value
        while shape != "whole" and self.indents[self.at] == indent + INDENT:
            line = self.lines[self.at][indent + INDENT :]
            self.at += 1
            on = QUOTED_ON.fullmatch(line) if shape == "begun" else CONTINUED.fullmatch(line)
            if on is None or line.endswith((" ", ":")) or text.endswith(" ") or line.startswith(" "):
                raise _DoubtError
            if shape == "begun":
                text += " " + on["text"].replace("''", "'")
                shape = "whole" if on["end"] else "begun"
            else:
                text += " " + line
        if shape == "begun" or self.indents[self.at] > indent:
            raise _DoubtError
        return text


@lru_cache(maxsize=1 << 15)
def _entry(body: str) -> tuple[str, Shape, Any]:
    """Key, shape and value of one line. Kept, as the events of a skill share most of their lines."""
    found = ENTRY.fullmatch(body)
    if found is None or found["key"].lower() in OTHER_KINDS:
        raise _DoubtError
    return (found["key"], *_value(found["value"]))


def _value(text: str | None) -> tuple[Shape, Any]:
    if text is None:
        return "nothing", None
    found = VALUE.fullmatch(text)
    if found is None:
        raise _DoubtError
    if found["plain"] is not None:
        if text in CONSTANTS:
            return "whole", CONSTANTS[text]
        if text[-1] in " :" or text.lower() in OTHER_KINDS:
            raise _DoubtError
        return "plain", text
    if found["quoted"] is not None:
        return "whole", found["quoted"].replace("''", "'")
    if found["begun"] is not None:
        return "begun", found["begun"].replace("''", "'")
    if found["number"] is not None:
        return "whole", int(text)
    if found["fraction"] is not None:
        return "whole", float(text)
    return "whole", [] if text == "[]" else {}
