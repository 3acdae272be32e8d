"""Family *front-matter*: the block at the head of SKILL.md, as the Agent Skills specification has it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from m4review.errors import SkillError
from m4review.lint.pattern import Pattern
from m4review.lint.rule import Example, Hit, Rule
from m4review.skills.frontmatter import FrontMatter, split_front_matter

KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
PROFILE_KEYS = {"m4bench": ("tier", "category")}
NAME = Pattern(r"[a-z0-9]+(?:-[a-z0-9]+)*")
LIMITS = {"name": 64, "description": 1024, "compatibility": 500, "license": 1024, "allowed-tools": 1024}


def check_front_matter(text: str, folder: str | None, profile: str | None) -> Iterator[Hit]:
    """What is wrong with the front matter of a SKILL.md in the folder ``folder``."""
    starts = _line_starts(text)

    def hit(rule: str, line: int | None, message: str) -> Hit:
        number = min(max(line or 1, 1), len(starts))
        start = starts[number - 1]
        return Hit(rule, start, len(text) if number == len(starts) else starts[number] - 1, message)

    try:
        front = split_front_matter(text, "")
    except SkillError as error:
        yield hit("front-matter", error.line, error.what)
        return
    for rule, key, message in _problems(front, folder, profile):
        yield hit(rule, front.lines.get(key, 1), message)


def _problems(front: FrontMatter, folder: str | None, profile: str | None) -> Iterator[tuple[str, str, str]]:
    known = KEYS + PROFILE_KEYS.get(profile or "", ())
    for key in front.values:
        if key not in known:
            from difflib import get_close_matches

            nearest = get_close_matches(key.lower().replace("_", "-"), known, n=1, cutoff=0.6)
            hint = f"; did you mean {nearest[0]!r}?" if nearest else "; further keys belong under 'metadata:'"
            yield "front-matter-key", key, f"unknown key {key!r}{hint}"
    for key in ("name", "description"):
        if key not in front.values:
            yield "front-matter", key, f"the key {key!r} is missing"
    for key, limit in LIMITS.items():
        if key in front.values:
            message = _text_problem(key, front.values[key], limit)
            if message:
                yield "front-matter", key, message
    name = front.values.get("name")
    if isinstance(name, str) and name.strip():
        if not NAME.fullmatch(name):
            yield "front-matter-name", "name", "the name may hold lower-case letters, digits and single hyphens"
        elif folder is not None and name != folder:
            yield "front-matter-name", "name", f"the name is not that of the folder ({folder})"
    metadata: Any = front.values.get("metadata")
    if metadata is not None and not (
        isinstance(metadata, dict)
        and all(isinstance(key, str) and isinstance(value, str | int | float | bool) for key, value in metadata.items())
    ):
        yield "front-matter", "metadata", "metadata must be one level of 'key: text' lines"


def _text_problem(key: str, value: object, limit: int) -> str | None:
    if key == "allowed-tools" and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return None
    if not isinstance(value, str):
        return f"{key} is not a text (put it in quotes)" if value is not None else f"{key} is empty"
    if not value.strip():
        return f"{key} is empty"
    if len(value) > limit:
        return f"{key} has {len(value):,} characters; at most {limit:,}"
    return None


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


_GOOD = "name: example\ndescription: How to derive an example."
_WHY = "Agents find and load a skill by this block; outside the specification they may not find it at all."

RULES = (
    Rule(
        "front-matter",
        "front-matter",
        "error",
        _WHY,
        "Give name and description as the Agent Skills specification says.",
        (
            Example("# T", front="name: example"),
            Example("# T", front=f"{_GOOD}\nlicense: [MIT]"),
            Example("# T", front=f"{_GOOD}\nmetadata: text"),
            Example("# T", front=f"name: example\ndescription: {'x' * 1025}"),
        ),
        (Example("# T", front=_GOOD), Example("# T", front=f"{_GOOD}\nlicense: MIT\nmetadata:\n  tier: draft")),
    ),
    Rule(
        "front-matter-key",
        "front-matter",
        "error",
        _WHY,
        "Correct the key, or put it under 'metadata:'.",
        (Example("# T", front=f"{_GOOD}\nlicence: MIT"), Example("# T", front=f"{_GOOD}\ntier: gold")),
        (Example("# T", front=f"{_GOOD}\ncompatibility: MIMIC-IV v3.1"),),
    ),
    Rule(
        "front-matter-name",
        "front-matter",
        "error",
        "The name is how a task finds the skill.",
        "Use the folder's name: lower-case letters, digits and single hyphens.",
        (
            Example("# T", front="name: Example\ndescription: d"),
            Example("# T", front="name: other\ndescription: d"),
            Example("# T", front="name: a--b\ndescription: d"),
        ),
        (Example("# T", front=_GOOD),),
    ),
)
