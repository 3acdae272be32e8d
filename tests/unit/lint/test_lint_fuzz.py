"""Whatever is in a file, the lint says the same of the same bytes, inside the text, and repeats no patient."""

from __future__ import annotations

import sys
from types import FrameType

import pytest
from hypothesis import HealthCheck, example, given, settings
from lint_properties import check_all, findings_of, forget_lines
from lint_shapes import SHAPES
from lint_texts import files

from m4review.lint import lint_text

SHORT, FACTOR = 1_000, 4
HEAD = "---\nname: example\ndescription: d\n---\n"


@given(files)
@example(b"from P\norder by _")
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_the_properties_hold_of_any_file(data: bytes) -> None:
    check_all(data)


@pytest.mark.parametrize("name", SHAPES)
def test_the_properties_hold_of_every_shape(name: str) -> None:
    check_all((HEAD + SHAPES[name](600)).encode("utf-8", "replace"))


def steps(text: str) -> int:
    """Calls (of Python and of C, generators resumed included) that the lint makes for a text."""
    forget_lines()
    count = 0

    def counted(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(counted)
    try:
        lint_text(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", SHAPES)
def test_the_steps_grow_as_the_text_does(name: str) -> None:
    lint_text(HEAD + SHAPES[name](SHORT))
    start = steps(HEAD)
    short, long = (steps(HEAD + SHAPES[name](length)) - start for length in (SHORT, FACTOR * SHORT))
    assert long <= 1.7 * FACTOR * max(short, 400), f"{short} steps for {SHORT} characters, {long} for {FACTOR * SHORT}"


def test_a_text_of_nothing_has_no_finding_but_its_missing_head() -> None:
    assert {item.rule for item in findings_of(b"")} == {"front-matter"}
