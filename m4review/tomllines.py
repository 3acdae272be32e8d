"""Where a key stands in a TOML text, so that a message can name the line that ``tomllib`` no longer knows."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence

HEADER = re.compile(r"^\s*(?P<open>\[{1,2})\s*(?P<name>[^\[\]]+?)\s*\]")
KEY = re.compile(r"""^\s*(?P<key>[\w.-]+|"[^"]*"|'[^']*')\s*=""")


PLACE = re.compile(r" *\(at (?:line (?P<line>\d+), column \d+|end of document)\)")


def syntax_error(text: str, error: tomllib.TOMLDecodeError) -> tuple[str, int]:
    """What ``tomllib`` said of the text without the place, and the 1-based line; the last one for its end."""
    place = PLACE.search(str(error))
    last = text.rstrip().count("\n") + 1
    return PLACE.sub("", str(error)), int(place["line"]) if place and place["line"] else last


def line_of(text: str, keys: Sequence[str | int]) -> int | None:
    """The 1-based line of a key (``("reviewers", 1, "id")``), else of the nearest table around it.

    Best effort, for messages: it reads line by line and does not look into values. ``None`` when nothing fits.
    """
    wanted = tuple(keys)
    table: tuple[str | int, ...] = ()
    seen: dict[tuple[str, ...], int] = {}
    found: tuple[int, int] | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        header, key = HEADER.match(line), KEY.match(line)
        if header is not None:
            name = tuple(part.strip().strip("\"'") for part in header["name"].split("."))
            table = name
            if header["open"] == "[[":
                seen[name] = seen.get(name, -1) + 1
                table = (*name, seen[name])
            path = table
        elif key is not None:
            path = (*table, *(part.strip("\"'") for part in key["key"].split(".")))
        else:
            continue
        if wanted[: len(path)] == path and (found is None or len(path) > found[0]):
            found = (len(path), number)
    return None if found is None else found[1]
