"""The scoring rules once more, in plain Python and without a line of the product: what the tests compare with."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
TIME = re.compile(r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d(?:\.\d{1,6})?))?Z?")
BAD = object()


def read(text: str, kind: str) -> Any:
    """The value of a cell, ``None`` when empty, ``BAD`` when it is no value of the kind."""
    text = text.strip(" \t\r\n")
    if text == "":
        return None
    if kind == "text":
        return text
    if kind == "number":
        return float(text) if NUMBER.fullmatch(text) else BAD
    match = TIME.fullmatch(text)
    if not match:
        return BAD
    return datetime.fromisoformat(f"{match[1]} {match[2] or '00:00:00'}")


def matches(expected: Any, given: Any, kind: str, tolerance: float) -> bool:
    if given is BAD:
        return False
    if expected is None or given is None:
        return expected is given
    if kind == "number":
        return expected == given or (tolerance > 0 and abs(expected - given) <= tolerance * (1 + 1e-12))
    if kind == "timestamp":
        return abs((expected - given).total_seconds()) <= tolerance
    return bool(expected == given)


def read_key(text: str, kind: str) -> Any:
    """The value of a key cell; the number keys of the tests are ids, and those are whole."""
    value = read(text, kind)
    return BAD if isinstance(value, float) and not value.is_integer() else value


def key_counts(reference: list[dict[str, str]], output: list[dict[str, str]], keys: dict[str, str]) -> dict[str, int]:
    """How the output's keys meet the reference's, counted one row at a time."""
    known = {tuple(read(row[name], kind) for name, kind in keys.items()) for row in reference}
    counts = dict.fromkeys(("matched", "extra", "duplicate", "malformed"), 0)
    seen: set[tuple[Any, ...]] = set()
    for row in output:
        key = tuple(read_key(row[name], kind) for name, kind in keys.items())
        if BAD in key:
            counts["malformed"] += 1
            counts["extra"] += 1
        elif key in seen:
            counts["duplicate"] += 1
        else:
            counts["matched" if key in known else "extra"] += 1
            seen.add(key)
    return counts


def rates(
    reference: list[dict[str, str]],
    output: list[dict[str, str]],
    keys: dict[str, str],
    scored: dict[str, str],
    tolerances: dict[str, float],
) -> dict[str, float]:
    """Match rate of every scored column. ``keys`` and ``scored`` map a column to its kind."""
    known = {tuple(read(row[name], kind) for name, kind in keys.items()): row for row in reference}
    seen: dict[tuple[Any, ...], dict[str, str]] = {}
    surplus = 0
    for row in output:
        key = tuple(read(row[name], kind) for name, kind in keys.items())
        if BAD in key or key not in known or key in seen:
            surplus += 1
        if BAD not in key:
            seen.setdefault(key, row)
    result = {}
    for name, kind in scored.items():
        hits = sum(
            key in seen and matches(read(row[name], kind), read(seen[key][name], kind), kind, tolerances.get(name, 0))
            for key, row in known.items()
        )
        result[name] = round(hits / (len(known) + surplus), 8)
    return result
