"""The plain part of TOML that task cards are written in, read without loading a reader of all of TOML.

Tables with simple names, one of them inside another at most; keys with a text, a number, a truth value, a list of texts
or fields of numbers. Whatever else stands in a document (escapes, dates, dotted keys, tables in lists, a comment inside
of a list, a mistake) makes it not plain: then :func:`read_plain` gives ``None`` and the caller asks ``tomllib``.
"""

from __future__ import annotations

import re

TEXT = r'"[^"\\\x00-\x1f\x7f]*"'
GAP = r"[ \t\n]*"
NAME = r"[A-Za-z_][A-Za-z0-9_-]*"
NUMBER = r"-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,15})?"
FIELD = rf"{NAME}[ \t]*=[ \t]*{NUMBER}[ \t]*"
LINE = re.compile(
    rf"[ \t]*(?:\[(?P<table>{NAME})(?:\.(?P<inner>{NAME}))?\]|(?P<key>{NAME})[ \t]*=[ \t]*(?:(?P<text>{TEXT})|"
    rf"(?P<list>\[{GAP}(?:{TEXT}{GAP},{GAP})*(?:{TEXT}{GAP})?\])|(?P<truth>true|false)|(?P<number>{NUMBER})|"
    rf"(?P<fields>\{{[ \t]*(?:{FIELD},[ \t]*)*{FIELD}\}})))?[ \t]*(?:#[^\x00-\x08\x0a-\x1f\x7f]*)?(?:\n|\Z)"
)
"""One line, with those that its list reaches over."""
IN_LIST = re.compile(TEXT)
IN_FIELDS = re.compile(rf"({NAME})[ \t]*=[ \t]*({NUMBER})")


def read_plain(text: str) -> dict[str, object] | None:
    """What ``tomllib.loads`` gives for a plain document, and ``None`` for any other."""
    document: dict[str, object] = {}
    table = document
    position = 0
    while position < len(text):
        line = LINE.match(text, position)
        if line is None:
            return None
        position = line.end()
        name = line.group("table") or line.group("key")
        if name is None:
            continue
        holder = document if line.group("table") else table
        if name in holder:
            return None
        if line.group("table"):
            table = {}
            document[name] = {inner: table} if (inner := line.group("inner")) else table
        elif (fields := line.group("fields")) is not None:
            found = IN_FIELDS.findall(fields)
            table[name] = {field: _number(number) for field, number in found}
            if len({field for field, _ in found}) < len(found):
                return None
        else:
            table[name] = _value(line)
    return document


def _value(line: re.Match[str]) -> object:
    if (quoted := line.group("text")) is not None:
        return quoted[1:-1]
    if (listed := line.group("list")) is not None:
        return [item[1:-1] for item in IN_LIST.findall(listed)]
    if (truth := line.group("truth")) is not None:
        return truth == "true"
    return _number(line.group("number"))


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)
