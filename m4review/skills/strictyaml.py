"""YAML, read strictly: safe types only, and a repeated key is an error instead of a silent loss."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import yaml


class NotYamlError(ValueError):
    """``what`` is wrong at the 0-based ``line``; ``None``: nowhere in particular."""

    def __init__(self, what: str, line: int | None) -> None:
        self.what = what
        self.line = line
        super().__init__(what)


class StrictLoader(yaml.SafeLoader):
    """A safe loader that refuses duplicate keys instead of keeping the last one."""


def _strict_mapping(loader: StrictLoader, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
    seen: set[Hashable] = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, Hashable):
            raise yaml.MarkedYAMLError(problem="a key that is not plain text", problem_mark=key_node.start_mark)
        if key in seen:
            raise yaml.MarkedYAMLError(problem=f"duplicate key {key!r}", problem_mark=key_node.start_mark)
        seen.add(key)
    return yaml.SafeLoader.construct_mapping(loader, node, deep=deep)


StrictLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _strict_mapping)


def read_strict(block: str) -> tuple[Any, dict[Any, int]]:
    """The value of a YAML text, and the 0-based line of each top-level key of a mapping.

    Raises:
        NotYamlError: not YAML, or a repeated key.
    """
    try:
        loader = StrictLoader(block)
        try:
            node = loader.get_single_node()
            values = {} if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        said = problem.problem or problem.context or "it cannot be read"
        raise NotYamlError(said, None if mark is None else mark.line) from None
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        raise NotYamlError(str(problem), 0) from None
    keys = (key for key, _ in node.value) if isinstance(values, dict) and node is not None else ()
    return values, {key.value: key.start_mark.line for key in keys if isinstance(key, yaml.ScalarNode)}
