"""The YAML block at the head of a Markdown file, read strictly and with line numbers."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import yaml

from m4review.errors import M4ReviewError, SkillError

FENCE = "---"


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The parsed block. ``lines`` maps each top-level key to its 1-based line; the text starts at ``body_line``."""

    values: dict[str, Any]
    lines: dict[str, int]
    body_line: int


class _StrictLoader(yaml.SafeLoader):
    """A safe loader that refuses duplicate keys instead of keeping the last one."""


def _strict_mapping(loader: _StrictLoader, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
    seen: set[Hashable] = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, Hashable):
            raise yaml.MarkedYAMLError(problem="a key that is not plain text", problem_mark=key_node.start_mark)
        if key in seen:
            raise yaml.MarkedYAMLError(problem=f"duplicate key {key!r}", problem_mark=key_node.start_mark)
        seen.add(key)
    return yaml.SafeLoader.construct_mapping(loader, node, deep=deep)


_StrictLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _strict_mapping)


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
    try:
        loader = _StrictLoader(block)
        try:
            node = loader.get_single_node()
            values = {} if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        raise error(
            f"the front matter is not valid YAML: {problem.problem or problem.context}",
            where=where,
            line=None if mark is None else mark.line + 2,
            expected="lines of the form 'key: value'",
            fix="quote values that contain ': ' or start with a special character",
        ) from None
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        raise error(f"the front matter is not valid YAML: {problem}", where=where, line=2) from None
    if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
        raise error(
            "the front matter is not a list of keys", where=where, line=2, expected="lines of the form 'key: value'"
        )
    key_lines = {key.value: key.start_mark.line + 2 for key, _ in node.value} if node is not None else {}
    return FrontMatter(values=values, lines=key_lines, body_line=end + 2)
