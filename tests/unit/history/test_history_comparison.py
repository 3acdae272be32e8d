"""What changed, line by line and word by word."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from m4review.history import Span, compare, compare_folders, render_line, render_unified

OLD = """# SIRS

Take the worst value of the first 24 hours.
Heart rate > 90 /min counts one point.

| WBC | points |
|---|---|
| > 12 | 1 |
| < 4 | 1 |

Missing counts as normal.
"""
NEW = OLD.replace("24 hours", "48 hours").replace("> 90 /min", "at least 95 /min").replace("| < 4 | 1 |\n", "")


def test_only_the_words_that_changed_are_marked() -> None:
    changed = [line for line in compare(OLD, NEW).lines if line.kind == "changed"]
    assert changed[0].spans == (
        Span("equal", "Take the worst value of the first "),
        Span("removed", "24"),
        Span("added", "48"),
        Span("equal", " hours."),
    )
    assert changed[1].spans[1:3] == (Span("removed", "> 90"), Span("added", "at least 95"))


def test_line_numbers_of_both_sides_are_kept() -> None:
    lines = compare(OLD, NEW).lines
    assert [(line.old, line.new) for line in lines if line.kind == "removed"] == [(9, None)]
    assert (lines[-1].old, lines[-1].new) == (11, 10)


def test_an_inserted_line_does_not_mark_its_neighbours() -> None:
    comparison = compare("a b c\nd e f\n", "a b c\nnew words here\nd e f\n")
    assert comparison.counts() == {"equal": 2, "removed": 0, "added": 1, "changed": 0}


def test_lines_without_words_in_common_are_removed_and_added() -> None:
    comparison = compare("alpha beta gamma\n", "one two three\n")
    assert [line.kind for line in comparison.lines] == ["removed", "added"]


def test_inside_a_rewritten_block_the_lines_that_belong_together_are_paired() -> None:
    old = "| HR | > 90 | 1 |\n| RR | > 20 | 1 |\n"
    new = "| Temp | < 36 | 1 |\n| HR | > 95 | 1 |\n| RR | > 22 | 1 |\n"
    kinds = [(line.kind, line.old, line.new) for line in compare(old, new).lines]
    assert ("changed", 1, 2) in kinds
    assert ("changed", 2, 3) in kinds
    assert ("added", None, 1) in kinds


def test_decimals_and_units_are_one_word() -> None:
    line = compare("creatinine 1.2 mg/dL\n", "creatinine 1.25 mg/dL\n").lines[0]
    assert line.spans[1:3] == (Span("removed", "1.2"), Span("added", "1.25"))


def test_the_rendering_marks_words_without_colour() -> None:
    text = render_unified(compare(OLD, NEW), "version 1", "version 2", context=1)
    assert "~Take the worst value of the first [-24-]{+48+} hours." in text
    assert "-| < 4 | 1 |" in text
    assert text.startswith("--- version 1\n+++ version 2\n@@ -2,4 +2,4 @@\n")
    assert "\x1b" not in text


def test_colour_is_added_to_the_marks_and_replaces_none() -> None:
    comparison = compare(OLD, NEW)
    coloured = render_unified(comparison, "a", "b", colour=True)
    assert "\x1b[31m[-24-]\x1b[0m" in coloured
    assert re.sub(r"\x1b\[\d*m", "", coloured) == render_unified(comparison, "a", "b")


def test_the_plain_form_can_be_applied_by_patch(tmp_path) -> None:
    import subprocess

    target = tmp_path / "SKILL.md"
    target.write_text(OLD)
    text = render_unified(compare(OLD, NEW), "SKILL.md", "SKILL.md", words=False)
    subprocess.run(["git", "apply", "-p0", "-"], cwd=tmp_path, input=text.encode(), check=True)
    assert target.read_text() == NEW


def test_equal_texts_render_to_nothing() -> None:
    assert compare(OLD, OLD).is_equal
    assert render_unified(compare(OLD, OLD), "a", "b") == ""


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        ("a\nb\n", "a\r\nb\r\n", "line ends changed from LF to CRLF"),
        ("a\n", "\ufeffa\n", "byte order mark added"),
        ("a\n", "a", "final newline removed"),
        ("a", "a\n", "final newline added"),
        ("a\r\nb\n", "a\nb\r\n", "line ends changed on some lines"),
    ],
)
def test_a_difference_that_no_line_shows_is_told(old: str, new: str, note: str) -> None:
    comparison = compare(old, new)
    assert comparison.notes == (note,)
    assert not comparison.is_equal
    assert note in render_unified(comparison, "a", "b")


def test_next_change_jumps_from_run_to_run() -> None:
    comparison = compare(OLD, NEW)
    assert [comparison.lines[position].old for position in comparison.changes] == [3, 9]


def test_context_joins_hunks_that_touch() -> None:
    comparison = compare(OLD, NEW)
    assert [len(comparison.hunks(context)) for context in (0, 1, 2, 3)] == [2, 2, 1, 1]
    assert [(h.old_start, h.old_count, h.new_start, h.new_count) for h in comparison.hunks(0)] == [
        (3, 2, 3, 2),
        (9, 1, 8, 0),
    ]


texts = st.lists(
    st.lists(st.sampled_from(["the", "value", "24", "0.5", "≥", "|", "hours", ""]), max_size=6).map(" ".join),
    max_size=8,
).map("\n".join)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(old=texts, new=texts)
def test_both_texts_can_be_put_together_again_from_the_comparison(old: str, new: str) -> None:
    comparison = compare(old, new)
    before = [line for line in comparison.lines if line.old is not None]
    after = [line for line in comparison.lines if line.new is not None]
    assert [line.old for line in before] == list(range(1, len(before) + 1))
    assert [line.new for line in after] == list(range(1, len(after) + 1))
    assert "\n".join(line.old_text for line in before) == old.removesuffix("\n")
    assert "\n".join(line.new_text for line in after) == new.removesuffix("\n")
    assert comparison.is_equal == (old == new)


def test_five_hundred_changed_lines_are_each_a_change() -> None:
    old = "\n".join(f"Row {n}: the value of item {n * 7} counts {n % 5} points in window {n % 24}" for n in range(500))
    new = old.replace("counts", "gives").replace("window 1", "period 1")
    comparison = compare(old, new)
    assert comparison.counts()["changed"] == 500


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n" * 20_000 + "x", "\n" * 30_000 + "y"),
        ("a\nb\n" * 10_000, "b\na\n" * 10_000),
        ("word , " * 60_000, ", word " * 60_000),
    ],
    ids=["blank lines", "two lines alternating", "one long line"],
)
def test_a_pathological_text_is_compared_to_its_end(old: str, new: str) -> None:
    lines = compare(old, new).lines
    assert "\n".join(line.new_text for line in lines if line.new is not None) == new.removesuffix("\n")


def test_folders_are_compared_file_by_file() -> None:
    old = {"SKILL.md": b"a\n", "gone.md": b"g\n", "same.md": b"s\n", "figure.bin": b"\xff\x00"}
    new = {"SKILL.md": b"b\n", "new.md": b"n\n", "same.md": b"s\n", "figure.bin": b"\xff\x01"}
    changes = {change.path: change for change in compare_folders(old, new)}
    assert sorted(changes) == ["SKILL.md", "figure.bin", "gone.md", "new.md"]
    assert changes["gone.md"].new is None
    assert changes["new.md"].old is None
    assert changes["figure.bin"].comparison is None


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("one\n", "one \n", ["~one{+·+}"]),
        ("one\n", "one\n \t\n", [" one", "+·→"]),
        ("one  \n", "one\n", ["~one[-··-]"]),
        ("a b\n", "a  b\n", ["~a[-·-]{+··+}b"]),
        ("one\n", "one\nof two words\n", [" one", "+of two words"]),
        ("one\n", "one\u00a0\n", ["~one{+⟨U+00A0⟩+}"]),
    ],
)
def test_changed_blanks_can_be_seen(old: str, new: str, shown: list[str]) -> None:
    assert [render_line(line) for line in compare(old, new).lines] == shown


def test_a_patch_keeps_its_blanks() -> None:
    assert "\n+ \n" in render_unified(compare("one\n", "one\n \n"), "a", "b", words=False)
