"""What is found while somebody types is what a fresh look at the text finds."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from lint_properties import forget_lines

from m4review.lint import lint_text

SKILL = (Path(__file__).parents[3] / "skills" / "sirs-criteria" / "SKILL.md").read_text(encoding="utf-8")
PIECES = (
    "c2VsZWN0IHN0YXlfaWQ=", "73656c65637420737461795f6964" * 2,
    "x = f(a[1], 'b') && g(c);\n", "| `df[df.a > 1].b` |", "fn = (a, b) => a[b] ?? {};", "\n", "```\n", "("
)  # fmt: skip
EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 30), st.sampled_from(PIECES) | st.text(max_size=12)),
    min_size=1,
    max_size=6,
)


@settings(max_examples=25, deadline=None)
@given(EDITS)
def test_after_any_edits_the_findings_are_those_of_a_fresh_look(edits: list[tuple[float, int, str]]) -> None:
    text = SKILL
    for share, removed, typed in edits:
        place = int(share * len(text))
        text = text[:place] + typed + text[place + removed :]
        found = lint_text(text)
    forget_lines()
    assert lint_text(text) == found
