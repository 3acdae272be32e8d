"""The fast reader of event front matter never says anything else than YAML does."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from m4review.reviews.eventyaml import read_event_block
from m4review.skills.strictyaml import NotYamlError, read_strict

TEXTS = st.text(st.sampled_from("ab Cy-:#'\"0123456789.,[]{}~!&*%@|><=\t\\é≥\u00a0_"), max_size=12) | st.sampled_from(
    ["yes", "No", "null", "true", "y", "2026-01-31T12:00:00Z", "1:30", "0x1f", "1e3", "a: b", "a #b", "sha256:00", "=",
     "<<", "a (b) is 1, and it's c", "one two three four five six seven eight nine ten eleven twelve"]
)  # fmt: skip
VALUES = st.recursive(
    TEXTS | st.integers(-5, 10**17) | st.floats(0, 1) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("width", [10**6, 110, 20])
@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=4))
def test_what_the_fast_reader_reads_is_what_yaml_reads(width: int, values: dict[str, object]) -> None:
    block = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=width).rstrip("\n")
    fast = read_event_block(block)
    if fast is not None:
        assert fast == read_strict(block)
        assert fast[0] == values


LINES = st.sampled_from(
    ["a: b", "a:", "b:", "  c: d", "  c: 'e'", "- f", "-  f", "- 'g'", "a: []", "a: {}", "b: 7", "b: 07", "a: b:",
     "a: b ", "  more", "  more of it", "  it's", "a: 'b", "  c'", "  'c'", "  - a: b", "- c: d", "  e: f", "    g: h",
     "    more", "a: null", "a: 0.5", "a: .5", "a: 1.", "a b: c", "a : c", "  ", "  # c", "   d", "- - a", "- ", "-",
     "a: yes", "yes: a", "  y: n", "a: b # c", "a: b#c", "a: b:c", "a: 'b''c'", "a: 'b'c'", "- a: b", "  - a", "a:  b",
     "", "c: [d]", "c: d, e", "a: b\tc", "A: |", "a: &x b", "? a", "a? b: c", "a: b? c", "a: 'b ", "  c '", "  : d"]
)  # fmt: skip


@settings(max_examples=1200, deadline=None, derandomize=True)
@given(st.lists(LINES, min_size=1, max_size=6))
def test_lines_in_any_order_are_read_as_yaml_reads_them_or_left_to_it(lines: list[str]) -> None:
    block = "\n".join(lines)
    fast = read_event_block(block)
    if fast is not None:
        try:
            assert fast == read_strict(block)
        except NotYamlError as problem:
            pytest.fail(f"YAML refuses what was read: {problem.what}")


SENTENCE = "As C1 I have read the text: its definition, schema (one table) and output. I don't know of a conflict. " * 3
DIGEST = "sha256:" + "0" * 64
EVENT: dict[str, Any] = {
    "meaning": SENTENCE.strip(),
    "reason": SENTENCE.replace(": ", " ").strip(),
    "base": {"content": DIGEST, "tasks": {"lactate-raw": DIGEST}},
    "due": None,
    "isolated": True,
    "rewards": {"no-skill": 0.25, "with-skill": 1.0},
    "answers": {"Is every item id named?": "yes", "Are units given (and converted)?": "no"},
    "findings": [
        {
            "id": "f1",
            "scope": "schema",
            "text": SENTENCE.strip(),
            "anchor": {"path": ["A", "B"], "quote": "x", "line": 3},
        },
        {"id": "f2", "scope": "output", "text": "short", "anchor": None},
    ],
    "supersedes": [DIGEST, DIGEST],
}


@pytest.mark.parametrize("width", [10**6, 110])
def test_every_shape_that_events_have_is_read_fast(width: int) -> None:
    block = yaml.safe_dump(EVENT, sort_keys=False, allow_unicode=True, width=width).rstrip("\n")
    assert read_event_block(block) == read_strict(block)
    assert read_strict(block)[0] == EVENT
