"""The YAML block at the head of a Markdown file, read strictly and with line numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

from m4review.errors import M4ReviewError, SkillError
from m4review.skills.plainyaml import read_plain

FENCE = "---"


class FrontMatter(NamedTuple):
    """The parsed block. ``lines`` maps each top-level key to its 1-based line; the text starts at ``body_line``."""

    values: dict[str, Any]
    lines: dict[str, int]
    body_line: int


def split_front_matter(text: str, where: str, error: type[M4ReviewError] = SkillError) -> FrontMatter:
    """Read the front matter of ``text`` (``\\n`` newlines).

    Raises ``error`` (with file and line) when the block is missing, not closed, not YAML, not a mapping with text
    keys, or repeats a key.
    """
    lines = text.split("\n")
    if lines[0].rstrip() != FENCE:
        raise error(
            "no front matter",
            where=where,
            line=1,
            expected="a first line '---', then 'name:' and 'description:', then '---'",
            fix="start the file with a front matter block",
        )
    for index, line in enumerate(lines[1:], start=1):
        if line.rstrip() == FENCE:
            end = index
            break
    else:
        raise error(
            "the front matter is not closed",
            where=where,
            line=1,
            expected="a second line '---' after the last key",
            fix="add a line '---' before the text",
        )
    block = "\n".join(lines[1:end])
    plain = read_plain(block)
    if plain is not None:
        values, key_lines = plain
    else:
        from m4review.skills.strictyaml import NotYamlError, read_strict

        try:
            values, key_lines = read_strict(block)
        except NotYamlError as problem:
            raise error(
                f"the front matter is not valid YAML: {problem.what}",
                where=where,
                line=None if problem.line is None else problem.line + 2,
                expected="lines of the form 'key: value'",
                fix="quote values that contain ': ' or start with a special character",
            ) from None
    if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
        raise error(
            "the front matter is not a list of keys", where=where, line=2, expected="lines of the form 'key: value'"
        )
    return FrontMatter(values=values, lines={key: line + 2 for key, line in key_lines.items()}, body_line=end + 2)
