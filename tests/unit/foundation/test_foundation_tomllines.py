"""The line of a key in a TOML text."""

from __future__ import annotations

import pytest

from m4review.tomllines import line_of

TEXT = """# a = 1
a = 1
"b c" = 2
[t] # table
x.y = 3
[[list]]
id = 1
[list.sub]
k = 1
[[list]]
id = 2
[t.deep]
x = [
  1,
]
"""


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (("a",), 2),
        (("b c",), 3),
        (("t",), 4),
        (("t", "x", "y"), 5),
        (("t", "missing"), 4),
        (("t", "deep", "x", 0), 13),
        (("list", 0, "id"), 7),
        (("list", 1, "id"), 11),
        (("list", 1, "missing"), 10),
        (("list", 2, "id"), None),
        (("missing",), None),
        ((), None),
    ],
)
def test_the_line_of_a_key(keys: tuple[str | int, ...], line: int | None) -> None:
    assert line_of(TEXT, keys) == line
