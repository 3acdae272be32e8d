"""The fast reader of event front matter never says anything else than YAML does."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from m4review.reviews.eventyaml import read_event_block
from m4review.skills.strictyaml import NotYamlError, read_strict

TEXTS = st.text(st.sampled_from("ab Cy-:#'\"0123456789.,[]{}~!&*%@|><=\t\\é≥\u00a0_"), max_size=12) | st.sampled_from(
    [
        "yes",
        "No",
        "null",
        "true",
        "y",
        "2026-01-31T12:00:00Z",
        "1:30",
        "0x1f",
        "1e3",
        "a: b",
        "a #b",
        "sha256:00",
        "=",
        "<<",
    ]
)
VALUES = (
    TEXTS
    | st.integers(-5, 10**17)
    | st.booleans()
    | st.none()
    | st.lists(TEXTS, max_size=3)
    | st.dictionaries(TEXTS, TEXTS, max_size=3)
)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=4))
def test_what_the_fast_reader_reads_is_what_yaml_reads(values: dict[str, object]) -> None:
    block = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=10**6).rstrip("\n")
    fast = read_event_block(block)
    if fast is not None:
        assert fast == read_strict(block)
        assert fast[0] == values


LINES = st.sampled_from(
    ["a: b", "a:", "b:", "  c: d", "  c: 'e'", "- f", "-  f", "- 'g'", "a: []", "a: {}", "b: 7", "b: 07", "a: b:",
     "a: b ",
     "a: yes", "yes: a", "  y: n", "a: b # c", "a: b#c", "a: b:c", "a: 'b''c'", "a: 'b'c'", "- a: b", "  - a", "a:  b",
     "", "c: [d]", "c: d, e", "a: b\tc", "A: |", "a: &x b", "? a", "a : b"]
)  # fmt: skip


@settings(max_examples=600, deadline=None, derandomize=True)
@given(st.lists(LINES, min_size=1, max_size=5))
def test_lines_in_any_order_are_read_as_yaml_reads_them_or_left_to_it(lines: list[str]) -> None:
    block = "\n".join(lines)
    fast = read_event_block(block)
    if fast is not None:
        try:
            assert fast == read_strict(block)
        except NotYamlError as problem:
            pytest.fail(f"YAML refuses what was read: {problem.what}")
